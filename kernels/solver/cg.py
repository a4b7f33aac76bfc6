"""Nonlinear conjugate gradients on the primal problem, preconditioned by the mass matrix.

Reads   m.size, m.opt, m.dof; d.state.qacc_warmstart, d.mass (M, qLD), d.frc (qfrc_smooth, qacc_smooth), d.contact, d.efc,
        d.status   (after make_constraint and the smooth dynamics)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.status.solver_niter;
        d.status.rounded; d.state.qacc_warmstart
MuJoCo  mj_fwdConstraint with mj_solCG.
Method  Polak-Ribiere-plus directions with M^-1 as preconditioner, and the exact line search of the Newton solver
        (Nocedal and Wright 2006, ch. 5; MuJoCo's documentation, chapter Computation, "CG").
Float32 As in the Newton solver the decrease of the cost is taken from the slope, which keeps its digits. After an exact search
        the gradient has no slope along the direction; where it shows one, that is rounding, and CG begins anew from there, or
        ends if it has just done so. Where float32 ends the iteration, ``newtonish.kernels.solver.refine`` follows.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.launch import launch
from newtonish.kernels.linalg.dense import copy_vector, mul_rows_transposed
from newtonish.kernels.linalg.sparse_ltdl import ltdl_solve
from newtonish.kernels.math.world import block_sum, per_world, scratch_slot, sync
from newtonish.kernels.solver.context import flat_rows, start
from newtonish.kernels.solver.cost import rows_update
from newtonish.kernels.solver.linesearch import LEFT, UNMOVED
from newtonish.kernels.solver.newton import (
    INFINITE,
    ROUNDING,
    SHORTEST,
    step_along_search,
    store_solution,
    unconstrained_world,
)
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.func
def _gradient(size: Size, sol: Solve, w: int, lane: int) -> wp.vec3:
    """Write ``sol.grad``; returns its squared length and its products with the last preconditioned gradient and direction."""
    slot = scratch_slot(w)
    square = wp.float32(0.0)
    mixed = wp.float32(0.0)
    slope = wp.float32(0.0)
    for i in range(lane, size.nv, wp.block_dim()):
        g = sol.Mx[slot, i] - sol.smooth[slot, i] - sol.pull[slot, i]
        sol.grad[slot, i] = g
        square += g * g
        mixed += g * sol.qacc[w, i]
        slope += g * sol.search[slot, i]
    return wp.vec3(block_sum(square), block_sum(mixed), block_sum(slope))


@wp.func
def _precondition(size: Size, dof: Dof, mass: Mass, sol: Solve, w: int, lane: int) -> float:
    """``sol.qacc``, free until the end, takes M^-1 grad; returns grad . M^-1 grad."""
    slot = scratch_slot(w)
    copy_vector(sol.qacc, w, sol.grad, slot, size.nv)
    ltdl_solve(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qLD, mass.qLDiagInv, sol.qacc, size.nv, w)
    product = wp.float32(0.0)
    for i in range(lane, size.nv, wp.block_dim()):
        product += sol.grad[slot, i] * sol.qacc[w, i]
    return block_sum(product)


@wp.func
def _direction(size: Size, sol: Solve, beta: float, w: int, lane: int) -> wp.vec3:
    """search = beta search - M^-1 grad; returns -grad . search, the terms that cancel in it, and |search|^2."""
    slot = scratch_slot(w)
    decrement = wp.float32(0.0)
    terms = wp.float32(0.0)
    square = wp.float32(0.0)
    for i in range(lane, size.nv_pad, wp.block_dim()):
        s = wp.float32(0.0)
        if i < size.nv:
            s = -sol.qacc[w, i]
            if beta > 0.0:
                s += beta * sol.search[slot, i]
            decrement -= sol.grad[slot, i] * s
            terms += wp.abs(s) * (wp.abs(sol.Mx[slot, i]) + wp.abs(sol.smooth[slot, i]) + wp.abs(sol.pull[slot, i]))
            square += s * s
        sol.search[slot, i] = s
    sync()
    return wp.vec3(block_sum(decrement), block_sum(terms), block_sum(square))


@wp.func
def iterate(
    size: Size, opt: Option, dof: Dof, mass: Mass, contact: Contact, efc: Efc, sol: Solve, status: Status, w: int,
    lane: int,
) -> int:  # fmt: skip
    """Conjugate gradients from ``sol.x``; returns the number of steps, and how they ended in ``status.rounded``."""
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    nflat = flat_rows(opt, status, w)
    meaninertia = opt.meaninertia[per_world(opt.meaninertia.shape[0], w)]
    small = opt.tolerance[per_world(opt.tolerance.shape[0], w)] * meaninertia * wp.float32(size.nv)
    ls_small = opt.ls_tolerance[per_world(opt.ls_tolerance.shape[0], w)] * small
    for i in range(lane, size.nv, wp.block_dim()):
        sol.qacc[w, i] = 0.0
    rows_update(opt, contact, efc, status, sol.Jaref, nflat, w, lane)
    before = wp.float32(0.0)
    allowed = wp.float32(INFINITE)  # of the slope along the last direction, which is zero but for rounding
    fresh = wp.int32(0)
    niter = wp.int32(0)
    rounded = wp.int32(0)
    iterating = wp.int32(1)
    while iterating == 1:
        mul_rows_transposed(efc.J, efc.force, sol.pull, nefc, w, slot)
        sums = _gradient(size, sol, w, lane)
        if niter >= opt.iterations or not (wp.sqrt(sums[0]) > small):
            iterating = 0
        elif wp.abs(sums[2]) > allowed and fresh != 0:
            iterating = 0
            rounded = 1
        else:
            sync()
            product = _precondition(size, dof, mass, sol, w, lane)
            beta = wp.float32(0.0)
            if before > 0.0 and not (wp.abs(sums[2]) > allowed):
                beta = wp.max(0.0, (product - sums[1]) / before)
            before = product
            along = _direction(size, sol, beta, w, lane)
            if not (along[0] > 0.0) and beta > 0.0:
                beta = 0.0  # not downhill: begin anew
                along = _direction(size, sol, beta, w, lane)
            fresh = wp.where(beta > 0.0, 0, 1)
            if not (along[0] > ROUNDING * along[1]):
                iterating = 0
                rounded = 1
            else:
                enough = ls_small * wp.sqrt(along[2])
                found = step_along_search(size, opt, contact, efc, sol, status, along[0], enough, nflat, w, lane)
                rows_update(opt, contact, efc, status, sol.Jaref, nflat, w, lane)
                niter += 1
                allowed = wp.where(found[1] > 0.0, LEFT, UNMOVED) * along[0] + enough
                if not (0.5 * found[0] * along[0] > small):
                    iterating = 0
                    rounded = wp.where(found[0] > SHORTEST, 0, 1)
                    mul_rows_transposed(efc.J, efc.force, sol.pull, nefc, w, slot)
    if lane == 0:
        status.rounded[w] = rounded
    return niter


@wp.func
def solve_cg_world(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Solve the constraints of world ``w``, by all lanes of its block."""
    if status.nefc[w] == 0:
        unconstrained_world(size, state, frc, sol, status, w, lane)
    else:
        start(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
        niter = iterate(size, opt, dof, mass, contact, efc, sol, status, w, lane)
        store_solution(size, state, sol, status, niter, w, lane)


@wp.kernel
def _solve_cg(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    w, lane = wp.tid()
    solve_cg_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)


def solve_cg(m: Any, d: Any) -> None:
    """Solve the constraints of all worlds (see the head of the file)."""
    launch(_solve_cg, d, [m.size, m.opt, m.dof, d.state, d.mass, d.frc, d.contact, d.efc, d.sol, d.status])
