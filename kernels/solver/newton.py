"""Constraint solver: the acceleration that minimises the Gauss cost plus the cost of the constraint rows.

Reads   m.size, m.opt, m.dof; d.state.qacc_warmstart, d.mass (M, qLDiagInv), d.frc (qfrc_smooth, qacc_smooth),
        d.contact, d.efc, d.status   (after make_constraint and the smooth dynamics)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.status.solver_niter;
        d.state.qacc_warmstart
MuJoCo  mj_fwdConstraint with mj_solNewton.
Method  Newton's method on the primal problem with an exact line search (Todorov 2014, "Convex and analytically-
        invertible dynamics with contacts and constraints"; MuJoCo's documentation, chapter Computation,
        "Algorithms"). The Hessian is built and factorised anew only when a row changed its state.
Float32 The cost itself is never subtracted: its expected decrease is half the Newton decrement -grad . search,
        which keeps its digits. The iteration ends where that is below the tolerance, or within the rounding of the
        terms that cancel in it: beyond that point steps are noise.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.launch import launch
from newtonish.kernels.linalg.dense import add_scaled, copy_vector, mul_rows, mul_rows_transposed
from newtonish.kernels.linalg.hessian import hessian_solve
from newtonish.kernels.linalg.newton_sums import partial_decrement, partial_gradient
from newtonish.kernels.math.world import block_sum, per_world, scratch_slot, sync
from newtonish.kernels.solver.context import flat_rows, start
from newtonish.kernels.solver.cost import rows_update
from newtonish.kernels.solver.hessian import build_hessian
from newtonish.kernels.solver.linesearch import line_search
from newtonish.kernels.solver.polish import polish
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size

# rounding of a sum of products, relative to the sum of the absolute products (float32 resolution is 1.2e-7)
ROUNDING = wp.constant(4.0e-7)
# decrement, relative to that of the step before, above which a step on the same quadratic piece has gained nothing
STUCK = wp.constant(0.25)
INFINITE = wp.constant(3.0e38)
# step lengths below the resolution of float32 move nothing
SHORTEST = wp.constant(1.0e-7)


@wp.func
def unconstrained_world(size: Size, state: State, frc: Force, sol: Solve, status: Status, w: int, lane: int):
    """The solution of a world without rows."""
    for i in range(lane, size.nv, wp.block_dim()):
        a = frc.qacc_smooth[w, i]
        sol.qacc[w, i] = a
        state.qacc_warmstart[w, i] = a
        sol.qfrc_constraint[w, i] = 0.0
        sol.Ma[w, i] = frc.qfrc_smooth[w, i]
    if lane == 0:
        status.solver_niter[w] = 0
    sync()


@wp.func
def step_along_search(
    size: Size, opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, decrement: float, ls_small: float,
    nflat: int, w: int, lane: int,
) -> wp.vec2:  # fmt: skip
    """Move ``sol.x`` along ``sol.search`` to the minimum of the cost; returns what ``line_search`` does."""
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    mul_rows(sol.M, sol.search, sol.search, 0.0, sol.Mv, size.nv, slot, slot)
    mul_rows(efc.J, sol.search, efc.aref, 0.0, sol.Jv, nefc, w, slot)
    found = line_search(opt, contact, efc, sol, status, -decrement, ls_small, nflat, w, lane)
    alpha = found[0]
    add_scaled(sol.x, sol.search, alpha, size.nv_pad, slot)
    add_scaled(sol.Mx, sol.Mv, alpha, size.nv_pad, slot)
    add_scaled(sol.Jaref, sol.Jv, alpha, (nefc + 7) // 8 * 8, slot)
    return found


@wp.func
def iterate(
    size: Size, opt: Option, mass: Mass, contact: Contact, efc: Efc, sol: Solve, status: Status, w: int, lane: int
) -> int:
    """Newton's method from ``sol.x``; returns the number of steps."""
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    nflat = flat_rows(opt, status, w)
    # tolerances in the units of cost and gradient
    meaninertia = opt.meaninertia[per_world(opt.meaninertia.shape[0], w)]
    small = opt.tolerance[per_world(opt.tolerance.shape[0], w)] * meaninertia * wp.float32(size.nv)
    ls_small = opt.ls_tolerance[per_world(opt.ls_tolerance.shape[0], w)] * small
    rows_update(opt, contact, efc, status, sol.Jaref, nflat, w, lane)
    stale = wp.int32(1)
    previous = wp.float32(INFINITE)
    niter = wp.int32(0)
    iterating = wp.int32(1)
    rounded = wp.int32(0)  # float32 ended the iteration, not the tolerance
    while iterating == 1:
        mul_rows_transposed(efc.J, efc.force, sol.pull, nefc, w, slot)
        square = block_sum(partial_gradient(sol.Mx, sol.smooth, sol.pull, sol.grad, sol.search, slot))
        if niter >= opt.iterations or not (wp.sqrt(square) > small):
            iterating = 0
        else:
            if stale != 0:
                build_hessian(size, opt, mass, contact, efc, sol, status, w, lane)
            hessian_solve(sol.H, sol.Hdiaginv, sol.search, size.nv, slot)
            partial = partial_decrement(sol.Mx, sol.smooth, sol.pull, sol.grad, sol.search, slot)
            decrement = block_sum(partial[0])
            rounding = ROUNDING * block_sum(partial[1])
            length = wp.sqrt(block_sum(partial[2]))
            # a whole step within one quadratic piece ends at its minimum: what is left after it is rounding
            stuck = stale == 0 and decrement > STUCK * previous
            if stuck or not (decrement > wp.max(2.0 * small, rounding)):
                iterating = 0
                rounded = wp.where(decrement > 2.0 * small, 1, 0)
            else:
                found = step_along_search(
                    size, opt, contact, efc, sol, status, decrement, ls_small * length, nflat, w, lane
                )
                stale = rows_update(opt, contact, efc, status, sol.Jaref, nflat, w, lane)
                previous = wp.where(found[1] > 0.0, decrement, INFINITE)
                niter += 1
                if not (found[0] > SHORTEST):  # not downhill in float32
                    iterating = 0
                    rounded = 1
    if rounded != 0:
        polish(size, opt, contact, efc, sol, status, nflat, w, lane)
    return niter


@wp.func
def store_solution(size: Size, state: State, sol: Solve, status: Status, niter: int, w: int, lane: int):
    """Results of a primal solver from its scratch, after ``niter`` steps."""
    slot = scratch_slot(w)
    copy_vector(sol.qacc, w, sol.x, slot, size.nv)
    copy_vector(state.qacc_warmstart, w, sol.x, slot, size.nv)
    copy_vector(sol.Ma, w, sol.Mx, slot, size.nv)
    copy_vector(sol.qfrc_constraint, w, sol.pull, slot, size.nv)
    if lane == 0:
        status.solver_niter[w] = niter
    sync()


@wp.func
def solve_world(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Solve the constraints of world ``w``, by all lanes of its block."""
    if status.nefc[w] == 0:
        unconstrained_world(size, state, frc, sol, status, w, lane)
    else:
        start(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
        niter = iterate(size, opt, mass, contact, efc, sol, status, w, lane)
        store_solution(size, state, sol, status, niter, w, lane)


@wp.kernel
def _solve(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    w, lane = wp.tid()
    solve_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)


def solve(m: Any, d: Any) -> None:
    """Solve the constraints of all worlds (see the head of the file)."""
    launch(_solve, d, [m.size, m.opt, m.dof, d.state, d.mass, d.frc, d.contact, d.efc, d.sol, d.status])
