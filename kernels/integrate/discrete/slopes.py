"""Stiffness of joints, tendons and actuators: how their forces change with displacement.

Derivatives of the formulas in ``newtonish.kernels.forces``. Method: MuJoCo 4.0's documentation, chapter Computation,
"Numerical integration".
"""

import warp as wp

from newtonish.common.actuator_parameters import Affine
from newtonish.common.enums import BiasType, DisableBit, ForceLaw, GainType, JointType
from newtonish.kernels.forces.dcmotor import cogging_stiffness, electrical_force
from newtonish.kernels.forces.muscle import muscle_bias_stiffness, muscle_gain_stiffness
from newtonish.kernels.integrate.derivative import actuator_input, holds_still
from newtonish.kernels.math.polynomial import poly_slope
from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_normalize, quat_to_rotation_vector
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Drive, Force, State, TendonState
from newtonish.kernels.structs.model import Actuator, Joint, Option, Tendon

FULL = wp.constant(0.999999)  # a force scaled down to its limit may have lost the last digit


@wp.func
def _turned(jnt: Joint, state: State, w: int, q: int) -> float:
    """Angle between the quaternion that begins at ``q`` and its spring's rest [rad]."""
    rest_w = per_world(jnt.qpos_spring.shape[0], w)
    quat = wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3])
    rest = wp.vec4(
        jnt.qpos_spring[rest_w, q],
        jnt.qpos_spring[rest_w, q + 1],
        jnt.qpos_spring[rest_w, q + 2],
        jnt.qpos_spring[rest_w, q + 3],
    )
    return wp.length(quat_to_rotation_vector(quat_mul(quat_conj(rest), quat_normalize(quat))))


@wp.func
def joint_stiffness(jnt: Joint, state: State, w: int, j: int) -> wp.vec2:
    """Stiffness of the spring of joint ``j``, not below zero: of translations (or of a hinge), of rotations."""
    linear = jnt.stiffness[per_world(jnt.stiffness.shape[0], w), j]
    poly = jnt.stiffnesspoly[per_world(jnt.stiffnesspoly.shape[0], w), j]
    found = wp.vec2()
    if linear != 0.0 or poly[0] != 0.0 or poly[1] != 0.0:
        kind = jnt.type[j]
        q = jnt.qposadr[j]
        rest_w = per_world(jnt.qpos_spring.shape[0], w)
        if kind == JointType.SLIDE or kind == JointType.HINGE:
            found[0] = wp.max(0.0, poly_slope(linear, poly, state.qpos[w, q] - jnt.qpos_spring[rest_w, q]))
        else:
            if kind == JointType.FREE:
                away = wp.vec3()
                for k in range(3):
                    away[k] = state.qpos[w, q + k] - jnt.qpos_spring[rest_w, q + k]
                found[0] = wp.max(0.0, poly_slope(linear, poly, wp.length(away)))
                q = q + 3
            found[1] = wp.max(0.0, poly_slope(linear, poly, _turned(jnt, state, w, q)))
    return found


@wp.func
def tendon_scales(opt: Option, tendon: Tendon, ten: TendonState, w: int, t: int) -> wp.vec2:
    """Stiffness and damping of tendon ``t`` as it is now, not below zero; none within the dead band."""
    found = wp.vec2()
    if (opt.disableflags & DisableBit.SPRING) == 0:
        rest = tendon.lengthspring[per_world(tendon.lengthspring.shape[0], w), t]
        away = ten.length[w, t] - wp.clamp(ten.length[w, t], rest[0], rest[1])
        if away != 0.0:
            linear = tendon.stiffness[per_world(tendon.stiffness.shape[0], w), t]
            poly = tendon.stiffnesspoly[per_world(tendon.stiffnesspoly.shape[0], w), t]
            found[0] = wp.max(0.0, poly_slope(linear, poly, away))
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        linear = tendon.damping[per_world(tendon.damping.shape[0], w), t]
        poly = tendon.dampingpoly[per_world(tendon.dampingpoly.shape[0], w), t]
        found[1] = wp.max(0.0, poly_slope(linear, poly, wp.abs(ten.velocity[w, t])))
    return found


@wp.func
def actuator_stiffness(
    opt: Option, jnt: Joint, actuator: Actuator, state: State, frc: Force, drive: Drive, zero_controls: bool,
    w: int, a: int,
) -> float:  # fmt: skip
    """Derivative of the force of actuator ``a`` by its length."""
    o = actuator.outadr[a]
    span = actuator.lengthrange[per_world(actuator.lengthrange.shape[0], w), o]
    acc0 = actuator.acc0[per_world(actuator.acc0.shape[0], w), o]
    gainprm = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
    biasprm = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    gain = wp.float32(0.0)
    if actuator.gaintype[a] == GainType.AFFINE:
        gain = gainprm[Affine.LENGTH]
    elif actuator.gaintype[a] == GainType.MUSCLE:
        gain = muscle_gain_stiffness(gainprm, drive.actuator_length[w, o], drive.actuator_velocity[w, o], span, acc0)
    slope = wp.float32(0.0)
    if actuator.biastype[a] == BiasType.AFFINE:
        slope = biasprm[Affine.LENGTH]
    elif actuator.biastype[a] == BiasType.MUSCLE:
        slope = muscle_bias_stiffness(biasprm, drive.actuator_length[w, o], span, acc0)
    if gain != 0.0:
        slope += gain * actuator_input(opt, actuator, state, drive, zero_controls, w, a)
    if actuator.law[a] == ForceLaw.DCMOTOR:
        if drive.held[w, o] == 0:
            slope = electrical_force(opt, actuator, state, drive, zero_controls, w, a).stiffness
        slope += cogging_stiffness(actuator, drive, w, a)
    elif actuator.law[a] == ForceLaw.SO3:
        slope = -gainprm[Affine.CONSTANT]  # about all three axes: the arc to the target taken as straight
        if actuator.forcelimited[a] != 0:
            most = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a][1]
            force = wp.vec3(drive.actuator_force[w, o], drive.actuator_force[w, o + 1], drive.actuator_force[w, o + 2])
            if wp.length(force) >= most * FULL:
                slope = 0.0
    if holds_still(opt, jnt, actuator, frc, drive, w, a):
        slope = 0.0
    return slope
