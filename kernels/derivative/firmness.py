"""Stiffness and damping of tendons and actuators in the metric of integrator discrete, and how both change with what the forces follow.

They are slopes of forces, so that their derivatives are second derivatives of the laws of springs, dampers, muscles and motors. Where the metric leaves a
slope out because it would give energy, it stays out.
"""

import warp as wp

from newtonish.common.actuator_parameters import Affine
from newtonish.common.actuator_parameters import DCMotorBias as MotorBias
from newtonish.common.actuator_parameters import DCMotorDyn as MotorDyn
from newtonish.common.actuator_parameters import DCMotorGain as MotorGain
from newtonish.common.enums import BiasType, DisableBit, ForceLaw, GainType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import real, vec8d
from newtonish.kernels.derivative.muscle_slopes import muscle_bias_bend, muscle_gain_bend, muscle_gain_bends
from newtonish.kernels.derivative.polynomials import damper_bend, spring_bend
from newtonish.kernels.forces.dcmotor import electrical_force, motor_slots
from newtonish.kernels.forces.muscle import muscle_gain_slope, muscle_gain_stiffness
from newtonish.kernels.integrate.derivative import actuator_input, actuator_slope, holds_still
from newtonish.kernels.integrate.discrete.slopes import actuator_stiffness, tendon_scales
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Drive, Force, State, TendonState
from newtonish.kernels.structs.model import Actuator, Joint, Option, Tendon

# places in the eight numbers of a force
SPRING = wp.constant(0)  # stiffness
DAMPER = wp.constant(1)  # damping
LENGTH = wp.constant(2)  # from here on derivatives of the stiffness: by length, by velocity, by what the gain is multiplied by
VELOCITY = wp.constant(3)
INPUT = wp.constant(4)
TO_DAMPER = wp.constant(3)  # and as far behind each of them the same of the damping


@wp.func
def _kept(found: vec8d) -> vec8d:
    """Without a stiffness or a damping that would give energy."""
    result = found
    for k in range(2):
        if found[k] <= real(0.0):
            result[k] = real(0.0)
            for i in range(3):
                result[LENGTH + k * TO_DAMPER + i] = real(0.0)
    return result


@wp.func
def firmness_of_tendon(opt: Option, tendon: Tendon, ten: TendonState, w: int, t: int) -> vec8d:
    """The eight numbers of the spring and damper of tendon ``t``."""
    scales = tendon_scales(opt, tendon, ten, w, t)
    found = vec8d()
    found[SPRING] = real(scales[0])
    found[DAMPER] = real(scales[1])
    if (opt.disableflags & DisableBit.SPRING) == 0:
        rest = tendon.lengthspring[per_world(tendon.lengthspring.shape[0], w), t]
        away = real(ten.length[w, t]) - real(wp.clamp(ten.length[w, t], rest[0], rest[1]))
        poly = tendon.stiffnesspoly[per_world(tendon.stiffnesspoly.shape[0], w), t]
        found[LENGTH] = spring_bend(poly, away)
    if (opt.disableflags & DisableBit.DAMPER) == 0:
        poly = tendon.dampingpoly[per_world(tendon.dampingpoly.shape[0], w), t]
        found[VELOCITY + TO_DAMPER] = damper_bend(poly, real(ten.velocity[w, t]))
    return _kept(found)


@wp.func
def of_motor(opt: Option, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, found: vec8d, w: int, a: int) -> vec8d:
    """A DC motor: cogging follows the angle; what the current does, its winding's temperature, which is the input here."""
    o = actuator.outadr[a]
    gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    poles = real(bias[MotorBias.COGGING_POLES])
    angle = poles * real(drive.actuator_length[w, o]) + real(bias[MotorBias.COGGING_PHASE])
    result = found
    result[LENGTH] = real(bias[MotorBias.COGGING_AMPLITUDE]) * poles * poles * wp.sin(angle)
    dyn = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
    slots = motor_slots(dyn, gain, actuator.actadr[a])
    if slots.temperature >= 0 and drive.held[w, o] == 0:
        current = electrical_force(opt, actuator, state, drive, zero_controls, w, a)
        rise = real(gain[MotorGain.RESISTANCE_SLOPE])
        share = real(1.0) + rise * (real(state.act[w, slots.temperature]) + real(dyn[MotorDyn.AMBIENT]) - real(gain[MotorGain.REFERENCE]))
        if real(gain[MotorGain.RESISTANCE]) * share > real(MINVAL):
            result[INPUT] = real(current.stiffness) * rise / share
            result[INPUT + TO_DAMPER] = real(current.slope) * rise / share
    return result


@wp.func
def _of_gain(opt: Option, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, found: vec8d, w: int, a: int) -> vec8d:
    """A gain and a bias that follow the motion."""
    o = actuator.outadr[a]
    length = drive.actuator_length[w, o]
    velocity = drive.actuator_velocity[w, o]
    span = actuator.lengthrange[per_world(actuator.lengthrange.shape[0], w), o]
    acc0 = actuator.acc0[per_world(actuator.acc0.shape[0], w), o]
    gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
    result = found
    if actuator.gaintype[a] == GainType.AFFINE:
        result[INPUT] = -real(gain[Affine.LENGTH])
        result[INPUT + TO_DAMPER] = -real(gain[Affine.VELOCITY])
    elif actuator.gaintype[a] == GainType.MUSCLE:
        value = real(actuator_input(opt, actuator, state, drive, zero_controls, w, a))
        bends = muscle_gain_bends(gain, length, velocity, span, acc0)
        result[LENGTH] = -value * real(muscle_gain_bend(gain, length, velocity, span, acc0))
        result[VELOCITY] = -value * real(bends[0])
        result[INPUT] = -real(muscle_gain_stiffness(gain, length, velocity, span, acc0))
        result[LENGTH + TO_DAMPER] = -value * real(bends[0])
        result[VELOCITY + TO_DAMPER] = -value * real(bends[1])
        result[INPUT + TO_DAMPER] = -real(muscle_gain_slope(gain, length, velocity, span, acc0))
    if actuator.biastype[a] == BiasType.MUSCLE:
        bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
        result[LENGTH] = result[LENGTH] - real(muscle_bias_bend(bias, length, span, acc0))
    return result


@wp.func
def firmness_of_actuator(
    opt: Option, jnt: Joint, actuator: Actuator, state: State, frc: Force, drive: Drive, zero_controls: bool, w: int, a: int,
) -> vec8d:  # fmt: skip
    """The eight numbers of actuator ``a``."""
    found = vec8d()
    found[SPRING] = -real(actuator_stiffness(opt, jnt, actuator, state, frc, drive, zero_controls, w, a))
    found[DAMPER] = -real(actuator_slope(opt, jnt, actuator, state, frc, drive, zero_controls, w, a))
    if not holds_still(opt, jnt, actuator, frc, drive, w, a):
        if actuator.law[a] == ForceLaw.DCMOTOR:
            found = of_motor(opt, actuator, state, drive, zero_controls, found, w, a)
        elif actuator.law[a] == 0:
            found = _of_gain(opt, actuator, state, drive, zero_controls, found, w, a)
    return _kept(found)


@wp.func
def is_curved_firmness(firm: vec8d) -> bool:
    """Whether stiffness or damping change."""
    changes = wp.bool(False)
    for k in range(LENGTH, 8):
        changes = changes or firm[k] != real(0.0)
    return changes
