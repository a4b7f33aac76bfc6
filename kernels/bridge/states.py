"""Push and pull: states, forces and controls of a Newton model to and from the arrays of a step, a world a block.

The rules that relate the two sides are in ``frames``. A joint's force does the same work on both sides; the wrench of
a free joint acts at the centre of mass in world axes, as ``body_f`` does, and therefore goes with it into ``xfrc_applied``.
A kinematic body moves as the caller says: forces on it are dropped and its joint is carried over unchanged.
"""

import warp as wp

from newtonish.kernels.bridge.frames import (
    CTRL_DIRECT,
    FREE,
    TARGET_POSITION,
    Maps,
    ball_to_mujoco,
    ball_vector_to_mujoco,
    free_velocity_to_mujoco,
    free_velocity_to_newton,
    is_kinematic,
    read3,
    read_quat,
    to_wxyz,
    to_xyzw,
    unit,
    write3,
)
from newtonish.kernels.constants import BALL
from newtonish.kernels.math.quat import quat_to_rotation_vector
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.structs.data import State
from newtonish.kernels.structs.model import Actuator, Body, Joint, Option, Size


@wp.struct
class Given:
    """What a step is given: a Newton state with its forces, and a control. Arrays that are not there are empty."""

    joint_q: wp.array(dtype=float)
    joint_qd: wp.array(dtype=float)
    body_f: wp.array(dtype=wp.spatial_vector)
    joint_f: wp.array(dtype=float)
    target_q: wp.array(dtype=float)
    target_qd: wp.array(dtype=float)
    ctrl: wp.array(dtype=float)
    ctrl_more: wp.array(dtype=wp.vec3)


@wp.func
def set_time_step(opt: Option, dt: float, w: int, lane: int):
    """The caller's time step, if positive, for a world or for all; the arrays of steps have one entry or one a world."""
    if lane == 0 and dt > 0.0 and w < opt.timestep.shape[0]:
        opt.timestep[w] = dt


@wp.func
def push_joint(jnt: Joint, maps: Maps, joint_q: wp.array(dtype=float), joint_qd: wp.array(dtype=float), state: State, w: int, j: int):
    """Position and velocity of one joint."""
    qa = jnt.qposadr[j]
    va = jnt.dofadr[j]
    kind = jnt.type[j]
    joint = maps.joint[w, j]
    q = maps.coord[w, qa]
    v = maps.dof[w, va]
    if kind == FREE:
        X_p = maps.X_p[joint]
        X_joint = wp.transform(read3(joint_q, q), read_quat(joint_q, q + 3))
        X = X_p * X_joint * wp.transform_inverse(maps.X_c[joint])
        p = wp.transform_get_translation(X)
        R = wp.transform_get_rotation(X)
        R4 = to_wxyz(R)
        for k in range(3):
            state.qpos[w, qa + k] = p[k]
        for k in range(4):
            state.qpos[w, qa + 3 + k] = R4[k]
        com = maps.com[maps.body[w, jnt.bodyid[j]]]
        R_p = wp.transform_get_rotation(X_p)
        twist = free_velocity_to_mujoco(read3(joint_qd, v), read3(joint_qd, v + 3), R_p, R, com)
        for k in range(6):
            state.qvel[w, va + k] = twist[k]
    elif kind == BALL:
        R_c = wp.transform_get_rotation(maps.X_c[joint])
        r = read_quat(joint_q, q - 3)
        R4 = to_wxyz(ball_to_mujoco(r, R_c))
        omega = ball_vector_to_mujoco(read3(joint_qd, v), r, R_c)
        for k in range(4):
            state.qpos[w, qa + k] = R4[k]
        for k in range(3):
            state.qvel[w, va + k] = omega[k]
    else:
        state.qpos[w, qa] = joint_q[q] + jnt.qpos0[per_world(jnt.qpos0.shape[0], w), qa]
        state.qvel[w, va] = joint_qd[v]


@wp.func
def push_joint_force(jnt: Joint, maps: Maps, given: Given, state: State, w: int, j: int):
    """Applied force of one joint; that of a free joint is a wrench on its body and goes with the body's."""
    va = jnt.dofadr[j]
    kind = jnt.type[j]
    v = maps.dof[w, va]
    acts = given.joint_f.shape[0] > 0 and not is_kinematic(maps, w, jnt.bodyid[j])
    if kind == FREE:
        for k in range(6):
            state.qfrc_applied[w, va + k] = 0.0
    elif kind == BALL:
        torque = wp.vec3(0.0)
        if acts:
            R_c = wp.transform_get_rotation(maps.X_c[maps.joint[w, j]])
            r = read_quat(given.joint_q, maps.coord[w, jnt.qposadr[j]] - 3)
            torque = ball_vector_to_mujoco(read3(given.joint_f, v), r, R_c)
        for k in range(3):
            state.qfrc_applied[w, va + k] = torque[k]
    else:
        if acts:
            state.qfrc_applied[w, va] = given.joint_f[v]
        else:
            state.qfrc_applied[w, va] = 0.0


@wp.func
def push_body_force(body: Body, jnt: Joint, maps: Maps, given: Given, state: State, w: int, b: int):
    """Wrench on one body at its centre of mass in the world frame, force first in both conventions."""
    wrench = wp.spatial_vector()
    newton_body = maps.body[w, b]
    acts = newton_body >= 0 and not is_kinematic(maps, w, b)
    if acts and given.body_f.shape[0] > 0:
        wrench = given.body_f[newton_body]
    j = body.jntadr[b]
    if acts and j >= 0 and given.joint_f.shape[0] > 0:
        if jnt.type[j] == FREE:
            v = maps.dof[w, jnt.dofadr[j]]
            wrench = wrench + wp.spatial_vector(read3(given.joint_f, v), read3(given.joint_f, v + 3))
    state.xfrc_applied[w, b] = wrench


@wp.func
def control_of(jnt: Joint, actuator: Actuator, maps: Maps, given: Given, w: int, a: int) -> float:
    """Control of one actuator, in MuJoCo's units."""
    source = maps.ctrl_source[a]
    at = maps.ctrl_index[w, a]
    if source == CTRL_DIRECT:
        return given.ctrl[at]
    j = actuator.trnid[a][0]
    is_ball = jnt.type[j] == BALL
    if source == TARGET_POSITION:
        if is_ball:
            R_c = wp.transform_get_rotation(maps.X_c[maps.joint[w, j]])
            target = wp.quat_rotate(R_c, quat_to_rotation_vector(to_wxyz(read_quat(given.target_q, at))))
            return target[maps.ctrl_axis[a]]
        return given.target_q[at] + jnt.qpos0[per_world(jnt.qpos0.shape[0], w), jnt.qposadr[j]]
    if is_ball:
        R_c = wp.transform_get_rotation(maps.X_c[maps.joint[w, j]])
        first = maps.dof[w, jnt.dofadr[j]]
        r = read_quat(given.joint_q, maps.coord[w, jnt.qposadr[j]] - 3)
        target = ball_vector_to_mujoco(read3(given.target_qd, first), r, R_c)
        return target[at - first]
    return given.target_qd[at]


@wp.func
def push_inputs(size: Size, body: Body, jnt: Joint, actuator: Actuator, maps: Maps, given: Given, state: State, w: int, lane: int):
    """Forces on joints and bodies, controls and poses of mocap bodies of one world; returns with a barrier."""
    for j in range(lane, size.njnt, lanes()):
        push_joint_force(jnt, maps, given, state, w, j)
    for b in range(lane, size.nbody, lanes()):
        push_body_force(body, jnt, maps, given, state, w, b)
    for a in range(lane, size.nactuator, lanes()):
        if actuator.ctrlnum[a] > 0:
            first = actuator.ctrladr[a]
            state.ctrl[w, first] = control_of(jnt, actuator, maps, given, w, a)
            for k in range(1, actuator.ctrlnum[a]):
                state.ctrl[w, first + k] = given.ctrl_more[maps.ctrl_index[w, a]][k - 1]
    for i in range(lane, size.nmocap, lanes()):
        joint = maps.mocap[w, i]
        X = maps.X_p[joint] * wp.transform_inverse(maps.X_c[joint])
        state.mocap_pos[w, i] = wp.transform_get_translation(X)
        state.mocap_quat[w, i] = to_wxyz(wp.transform_get_rotation(X))
    sync()


@wp.kernel
def push_kernel(size: Size, opt: Option, body: Body, jnt: Joint, actuator: Actuator, maps: Maps, given: Given, dt: float, state: State):
    """Newton's state, forces and controls into the arrays that a step reads; ``dt``, if positive, becomes the time step."""
    w, lane = wp.tid()
    set_time_step(opt, dt, w, lane)
    for j in range(lane, size.njnt, lanes()):
        push_joint(jnt, maps, given.joint_q, given.joint_qd, state, w, j)
    push_inputs(size, body, jnt, actuator, maps, given, state, w, lane)


@wp.func
def pull_joint(jnt: Joint, maps: Maps, state: State, joint_q: wp.array(dtype=float), joint_qd: wp.array(dtype=float), w: int, j: int):
    """Position and velocity of one joint, the inverse of ``push_joint``."""
    qa = jnt.qposadr[j]
    va = jnt.dofadr[j]
    kind = jnt.type[j]
    joint = maps.joint[w, j]
    q = maps.coord[w, qa]
    v = maps.dof[w, va]
    if kind == FREE:
        p = wp.vec3(state.qpos[w, qa], state.qpos[w, qa + 1], state.qpos[w, qa + 2])
        R4 = wp.vec4(state.qpos[w, qa + 3], state.qpos[w, qa + 4], state.qpos[w, qa + 5], state.qpos[w, qa + 6])
        R = unit(to_xyzw(R4))
        X_p = maps.X_p[joint]
        X = wp.transform_inverse(X_p) * wp.transform(p, R) * maps.X_c[joint]
        write3(joint_q, q, wp.transform_get_translation(X))
        r = wp.transform_get_rotation(X)
        for k in range(4):
            joint_q[q + 3 + k] = r[k]
        linear = wp.vec3(state.qvel[w, va], state.qvel[w, va + 1], state.qvel[w, va + 2])
        angular = wp.vec3(state.qvel[w, va + 3], state.qvel[w, va + 4], state.qvel[w, va + 5])
        com = maps.com[maps.body[w, jnt.bodyid[j]]]
        twist = free_velocity_to_newton(linear, angular, wp.transform_get_rotation(X_p), R, com)
        for k in range(6):
            joint_qd[v + k] = twist[k]
    elif kind == BALL:
        R_c = wp.transform_get_rotation(maps.X_c[joint])
        R4 = wp.vec4(state.qpos[w, qa], state.qpos[w, qa + 1], state.qpos[w, qa + 2], state.qpos[w, qa + 3])
        turned = wp.quat_inverse(R_c) * unit(to_xyzw(R4))
        r = turned * R_c
        for k in range(4):
            joint_q[q - 3 + k] = r[k]
        omega = wp.vec3(state.qvel[w, va], state.qvel[w, va + 1], state.qvel[w, va + 2])
        write3(joint_qd, v, wp.quat_rotate(turned, omega))
    else:
        joint_q[q] = state.qpos[w, qa] - jnt.qpos0[per_world(jnt.qpos0.shape[0], w), qa]
        joint_qd[v] = state.qvel[w, va]


@wp.func
def keep_joint(
    jnt: Joint,
    maps: Maps,
    old_q: wp.array(dtype=float),
    old_qd: wp.array(dtype=float),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
    w: int,
    j: int,
):
    """Position and velocity of a kinematic joint: what the caller gave."""
    kind = jnt.type[j]
    q = maps.coord[w, jnt.qposadr[j]]
    v = maps.dof[w, jnt.dofadr[j]]
    nq = wp.where(kind == FREE, 7, 1)
    nv = wp.where(kind == FREE, 6, 1)
    if kind == BALL:
        q = q - 3
        nq = 4
        nv = 3
    for k in range(nq):
        joint_q[q + k] = old_q[q + k]
    for k in range(nv):
        joint_qd[v + k] = old_qd[v + k]


@wp.kernel
def pull_kernel(
    size: Size,
    jnt: Joint,
    maps: Maps,
    state: State,
    old_q: wp.array(dtype=float),
    old_qd: wp.array(dtype=float),
    joint_q: wp.array(dtype=float),
    joint_qd: wp.array(dtype=float),
):
    """Positions and velocities after a step into Newton's arrays; those of kinematic bodies stay as they were."""
    w, lane = wp.tid()
    for j in range(lane, size.njnt, lanes()):
        if is_kinematic(maps, w, jnt.bodyid[j]):
            keep_joint(jnt, maps, old_q, old_qd, joint_q, joint_qd, w, j)
        else:
            pull_joint(jnt, maps, state, joint_q, joint_qd, w, j)
