"""Slip suppression after the main solver: friction forces once more, without their regularisation.

Reads   m.size, m.opt, m.dof; d.mass (qLD), d.frc (qfrc_smooth, qacc_smooth), d.contact, d.efc (force), d.status
        (after one of the solvers)
Writes  d.efc.force, d.efc.state; d.sol (qacc, qfrc_constraint, Ma and scratch); d.state.qacc_warmstart;
        d.status.solver_niter, to which its sweeps are added
MuJoCo  mj_solNoSlip.
Method  MuJoCo's documentation, chapter Computation, "noslip": Gauss-Seidel on friction loss and on contact friction with
        R = 0 and normal forces held: the difference of two opposite pyramid edges moves while their sum stays, the
        friction of an elliptic contact moves within the cone of its normal force.
Float32 As in ``newtonish.kernels.solver.pgs``: no step is refused for costing more, and sweeping ends where the forces move
        no more than they are rounded.
"""

import warp as wp

from newtonish.kernels.constants import CONTACT_ELLIPTIC, CONTACT_PYRAMIDAL
from newtonish.kernels.linalg.dense import load_vector
from newtonish.kernels.linalg.dual import cone_friction, mat66
from newtonish.kernels.math.finite import tolerance_of
from newtonish.kernels.math.world import fresh, per_world, scratch_slot, sync
from newtonish.kernels.solver.dual import (
    MINIMUM,
    acceleration_of_forces,
    block_length,
    block_matrix,
    change_force,
    dual_matrix,
    finish_dual,
    quadratic_change,
    row_residual,
)
from newtonish.kernels.solver.dual_state import dual_states
from newtonish.kernels.solver.pgs import ANEW, RESOLUTION
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.field import vec5, vec6
from newtonish.kernels.structs.model import Dof, Option, Size

LEAST = wp.constant(1.0e-10)
ROUNDING = wp.constant(4.0e-6)  # a pivot this much smaller than its diagonal element is what float32 leaves of zero


@wp.func
def _friction_loss(efc: Efc, sol: Solve, r: int, w: int, lane: int) -> wp.vec2:
    """Move the force of a friction row; returns the decrease of the cost, and the part of it that is the force's rounding."""
    before = efc.force[w, r]
    curvature = wp.max(MINIMUM, sol.A[scratch_slot(w), r, 0])
    residual = row_residual(efc, sol, r, w)
    loss = efc.frictionloss[w, r]
    after = wp.clamp(before - residual / curvature, -loss, loss)
    step = after - before
    if step != 0.0:
        change_force(efc, sol, r, after, w, lane)
    return _fall(-step * (residual + 0.5 * curvature * step), curvature * step * step, curvature * after * after)


@wp.func
def _opposite_edges(efc: Efc, sol: Solve, r: int, w: int, lane: int) -> wp.vec2:
    """Move the difference of the forces of two opposite pyramid edges; returns the same."""
    slot = scratch_slot(w)
    first = efc.force[w, r]
    second = efc.force[w, r + 1]
    half = 0.5 * (first + second)
    slope = row_residual(efc, sol, r, w) - row_residual(efc, sol, r + 1, w)
    curvature = sol.A[slot, r, 0] + sol.A[slot, r + 1, 1] - 2.0 * sol.A[slot, r, 1]
    difference = wp.float32(0.0)  # half of it
    if curvature >= MINIMUM:
        difference = wp.clamp(0.5 * (first - second) - slope / curvature, -half, half)
    step = difference - 0.5 * (first - second)
    if step != 0.0:
        change_force(efc, sol, r, half + difference, w, lane)
        change_force(efc, sol, r + 1, half - difference, w, lane)
    return _fall(-step * (slope + 0.5 * curvature * step), curvature * step * step, curvature * half * half)


@wp.func
def _fall(decrease: float, moved: float, forces: float) -> wp.vec2:
    """Decrease of the cost by a step, no less than that of a step to a minimum, and what as much of the rounding of its forces would be; as the solver PGS counts it."""
    return wp.vec2(wp.max(decrease, 0.5 * moved), 0.5 * RESOLUTION * RESOLUTION * forces)


@wp.func
def _is_singular(A: mat66, mu: vec5, n: int) -> bool:
    """Whether the friction axes of a contact cannot be told apart; elimination of the matrix scaled by ``mu``.

    MuJoCo leaves such a contact as the main solver has left it: one with two or three axes if the determinant is below
    1e-10, one with five if a pivot is. So does a contact of a body on a single hinge, whose two axes are one.
    """
    B = A
    for i in range(1, n):
        for j in range(1, n):
            B[i, j] = A[i, j] * mu[i - 1] * mu[j - 1]
    product = wp.float32(1.0)
    singular = wp.bool(False)
    for k in range(1, n):
        pivot = B[k, k]
        product *= pivot
        if pivot <= ROUNDING * A[k, k] * mu[k - 1] * mu[k - 1] or (n == 6 and pivot < LEAST):
            singular = True
        else:
            for i in range(k + 1, n):
                factor = B[i, k] / pivot
                for j in range(k + 1, n):
                    B[i, j] = B[i, j] - factor * B[k, j]
    return singular or (n < 6 and product < LEAST)


@wp.func
def _cone(contact: Contact, efc: Efc, sol: Solve, r: int, n: int, w: int, lane: int) -> wp.vec2:
    """Move the friction of an elliptic contact; returns the same. A step to the minimum is not refused for costing more: at the rim of a cone one unit in the last place does."""
    A = block_matrix(sol, r, n, scratch_slot(w))
    residual = vec6()
    before = vec6()
    for k in range(n):
        before[k] = efc.force[w, r + k]
        residual[k] = row_residual(efc, sol, r + k, w)
    without = vec6()
    without[0] = before[0]
    after = without
    mu = contact.friction[w, efc.id[w, r]]
    singular = before[0] < MINIMUM or _is_singular(A, mu, n)
    if not singular:
        gradient = residual + A * (without - before)
        after = cone_friction(A, gradient, mu, before[0], n - 1)
        after[0] = before[0]
    change = quadratic_change(A, residual, before, after, n)
    if singular and not (change <= 0.0):  # no friction would cost more than what is there
        after = before
        change = 0.0
    for k in range(1, n):
        if after[k] != before[k]:
            change_force(efc, sol, r + k, after[k], w, lane)
    step = after - before
    friction = after - without
    return _fall(-change, wp.dot(step, A * step), wp.dot(friction, A * friction))


@wp.func
def _sweep(contact: Contact, efc: Efc, sol: Solve, status: Status, w: int, lane: int) -> wp.vec2:
    """One pass over all friction forces; returns the sums of what ``_fall`` returns."""
    falls = wp.vec2(0.0, 0.0)
    for r in range(status.ne[w], status.ne[w] + status.nf[w]):
        falls += _friction_loss(efc, sol, r, fresh(w), lane)
    row = status.ne[w] + status.nf[w] + status.nl[w]
    while row < status.nefc[w]:
        kind = efc.type[w, row]
        n = block_length(contact, efc, w, row)
        if kind == CONTACT_PYRAMIDAL:
            n = 2
            falls += _opposite_edges(efc, sol, row, fresh(w), lane)
        elif kind == CONTACT_ELLIPTIC and n > 1:
            falls += _cone(contact, efc, sol, row, n, fresh(w), lane)
        row += n
    return falls


@wp.func
def noslip_world(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Suppress the slip of world ``w``, by all of its lanes."""
    if status.nefc[w] > 0:
        dual_matrix(size, dof, mass, contact, efc, sol, status, w, lane)
        load_vector(sol.x, sol.qacc, size.nv, w, scratch_slot(w))
        meaninertia = opt.meaninertia[per_world(opt.meaninertia.shape[0], w)]
        small = tolerance_of(opt.noslip_tolerance[per_world(opt.noslip_tolerance.shape[0], w)] * meaninertia * wp.float32(size.nv))
        sweep = wp.int32(0)
        sweeping = wp.int32(1)
        while sweeping == 1 and sweep < opt.noslip_iterations:
            if sweep % ANEW == ANEW - 1:
                acceleration_of_forces(size, dof, mass, frc, efc, sol, status, w, lane)
            falls = _sweep(contact, efc, sol, status, w, lane)
            sweep += 1
            if not (falls[0] > wp.max(small, falls[1])):
                sweeping = 0
        finish_dual(size, dof, state, mass, frc, efc, sol, status, w, lane)
        dual_states(contact, efc, status, w, lane)
        if lane == 0:
            status.solver_niter[w] = status.solver_niter[w] + sweep
        sync()
