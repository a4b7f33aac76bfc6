"""Projected Gauss-Seidel: the dual problem, one row or one elliptic contact after the other.

Reads   m.size, m.opt, m.dof; d.state.qacc_warmstart, d.mass (qLD), d.frc (qfrc_smooth, qacc_smooth), d.contact, d.efc,
        d.status   (after make_constraint and the smooth dynamics)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.status.solver_niter;
        d.status.rounded; d.state.qacc_warmstart
MuJoCo  mj_fwdConstraint with mj_solPGS.
Method  MuJoCo's documentation, chapter Computation, "PGS": a row moves to the minimum along its own force, clamped to its
        bounds; an elliptic contact first along the ray of its force, then its friction within the cone of the normal force.
        Sweeps go over all rows in order until the scaled decrease of the dual cost is below the tolerance. MuJoCo 4.0's go
        in pseudo-random order and with momentum; what they end at is the same, but for the tip of a cone (below).
Tip     A contact without force whose normal force alone would not lower the cost may still be one that friction presses
        together: a force along the cone does. MuJoCo's PGS stays at the tip there, short of the minimum (by 0.6 of the norm
        of qacc on an ant, where its Newton ends elsewhere); here such a contact leaves it along the steepest ray.
Float32 The decrease of the cost is not the difference of two costs, but the least it can be after a step to a minimum,
        step'(A + R) step / 2, which no rounding makes negative. At the rim of a cone one unit in the last place of the
        force changes the cost by more than a sweep gains, so a step is not refused for costing more. Sweeping ends where the
        forces move no more than they are rounded; ``newtonish.kernels.solver.refine`` follows then.
"""

import warp as wp

from newtonish.kernels.constants import WARMSTART
from newtonish.kernels.linalg.dense import load_vector
from newtonish.kernels.linalg.dual import cone_friction, mat66
from newtonish.kernels.math.world import lanes, scratch_slot, sum_lanes, sync
from newtonish.kernels.solver.dual import (
    DIAGONAL,
    MINIMUM,
    acceleration_of_forces,
    block_length,
    block_matrix,
    change_force,
    dual_matrix,
    finish_dual,
    residuals,
    row_residual,
)
from newtonish.kernels.solver.rows import rows_update, world_rows
from newtonish.kernels.solver.stopping import tolerances, world_inertia
from newtonish.kernels.solver.unconstrained import unconstrained_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.field import vec5, vec6
from newtonish.kernels.structs.model import Dof, Option, Size

# share of a force that one unit in float32's last place is
RESOLUTION = wp.constant(1.2e-7)
# sweeps after which the acceleration is computed from the forces again, without what rounding has added up
ANEW = wp.constant(16)


@wp.func
def clamped_force(efc: Efc, status: Status, force: float, w: int, r: int) -> float:
    """Force of a row of its own within its bounds: none for equality, the loss for friction, pushing only for others."""
    loss = efc.frictionloss[w, r]
    result = force
    if r >= status.ne[w]:
        result = wp.where(loss > 0.0, wp.clamp(force, -loss, loss), wp.max(force, 0.0))
    return result


@wp.func
def _one_row(efc: Efc, sol: Solve, status: Status, r: int, w: int, lane: int) -> wp.vec2:
    """Move the force of one row; returns how much the dual cost falls at least, and how much rounding the force changes it."""
    R = 1.0 / efc.D[w, r]
    before = efc.force[w, r]
    curvature = sol.A[scratch_slot(w), r, DIAGONAL] + R
    residual = row_residual(efc, sol, r, w) + R * before
    after = clamped_force(efc, status, before - residual / curvature, w, r)
    step = after - before
    if step != 0.0:
        change_force(efc, sol, r, after, w, lane)
    return 0.5 * curvature * wp.vec2(step * step, RESOLUTION * RESOLUTION * after * after)


@wp.func
def _from_the_tip(A: mat66, gradient: vec6, mu: vec5, n: int) -> vec6:
    """Forces of a contact at the tip of its cone: the minimum along the ray where the cost falls most, or none.

    Where friction presses the bodies together, a normal force alone costs more and a force along the cone less:
    ``gradient`` is then outside of the dual cone.
    """
    ray = vec6()
    square = wp.float32(0.0)
    for k in range(1, n):
        square += mu[k - 1] * gradient[k] * mu[k - 1] * gradient[k]
    steepest = wp.sqrt(square)
    slope = gradient[0] - steepest
    if slope < 0.0:
        ray[0] = 1.0
        for k in range(1, n):
            ray[k] = -mu[k - 1] * mu[k - 1] * gradient[k] / steepest
        ray = ray * (-slope / wp.dot(ray, A * ray))
    return ray


@wp.func
def _one_contact(contact: Contact, efc: Efc, sol: Solve, r: int, n: int, w: int, lane: int) -> wp.vec2:
    """Move the forces of an elliptic contact; returns what ``_one_row`` does."""
    A = block_matrix(sol, r, n, scratch_slot(w))
    residual = vec6()
    before = vec6()
    for k in range(n):
        R = 1.0 / efc.D[w, r + k]
        A[k, k] = A[k, k] + R
        before[k] = efc.force[w, r + k]
        residual[k] = row_residual(efc, sol, r + k, w) + R * before[k]
    mu = contact.friction[w, efc.id[w, r]]
    after = before
    if before[0] < MINIMUM:
        # nothing pushes yet: the normal force alone, and if it would pull, the steepest ray of the cone
        after = vec6()
        after[0] = wp.max(0.0, before[0] - residual[0] / A[0, 0])
        if after[0] < MINIMUM:
            after = _from_the_tip(A, residual, mu, n)
    else:
        # along the ray of the force, not beyond its tip
        curvature = wp.dot(before, A * before)
        if curvature >= MINIMUM:
            after = before * (1.0 + wp.max(-1.0, -wp.dot(before, residual) / curvature))
    if after[0] < MINIMUM:
        after = vec6()
    else:
        # gradient of the friction at zero friction
        without = vec6()
        without[0] = after[0]
        gradient = residual + A * (without - before)
        friction = cone_friction(A, gradient, mu, after[0], n - 1)
        friction[0] = after[0]
        after = friction
    for k in range(n):
        if after[k] != before[k]:
            change_force(efc, sol, r + k, after[k], w, lane)
    step = after - before
    return 0.5 * wp.vec2(wp.dot(step, A * step), RESOLUTION * RESOLUTION * wp.dot(after, A * after))


@wp.func
def _sweep(contact: Contact, efc: Efc, sol: Solve, status: Status, w: int, lane: int) -> wp.vec2:
    """Move all forces once, in their order; returns the sums of what ``_one_row`` returns."""
    falls = wp.vec2(0.0, 0.0)
    r = wp.int32(0)
    while r < status.nefc[w]:
        n = block_length(contact, efc, w, r)
        if n > 1:
            falls += _one_contact(contact, efc, sol, r, n, w, lane)
        else:
            falls += _one_row(efc, sol, status, r, w, lane)
        r += n
    return falls


@wp.func
def _start(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Forces to begin with: those of the last acceleration, or none, whichever costs less; and their ``sol.x``."""
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    warm = (opt.disableflags & WARMSTART) == 0
    cost = wp.float32(1.0)
    if warm:
        load_vector(sol.x, state.qacc_warmstart, size.nv, w, slot)
        residuals(efc, sol, status, sol.x, w)
        rows_update(world_rows(opt, contact, status, w), contact, efc, sol.Jaref, slot)
        acceleration_of_forces(size, dof, mass, frc, efc, sol, status, w, lane)
        load_vector(sol.search, frc.qacc_smooth, size.nv, w, slot)
        # f'(A + R) f / 2 + f.b = f.(J x - aref + J qacc_smooth - aref + R f) / 2
        mine = wp.float32(0.0)
        residuals(efc, sol, status, sol.x, w)
        for r in range(lane, nefc, lanes()):
            f = efc.force[w, r]
            mine += 0.5 * f * (sol.Jaref[slot, r] + f / efc.D[w, r])
        sync()
        residuals(efc, sol, status, sol.search, w)
        for r in range(lane, nefc, lanes()):
            mine += 0.5 * efc.force[w, r] * sol.Jaref[slot, r]
        cost = sum_lanes(mine)
    if not (cost <= 0.0):
        for r in range(lane, nefc, lanes()):
            efc.force[w, r] = 0.0
        sync()
        load_vector(sol.x, frc.qacc_smooth, size.nv, w, slot)


@wp.func
def _states(opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, w: int, lane: int):
    """``efc.state`` of the final acceleration; forces stay those of the dual problem."""
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    for r in range(lane, nefc, lanes()):
        sol.Jv[slot, r] = efc.force[w, r]
    sync()
    residuals(efc, sol, status, sol.x, w)
    rows_update(world_rows(opt, contact, status, w), contact, efc, sol.Jaref, slot)
    for r in range(lane, nefc, lanes()):
        efc.force[w, r] = sol.Jv[slot, r]
    sync()


@wp.func
def solve_pgs_world(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Solve the constraints of world ``w``, by all of its lanes."""
    nefc = status.nefc[w]
    if nefc == 0:
        unconstrained_world(size, state, frc, sol, status, w, lane)
    else:
        dual_matrix(size, dof, mass, contact, efc, sol, status, w, lane)
        _start(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
        small = tolerances(opt, world_inertia(dof, mass, size.nv, w, lane), w)[0]
        sweep = wp.int32(0)
        rounded = wp.int32(0)
        sweeping = wp.int32(1)
        while sweeping == 1 and sweep < opt.iterations:
            if sweep % ANEW == ANEW - 1:
                acceleration_of_forces(size, dof, mass, frc, efc, sol, status, w, lane)
            falls = _sweep(contact, efc, sol, status, w, lane)
            sweep += 1
            if not (falls[0] > wp.max(small, falls[1])):
                sweeping = 0
                rounded = wp.where(falls[0] < small, 0, 1)
        finish_dual(size, dof, state, mass, frc, efc, sol, status, w, lane)
        _states(opt, contact, efc, sol, status, w, lane)
        if lane == 0:
            status.solver_niter[w] = sweep
            status.rounded[w] = rounded
        sync()
