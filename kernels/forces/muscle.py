"""Muscles: active force by length and velocity, passive force by length, activation by excitation.

Lengths are in units of the optimal one, which follows from the length range; the curves are smooth pieces of quadratic
functions. Method: MuJoCo documentation, chapter Modeling ("Muscles"); activation dynamics: Millard et al. 2013.
"""

import warp as wp

from newtonish.common.actuator_parameters import Muscle, MuscleDyn
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.structs.field import vec10


@wp.struct
class Fibre:
    """A muscle's normalized state."""

    peak: float  # largest active force [N]
    length: float  # in optimal lengths
    speed: float  # in units of the largest shortening speed
    per_length: float  # derivative of ``length`` by the actuator's length
    per_speed: float  # derivative of ``speed`` by the actuator's velocity


@wp.func
def _ratio(a: float, b: float) -> float:
    return a / wp.max(MINVAL, b)


@wp.func
def fibre(prm: vec10, length: float, velocity: float, span: wp.vec2, acc0: float) -> Fibre:
    """Normalize."""
    f = Fibre()
    f.peak = prm[Muscle.FORCE]
    if prm[Muscle.FORCE] < 0.0:
        f.peak = _ratio(prm[Muscle.SCALE], acc0)
    optimal = _ratio(span[1] - span[0], prm[Muscle.RANGE_HIGH] - prm[Muscle.RANGE_LOW])
    f.length = prm[Muscle.RANGE_LOW] + _ratio(length - span[0], optimal)
    f.per_length = _ratio(1.0, optimal)
    f.per_speed = _ratio(1.0, optimal * prm[Muscle.VMAX])
    f.speed = velocity * f.per_speed
    return f


@wp.func
def length_curve(x: float, low: float, high: float) -> float:
    """Active force by length: 0 outside of (low, high), 1 at the optimal length."""
    left = 0.5 * (low + 1.0)
    right = 0.5 * (1.0 + high)
    value = wp.float32(0.0)
    if x >= low and x <= high:
        if x <= left:
            u = _ratio(x - low, left - low)
            value = 0.5 * u * u
        elif x <= 1.0:
            u = _ratio(1.0 - x, 1.0 - left)
            value = 1.0 - 0.5 * u * u
        elif x <= right:
            u = _ratio(x - 1.0, right - 1.0)
            value = 1.0 - 0.5 * u * u
        else:
            u = _ratio(high - x, high - right)
            value = 0.5 * u * u
    return value


@wp.func
def length_curve_slope(x: float, low: float, high: float) -> float:
    """Derivative of ``length_curve`` by x."""
    left = 0.5 * (low + 1.0)
    right = 0.5 * (1.0 + high)
    slope = wp.float32(0.0)
    if x >= low and x <= high:
        if x <= left:
            slope = _ratio(_ratio(x - low, left - low), left - low)
        elif x <= 1.0:
            slope = _ratio(_ratio(1.0 - x, 1.0 - left), 1.0 - left)
        elif x <= right:
            slope = -_ratio(_ratio(x - 1.0, right - 1.0), right - 1.0)
        else:
            slope = -_ratio(_ratio(high - x, high - right), high - right)
    return slope


@wp.func
def speed_curve(speed: float, top: float) -> float:
    """Active force by velocity of lengthening: 0 at the largest shortening speed, 1 at rest, ``top`` at most."""
    knee = top - 1.0
    value = top
    if speed <= -1.0:
        value = 0.0
    elif speed <= 0.0:
        value = (speed + 1.0) * (speed + 1.0)
    elif speed <= knee:
        value = top - _ratio((knee - speed) * (knee - speed), knee)
    return value


@wp.func
def muscle_gain(prm: vec10, length: float, velocity: float, span: wp.vec2, acc0: float) -> float:
    """Force for full activation; negative, as muscles pull."""
    f = fibre(prm, length, velocity, span, acc0)
    return -f.peak * length_curve(f.length, prm[Muscle.LMIN], prm[Muscle.LMAX]) * speed_curve(f.speed, prm[Muscle.FVMAX])


@wp.func
def muscle_gain_stiffness(prm: vec10, length: float, velocity: float, span: wp.vec2, acc0: float) -> float:
    """Derivative of ``muscle_gain`` by length."""
    f = fibre(prm, length, velocity, span, acc0)
    slope = length_curve_slope(f.length, prm[Muscle.LMIN], prm[Muscle.LMAX]) * f.per_length
    return -f.peak * slope * speed_curve(f.speed, prm[Muscle.FVMAX])


@wp.func
def muscle_gain_slope(prm: vec10, length: float, velocity: float, span: wp.vec2, acc0: float) -> float:
    """Derivative of ``muscle_gain`` by velocity."""
    f = fibre(prm, length, velocity, span, acc0)
    knee = prm[Muscle.FVMAX] - 1.0
    slope = wp.float32(0.0)
    if f.speed > -1.0 and f.speed <= 0.0:
        slope = 2.0 * (f.speed + 1.0)
    elif f.speed > 0.0 and f.speed <= knee:
        slope = 2.0 * _ratio(knee - f.speed, knee)
    return -f.peak * length_curve(f.length, prm[Muscle.LMIN], prm[Muscle.LMAX]) * slope * f.per_speed


@wp.func
def muscle_bias(prm: vec10, length: float, span: wp.vec2, acc0: float) -> float:
    """Passive force of the stretched muscle: quadratic, then linear."""
    f = fibre(prm, length, 0.0, span, acc0)
    half = 0.5 * (prm[Muscle.LMAX] - 1.0)
    stretch = f.length - 1.0
    force = wp.float32(0.0)
    if stretch > half:
        force = 0.5 + _ratio(stretch - half, half)
    elif stretch > 0.0:
        u = _ratio(stretch, half)
        force = 0.5 * u * u
    return -f.peak * prm[Muscle.FPMAX] * force


@wp.func
def muscle_bias_stiffness(prm: vec10, length: float, span: wp.vec2, acc0: float) -> float:
    """Derivative of ``muscle_bias`` by length."""
    f = fibre(prm, length, 0.0, span, acc0)
    half = 0.5 * (prm[Muscle.LMAX] - 1.0)
    stretch = f.length - 1.0
    slope = wp.float32(0.0)
    if stretch > half:
        slope = _ratio(1.0, half)
    elif stretch > 0.0:
        slope = _ratio(_ratio(stretch, half), half)
    return -f.peak * prm[Muscle.FPMAX] * slope * f.per_length


@wp.func
def _smooth_step(x: float) -> float:
    """Rises from 0 at 0 to 1 at 1 with two flat derivatives at both ends."""
    u = wp.clamp(x, 0.0, 1.0)
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


@wp.func
def muscle_rate(prm: vec10, ctrl: float, act: float) -> float:
    """Time derivative of the activation."""
    excess = wp.clamp(ctrl, 0.0, 1.0) - act
    factor = 0.5 + 1.5 * wp.clamp(act, 0.0, 1.0)
    rising = prm[MuscleDyn.ACTIVATION] * factor
    falling = prm[MuscleDyn.DEACTIVATION] / factor
    tau = falling
    if prm[MuscleDyn.SMOOTHING] < MINVAL:
        if excess > 0.0:
            tau = rising
    else:
        tau = falling + (rising - falling) * _smooth_step(excess / prm[MuscleDyn.SMOOTHING] + 0.5)
    return _ratio(excess, tau)
