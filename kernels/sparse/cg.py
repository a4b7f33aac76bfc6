"""Conjugate gradients on one island: the iteration of ``newtonish.kernels.solver.cg``, preconditioned by the mass matrix.

Arguments named ``contact``, ``part``, ``s`` and ``status`` are the island's windows, ``efc`` is the world's.
"""

import warp as wp

from newtonish.kernels.linalg.dense import copy_vector
from newtonish.kernels.linalg.island_products import island_solve_mass
from newtonish.kernels.math.world import block_sum, scratch_slot, sync
from newtonish.kernels.solver.cost import rows_update
from newtonish.kernels.solver.linesearch import LEFT, UNMOVED
from newtonish.kernels.solver.newton import INFINITE, ROUNDING, SHORTEST
from newtonish.kernels.sparse.newton import step_on_island
from newtonish.kernels.sparse.region import Region
from newtonish.kernels.sparse.start import pull_of_forces
from newtonish.kernels.structs.data import Contact, Efc, Island, Mass, Solve, Status
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.func
def _gradient(s: Solve, region: Region, lane: int) -> wp.vec3:
    """Write ``s.grad``; returns its squared length and its products with ``s.Hdiaginv``, the last gradient preconditioned, and ``s.search``."""
    square = wp.float32(0.0)
    mixed = wp.float32(0.0)
    slope = wp.float32(0.0)
    for i in range(lane, region.n, wp.block_dim()):
        g = s.Mx[0, i] - s.smooth[0, i] - s.pull[0, i]
        s.grad[0, i] = g
        square += g * g
        mixed += g * s.Hdiaginv[0, i]
        slope += g * s.search[0, i]
    return wp.vec3(block_sum(square), block_sum(mixed), block_sum(slope))


@wp.func
def _precondition(
    tree: Tree, dof: Dof, mass: Mass, isl: Island, region: Region, s: Solve, w: int, lane: int
) -> float:
    """``s.Hdiaginv``, which only the Newton solver needs, takes M^-1 grad; returns grad . M^-1 grad."""
    copy_vector(s.Hdiaginv, 0, s.grad, 0, region.n)
    island_solve_mass(
        dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qLD, mass.qLDiagInv, isl.map_itree2tree, isl.tree_pos,
        tree.dofadr, tree.dofnum, s.Hdiaginv, region.tree, region.ntree, w, scratch_slot(w),
    )  # fmt: skip
    product = wp.float32(0.0)
    for i in range(lane, region.n, wp.block_dim()):
        product += s.grad[0, i] * s.Hdiaginv[0, i]
    return block_sum(product)


@wp.func
def _direction(s: Solve, region: Region, beta: float, lane: int) -> wp.vec3:
    """search = beta search - M^-1 grad; returns -grad . search, the terms that cancel in it, and |search|^2."""
    decrement = wp.float32(0.0)
    terms = wp.float32(0.0)
    square = wp.float32(0.0)
    for i in range(lane, region.n, wp.block_dim()):
        d = -s.Hdiaginv[0, i]
        if beta > 0.0:
            d += beta * s.search[0, i]
        s.search[0, i] = d
        decrement -= s.grad[0, i] * d
        terms += wp.abs(d) * (wp.abs(s.Mx[0, i]) + wp.abs(s.smooth[0, i]) + wp.abs(s.pull[0, i]))
        square += d * d
    sync()
    return wp.vec3(block_sum(decrement), block_sum(terms), block_sum(square))


@wp.func
def cg_island(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, isl: Island, region: Region, contact: Contact, part: Efc,
    s: Solve, status: Status, small: float, ls_small: float, w: int, lane: int,
) -> int:  # fmt: skip
    """Conjugate gradients from ``s.x``; returns the number of steps, and how they ended in ``status.rounded``."""
    rows_update(opt, contact, part, status, s.Jaref, region.nflat, 0, lane)
    before = wp.float32(0.0)
    allowed = wp.float32(INFINITE)  # of the slope along the last direction, which is zero but for rounding
    fresh = wp.int32(0)
    niter = wp.int32(0)
    rounded = wp.int32(0)
    iterating = wp.int32(1)
    while iterating == 1:
        pull_of_forces(efc, isl, region, part, s, w)
        sums = _gradient(s, region, lane)
        if niter >= opt.iterations or not (wp.sqrt(sums[0]) > small):
            iterating = 0
        elif wp.abs(sums[2]) > allowed and fresh != 0:
            iterating = 0
            rounded = 1
        else:
            sync()
            product = _precondition(tree, dof, mass, isl, region, s, w, lane)
            beta = wp.float32(0.0)
            if before > 0.0 and not (wp.abs(sums[2]) > allowed):
                beta = wp.max(0.0, (product - sums[1]) / before)
            before = product
            along = _direction(s, region, beta, lane)
            if not (along[0] > 0.0) and beta > 0.0:
                beta = 0.0  # not downhill: begin anew
                along = _direction(s, region, beta, lane)
            fresh = wp.where(beta > 0.0, 0, 1)
            if not (along[0] > ROUNDING * along[1]):
                iterating = 0
                rounded = 1
            else:
                enough = ls_small * wp.sqrt(along[2])
                found = step_on_island(
                    opt, tree, dof, mass, efc, isl, region, contact, part, s, status, along[0], enough, w, lane
                )
                rows_update(opt, contact, part, status, s.Jaref, region.nflat, 0, lane)
                niter += 1
                allowed = wp.where(found[1] > 0.0, LEFT, UNMOVED) * along[0] + enough
                if not (0.5 * found[0] * along[0] > small):
                    iterating = 0
                    rounded = wp.where(found[0] > SHORTEST, 0, 1)
                    pull_of_forces(efc, isl, region, part, s, w)
    if lane == 0:
        status.rounded[0] = rounded
    return niter
