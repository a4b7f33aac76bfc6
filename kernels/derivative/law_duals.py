"""PID servos and DC motors with derivatives: their force and the activations after the step."""

import warp as wp

from newtonish.common.actuator_parameters import Affine, PIDDyn, PIDGain
from newtonish.common.actuator_parameters import DCMotorBias as Bias
from newtonish.common.actuator_parameters import DCMotorDyn as Dyn
from newtonish.common.actuator_parameters import DCMotorGain as Gain
from newtonish.common.enums import DisableBit, DynType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.dual import (
    ACTIVATION,
    INPUT,
    LENGTH,
    VELOCITY,
    between,
    dual,
    fixed,
    over,
    shifted,
    through,
    times,
    variable,
)
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.forces.actuation import nearest_turn, turn_period
from newtonish.kernels.forces.dcmotor import CONTROLLER, motor_slots, share_of_step
from newtonish.kernels.forces.servo_inputs import first_input, servo_inputs
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Drive, State
from newtonish.kernels.structs.field import vec10
from newtonish.kernels.structs.model import Actuator, Joint, Option

inputs4 = wp.types.matrix(shape=(4, 12), dtype=wp.float64)
acts5 = wp.types.matrix(shape=(5, 12), dtype=wp.float64)


@wp.struct
class Lawful:
    """A force, and the activations after the step, in their order.

    With RK4 the rates of activations, and of those that do not follow from rates what is after the step.
    """

    force: dual
    acts: acts5
    rates: acts5
    leap: int  # place of the activation that does not follow from its rates, -1: none


@wp.func
def counted(opt: Option, actuator: Actuator, state: State, zero_controls: bool, w: int, u: int) -> wp.float64:
    """1 where control ``u`` counts as it is, 0 beyond its range."""
    slope = real(1.0)
    if zero_controls:
        slope = real(0.0)
    elif actuator.ctrllimited[u] != 0 and (opt.disableflags & DisableBit.CLAMPCTRL) == 0:
        span = actuator.ctrlrange[per_world(actuator.ctrlrange.shape[0], w), u]
        if state.ctrl[w, u] < span[0] or state.ctrl[w, u] > span[1]:
            slope = real(0.0)
    return slope


@wp.func
def _inputs(opt: Option, actuator: Actuator, state: State, zero_controls: bool, w: int, a: int) -> inputs4:
    """Position, velocity, feedforward and voltage that actuator ``a`` is given."""
    values = servo_inputs(opt, actuator, state, zero_controls, w, a)
    found = inputs4()
    u = actuator.ctrladr[a]
    for k in range(4):
        found[k, 0] = real(values[k])
        if (actuator.ctrlspec[a] & (1 << k)) != 0:
            found[k, INPUT + k] = counted(opt, actuator, state, zero_controls, w, u)
            u += 1
    return found


@wp.func
def _activation(actuator: Actuator, state: State, w: int, a: int, k: int) -> dual:
    """Activation ``k`` of the model, one of actuator ``a``."""
    return variable(state.act[w, k], ACTIVATION + k - actuator.actadr[a])


@wp.func
def _towards(goal: dual, held: dual, step: float) -> dual:
    """``goal``, no further from ``held`` than ``step``."""
    return between(goal, held - fixed(real(step)), held + fixed(real(step)))


@wp.func
def _wound(error: dual, integral: dual, most: float) -> dual:
    """Rate of the integral of ``error``, which does not grow beyond ``most`` if that is positive."""
    rate = error
    if most > 0.0 and ((integral[0] >= real(most) and error[0] > real(0.0)) or (integral[0] <= -real(most) and error[0] < real(0.0))):
        rate = dual()
    return rate


@wp.func
def _within(actuator: Actuator, act: dual, w: int, a: int) -> dual:
    """An activation in its range."""
    result = act
    if actuator.actlimited[a] != 0:
        limits = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
        result = between(act, fixed(real(limits[0])), fixed(real(limits[1])))
    return result


@wp.func
def _limited(actuator: Actuator, linear: Linear, force: dual, w: int, a: int) -> dual:
    """A force in its range, or as far as the limit of a tendon lets it change."""
    result = force
    share = real(1.0)
    if linear.share.shape[1] > 0:
        share = linear.share[w, a]
    if share != real(1.0):
        result = share * force
    elif actuator.forcelimited[a] != 0:
        limits = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a]
        result = between(force, fixed(real(limits[0])), fixed(real(limits[1])))
    return result


@wp.func
def _on_circle(a: dual, period: float) -> dual:
    """``a`` shifted by whole periods to the interval around zero."""
    return shifted(a, real(nearest_turn(float(a[0]), period)))


@wp.func
def pid(
    opt: Option, jnt: Joint, actuator: Actuator, state: State, drive: Drive, linear: Linear, zero_controls: bool, off: bool, w: int, a: int,
) -> Lawful:  # fmt: skip
    """Actuator ``a``, a PID servo."""
    o = actuator.outadr[a]
    length = variable(drive.actuator_length[w, o], LENGTH)
    velocity = variable(drive.actuator_velocity[w, o], VELOCITY)
    gain = real(actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a][PIDGain.KI])
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    given = _inputs(opt, actuator, state, zero_controls, w, a)
    period = turn_period(jnt, actuator, w, a)
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    goal = given[0]
    integral = dual()
    found = Lawful()
    found.leap = -1
    if actuator.dyntype[a] == DynType.PID:
        prm = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
        k = actuator.actadr[a]
        if prm[PIDDyn.SLEWMAX] > 0.0:
            held = _activation(actuator, state, w, a, k)
            goal = _towards(held + _on_circle(goal - held, period), held, prm[PIDDyn.SLEWMAX] * dt)
            found.acts[0] = _within(actuator, goal, w, a)
            found.rates[0] = (goal - held) / real(dt)
            if off:
                found.acts[0] = _within(actuator, held, w, a)
            k += 1
        if gain != real(0.0):
            integral = _activation(actuator, state, w, a, k)
            rate = _wound(_on_circle(goal - length, period), integral, prm[PIDDyn.IMAX])
            found.rates[k - actuator.actadr[a]] = rate
            if off:
                rate = dual()
            after = _within(actuator, integral + real(dt) * rate, w, a)
            found.acts[k - actuator.actadr[a]] = after
            if actuator.actearly[a] != 0:
                integral = after
    force = -real(bias[Affine.LENGTH]) * _on_circle(goal - length, period) - real(bias[Affine.VELOCITY]) * (given[1] - velocity)
    force += gain * integral + given[2] + fixed(real(bias[Affine.CONSTANT]))
    if not off:
        found.force = _limited(actuator, linear, force, w, a)
    return found


@wp.func
def _decay(dyn: vec10, bias: vec10, velocity: dual) -> dual:
    """Rate at which sliding wears down the deflection of a motor's bristles."""
    speed = wp.max(real(bias[Bias.STRIBECK]), real(MINVAL))
    ratio = velocity[0] / speed
    less = wp.exp(-ratio * ratio)
    spread = real(bias[Bias.STATIC] - bias[Bias.COULOMB])
    level = through(velocity, real(bias[Bias.COULOMB]) + spread * less, real(-2.0) * spread * less * ratio / speed)
    if level[0] < real(MINVAL):
        level = fixed(real(MINVAL))
    return real(dyn[Dyn.BRISTLE_STIFFNESS]) * over(through(velocity, wp.abs(velocity[0]), wp.sign(velocity[0])), level)


@wp.func
def _worn(bristle: dual, velocity: dual, decay: dual, dt: wp.float64) -> dual:
    """Deflection after the step, with a constant velocity."""
    x = decay[0] * dt
    left = through(decay, wp.exp(-x), -dt * wp.exp(-x))
    late = through(decay, dt, real(-0.5) * dt * dt)
    if x > real(1.0e-6):
        late = through(decay, (real(1.0) - left[0]) / decay[0], (dt * left[0] * decay[0] - real(1.0) + left[0]) / (decay[0] * decay[0]))
    return times(bristle, left) + times(velocity, late)


@wp.func
def _wanted_voltage(gain: vec10, given: inputs4, length: dual, velocity: dual, integral: dual) -> dual:
    """Voltage of a motor's controller."""
    constant = real(gain[Gain.MOTORCONST])
    wanted = real(gain[Gain.KP]) * (given[0] - length) + real(gain[Gain.KD]) * (given[1] - velocity) + real(gain[Gain.KI]) * integral + given[2]
    driven = (real(gain[Gain.RESISTANCE]) / constant) * wanted + constant * velocity
    if gain[Gain.VMAX] > 0.0:
        driven = between(driven, fixed(-real(gain[Gain.VMAX])), fixed(real(gain[Gain.VMAX])))
    return driven


@wp.func
def dc_motor(
    opt: Option, actuator: Actuator, state: State, drive: Drive, linear: Linear, zero_controls: bool, off: bool, w: int, a: int,
) -> Lawful:  # fmt: skip
    """Actuator ``a``, a DC motor."""
    dyn = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
    gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    step = opt.timestep[per_world(opt.timestep.shape[0], w)]
    dt = real(step)
    o = actuator.outadr[a]
    first = actuator.actadr[a]
    length = variable(drive.actuator_length[w, o], LENGTH)
    velocity = variable(drive.actuator_velocity[w, o], VELOCITY)
    slots = motor_slots(dyn, gain, first)
    given = _inputs(opt, actuator, state, zero_controls, w, a)
    running = real(wp.where(off, 0.0, 1.0))  # whether activations have rates
    found = Lawful()
    found.leap = -1
    if slots.goal >= 0:
        held = _activation(actuator, state, w, a, slots.goal)
        k = first_input(actuator.ctrlspec[a])
        given[k] = _towards(given[k], held, dyn[Dyn.SLEWMAX] * step)
        found.acts[slots.goal - first] = held + running * (given[k] - held)
        found.rates[slots.goal - first] = (given[k] - held) / dt
    integral = dual()
    if slots.integral >= 0:
        integral = _activation(actuator, state, w, a, slots.integral)
        winding = _wound(given[0] - length, integral, dyn[Dyn.IMAX])
        found.rates[slots.integral - first] = winding
        after = integral + running * dt * winding
        if dyn[Dyn.IMAX] > 0.0:
            after = between(after, fixed(-real(dyn[Dyn.IMAX])), fixed(real(dyn[Dyn.IMAX])))
        found.acts[slots.integral - first] = after
    resistance = fixed(real(gain[Gain.RESISTANCE]))
    if slots.temperature >= 0:
        warmth = _activation(actuator, state, w, a, slots.temperature) + fixed(real(dyn[Dyn.AMBIENT]) - real(gain[Gain.REFERENCE]))
        resistance = real(gain[Gain.RESISTANCE]) * (fixed(real(1.0)) + real(gain[Gain.RESISTANCE_SLOPE]) * warmth)
    if resistance[0] < real(MINVAL):
        resistance = fixed(real(MINVAL))
    voltage = given[3]
    if (actuator.ctrlspec[a] & CONTROLLER) != 0:
        voltage = voltage + _wanted_voltage(gain, given, length, velocity, integral)
    constant = real(gain[Gain.MOTORCONST])
    settled = over(voltage - constant * velocity, resistance)
    current = settled
    force = constant * settled
    if slots.current >= 0:
        current = _activation(actuator, state, w, a, slots.current)
        rate = (settled - current) / real(dyn[Dyn.TIMECONST])
        most = real(dyn[Dyn.CURRENT_RATE])
        if dyn[Dyn.CURRENT_RATE] > 0.0:
            rate = between(rate, fixed(-most), fixed(most))
        found.rates[slots.current - first] = rate
        share = real(share_of_step(step, dyn[Dyn.TIMECONST]))
        found.acts[slots.current - first] = current + running * share * rate
        force = constant * current
        if actuator.actearly[a] != 0:
            force = constant * (current + share * rate)
    if slots.temperature >= 0:
        above = _activation(actuator, state, w, a, slots.temperature)
        heat = times(resistance, times(current, current)) - above / real(dyn[Dyn.THERMAL_RESISTANCE])
        found.rates[slots.temperature - first] = heat / real(dyn[Dyn.HEAT_CAPACITY])
        found.acts[slots.temperature - first] = above + running * dt * found.rates[slots.temperature - first]
    force = _limited(actuator, linear, force, w, a)
    poles = real(bias[Bias.COGGING_POLES])
    angle = poles * length[0] + real(bias[Bias.COGGING_PHASE])
    amplitude = real(bias[Bias.COGGING_AMPLITUDE])
    force += through(length, amplitude * wp.sin(angle), amplitude * poles * wp.cos(angle))
    if slots.bristle >= 0:
        bristle = _activation(actuator, state, w, a, slots.bristle)
        decay = _decay(dyn, bias, velocity)
        slip = velocity - times(decay, bristle)
        force -= real(dyn[Dyn.BRISTLE_STIFFNESS]) * bristle + real(dyn[Dyn.BRISTLE_DAMPING]) * slip
        found.acts[slots.bristle - first] = _worn(bristle, velocity, decay, dt)
        found.rates[slots.bristle - first] = slip
        found.leap = slots.bristle - first
    if not off:
        found.force = force
    return found
