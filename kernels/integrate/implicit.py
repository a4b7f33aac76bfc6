"""Implicit-in-velocity integrator ``implicitfast``.

(M - h dF/dv) qacc' = qfrc_smooth + qfrc_constraint, with the symmetric derivative of damping and actuators; trees that
are one free body get their own system with gyroscopic terms. Method: MuJoCo documentation, chapter Computation.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.history.stage import delayed_controls
from newtonish.kernels.integrate.advance import advance_world
from newtonish.kernels.integrate.derivative import deriv_motors_world, deriv_smooth_vel_world
from newtonish.kernels.integrate.euler import solve_modified_world
from newtonish.kernels.integrate.free_body import is_free_body, solve_free_bodies_world
from newtonish.kernels.math.world import fresh, lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Drive, Force, Kinematics, Mass, Scratch, Solve, State, TendonState
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size, Tendon
from newtonish.kernels.tendon.derivative import tendon_damping_world


@wp.func
def implicitfast_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, kin: Kinematics,
    com: Com, mass: Mass, frc: Force, drive: Drive, ten: TendonState, sol: Solve, scratch: Scratch, w: int, lane: int,
):  # fmt: skip
    """Advance one world by the implicitfast method."""
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    deriv_smooth_vel_world(size, opt, jnt, dof, actuator, state, mass, frc, drive, w, lane)
    tendon_damping_world(size, opt, dof, tendon, ten, mass, w, lane)
    for k in range(lane, size.nC, lanes()):
        mass.qH[w, k] = mass.M[w, k] - dt * mass.qDeriv[w, k]
    sync()
    # free bodies are solved apart: their rows keep M, which certainly has a factor
    for j in range(lane, size.njnt, lanes()):
        if is_free_body(size, jnt, dof, j):
            for i in range(jnt.dofadr[j], jnt.dofadr[j] + 6):
                for k in range(dof.M_rowadr[i], dof.M_rowadr[i] + dof.M_rownnz[i]):
                    mass.qH[w, k] = mass.M[w, k]
    sync()
    solve_modified_world(size, dof, mass, frc, sol, scratch, w, lane)
    # fresh: a GPU's compiler would hold through free bodies what loops before and behind them begin with
    solve_free_bodies_world(size, opt, jnt, dof, actuator, tendon, state, kin, com, mass, frc, drive, ten, sol, scratch, fresh(w), fresh(lane))
    advance_world(size, opt, jnt, actuator, state, drive, sol, scratch.qvel, state.qvel, fresh(w), fresh(lane))


@wp.func
def implicitfast_joints_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, state: State, mass: Mass, frc: Force, drive: Drive,
    sol: Solve, scratch: Scratch, w: int, lane: int,
):  # fmt: skip
    """The same for motors and servos of which no two act on one joint, without tendons and free bodies."""
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    deriv_motors_world(size, opt, jnt, dof, actuator, state, mass, frc, drive, w, lane)
    for k in range(lane, size.nC, lanes()):
        mass.qH[w, k] = mass.M[w, k] - dt * mass.qDeriv[w, k]
    sync()
    solve_modified_world(size, dof, mass, frc, sol, scratch, w, lane)
    advance_world(size, opt, jnt, actuator, state, drive, sol, scratch.qvel, state.qvel, w, lane)


@wp.kernel
def _implicitfast(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, kin: Kinematics,
    com: Com, mass: Mass, frc: Force, drive: Drive, ten: TendonState, sol: Solve, scratch: Scratch,
):  # fmt: skip
    w, lane = wp.tid()
    implicitfast_world(size, opt, jnt, dof, actuator, tendon, state, kin, com, mass, frc, drive, ten, sol, scratch, w, lane)


def implicit(m: Any, d: Any) -> None:
    """Advance all worlds by one time step with the implicitfast method.

    Reads   m.opt, m.jnt, m.dof, m.actuator; d.kin, d.com, d.mass (M, crb), d.frc, d.drive, d.sol (qacc, qfrc_constraint)
    Writes  d.state (time, qpos, qvel, act, qacc_warmstart); d.mass.qDeriv, qH, qHDiagInv, d.scratch.qvel
    MuJoCo  mj_implicit with integrator implicitfast.
    """
    inputs = [m.size, m.opt, m.jnt, m.dof, m.actuator, m.tendon, delayed_controls(m, d), d.kin, d.com, d.mass]
    launch(_implicitfast, d, [*inputs, d.frc, d.drive, d.ten, d.sol, d.scratch])
