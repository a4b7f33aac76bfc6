"""Servo of an orientation: of a ball joint, or of a site against a reference site, with three force outputs.

The lengths are the rotation vector of the orientation q, the velocities its angular velocity, both in the frame that turns.
force = kp log(q^-1 q_target) - kv omega: along the shortest arc to the target. The target is a rotation vector or a
quaternion. Method: MuJoCo documentation, XML Reference, actuator/orientation.
"""

import warp as wp

from newtonish.common.actuator_parameters import Affine
from newtonish.common.enums import CtrlChart
from newtonish.kernels.forces.actuation import clamped_control
from newtonish.kernels.forces.transmission_points import add_wrench, clear_row, site_quat
from newtonish.kernels.math.quat import (
    quat_conj,
    quat_from_axis_angle,
    quat_mul,
    quat_normalize,
    quat_to_rotation_vector,
)
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Com, Drive, Kinematics, State
from newtonish.kernels.structs.model import Actuator, Body, Joint, Option, Site, Tree


@wp.func
def orientation(jnt: Joint, site: Site, actuator: Actuator, state: State, kin: Kinematics, w: int, a: int) -> wp.vec4:
    """The orientation that actuator ``a`` turns."""
    trn = actuator.trnid[a]
    quat = wp.vec4(1.0, 0.0, 0.0, 0.0)
    if trn[1] >= 0:
        quat = quat_mul(quat_conj(site_quat(site, kin, w, trn[1])), site_quat(site, kin, w, trn[0]))
    else:
        q = jnt.qposadr[trn[0]]
        quat = wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3])
    return quat_normalize(quat)


@wp.func
def so3_transmission(
    tree: Tree, body: Body, jnt: Joint, site: Site, actuator: Actuator, state: State, kin: Kinematics, com: Com,
    drive: Drive, w: int, a: int,
):  # fmt: skip
    """Lengths and moments of the three outputs of actuator ``a``."""
    rotation = quat_to_rotation_vector(orientation(jnt, site, actuator, state, kin, w, a))
    trn = actuator.trnid[a]
    for k in range(3):
        o = actuator.outadr[a] + k
        drive.actuator_length[w, o] = rotation[k]
        clear_row(actuator, drive, w, o)
        if trn[1] >= 0:
            mat = kin.site_xmat[w, trn[0]]
            axis = wp.vec3(mat[0, k], mat[1, k], mat[2, k])
            there = kin.site_xpos[w, trn[0]]
            add_wrench(tree, body, actuator, com, drive, w, o, site.bodyid[trn[0]], there, wp.vec3(), axis)
            there = kin.site_xpos[w, trn[1]]
            add_wrench(tree, body, actuator, com, drive, w, o, site.bodyid[trn[1]], there, wp.vec3(), -axis)
        else:
            drive.actuator_moment[w, actuator.moment_rowadr0[o]] = 1.0


@wp.func
def _turned(rotation: wp.vec3) -> wp.vec4:
    """Quaternion of a rotation vector."""
    angle = wp.length(rotation)
    quat = wp.vec4(1.0, 0.0, 0.0, 0.0)
    if angle > 0.0:
        quat = quat_from_axis_angle(rotation / angle, angle)
    return quat


@wp.func
def so3_force(
    opt: Option, jnt: Joint, site: Site, actuator: Actuator, state: State, kin: Kinematics, drive: Drive,
    zero_controls: bool, off: bool, w: int, a: int,
):  # fmt: skip
    """Write the three forces of actuator ``a``, within the limit of their norm, their slope and the rates of activations."""
    u = actuator.ctrladr[a]
    o = actuator.outadr[a]
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    control = wp.vec4()
    if not zero_controls:
        for k in range(actuator.ctrlnum[a]):
            control[k] = clamped_control(opt, actuator, state, w, u + k)
    target = wp.vec3(control[0], control[1], control[2])
    adr = actuator.actadr[a]
    if adr >= 0:
        for k in range(3):
            drive.act_dot[w, adr + k] = control[k]
            target[k] = state.act[w, adr + k]
            if actuator.actearly[a] != 0:
                target[k] = target[k] + dt * control[k]
        if actuator.actearly[a] != 0 and actuator.actlimited[a] != 0:
            limits = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
            for k in range(3):
                target[k] = wp.clamp(target[k], limits[0], limits[1])
    quat = _turned(target)
    if actuator.ctrlspec[a] == CtrlChart.QUAT:
        quat = quat_normalize(control)
    here = orientation(jnt, site, actuator, state, kin, w, a)
    error = quat_to_rotation_vector(quat_mul(quat_conj(here), quat))
    gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    omega = wp.vec3(drive.actuator_velocity[w, o], drive.actuator_velocity[w, o + 1], drive.actuator_velocity[w, o + 2])
    force = gain[Affine.CONSTANT] * error + bias[Affine.VELOCITY] * omega + wp.vec3(bias[Affine.CONSTANT], bias[Affine.CONSTANT], bias[Affine.CONSTANT])
    slope = bias[Affine.VELOCITY]
    if actuator.forcelimited[a] != 0:
        most = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a][1]
        norm = wp.length(force)
        if norm >= most:
            slope = 0.0
            if norm > 0.0:
                force = force * (most / norm)
    if off:
        force = wp.vec3()
    drive.law_slope[w, a] = slope
    for k in range(3):
        drive.actuator_force[w, o + k] = force[k]


@wp.func
def advance_so3(actuator: Actuator, state: State, drive: Drive, off: bool, dt: float, w: int, a: int):
    """Set point of actuator ``a`` one time step later, as the rotation vector of the shortest rotation."""
    adr = actuator.actadr[a]
    if adr >= 0:
        act = wp.vec3()
        for k in range(3):
            act[k] = state.act[w, adr + k]
            if not off:
                act[k] = act[k] + dt * drive.act_dot[w, adr + k]
        if actuator.actlimited[a] != 0:
            limits = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
            for k in range(3):
                act[k] = wp.clamp(act[k], limits[0], limits[1])
        angle = wp.length(act)
        if angle > wp.pi:
            act = act * ((angle - 2.0 * wp.pi * wp.round(angle / (2.0 * wp.pi))) / angle)
        for k in range(3):
            state.act[w, adr + k] = act[k]
