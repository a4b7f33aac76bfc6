"""An island as a problem of the solver: what its operations (``newtonish.kernels.sparse.operations``) know of it."""

import warp as wp

from newtonish.kernels.linalg.skyline import skyline_mass
from newtonish.kernels.math.world import fresh, lanes, sum_lanes, sync
from newtonish.kernels.solver.stopping import free_inertia, tolerances
from newtonish.kernels.sparse.copies import of_world
from newtonish.kernels.sparse.region import Region
from newtonish.kernels.structs.data import Efc, Island, Mass, Solve
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.struct
class IslandProblem:
    """The constraints of one island; ``newtonish.kernels.solver.operations`` describes the fields that come first."""

    slot: int  # of the island's copies
    lane: int
    nv: int
    n: int
    w: int  # world
    ls_tolerance: wp.array(dtype=float)
    iterations: int
    ls_iterations: int
    dof_at: wp.array2d(dtype=int)
    dof_place: wp.array2d(dtype=int)
    # what the island has in memory, not in registers of an iteration: ``head``, and the tolerance, followed by the two numbers of ``keep``
    head: wp.array2d(dtype=int)
    numbers: wp.array2d(dtype=float)
    # rows of the world's Jacobian; those of the island are listed in ``order``
    order: wp.array2d(dtype=int)
    J: wp.array3d(dtype=float)
    rownnz: wp.array2d(dtype=int)
    rowadr: wp.array2d(dtype=int)
    column: wp.array2d(dtype=int)
    # the mass matrix; the trees of the island are listed in ``trees``
    trees: wp.array2d(dtype=int)
    tree_pos: wp.array2d(dtype=int)
    dofadr: wp.array(dtype=int)
    dofnum: wp.array(dtype=int)
    lastid: wp.array(dtype=int)
    M: wp.array2d(dtype=float)
    M_rownnz: wp.array(dtype=int)
    M_rowadr: wp.array(dtype=int)
    M_colind: wp.array(dtype=int)


@wp.struct
class IslandHessian:
    """The Hessian of an island in its envelope, or its factor (see ``newtonish.kernels.linalg.skyline``)."""

    nv: int
    n: int
    slot: int  # of the island's copies
    w: int  # world
    lane: int
    H: wp.array2d(dtype=float)
    first: wp.array2d(dtype=int)
    address: wp.array2d(dtype=int)
    M: wp.array2d(dtype=float)  # the mass matrix in an envelope of its own
    mass_first: wp.array2d(dtype=int)
    mass_address: wp.array2d(dtype=int)
    diaginv: wp.array2d(dtype=float)  # 1 over the diagonal of the factor
    bound: wp.array2d(dtype=float)  # 1/D of the mass matrix
    type: wp.array2d(dtype=int)
    id: wp.array2d(dtype=int)


@wp.struct
class IslandPreconditioner:
    """The factor of the world's mass matrix."""

    solved: wp.array2d(dtype=float)
    at: int
    strict: int
    qLD: wp.array2d(dtype=float)
    qLDiagInv: wp.array2d(dtype=float)


@wp.func
def island_inertia(dof: Dof, mass: Mass, isl: Island, region: Region, w: int, lane: int) -> float:
    """Trace of the mass matrix of an island without dofs that are held, once it has been entered, by all lanes."""
    slot = region.slot
    inertia = wp.float32(0.0)
    for k in range(lane, region.nv, lanes()):
        inertia += free_inertia(dof, mass, w, isl.dof_at[slot, k])
    return sum_lanes(inertia)


@wp.func
def island_problem(opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, isl: Island, region: Region, inertia: float, w: int, lane: int) -> IslandProblem:
    """The problem of an island, once it has been entered; ``efc`` is the world's, ``inertia`` the trace of its mass matrix. Ends with a barrier."""
    if lane == 0:
        isl.numbers[fresh(region.slot), 0] = tolerances(opt, inertia, w)[0]
    sync()
    return IslandProblem(
        region.slot, lane, region.nv, region.n, w, opt.ls_tolerance, opt.iterations, opt.ls_iterations, isl.dof_at, isl.dof_place, isl.head, isl.numbers,
        isl.map_iefc2efc, efc.J, efc.J_rownnz, efc.J_rowadr, isl.column, isl.map_itree2tree, isl.tree_pos, tree.dofadr, tree.dofnum, dof.lastid,
        mass.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind
    )  # fmt: skip


@wp.func
def island_hessian(tree: Tree, dof: Dof, mass: Mass, efc: Efc, sol: Solve, isl: Island, region: Region, w: int, lane: int) -> IslandHessian:
    """The Hessian of an island, of which the part that is M is ready; ``efc`` is the world's, ``sol`` the island's."""
    skyline_mass(
        of_world(isl.M, w), isl.mass_first, isl.mass_adr, mass.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind, isl.map_itree2tree, isl.tree_pos, tree.dofadr,
        tree.dofnum, region.tree, region.ntree, region.nv, region.n, w, region.slot,
    )  # fmt: skip
    return IslandHessian(
        region.nv, region.n, region.slot, w, lane, isl.H, isl.panel_first, isl.panel_adr, isl.M, isl.mass_first, isl.mass_adr, sol.Hdiaginv, isl.bound,
        efc.type, efc.id
    )  # fmt: skip
