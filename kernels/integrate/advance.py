"""Advancing the state of a world by one time step, once its accelerations are known.

Semi-implicit: activations and velocities first, then positions with the new velocities. Quaternions are turned by the
rotation that the angular velocity makes in the step. Method: MuJoCo documentation, chapter Computation (integration).
"""

import warp as wp

from newtonish.common.enums import DisableBit, DynType, ForceLaw, JointType
from newtonish.kernels.forces.actuation import actuator_disabled, nearest_turn, next_activation, wrap_period
from newtonish.kernels.math.clock import time_after
from newtonish.kernels.math.quat import quat_integrate
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.structs.data import Drive, Solve, State
from newtonish.kernels.structs.model import Actuator, Joint, Option, Size


@wp.func
def joint_position_after(
    jnt: Joint, qpos: wp.array2d(dtype=float), qvel: wp.array2d(dtype=float), target: wp.array2d(dtype=float),
    dt: float, w: int, j: int,
):  # fmt: skip
    """Move the coordinates of joint ``j`` from ``qpos`` with ``qvel`` during ``dt``, into ``target`` (may be qpos)."""
    kind = jnt.type[j]
    q = assume_nonnegative(jnt.qposadr[j])
    v = assume_nonnegative(jnt.dofadr[j])
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        target[w, q] = qpos[w, q] + dt * qvel[w, v]
    else:
        if kind == JointType.FREE:
            for k in range(3):
                target[w, q + k] = qpos[w, q + k] + dt * qvel[w, v + k]
            q = q + 3
            v = v + 3
        before = wp.vec4(qpos[w, q], qpos[w, q + 1], qpos[w, q + 2], qpos[w, q + 3])
        after = quat_integrate(before, wp.vec3(qvel[w, v], qvel[w, v + 1], qvel[w, v + 2]), dt)
        target[w, q] = after[0]
        target[w, q + 1] = after[1]
        target[w, q + 2] = after[2]
        target[w, q + 3] = after[3]


@wp.func
def advance_activation_world(size: Size, opt: Option, jnt: Joint, actuator: Actuator, state: State, drive: Drive, w: int, lane: int):
    """Activations one time step later; disabled actuators keep theirs, within its range.

    Those of actuators with a law of their own are advanced by ``forces/laws.py``.
    """
    if size.na > 0 and (opt.disableflags & DisableBit.ACTUATION) == 0:
        for a in range(lane, size.nactuator, lanes()):
            adr = actuator.actadr[a]
            if adr >= 0 and actuator.law[a] == ForceLaw.GAIN_BIAS:
                last = adr + actuator.actnum[a] - 1
                act_dot = drive.act_dot[w, last]
                if actuator_disabled(opt, actuator, a):
                    act_dot = 0.0
                act = next_activation(opt, actuator, state.act[w, last], act_dot, w, a)
                if actuator.dyntype[a] != DynType.NONE:
                    period = wrap_period(jnt, actuator, w, a)
                    if period > 0.0:
                        length = drive.actuator_length[w, actuator.outadr[a]]
                        act = length + nearest_turn(act - length, period)
                state.act[w, last] = act


@wp.func
def advance_world(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, state: State, drive: Drive, sol: Solve,
    qacc: wp.array2d(dtype=float), qvel: wp.array2d(dtype=float), w: int, lane: int,
):  # fmt: skip
    """Advance one world with accelerations ``qacc``; positions move with ``qvel``, usually ``state.qvel`` itself."""
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    advance_activation_world(size, opt, jnt, actuator, state, drive, w, lane)
    for i in range(lane, size.nv, lanes()):
        state.qvel[w, i] = state.qvel[w, i] + dt * qacc[w, i]
        state.qacc_warmstart[w, i] = sol.qacc[w, i]
    sync()
    for j in range(lane, size.njnt, lanes()):
        joint_position_after(jnt, state.qpos, qvel, state.qpos, dt, w, j)
    if lane == 0:
        after = time_after(state.time[w], state.time_low[w], dt)
        state.time[w] = after[0]
        state.time_low[w] = after[1]
    sync()
