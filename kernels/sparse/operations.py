"""An island as a problem of the solver, and its operations: products by sparse rows and trees, a Hessian kept in its envelope.

``Contact``, ``Efc`` and ``Solve`` are the island's windows (``newtonish.kernels.sparse.region``). Sums in float64 are kept as two float32 values, the
second one what the first rounds off: that is all the scratch they need.
"""

import warp as wp

from newtonish.kernels.linalg.dense import copy_vector
from newtonish.kernels.linalg.island_products import (
    island_mul_mass,
    island_mul_rows,
    island_mul_rows_transposed,
    island_solve_mass,
)
from newtonish.kernels.linalg.skyline import skyline_add_cones, skyline_add_rows, skyline_begin, skyline_mass
from newtonish.kernels.linalg.skyline_cholesky import skyline_factor, skyline_solve
from newtonish.kernels.math.world import fresh, lanes, per_world, scratch_slot, sum_lanes, sync
from newtonish.kernels.solver.exact import exact_force, split, whole
from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.solver.rows import Rows
from newtonish.kernels.solver.stopping import free_inertia, tolerances
from newtonish.kernels.sparse.region import Region
from newtonish.kernels.structs.data import Contact, Efc, Island, Mass, Solve
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.struct
class IslandProblem:
    """The constraints of one island; ``newtonish.kernels.solver.operations`` describes the fields that come first."""

    rows: Rows
    slot: int  # of the world
    lane: int
    nv: int
    n: int
    nrow: int
    small: float
    w: int  # world
    ls_tolerance: wp.array(dtype=float)
    iterations: int
    ls_iterations: int
    dof_at: wp.array2d(dtype=int)
    dof_place: wp.array2d(dtype=int)
    # rows of the world's Jacobian; those of the island are listed in ``order`` from ``row`` on
    row: int
    order: wp.array2d(dtype=int)
    J: wp.array3d(dtype=float)
    rownnz: wp.array2d(dtype=int)
    rowadr: wp.array2d(dtype=int)
    column: wp.array2d(dtype=int)
    # the mass matrix; the trees of the island are listed in ``trees``, where and how many stands in memory, not in registers of an iteration
    island: int
    itreeadr: wp.array2d(dtype=int)
    ntree: wp.array2d(dtype=int)
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
    slot: int  # of the world
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
    slot = scratch_slot(w)
    inertia = wp.float32(0.0)
    for k in range(lane, region.nv, lanes()):
        inertia += free_inertia(dof, mass, w, isl.dof_at[slot, k])
    return sum_lanes(inertia)


@wp.func
def island_problem(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, isl: Island, region: Region, inertia: float, w: int, i: int, lane: int
) -> IslandProblem:
    """The problem of island ``i``, once it has been entered; ``efc`` is the world's, ``inertia`` the trace of its mass matrix."""
    slot = scratch_slot(w)
    rows = Rows(slot, region.nrow, isl.island_ne[w, i], region.nflat, isl.con_count[slot, 0])
    return IslandProblem(
        rows, slot, lane, region.nv, region.n, (region.nrow + 7) // 8 * 8, tolerances(opt, inertia, w)[0], w, opt.ls_tolerance,
        opt.iterations, opt.ls_iterations, isl.dof_at, isl.dof_place, region.row, isl.map_iefc2efc, efc.J, efc.J_rownnz, efc.J_rowadr,
        isl.column, i, isl.island_itreeadr, isl.island_ntree, isl.map_itree2tree, isl.tree_pos, tree.dofadr, tree.dofnum, dof.lastid, mass.M, dof.M_rownnz,
        dof.M_rowadr, dof.M_colind
    )  # fmt: skip


@wp.func
def island_hessian(tree: Tree, dof: Dof, mass: Mass, efc: Efc, sol: Solve, isl: Island, region: Region, w: int, lane: int) -> IslandHessian:
    """The Hessian of an island, of which the part that is M is ready; ``efc`` is the world's, ``sol`` the island's."""
    slot = scratch_slot(w)
    skyline_mass(
        isl.M, isl.mass_first, isl.mass_adr, mass.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind, isl.map_itree2tree, isl.tree_pos, tree.dofadr,
        tree.dofnum, region.tree, region.ntree, region.nv, region.n, w, slot,
    )  # fmt: skip
    return IslandHessian(
        region.nv, region.n, slot, lane, isl.H, isl.panel_first, isl.panel_adr, isl.M, isl.mass_first, isl.mass_adr, sol.Hdiaginv, isl.bound,
        efc.type, efc.id
    )  # fmt: skip


@wp.func
def _gather(p: IslandProblem, target: wp.array2d(dtype=float), source: wp.array2d(dtype=float)):
    slot = fresh(p.slot)
    for k in range(p.lane, p.n, lanes()):
        value = wp.float32(0.0)
        if p.dof_at[slot, k] >= 0:
            value = source[p.w, p.dof_at[slot, k]]
        target[slot, k] = value
    sync()


@wp.func
def _multiply_mass(p: IslandProblem, sol: Solve, x: wp.array2d(dtype=float), result: wp.array2d(dtype=float)):
    w = fresh(p.w)
    island_mul_mass(
        p.M, p.M_rownnz, p.M_rowadr, p.M_colind, p.trees, p.tree_pos, p.dofadr, p.dofnum, p.lastid, x, result, p.itreeadr[w, p.island],
        p.ntree[w, p.island], w, p.slot,
    )  # fmt: skip


@wp.func
def _multiply_jacobian(p: IslandProblem, efc: Efc, x: wp.array2d(dtype=float), scale: float, result: wp.array2d(dtype=float)):
    island_mul_rows(
        p.J, p.rownnz, p.rowadr, p.column, p.order, x, efc.aref, scale, result, p.row, p.rows.nefc, p.w, p.slot
    )  # fmt: skip


@wp.func
def _multiply_transposed(p: IslandProblem, efc: Efc, sol: Solve):
    island_mul_rows_transposed(
        p.J, p.rownnz, p.rowadr, p.column, p.order, efc.force, sol.JTf, p.row, p.rows.nefc, p.w, p.slot
    )  # fmt: skip


@wp.func
def _precondition(p: IslandProblem, m: IslandPreconditioner, grad: wp.array2d(dtype=float)):
    copy_vector(m.solved, m.at, grad, p.slot, p.nv)
    w = fresh(p.w)
    island_solve_mass(
        p.M_rownnz, p.M_rowadr, p.M_colind, m.qLD, m.qLDiagInv, p.trees, p.tree_pos, p.dofadr, p.dofnum, m.solved, p.itreeadr[w, p.island],
        p.ntree[w, p.island], w, p.slot,
    )  # fmt: skip


@wp.func
def _sum_hessian(p: IslandProblem, h: IslandHessian, contact: Contact, efc: Efc, sol: Solve):
    skyline_begin(h.H, h.first, h.address, h.M, h.mass_first, h.mass_address, h.n, h.slot)
    skyline_add_rows(
        h.H, h.first, h.address, p.J, p.rownnz, p.rowadr, p.column, p.order, h.type, h.id, efc.D, efc.state, p.row,
        p.rows.nefc, p.w, p.slot,
    )  # fmt: skip
    if p.rows.ncon > 0:
        skyline_add_cones(
            h.H, h.first, h.address, p.J, p.rownnz, p.rowadr, p.column, p.order, sol.Jaref, efc.D, contact.efc_address,
            contact.dim, contact.friction, contact.mu, p.row, p.rows.ncon, p.w, p.slot,
        )  # fmt: skip


@wp.func
def _factor_hessian(h: IslandHessian, sol: Solve):
    skyline_factor(h.H, h.first, h.address, h.diaginv, h.bound, h.n, h.slot)


@wp.func
def _solve_hessian(h: IslandHessian, sol: Solve):
    skyline_solve(h.H, h.first, h.address, h.diaginv, sol.search, h.n, h.slot)


@wp.func
def _entry(h: IslandHessian, i: int, j: int) -> float:
    """Element (i, j) of the Hessian, ``i`` not below ``j``, within the envelope."""
    panel = i // 8
    slot = fresh(h.slot)
    return h.H[slot, h.address[slot, panel] + 8 * j + i - 8 * panel]


@wp.func
def _multiply_column(h: IslandHessian, sol: Solve, i: int) -> wp.vec2:
    slot = fresh(h.slot)
    product = wp.float32(0.0)
    square = wp.float32(0.0)
    for j in range(8 * h.first[slot, i // 8] + h.lane, i + 1, lanes()):
        e = _entry(h, i, j)
        product += e * sol.grad[slot, j]
        square += e * e
    for panel in range(i // 8 + h.lane, h.n // 8, lanes()):
        if 8 * h.first[slot, panel] <= i:
            for j in range(wp.max(i + 1, 8 * panel), 8 * panel + 8):
                e = _entry(h, j, i)
                product += e * sol.grad[slot, j]
                square += e * e
    return wp.vec2(sum_lanes(product), sum_lanes(square))


@wp.func
def _add_column(h: IslandHessian, sol: Solve, i: int, factor: float):
    slot = fresh(h.slot)
    for j in range(8 * h.first[slot, i // 8] + h.lane, i + 1, lanes()):
        sol.grad[slot, j] = sol.grad[slot, j] + factor * _entry(h, i, j)
    for panel in range(i // 8 + h.lane, h.n // 8, lanes()):
        if 8 * h.first[slot, panel] <= i:
            for j in range(wp.max(i + 1, 8 * panel), 8 * panel + 8):
                sol.grad[slot, j] = sol.grad[slot, j] + factor * _entry(h, j, i)


@wp.func
def _sweep_dof(h: IslandHessian, k: int) -> int:
    return h.nv - 1 - k  # places of a tree run from its leaves to its root


@wp.func
def _exact_row(p: IslandProblem, efc: Efc, sol: Solve, r: int, value: wp.float64) -> wp.float64:
    w = fresh(p.w)
    slot = fresh(p.slot)
    total = value
    first = p.rowadr[w, p.order[w, p.row + r]]
    for e in range(first, first + p.rownnz[w, p.order[w, p.row + r]]):
        total += wp.float64(p.J[w, 0, e]) * wp.float64(sol.x[slot, p.column[slot, e]])
    return total


@wp.func
def _add(high: wp.array2d(dtype=float), low: wp.array2d(dtype=float), slot: int, i: int, term: wp.float64):
    split(high, low, slot, i, whole(high, low, slot, i) + term)


@wp.func
def _add_mass(p: IslandProblem, x: wp.array2d(dtype=float), scale: wp.float64, high: wp.array2d(dtype=float), low: wp.array2d(dtype=float)):
    """``high + low += scale M x``, a lane for each tree. Ends with a barrier."""
    w = fresh(p.w)
    slot = fresh(p.slot)
    for k in range(p.lane, p.ntree[w, p.island], lanes()):
        t = p.trees[w, p.itreeadr[w, p.island] + k]
        for i in range(p.dofadr[t], p.dofadr[t] + p.dofnum[t]):
            to = p.dof_place[slot, i]
            for a in range(p.M_rowadr[i], p.M_rowadr[i] + p.M_rownnz[i]):
                at = p.dof_place[slot, p.M_colind[a]]
                element = scale * wp.float64(p.M[w, a])
                _add(high, low, slot, to, element * wp.float64(x[slot, at]))
                if at != to:
                    _add(high, low, slot, at, element * wp.float64(x[slot, to]))
    sync()


@wp.func
def _exact_gradient(p: IslandProblem, efc: Efc, sol: Solve):
    w = fresh(p.w)
    slot = fresh(p.slot)
    for i in range(p.lane, p.n, lanes()):
        sol.search[slot, i] = sol.smooth[slot, i]
        sol.grad[slot, i] = 0.0
    sync()
    _add_mass(p, sol.x, wp.float64(-1.0), sol.search, sol.grad)
    # rows one after the other, their entries, all of different dofs, to the lanes: a fixed order of sums
    for k in range(p.rows.nefc):
        r = p.order[w, p.row + k]
        force = exact_force(efc, sol, slot, slot, k)
        for e in range(p.rowadr[w, r] + p.lane, p.rowadr[w, r] + p.rownnz[w, r], lanes()):
            _add(sol.search, sol.grad, slot, p.column[slot, e], wp.float64(p.J[w, 0, e]) * force)
        sync()


@wp.func
def _exact_balance(p: IslandProblem, sol: Solve):
    slot = fresh(p.slot)
    for i in range(p.lane, p.n, lanes()):
        sol.Mx[slot, i] = 0.0
        sol.grad[slot, i] = 0.0
    sync()
    _add_mass(p, sol.x, wp.float64(1.0), sol.Mx, sol.grad)
    for i in range(p.lane, p.n, lanes()):
        sol.JTf[slot, i] = wp.float32(whole(sol.Mx, sol.grad, slot, i) - wp.float64(sol.smooth[slot, i]))
    sync()


@wp.func
def _ls_small(p: IslandProblem) -> float:
    """Read where it is asked for: an iteration needs the registers."""
    return p.ls_tolerance[per_world(p.ls_tolerance.shape[0], p.w)] * p.small


ISLAND = Operations(
    problem=IslandProblem, hessian=IslandHessian, preconditioner=IslandPreconditioner, gather=_gather,
    multiply_mass=_multiply_mass, multiply_jacobian=_multiply_jacobian, multiply_transposed=_multiply_transposed,
    precondition=_precondition, ls_small=_ls_small, sum_hessian=_sum_hessian, factor_hessian=_factor_hessian, solve_hessian=_solve_hessian,
    multiply_column=_multiply_column, add_column=_add_column, sweep_dof=_sweep_dof, exact_row=_exact_row,
    exact_gradient=_exact_gradient, exact_balance=_exact_balance,
)  # fmt: skip
