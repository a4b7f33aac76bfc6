"""Products on one island, and the acceleration from which its solver starts."""

import warp as wp

from newtonish.kernels.constants import WARMSTART
from newtonish.kernels.linalg.dense import copy_vector
from newtonish.kernels.linalg.island_products import island_mul_mass, island_mul_rows, island_mul_rows_transposed
from newtonish.kernels.linalg.newton_sums import partial_gauss_cost
from newtonish.kernels.math.world import block_sum, scratch_slot, sync
from newtonish.kernels.solver.cost import rows_cost
from newtonish.kernels.sparse.region import Region, gather
from newtonish.kernels.structs.data import Contact, Efc, Force, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.func
def mul_mass(
    tree: Tree, dof: Dof, mass: Mass, isl: Island, region: Region, x: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float), w: int,
):  # fmt: skip
    """``result = M x``, both windows."""
    island_mul_mass(
        mass.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind, isl.map_itree2tree, isl.tree_pos, tree.dofadr, tree.dofnum, x,
        result, region.tree, region.ntree, w, scratch_slot(w),
    )  # fmt: skip


@wp.func
def mul_jacobian(
    efc: Efc, isl: Island, region: Region, x: wp.array2d(dtype=float), shift: wp.array2d(dtype=float), scale: float,
    result: wp.array2d(dtype=float), w: int,
):  # fmt: skip
    """``result = J x - scale * shift``; ``efc`` is the world's, the others are windows."""
    island_mul_rows(
        efc.J, efc.J_rownnz, efc.J_rowadr, isl.column, isl.map_iefc2efc, x, shift, scale, result, region.row, region.nrow,
        w, scratch_slot(w),
    )  # fmt: skip


@wp.func
def pull_of_forces(efc: Efc, isl: Island, region: Region, part: Efc, s: Solve, w: int):
    """``s.pull`` = J' force of the island."""
    island_mul_rows_transposed(
        efc.J, efc.J_rownnz, efc.J_rowadr, isl.column, isl.map_iefc2efc, part.force, s.pull, region.row, region.nrow, w,
        scratch_slot(w),
    )  # fmt: skip


@wp.func
def start_island(
    opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, efc: Efc, isl: Island, region: Region,
    contact: Contact, part: Efc, s: Solve, status: Status, w: int, lane: int,
):  # fmt: skip
    """Fill ``s.smooth``, and ``s.x``, ``s.Mx``, ``s.Jaref`` at the start: the last solution or qacc_smooth, by cost.

    ``contact``, ``part``, ``s`` and ``status`` are the island's windows.
    """
    gather(s.smooth, frc.qfrc_smooth, isl, region, w, lane)
    gather(s.x, frc.qacc_smooth, isl, region, w, lane)
    mul_jacobian(efc, isl, region, s.x, part.aref, 1.0, s.Jaref, w)
    for k in range(region.nv + lane, region.n, wp.block_dim()):
        s.Mx[0, k] = 0.0
        s.Mv[0, k] = 0.0
    sync()
    warm = wp.int32(0)
    if (opt.disableflags & WARMSTART) == 0:
        gather(s.search, state.qacc_warmstart, isl, region, w, lane)
        mul_mass(tree, dof, mass, isl, region, s.search, s.Mx, w)
        mul_jacobian(efc, isl, region, s.search, part.aref, 1.0, s.Jv, w)
        cold_cost = rows_cost(opt, contact, part, status, s.Jaref, region.nflat, 0, lane)
        warm_cost = rows_cost(opt, contact, part, status, s.Jv, region.nflat, 0, lane)
        warm_cost += block_sum(partial_gauss_cost(s.Mx, s.smooth, s.search, s.x, 0))
        if warm_cost < cold_cost:
            warm = 1
    if warm == 1:
        copy_vector(s.x, 0, s.search, 0, region.n)
        copy_vector(s.Jaref, 0, s.Jv, 0, (region.nrow + 7) // 8 * 8)
    else:
        copy_vector(s.Mx, 0, s.smooth, 0, region.n)  # M qacc_smooth
    sync()
