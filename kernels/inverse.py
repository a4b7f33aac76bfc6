"""Inverse dynamics: the applied force that gives the acceleration ``d.qacc`` in the present state.

The constraint forces follow from the acceleration without a solver, as each is a function of J qacc - aref, and the rest
is M qacc + bias - passive - constraint. With the flag ``invdiscrete`` the acceleration is taken as the one that a step of
the integrator would have: (qvel after - qvel before) / h, and turned into the continuous one first by
M qacc = (M - h dF/dv) qacc'. Method: MuJoCo's documentation, chapter Computation, "Inverse dynamics".
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, EnableBit, IntegratorType, Stage
from newtonish.kernels.collision.stage import collision
from newtonish.kernels.constraint.row import is_sparse
from newtonish.kernels.constraint.stage import make_constraint
from newtonish.kernels.forces.stage import velocity_stage
from newtonish.kernels.forward import STAGES_AFTER
from newtonish.kernels.history.stage import with_controls
from newtonish.kernels.integrate.discrete.options import is_discrete
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.integrate.free_body import Blocks, free_body_matrix, is_free_body, with_tendons
from newtonish.kernels.integrate.implicit_fluid import fast_system_world, with_medium
from newtonish.kernels.integrate.implicit_full import implicit_system_world
from newtonish.kernels.linalg.dense import copy_vector
from newtonish.kernels.linalg.sparse_ltdl import ltdl_solve, symmetric_mul
from newtonish.kernels.linalg.sparse_lu import rows_mul
from newtonish.kernels.math.world import lanes, per_world, scratch_slot, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sensor.stage import sensor_stage
from newtonish.kernels.smooth.stage import position_stage, tendon_velocities
from newtonish.kernels.solver.exact import exact_force, exact_forces, split
from newtonish.kernels.solver.rows import rows_update, world_rows
from newtonish.kernels.structs.data import (
    Com,
    Contact,
    Drive,
    Efc,
    Force,
    ImplicitState,
    Kinematics,
    Mass,
    Scratch,
    Solve,
    State,
    Status,
    TendonState,
    Velocity,
)
from newtonish.kernels.structs.model import (
    Actuator,
    Body,
    Dof,
    Geom,
    Implicit,
    Joint,
    Option,
    Size,
    Tendon,
    Tree,
)

INVDISCRETE = int(EnableBit.INVDISCRETE)


@wp.func
def _exact_residuals(efc: Efc, sol: Solve, nefc: int, nv: int, w: int, lane: int):
    """``sol.Jaref + sol.Jv`` = J qacc - aref; padding is zero. Ends with a barrier."""
    slot = scratch_slot(w)
    for r in range(lane, (nefc + 7) // 8 * 8, lanes()):
        total = wp.float64(0.0)
        if r < nefc:
            total = -wp.float64(efc.aref[w, r])
            if is_sparse(efc):
                for k in range(efc.J_rowadr[w, r], efc.J_rowadr[w, r] + efc.J_rownnz[w, r]):
                    total += wp.float64(efc.J[w, 0, k]) * wp.float64(sol.qacc[w, efc.J_colind[w, k]])
            else:
                for i in range(nv):
                    total += wp.float64(efc.J[w, r, i]) * wp.float64(sol.qacc[w, i])
        split(sol.Jaref, sol.Jv, slot, r, total)
    sync()


@wp.func
def _sparse_pull(efc: Efc, sol: Solve, nefc: int, nv: int, w: int, lane: int):
    """J' force of sparse rows as the sum of ``sol.JTf`` and, what that rounds off, ``sol.grad``; rows in their order."""
    slot = scratch_slot(w)
    for i in range(lane, nv, lanes()):
        sol.JTf[slot, i] = 0.0
        sol.grad[slot, i] = 0.0
    sync()
    if lane == 0:
        for r in range(nefc):
            for k in range(efc.J_rowadr[w, r], efc.J_rowadr[w, r] + efc.J_rownnz[w, r]):
                i = efc.J_colind[w, k]
                total = wp.float64(sol.JTf[slot, i]) + wp.float64(sol.grad[slot, i])
                total += wp.float64(efc.J[w, 0, k]) * exact_force(efc, sol, w, slot, r)
                sol.JTf[slot, i] = wp.float32(total)
                sol.grad[slot, i] = wp.float32(total - wp.float64(sol.JTf[slot, i]))
    sync()


@wp.func
def _missing_force(size: Size, mass: Mass, frc: Force, efc: Efc, sol: Solve, nefc: int, w: int, lane: int):
    """``qfrc_constraint`` = J' force, and what else M qacc asks for beside it and the other forces, summed in float64."""
    slot = scratch_slot(w)
    if is_sparse(efc):
        _sparse_pull(efc, sol, nefc, size.nv, w, lane)
    for i in range(lane, size.nv, lanes()):
        pull = wp.float64(0.0)
        if is_sparse(efc):
            pull = wp.float64(sol.JTf[slot, i]) + wp.float64(sol.grad[slot, i])
        else:
            for r in range(nefc):
                pull += wp.float64(efc.J[w, r, i]) * exact_force(efc, sol, w, slot, r)
        sol.qfrc_constraint[w, i] = wp.float32(pull)
        rest = wp.float64(frc.qfrc_bias[w, i]) - wp.float64(frc.qfrc_passive[w, i]) - pull
        frc.qfrc_inverse[w, i] = wp.float32(wp.float64(sol.Ma[w, i]) + rest)


@wp.kernel
def _inverse(size: Size, opt: Option, dof: Dof, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve, status: Status):
    """Constraint forces and the force that is still missing, for the acceleration in ``sol.qacc``."""
    w, lane = wp.tid()
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    rows = world_rows(opt, contact, status, w)
    _exact_residuals(efc, sol, nefc, size.nv, w, lane)
    rows_update(rows, contact, efc, sol.Jaref, slot)
    exact_forces(rows, contact, efc, sol, slot, lane)
    symmetric_mul(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.M, sol.qacc, sol.Ma, size.nv, w)
    sync()
    _missing_force(size, mass, frc, efc, sol, nefc, w, lane)


@wp.kernel
def _euler_force(size: Size, opt: Option, dof: Dof, state: State, mass: Mass, sol: Solve, scratch: Scratch):
    """Keep the discrete acceleration in ``scratch.dqacc``; ``sol.Ma`` = (M + h B) qacc."""
    w, lane = wp.tid()
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    copy_vector(scratch.dqacc, w, sol.qacc, w, size.nv)
    symmetric_mul(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.M, sol.qacc, sol.Ma, size.nv, w)
    if (opt.disableflags & (DisableBit.EULERDAMP | DisableBit.DAMPER)) == 0:
        for i in range(lane, size.nv, lanes()):
            sol.Ma[w, i] = sol.Ma[w, i] + dt * damping_slope(dof, state, w, i) * sol.qacc[w, i]


@wp.kernel
def _implicit_force(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, actuator: Actuator,
    tendon: Tendon, impl: Implicit, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force,
    drive: Drive, ten: TendonState, sol: Solve, scratch: Scratch, imp: ImplicitState,
):  # fmt: skip
    """The same for the implicit integrator: ``sol.Ma`` = (M - h dF/dv) qacc."""
    w, lane = wp.tid()
    copy_vector(scratch.dqacc, w, sol.qacc, w, size.nv)
    implicit_system_world(
        size, opt, tree, body, jnt, dof, geom, actuator, tendon, impl, state, kin, com, mass, vel, frc, drive, ten, imp,
        w, lane
    )  # fmt: skip
    rows_mul(impl.D_rownnz, impl.D_rowadr, impl.D_diag, impl.D_colind, imp.qLU, sol.qacc, sol.Ma, size.nv, w)


@wp.func
def _free_body_force(blocks: Blocks, sol: Solve, w: int, v: int):
    """Rows of ``sol.Ma`` of the free body whose dofs begin at ``v``."""
    move = wp.vec3(sol.qacc[w, v], sol.qacc[w, v + 1], sol.qacc[w, v + 2])
    turn = wp.vec3(sol.qacc[w, v + 3], sol.qacc[w, v + 4], sol.qacc[w, v + 5])
    force = blocks.tt * move + blocks.tr * turn
    torque = blocks.rt * move + blocks.rr * turn
    for k in range(3):
        sol.Ma[w, v + k] = force[k]
        sol.Ma[w, v + 3 + k] = torque[k]


@wp.kernel
def _implicitfast_force(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, actuator: Actuator,
    tendon: Tendon, state: State, kin: Kinematics, com: Com, mass: Mass, vel: Velocity, frc: Force, drive: Drive,
    ten: TendonState, sol: Solve, scratch: Scratch, imp: ImplicitState,
):  # fmt: skip
    """The same for the implicitfast integrator, with the systems of free bodies."""
    w, lane = wp.tid()
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    copy_vector(scratch.dqacc, w, sol.qacc, w, size.nv)
    fast_system_world(
        size, opt, tree, body, jnt, dof, geom, actuator, tendon, state, kin, com, mass, vel, frc, drive, ten, imp, w,
        lane
    )  # fmt: skip
    symmetric_mul(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qH, sol.qacc, sol.Ma, size.nv, w)
    for j in range(lane, size.njnt, lanes()):
        if is_free_body(size, jnt, dof, j):
            v = jnt.dofadr[j]
            blocks = free_body_matrix(size, opt, jnt, dof, actuator, state, kin, com, mass, drive, w, j)
            blocks = with_tendons(blocks, size, opt, tendon, ten, dt, w, v)
            if size.nfluid > 0:
                blocks = with_medium(blocks, com, imp, dt, w, jnt.bodyid[j], v)
            _free_body_force(blocks, sol, w, v)


@wp.kernel
def _to_continuous(size: Size, dof: Dof, mass: Mass, sol: Solve):
    """``sol.qacc`` = M^-1 ``sol.Ma``."""
    w, _lane = wp.tid()
    copy_vector(sol.qacc, w, sol.Ma, w, size.nv)
    ltdl_solve(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qLD, mass.qLDiagInv, sol.qacc, size.nv, w)


@wp.kernel
def _restore(size: Size, sol: Solve, scratch: Scratch):
    """Put the discrete acceleration back."""
    w, _lane = wp.tid()
    copy_vector(sol.qacc, w, scratch.dqacc, w, size.nv)


def _continuous_acceleration(m: Any, d: Any) -> None:
    """Replace ``d.qacc``, that of a step, by the continuous one; the former is kept in ``d.scratch.dqacc``."""
    tables = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.actuator, m.tendon]
    smooth = [with_controls(m, d), d.kin, d.com, d.mass, d.vel, d.frc, d.drive, d.ten, d.sol, d.scratch, d.imp]
    if m.opt.integrator == IntegratorType.IMPLICIT:
        launch(_implicit_force, d, [*tables, m.impl, *smooth])
    elif m.opt.integrator == IntegratorType.IMPLICITFAST:
        launch(_implicitfast_force, d, [*tables, *smooth])
    else:
        launch(_euler_force, d, [m.size, m.opt, m.dof, d.state, d.mass, d.sol, d.scratch])
    launch(_to_continuous, d, [m.size, m.dof, d.mass, d.sol])


def inverse(m: Any, d: Any, skipstage: int = Stage.NONE, skipsensor: bool = False) -> None:
    """Inverse dynamics (see the head of the file).

    Args:
        m: model.
        d: data.
        skipstage: ``Stage`` up to which the results are those of the present state already.
        skipsensor: leave sensors and energy as they are.

    Reads   m; d.state (qpos, qvel, act, ctrl), d.qacc
    Writes  d.frc.qfrc_inverse [N, N m], d.sol.qfrc_constraint, d.efc.force, and all that ``forward`` computes before the
            constraint solver; d.sense; d.qacc and the state stay
    MuJoCo  mj_inverse, mj_inverseSkip.
    """
    discrete = (m.opt.enableflags & INVDISCRETE) != 0 and not is_discrete(m)
    if discrete and m.opt.integrator == IntegratorType.RK4:
        raise ValueError(
            "inverse: option integrator RK4 with flag invdiscrete; allowed with this flag are euler, implicit and "
            "implicitfast; choose one of these, or switch the flag off"
        )
    if skipstage < Stage.POS:
        position_stage(m, d)
        collision(m, d)
    elif skipstage == Stage.POS:
        tendon_velocities(m, d)
    if skipstage < Stage.VEL:
        velocity_stage(m, d)
        make_constraint(m, d)
    if is_discrete(m):  # its acceleration is that of a step, with or without the flag
        from newtonish.kernels.integrate.discrete.stage import inverse_in_metric

        inverse_in_metric(m, d)
        return
    if discrete:
        _continuous_acceleration(m, d)
    launch(_inverse, d, [m.size, m.opt, m.dof, d.mass, d.frc, d.contact, d.efc, d.sol, d.status])
    if not skipsensor:
        sensor_stage(m, d, STAGES_AFTER[skipstage])
    if discrete:
        launch(_restore, d, [m.size, d.sol, d.scratch])
