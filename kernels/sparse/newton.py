"""Newton's method on one island: the iteration of ``newtonish.kernels.solver.newton`` with a Hessian kept in its envelope.

Arguments named ``contact``, ``part``, ``s`` and ``status`` are the island's windows, ``efc`` is the world's.
"""

import warp as wp

from newtonish.kernels.linalg.dense import add_scaled
from newtonish.kernels.linalg.newton_sums import partial_decrement, partial_gradient
from newtonish.kernels.linalg.skyline_cholesky import skyline_solve
from newtonish.kernels.math.world import block_sum, scratch_slot
from newtonish.kernels.solver.cost import rows_update
from newtonish.kernels.solver.linesearch import line_search
from newtonish.kernels.solver.newton import INFINITE, ROUNDING, SHORTEST, STUCK
from newtonish.kernels.sparse.hessian import build_skyline
from newtonish.kernels.sparse.polish import polish_island
from newtonish.kernels.sparse.region import Region
from newtonish.kernels.sparse.start import mul_jacobian, mul_mass, pull_of_forces
from newtonish.kernels.structs.data import Contact, Efc, Island, Mass, Solve, Status
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.func
def step_on_island(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, isl: Island, region: Region, contact: Contact, part: Efc,
    s: Solve, status: Status, decrement: float, ls_small: float, w: int, lane: int,
) -> wp.vec2:  # fmt: skip
    """Move ``s.x`` along ``s.search`` to the minimum of the cost; returns what ``line_search`` does."""
    mul_mass(tree, dof, mass, isl, region, s.search, s.Mv, w)
    mul_jacobian(efc, isl, region, s.search, part.aref, 0.0, s.Jv, w)
    found = line_search(opt, contact, part, s, status, -decrement, ls_small, region.nflat, 0, lane)
    add_scaled(s.x, s.search, found[0], region.n, 0)
    add_scaled(s.Mx, s.Mv, found[0], region.n, 0)
    add_scaled(s.Jaref, s.Jv, found[0], (region.nrow + 7) // 8 * 8, 0)
    return found


@wp.func
def newton_island(
    opt: Option, tree: Tree, dof: Dof, mass: Mass, efc: Efc, sol: Solve, isl: Island, region: Region, contact: Contact,
    part: Efc, s: Solve, status: Status, small: float, ls_small: float, w: int, lane: int,
) -> int:  # fmt: skip
    """Newton's method from ``s.x``; returns the number of steps. ``small``: tolerance of gradient and decrease."""
    rows_update(opt, contact, part, status, s.Jaref, region.nflat, 0, lane)
    stale = wp.int32(1)
    previous = wp.float32(INFINITE)
    niter = wp.int32(0)
    iterating = wp.int32(1)
    rounded = wp.int32(0)  # float32 ended the iteration, not the tolerance
    while iterating == 1:
        pull_of_forces(efc, isl, region, part, s, w)
        square = block_sum(partial_gradient(s.Mx, s.smooth, s.pull, s.grad, s.search, 0))
        if niter >= opt.iterations or not (wp.sqrt(square) > small):
            iterating = 0
        else:
            if stale != 0:
                build_skyline(opt, tree, dof, mass, efc, sol, isl, region, contact, part, s, status, w)
            skyline_solve(
                isl.H, isl.panel_first, isl.panel_adr, sol.Hdiaginv, s.search, region.n, scratch_slot(w)
            )
            partial = partial_decrement(s.Mx, s.smooth, s.pull, s.grad, s.search, 0)
            decrement = block_sum(partial[0])
            rounding = ROUNDING * block_sum(partial[1])
            length = wp.sqrt(block_sum(partial[2]))
            # a whole step within one quadratic piece ends at its minimum: what is left after it is rounding
            stuck = stale == 0 and decrement > STUCK * previous
            if stuck or not (decrement > wp.max(2.0 * small, rounding)):
                iterating = 0
                rounded = wp.where(decrement > 2.0 * small, 1, 0)
            else:
                found = step_on_island(
                    opt, tree, dof, mass, efc, isl, region, contact, part, s, status, decrement, ls_small * length, w,
                    lane
                )  # fmt: skip
                stale = rows_update(opt, contact, part, status, s.Jaref, region.nflat, 0, lane)
                previous = wp.where(found[1] > 0.0, decrement, INFINITE)
                niter += 1
                if not (found[0] > SHORTEST):  # not downhill in float32
                    iterating = 0
                    rounded = 1
    if rounded != 0:
        polish_island(opt, tree, dof, mass, efc, sol, isl, region, contact, part, s, status, w, lane)
    return niter
