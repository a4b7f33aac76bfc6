"""DC motor: winding current with resistance, inductance and heat, on-board controller, cogging and LuGre friction.

Terminal voltage V gives the current i = (V - K w)/R, or with inductance te di/dt = (V - K w)/R - i; the shaft feels K i.
The resistance grows with the temperature of the winding. Cogging and friction act on the shaft beside the electrical
torque and are not subject to its limits. Activations, where enabled and in this order: set point in force, integral of the
position error, temperature above ambient, deflection of the bristles, current. Method: MuJoCo documentation, XML Reference,
actuator/dcmotor; LuGre friction: Canudas de Wit et al. 1995.
"""

import warp as wp

from newtonish.common.actuator_parameters import DCMotorBias as Bias
from newtonish.common.actuator_parameters import DCMotorDyn as Dyn
from newtonish.common.actuator_parameters import DCMotorGain as Gain
from newtonish.common.enums import CtrlInput
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.forces.servo_inputs import first_input, servo_inputs, towards, wound
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Drive, State
from newtonish.kernels.structs.field import vec10
from newtonish.kernels.structs.model import Actuator, Option

CONTROLLER = wp.constant(int(CtrlInput.POS | CtrlInput.VEL | CtrlInput.FF))


@wp.struct
class Slots:
    """Addresses of the activations of a motor; -1: it does not have that one."""

    goal: int
    integral: int
    temperature: int
    bristle: int
    current: int


@wp.func
def motor_slots(dyn: vec10, gain: vec10, first: int) -> Slots:
    """Addresses of the activations, which begin at ``first``."""
    slots = Slots()
    slots.goal = -1
    slots.integral = -1
    slots.temperature = -1
    slots.bristle = -1
    slots.current = -1
    k = first
    if first >= 0:
        if dyn[Dyn.SLEWMAX] > 0.0:
            slots.goal = k
            k += 1
        if gain[Gain.KI] > 0.0:
            slots.integral = k
            k += 1
        if dyn[Dyn.THERMAL_RESISTANCE] > 0.0:
            slots.temperature = k
            k += 1
        if dyn[Dyn.BRISTLE_STIFFNESS] > 0.0:
            slots.bristle = k
            k += 1
        if dyn[Dyn.TIMECONST] > 0.0:
            slots.current = k
    return slots


@wp.func
def bristle_decay(dyn: vec10, bias: vec10, velocity: float) -> float:
    """Rate at which sliding wears down the deflection of the bristles [1/s]: dz/dt = velocity - decay z."""
    ratio = velocity / wp.max(MINVAL, bias[Bias.STRIBECK])
    level = bias[Bias.COULOMB] + (bias[Bias.STATIC] - bias[Bias.COULOMB]) * wp.exp(-ratio * ratio)
    return dyn[Dyn.BRISTLE_STIFFNESS] * wp.abs(velocity) / wp.max(MINVAL, level)


@wp.func
def share_of_step(dt: float, timeconst: float) -> float:
    """Time by which a decaying rate counts in a step: timeconst (1 - exp(-dt/timeconst))."""
    return timeconst * (1.0 - wp.exp(-dt / timeconst))


@wp.struct
class MotorForce:
    """Torque of the current, and how it changes with the motion."""

    force: wp.float32
    slope: wp.float32  # derivative by velocity
    stiffness: wp.float32  # derivative by position


@wp.func
def electrical_force(opt: Option, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, w: int, a: int) -> MotorForce:
    """Torque of the current before its limits, and its derivatives; writes the rates of the activations.

    The derivatives count the back-EMF and the controller where neither the torque, the voltage nor the rate of the current
    is at a limit; a set point that moves slowly counts as one that stands.
    """
    dyn = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
    gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    o = actuator.outadr[a]
    length = drive.actuator_length[w, o]
    velocity = drive.actuator_velocity[w, o]
    slots = motor_slots(dyn, gain, actuator.actadr[a])
    inputs = servo_inputs(opt, actuator, state, zero_controls, w, a)
    if slots.goal >= 0:
        held = state.act[w, slots.goal]
        k = first_input(actuator.ctrlspec[a])
        inputs[k] = towards(inputs[k], held, dyn[Dyn.SLEWMAX], dt)
        drive.act_dot[w, slots.goal] = (inputs[k] - held) / dt
    integral = wp.float32(0.0)
    if slots.integral >= 0:
        integral = state.act[w, slots.integral]
        drive.act_dot[w, slots.integral] = wound(inputs[0] - length, integral, dyn[Dyn.IMAX])
    resistance = gain[Gain.RESISTANCE]
    if slots.temperature >= 0:
        warmth = state.act[w, slots.temperature] + dyn[Dyn.AMBIENT] - gain[Gain.REFERENCE]
        resistance = resistance * (1.0 + gain[Gain.RESISTANCE_SLOPE] * warmth)
    resistance = wp.max(MINVAL, resistance)
    voltage = inputs[3]
    voltage_slope = wp.float32(0.0)
    voltage_stiffness = wp.float32(0.0)
    if (actuator.ctrlspec[a] & CONTROLLER) != 0:
        wanted = gain[Gain.KP] * (inputs[0] - length) + gain[Gain.KD] * (inputs[1] - velocity) + gain[Gain.KI] * integral + inputs[2]
        driven = gain[Gain.RESISTANCE] / gain[Gain.MOTORCONST] * wanted + gain[Gain.MOTORCONST] * velocity
        voltage_slope = gain[Gain.MOTORCONST] - gain[Gain.KD] * gain[Gain.RESISTANCE] / gain[Gain.MOTORCONST]
        voltage_stiffness = -gain[Gain.KP] * gain[Gain.RESISTANCE] / gain[Gain.MOTORCONST]
        if gain[Gain.VMAX] > 0.0 and wp.abs(driven) >= gain[Gain.VMAX]:
            driven = wp.clamp(driven, -gain[Gain.VMAX], gain[Gain.VMAX])
            voltage_slope = 0.0
            voltage_stiffness = 0.0
        voltage = voltage + driven
    settled = (voltage - gain[Gain.MOTORCONST] * velocity) / resistance  # current without inductance
    current = settled
    found = MotorForce()
    found.force = gain[Gain.MOTORCONST] * settled
    moves = wp.float32(1.0)  # share of a change of the settled current that the torque follows
    if slots.current >= 0:
        current = state.act[w, slots.current]
        rate = (settled - current) / dyn[Dyn.TIMECONST]
        if dyn[Dyn.CURRENT_RATE] > 0.0 and wp.abs(rate) >= dyn[Dyn.CURRENT_RATE]:
            rate = wp.clamp(rate, -dyn[Dyn.CURRENT_RATE], dyn[Dyn.CURRENT_RATE])
            moves = 0.0
        drive.act_dot[w, slots.current] = rate
        found.force = gain[Gain.MOTORCONST] * current
        late = share_of_step(dt, dyn[Dyn.TIMECONST])
        if actuator.actearly[a] != 0:
            found.force = gain[Gain.MOTORCONST] * (current + rate * late)
            moves = moves * late / dyn[Dyn.TIMECONST]
        else:
            moves = 0.0
    if slots.temperature >= 0:
        heat = resistance * current * current - state.act[w, slots.temperature] / dyn[Dyn.THERMAL_RESISTANCE]
        drive.act_dot[w, slots.temperature] = heat / dyn[Dyn.HEAT_CAPACITY]
    if slots.bristle >= 0:
        z = state.act[w, slots.bristle]
        drive.act_dot[w, slots.bristle] = velocity - bristle_decay(dyn, bias, velocity) * z
    if actuator.forcelimited[a] != 0:
        limits = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a]
        if found.force <= limits[0] or found.force >= limits[1]:
            moves = 0.0
    found.slope = moves * gain[Gain.MOTORCONST] * (voltage_slope - gain[Gain.MOTORCONST]) / resistance
    found.stiffness = moves * gain[Gain.MOTORCONST] * voltage_stiffness / resistance
    return found


@wp.func
def cogging_stiffness(actuator: Actuator, drive: Drive, w: int, a: int) -> float:
    """Derivative of the cogging torque by position."""
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    return (
        bias[Bias.COGGING_AMPLITUDE]
        * bias[Bias.COGGING_POLES]
        * wp.cos(bias[Bias.COGGING_POLES] * drive.actuator_length[w, actuator.outadr[a]] + bias[Bias.COGGING_PHASE])
    )


@wp.func
def add_mechanical_force(actuator: Actuator, state: State, drive: Drive, w: int, a: int):
    """Add cogging and friction to the force of actuator ``a``, and the bristles' damping to its slope."""
    dyn = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
    o = actuator.outadr[a]
    force = bias[Bias.COGGING_AMPLITUDE] * wp.sin(bias[Bias.COGGING_POLES] * drive.actuator_length[w, o] + bias[Bias.COGGING_PHASE])
    slots = motor_slots(dyn, gain, actuator.actadr[a])
    if slots.bristle >= 0:
        force = force - dyn[Dyn.BRISTLE_STIFFNESS] * state.act[w, slots.bristle] - dyn[Dyn.BRISTLE_DAMPING] * drive.act_dot[w, slots.bristle]
        drive.law_slope[w, a] = drive.law_slope[w, a] - dyn[Dyn.BRISTLE_DAMPING]
    drive.actuator_force[w, o] = drive.actuator_force[w, o] + force


@wp.func
def advance_motor(actuator: Actuator, state: State, drive: Drive, off: bool, dt: float, w: int, a: int):
    """Activations of actuator ``a`` one time step later; those of a motor that is ``off`` have no rates."""
    dyn = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
    gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    slots = motor_slots(dyn, gain, actuator.actadr[a])
    for k in range(actuator.actadr[a], actuator.actadr[a] + actuator.actnum[a]):
        act = state.act[w, k]
        act_dot = drive.act_dot[w, k]
        if off:
            act_dot = 0.0
        if k == slots.current:
            act = act + act_dot * share_of_step(dt, dyn[Dyn.TIMECONST])
        elif k == slots.bristle:  # solved exactly for a constant velocity, whatever the stiffness
            velocity = drive.actuator_velocity[w, actuator.outadr[a]]
            decay = bristle_decay(dyn, bias, velocity)
            late = dt
            if decay * dt > 1.0e-6:
                late = (1.0 - wp.exp(-decay * dt)) / decay
            act = act * wp.exp(-decay * dt) + velocity * late
        else:
            act = act + act_dot * dt
        if k == slots.integral and dyn[Dyn.IMAX] > 0.0:
            act = wp.clamp(act, -dyn[Dyn.IMAX], dyn[Dyn.IMAX])
        state.act[w, k] = act
