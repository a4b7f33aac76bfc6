"""Runge-Kutta integrator of 4th order, with four evaluations of the forward dynamics in a step.

Orientations are advanced by rotation vectors from the start of the step; the angular velocity of a stage is turned into
the rate of that rotation vector (Bortz equation), without which the method is of lower order on rotations. Method:
Munthe-Kaas 1998; Bortz 1971; MuJoCo documentation, chapter Computation (RK4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.integrate.advance import advance_world, joint_position_after
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Drive, Scratch, Solve, State
from newtonish.kernels.structs.model import Actuator, Joint, Option, Size

# fraction of the step at which stages 2 to 4 are evaluated, and weights of all four
STAGE_FRACTIONS = (0.5, 0.5, 1.0)
STAGE_WEIGHTS = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)


@wp.func
def rotation_vector_rate(rotation: wp.vec3, omega: wp.vec3) -> wp.vec3:
    """Rate of the rotation vector of a frame that turns with ``omega``, given in that frame."""
    angle = wp.length(rotation)
    shortest = rotation
    if angle > wp.pi:
        # the same orientation, by the shorter way: the coefficient below is singular at a full turn
        turns = wp.round(angle / (2.0 * wp.pi))
        shortest = rotation * ((angle - 2.0 * wp.pi * turns) / angle)
    x = wp.length_sq(shortest)
    # (1 - (a/2) cot(a/2)) / a^2, by its power series where the closed form cancels
    coefficient = 1.0 / 12.0 + x * (1.0 / 720.0 + x * (1.0 / 30240.0 + x * (1.0 / 1209600.0 + x / 47900160.0)))
    if x > 1.5:
        half = 0.5 * wp.sqrt(x)
        coefficient = (1.0 - half / wp.tan(half)) / x
    turned = wp.cross(shortest, omega)
    return omega + 0.5 * turned + coefficient * wp.cross(shortest, turned)


@wp.kernel
def _begin(size: Size, state: State, drive: Drive, sol: Solve, scratch: Scratch, weight: float):
    """Keep the state at the start of the step and begin the weighted sums with the first stage."""
    w, lane = wp.tid()
    for i in range(lane, size.nq, lanes()):
        scratch.qpos0[w, i] = state.qpos[w, i]
    for i in range(lane, size.nv, lanes()):
        velocity = state.qvel[w, i]
        scratch.qvel0[w, i] = velocity
        scratch.qvel[w, i] = velocity
        scratch.dqvel[w, i] = weight * velocity
        scratch.dqacc[w, i] = weight * sol.qacc[w, i]
    for i in range(lane, size.na, lanes()):
        scratch.act0[w, i] = state.act[w, i]
        scratch.dact[w, i] = weight * drive.act_dot[w, i]
    for i in range(lane, size.nout, lanes()):
        scratch.actuator_length0[w, i] = drive.actuator_length[w, i]
        scratch.actuator_velocity0[w, i] = drive.actuator_velocity[w, i]


@wp.kernel
def _perturb(size: Size, opt: Option, jnt: Joint, state: State, drive: Drive, sol: Solve, scratch: Scratch, fraction: float):
    """State of the next stage: the start of the step moved by a fraction of it with the last stage's rates."""
    w, lane = wp.tid()
    dt = fraction * opt.timestep[per_world(opt.timestep.shape[0], w)]
    for j in range(lane, size.njnt, lanes()):
        joint_position_after(jnt, scratch.qpos0, scratch.qvel, state.qpos, dt, w, j)
    for i in range(lane, size.nv, lanes()):
        state.qvel[w, i] = scratch.qvel0[w, i] + dt * sol.qacc[w, i]
    for i in range(lane, size.na, lanes()):
        state.act[w, i] = scratch.act0[w, i] + dt * drive.act_dot[w, i]


@wp.func
def _correct_rotation(jnt: Joint, state: State, scratch: Scratch, dt: float, w: int, j: int):
    """Rates of the coordinates of joint ``j`` in this stage, from its velocity and the last stage's rates."""
    kind = jnt.type[j]
    v = jnt.dofadr[j]
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        scratch.qvel[w, v] = state.qvel[w, v]
    else:
        if kind == JointType.FREE:
            for k in range(3):
                scratch.qvel[w, v + k] = state.qvel[w, v + k]
            v = v + 3
        rotation = dt * wp.vec3(scratch.qvel[w, v], scratch.qvel[w, v + 1], scratch.qvel[w, v + 2])
        omega = wp.vec3(state.qvel[w, v], state.qvel[w, v + 1], state.qvel[w, v + 2])
        rate = rotation_vector_rate(rotation, omega)
        for k in range(3):
            scratch.qvel[w, v + k] = rate[k]


@wp.kernel
def _accumulate(
    size: Size, opt: Option, jnt: Joint, state: State, drive: Drive, sol: Solve, scratch: Scratch, fraction: float,
    weight: float,
):  # fmt: skip
    """Add a stage to the weighted sums."""
    w, lane = wp.tid()
    dt = fraction * opt.timestep[per_world(opt.timestep.shape[0], w)]
    for j in range(lane, size.njnt, lanes()):
        _correct_rotation(jnt, state, scratch, dt, w, j)
    sync()
    for i in range(lane, size.nv, lanes()):
        scratch.dqvel[w, i] = scratch.dqvel[w, i] + weight * scratch.qvel[w, i]
        scratch.dqacc[w, i] = scratch.dqacc[w, i] + weight * sol.qacc[w, i]
    for i in range(lane, size.na, lanes()):
        scratch.dact[w, i] = scratch.dact[w, i] + weight * drive.act_dot[w, i]


@wp.func
def _exchange(size: Size, drive: Drive, scratch: Scratch, w: int, lane: int):
    """Let what actuators have at the start of the step, and the weighted rates of activations, change places with the last stage's."""
    for i in range(lane, size.na, lanes()):
        rate = drive.act_dot[w, i]
        drive.act_dot[w, i] = scratch.dact[w, i]
        scratch.dact[w, i] = rate
    for i in range(lane, size.nout, lanes()):
        length = drive.actuator_length[w, i]
        velocity = drive.actuator_velocity[w, i]
        drive.actuator_length[w, i] = scratch.actuator_length0[w, i]
        drive.actuator_velocity[w, i] = scratch.actuator_velocity0[w, i]
        scratch.actuator_length0[w, i] = length
        scratch.actuator_velocity0[w, i] = velocity
    sync()


@wp.kernel
def _finish(size: Size, opt: Option, jnt: Joint, actuator: Actuator, state: State, drive: Drive, sol: Solve, scratch: Scratch):
    """The step itself, from the state at its start with the weighted rates."""
    w, lane = wp.tid()
    for i in range(lane, size.nq, lanes()):
        state.qpos[w, i] = scratch.qpos0[w, i]
    for i in range(lane, size.nv, lanes()):
        state.qvel[w, i] = scratch.qvel0[w, i]
    for i in range(lane, size.na, lanes()):
        state.act[w, i] = scratch.act0[w, i]
    sync()
    _exchange(size, drive, scratch, w, lane)
    advance_world(size, opt, jnt, actuator, state, drive, sol, scratch.dqacc, scratch.dqvel, w, lane)
    # the last stage's acceleration, the most recent solution, stays in the warm start
    for i in range(lane, size.nv, lanes()):
        sol.qacc[w, i] = scratch.dqacc[w, i]


@wp.kernel
def _show_last_stage(size: Size, drive: Drive, scratch: Scratch):
    w, lane = wp.tid()
    _exchange(size, drive, scratch, w, lane)


def show_last_stage(m: Any, d: Any) -> None:
    """After all activations have advanced: leave lengths, velocities and rates of actuators as the last stage had them, as MuJoCo does."""
    launch(_show_last_stage, d, [m.size, d.drive, d.scratch])


def evaluate_stages(m: Any, d: Any, forward: Callable[[Any, Any, float], None], after: Callable[[int], None] | None = None) -> None:
    """Evaluate the three other stages, and sum the rates of all four.

    Reads   m.opt, m.jnt; d as ``forward`` left it at the start of the step
    Writes  d.state (qpos, qvel, act of the last stage), d.scratch, and all that ``forward`` writes
    MuJoCo  the first part of mj_RungeKutta(4).

    Args:
        m: model.
        d: data, after ``forward``.
        forward: launches the forward dynamics on (m, d) at a fraction of the time step.
        after: told the number of each stage, 0 to 3, once its rates are in the sums.
    """
    launch(_begin, d, [m.size, d.state, d.drive, d.sol, d.scratch, STAGE_WEIGHTS[0]])
    if after is not None:
        after(0)
    for stage, (fraction, weight) in enumerate(zip(STAGE_FRACTIONS, STAGE_WEIGHTS[1:])):
        launch(_perturb, d, [m.size, m.opt, m.jnt, d.state, d.drive, d.sol, d.scratch, fraction])
        forward(m, d, fraction)
        launch(_accumulate, d, [m.size, m.opt, m.jnt, d.state, d.drive, d.sol, d.scratch, fraction, weight])
        if after is not None:
            after(1 + stage)


def rungekutta4(m: Any, d: Any, forward: Callable[[Any, Any, float], None], before_advance: Callable[[Any, Any], None] | None = None) -> None:
    """Advance all worlds by one time step with the Runge-Kutta method of 4th order.

    Reads   m.opt, m.jnt, m.actuator; d as ``forward`` left it at the start of the step
    Writes  d.state (time, qpos, qvel, act, qacc_warmstart), d.sol.qacc (weighted mean of the stages), d.scratch, and all
            that ``forward`` writes, for the last stage
    MuJoCo  mj_RungeKutta(4).

    Args:
        m: model.
        d: data, after ``forward``.
        forward: launches the forward dynamics on (m, d) at a fraction of the time step.
        before_advance: launched after the stages, at the time of the step's start.
    """
    evaluate_stages(m, d, forward)
    if before_advance is not None:
        before_advance(m, d)
    launch(_finish, d, [m.size, m.opt, m.jnt, m.actuator, d.state, d.drive, d.sol, d.scratch])
