"""Slopes of a muscle's force by length and velocity, and of the rate of its activation."""

import warp as wp

from newtonish.common.actuator_parameters import Muscle, MuscleDyn
from newtonish.common.enums import BiasType, GainType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.forces.muscle import (
    fibre,
    length_curve,
    length_curve_slope,
    muscle_bias_stiffness,
    muscle_gain_slope,
    muscle_gain_stiffness,
    speed_curve,
)
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Drive
from newtonish.kernels.structs.field import vec10
from newtonish.kernels.structs.model import Actuator


@wp.func
def muscle_slopes(actuator: Actuator, drive: Drive, value: float, w: int, a: int) -> wp.vec2:
    """Slopes by length and velocity of what is a muscle's of the force of actuator ``a``; ``value``: what its gain is multiplied by."""
    o = actuator.outadr[a]
    length = drive.actuator_length[w, o]
    velocity = drive.actuator_velocity[w, o]
    span = actuator.lengthrange[per_world(actuator.lengthrange.shape[0], w), o]
    acc0 = actuator.acc0[per_world(actuator.acc0.shape[0], w), o]
    slopes = wp.vec2()
    if actuator.gaintype[a] == GainType.MUSCLE:
        gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
        slopes[0] = value * muscle_gain_stiffness(gain, length, velocity, span, acc0)
        slopes[1] = value * muscle_gain_slope(gain, length, velocity, span, acc0)
    if actuator.biastype[a] == BiasType.MUSCLE:
        bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
        slopes[0] = slopes[0] + muscle_bias_stiffness(bias, length, span, acc0)
    return slopes


@wp.func
def muscle_rate_slopes(prm: vec10, ctrl: float, act: float) -> wp.vec2d:
    """Slopes of ``muscle_rate`` by activation and control; an excitation outside of 0 to 1 does nothing."""
    by_ctrl = wp.where(ctrl >= 0.0 and ctrl <= 1.0, real(1.0), real(0.0))
    excess = real(wp.clamp(ctrl, 0.0, 1.0)) - real(act)
    factor = real(0.5) + real(1.5) * real(wp.clamp(act, 0.0, 1.0))
    dfactor = wp.where(act > 0.0 and act < 1.0, real(1.5), real(0.0))
    rising = real(prm[MuscleDyn.ACTIVATION]) * factor
    falling = real(prm[MuscleDyn.DEACTIVATION]) / factor
    drising = real(prm[MuscleDyn.ACTIVATION]) * dfactor
    dfalling = -falling / factor * dfactor
    width = real(prm[MuscleDyn.SMOOTHING])
    share = wp.where(excess > real(0.0), real(1.0), real(0.0))
    dshare = real(0.0)
    if width >= real(MINVAL):
        u = wp.clamp(excess / width + real(0.5), real(0.0), real(1.0))
        share = u * u * u * (real(10.0) + u * (real(6.0) * u - real(15.0)))
        dshare = real(30.0) * u * u * (real(1.0) - u) * (real(1.0) - u) / width
    tau = wp.max(falling + (rising - falling) * share, real(MINVAL))
    by_excess = real(1.0) / tau - excess / (tau * tau) * (rising - falling) * dshare
    by_factor = -excess / (tau * tau) * (dfalling + (drising - dfalling) * share)
    return wp.vec2d(by_factor - by_excess, by_excess * by_ctrl)


@wp.func
def muscle_gain_bends(prm: vec10, length: float, velocity: float, span: wp.vec2, acc0: float) -> wp.vec2:
    """Derivatives of ``muscle_gain_slope`` by length and by velocity."""
    f = fibre(prm, length, velocity, span, acc0)
    knee = prm[Muscle.FVMAX] - 1.0
    slope = wp.float32(0.0)
    bend = wp.float32(0.0)
    if f.speed > -1.0 and f.speed <= 0.0:
        slope = 2.0 * (f.speed + 1.0)
        bend = 2.0
    elif f.speed > 0.0 and f.speed <= knee:
        slope = 2.0 * (knee - f.speed) / wp.max(MINVAL, knee)
        bend = -2.0 / wp.max(MINVAL, knee)
    by_length = length_curve_slope(f.length, prm[Muscle.LMIN], prm[Muscle.LMAX]) * f.per_length
    active = length_curve(f.length, prm[Muscle.LMIN], prm[Muscle.LMAX])
    return -f.peak * f.per_speed * wp.vec2(by_length * slope, active * bend * f.per_speed)


@wp.func
def muscle_gain_bend(prm: vec10, length: float, velocity: float, span: wp.vec2, acc0: float) -> float:
    """Second derivative of a muscle's gain by length."""
    f = fibre(prm, length, velocity, span, acc0)
    low = prm[Muscle.LMIN]
    high = prm[Muscle.LMAX]
    left = 0.5 * (low + 1.0)
    right = 0.5 * (1.0 + high)
    bend = wp.float32(0.0)
    if f.length >= low and f.length <= high:
        width = left - low
        if f.length > left:
            width = wp.where(f.length <= 1.0, 1.0 - left, right - 1.0)
        if f.length > right:
            width = high - right
        bend = 1.0 / wp.max(MINVAL, width * width)
        if f.length > left and f.length <= right:
            bend = -bend
    return -f.peak * bend * f.per_length * f.per_length * speed_curve(f.speed, prm[Muscle.FVMAX])


@wp.func
def muscle_bias_bend(prm: vec10, length: float, span: wp.vec2, acc0: float) -> float:
    """Second derivative of the force of the stretched muscle by length."""
    f = fibre(prm, length, 0.0, span, acc0)
    half = 0.5 * (prm[Muscle.LMAX] - 1.0)
    stretch = f.length - 1.0
    bend = wp.float32(0.0)
    if stretch > 0.0 and stretch <= half:
        bend = 1.0 / wp.max(MINVAL, half * half)
    return -f.peak * prm[Muscle.FPMAX] * bend * f.per_length * f.per_length
