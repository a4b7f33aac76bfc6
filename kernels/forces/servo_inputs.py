"""The controls of an actuator that takes several: set points, feedforward, voltage."""

import warp as wp

from newtonish.kernels.forces.actuation import clamped_control
from newtonish.kernels.structs.data import State
from newtonish.kernels.structs.model import Actuator, Option


@wp.func
def servo_inputs(opt: Option, actuator: Actuator, state: State, zero_controls: bool, w: int, a: int) -> wp.vec4:
    """Position, velocity, feedforward and voltage of actuator ``a``, each within its range; 0 for those it does not take."""
    inputs = wp.vec4()
    u = actuator.ctrladr[a]
    if not zero_controls:
        for k in range(4):
            if (actuator.ctrlspec[a] & (1 << k)) != 0:
                inputs[k] = clamped_control(opt, actuator, state, w, u)
                u += 1
    return inputs


@wp.func
def first_input(spec: int) -> int:
    """Index in ``servo_inputs`` of the first control."""
    first = wp.int32(3)
    for k in range(3):
        if (spec & (1 << (2 - k))) != 0:
            first = 2 - k
    return first


@wp.func
def towards(target: float, held: float, rate: float, dt: float) -> float:
    """``target``, no further from ``held`` than ``rate`` allows in a step."""
    return wp.clamp(target, held - rate * dt, held + rate * dt)


@wp.func
def wound(error: float, integral: float, most: float) -> float:
    """Rate of the integral of ``error``, which does not grow beyond ``most`` if that is positive."""
    rate = error
    if most > 0.0:
        if integral >= most:
            rate = wp.min(error, 0.0)
        elif integral <= -most:
            rate = wp.max(error, 0.0)
    return rate
