"""Slip suppression after the main solver: friction forces once more, without their regularisation.

Reads   m.size, m.opt, m.dof; d.mass (qLD), d.frc (qfrc_smooth, qacc_smooth), d.contact, d.efc (force), d.status
        (after one of the solvers)
Writes  d.efc.force, d.efc.state; d.sol (qacc, qfrc_constraint, Ma and scratch); d.state.qacc_warmstart;
        d.status.solver_niter, to which its sweeps are added
MuJoCo  mj_solNoSlip.
Method  MuJoCo's documentation, chapter Computation, "noslip": Gauss-Seidel on friction loss and on contact friction with
        R = 0 and normal forces held: the difference of two opposite pyramid edges moves while their sum stays, the
        friction of an elliptic contact moves within the cone of its normal force.
"""

import warp as wp

from newtonish.kernels.constants import CONTACT_ELLIPTIC, CONTACT_PYRAMIDAL
from newtonish.kernels.linalg.dense import load_vector
from newtonish.kernels.linalg.dual import cone_friction, mat66
from newtonish.kernels.math.finite import tolerance_of
from newtonish.kernels.math.world import per_world, scratch_slot, sync
from newtonish.kernels.solver.dual import (
    MINIMUM,
    block_length,
    block_matrix,
    change_force,
    dual_matrix,
    finish_dual,
    quadratic_change,
    row_residual,
)
from newtonish.kernels.solver.dual_state import dual_states
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.field import vec5, vec6
from newtonish.kernels.structs.model import Dof, Option, Size

LEAST = wp.constant(1.0e-10)
ROUNDING = wp.constant(4.0e-6)  # a pivot this much smaller than its diagonal element is what float32 leaves of zero


@wp.func
def _friction_loss(efc: Efc, sol: Solve, r: int, w: int, lane: int) -> float:
    """Move the force of a friction row; returns the decrease of the cost."""
    before = efc.force[w, r]
    curvature = wp.max(MINIMUM, sol.A[scratch_slot(w), r, 0])
    residual = row_residual(efc, sol, r, w)
    loss = efc.frictionloss[w, r]
    after = wp.clamp(before - residual / curvature, -loss, loss)
    step = after - before
    if step != 0.0:
        change_force(efc, sol, r, after, w, lane)
    return -step * (residual + 0.5 * curvature * step)


@wp.func
def _opposite_edges(efc: Efc, sol: Solve, r: int, w: int, lane: int) -> float:
    """Move the difference of the forces of two opposite pyramid edges; returns the decrease of the cost."""
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
    return -step * (slope + 0.5 * curvature * step)


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
def _cone(contact: Contact, efc: Efc, sol: Solve, r: int, n: int, w: int, lane: int) -> float:
    """Move the friction of an elliptic contact; returns the decrease of the cost."""
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
    if before[0] >= MINIMUM and not _is_singular(A, mu, n):
        gradient = residual + A * (without - before)
        after = cone_friction(A, gradient, mu, before[0], n - 1)
        after[0] = before[0]
    change = quadratic_change(A, residual, before, after, n)
    if not (change <= 0.0):  # rounding: stay
        after = before
        change = 0.0
    for k in range(1, n):
        if after[k] != before[k]:
            change_force(efc, sol, r + k, after[k], w, lane)
    return -change


@wp.func
def _sweep(contact: Contact, efc: Efc, sol: Solve, status: Status, w: int, lane: int) -> float:
    """One pass over all friction forces; returns the decrease of the cost."""
    decrease = wp.float32(0.0)
    for r in range(status.ne[w], status.ne[w] + status.nf[w]):
        decrease += _friction_loss(efc, sol, r, w, lane)
    row = status.ne[w] + status.nf[w] + status.nl[w]
    while row < status.nefc[w]:
        kind = efc.type[w, row]
        n = block_length(contact, efc, w, row)
        if kind == CONTACT_PYRAMIDAL:
            n = 2
            decrease += _opposite_edges(efc, sol, row, w, lane)
        elif kind == CONTACT_ELLIPTIC and n > 1:
            decrease += _cone(contact, efc, sol, row, n, w, lane)
        row += n
    return decrease


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
            decrease = _sweep(contact, efc, sol, status, w, lane)
            sweep += 1
            if not (decrease > small):
                sweeping = 0
        finish_dual(size, dof, state, mass, frc, efc, sol, status, w, lane)
        dual_states(contact, efc, status, w, lane)
        if lane == 0:
            status.solver_niter[w] = status.solver_niter[w] + sweep
        sync()
