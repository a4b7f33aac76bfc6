"""Actuator velocities, activation dynamics, actuator forces and the generalized force they give.

force = gain * (control or activation) + bias, with fixed, affine or muscle gain and no, affine or muscle bias;
activations follow integrator, first-order filter or muscle dynamics. Method: MuJoCo documentation, chapter Computation (actuation model).
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.actuator_parameters import Affine, FilterDyn
from newtonish.common.constants import MAXVAL
from newtonish.common.enums import BiasType, DisableBit, DynType, ForceLaw, GainType, JointType, TrnType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.forces.generalized_force import generalized_force_world
from newtonish.kernels.forces.muscle import muscle_bias, muscle_gain, muscle_rate
from newtonish.kernels.history.stage import delayed_controls
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Drive, Force, State
from newtonish.kernels.structs.field import vec10
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size, Tendon

MAXIMUM_CONTROL = wp.constant(MAXVAL)
SUMMED = wp.constant(4.0e-6)  # of a limit: what rounding leaves between it and the sum of forces that were scaled to it


@wp.func
def actuator_disabled(opt: Option, actuator: Actuator, a: int) -> bool:
    """The group of actuator ``a`` is switched off; groups beyond 30 cannot be."""
    group = actuator.group[a]
    result = wp.bool(False)
    if group >= 0 and group <= 30:
        result = ((opt.disableactuator >> group) & 1) != 0
    return result


@wp.func
def turn_period(jnt: Joint, actuator: Actuator, w: int, a: int) -> float:
    """Period [gear times rad] of the length of actuator ``a`` if that is purely an angle; else 0."""
    period = wp.float32(0.0)
    trn = actuator.trnid[a]
    gear = actuator.gear[per_world(actuator.gear.shape[0], w), actuator.outadr[a]]
    if actuator.trntype[a] == TrnType.JOINT or actuator.trntype[a] == TrnType.JOINTINPARENT:
        if jnt.type[trn[0]] == JointType.BALL:
            period = 2.0 * wp.pi * wp.length(wp.spatial_top(gear))
    elif actuator.trntype[a] == TrnType.SITE and trn[1] >= 0:
        if wp.length_sq(wp.spatial_top(gear)) == 0.0:
            period = 2.0 * wp.pi * wp.length(wp.spatial_bottom(gear))
    return period


@wp.func
def wrap_period(jnt: Joint, actuator: Actuator, w: int, a: int) -> float:
    """Period [gear times rad] of the set point of a position servo of an angle; 0 where set points do not wrap."""
    period = wp.float32(0.0)
    if actuator.biastype[a] == BiasType.AFFINE and actuator.gaintype[a] == GainType.FIXED:
        gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
        bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
        if gain[Affine.CONSTANT] == -bias[Affine.LENGTH]:
            period = turn_period(jnt, actuator, w, a)
    return period


@wp.func
def nearest_turn(x: float, period: float) -> float:
    """``x`` shifted by whole periods to the interval around zero; unchanged if the period is zero."""
    result = x
    if period > 0.0:
        result = x - period * wp.round(x / period)
    return result


@wp.func
def clamped_control(opt: Option, actuator: Actuator, state: State, w: int, u: int) -> float:
    """Control ``u`` within its range; NaN stays NaN."""
    x = state.ctrl[w, u]
    if actuator.ctrllimited[u] != 0 and (opt.disableflags & DisableBit.CLAMPCTRL) == 0:
        limits = actuator.ctrlrange[per_world(actuator.ctrlrange.shape[0], w), u]
        if x < limits[0]:
            x = limits[0]
        if x > limits[1]:
            x = limits[1]
    return x


@wp.func
def controls_are_bad(size: Size, opt: Option, actuator: Actuator, state: State, w: int, lane: int) -> bool:
    """A control is not a number or absurdly large: MuJoCo then takes all controls as zero. All lanes call it."""
    bad = wp.int32(0)
    for u in range(lane, size.nu, lanes()):
        if not (wp.abs(state.ctrl[w, u]) <= MAXIMUM_CONTROL):
            if not (wp.abs(clamped_control(opt, actuator, state, w, u)) <= MAXIMUM_CONTROL):
                bad = 1
    return sum_lanes_int(bad) > 0


@wp.func
def next_activation(opt: Option, actuator: Actuator, act: float, act_dot: float, w: int, a: int) -> float:
    """Activation of actuator ``a`` one time step later."""
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    if actuator.dyntype[a] == DynType.FILTEREXACT:
        tau = wp.max(actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a][FilterDyn.TIMECONST], MINVAL)
        dt = tau * (1.0 - wp.exp(-dt / tau))
    result = act + act_dot * dt
    if actuator.actlimited[a] != 0:
        limits = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
        result = wp.clamp(result, limits[0], limits[1])
    return result


@wp.func
def activation_rate(actuator: Actuator, ctrl: float, act: float, period: float, w: int, a: int) -> float:
    """Time derivative of the activation of actuator ``a``."""
    kind = actuator.dyntype[a]
    rate = wp.float32(0.0)
    if kind == DynType.INTEGRATOR:
        rate = ctrl
    elif kind == DynType.FILTER or kind == DynType.FILTEREXACT:
        tau = wp.max(actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a][FilterDyn.TIMECONST], MINVAL)
        rate = nearest_turn(ctrl - act, period) / tau
    elif kind == DynType.MUSCLE:
        rate = muscle_rate(actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a], ctrl, act)
    return rate


@wp.func
def affine(prm: vec10, length: float, velocity: float) -> float:
    return prm[Affine.CONSTANT] + prm[Affine.LENGTH] * length + prm[Affine.VELOCITY] * velocity


@wp.func
def gain_term(actuator: Actuator, drive: Drive, w: int, a: int) -> float:
    """Fixed, affine or muscle gain of actuator ``a``."""
    o = actuator.outadr[a]
    length = drive.actuator_length[w, o]
    velocity = drive.actuator_velocity[w, o]
    prm = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
    gain = prm[Affine.CONSTANT]
    if actuator.gaintype[a] == GainType.AFFINE:
        gain = affine(prm, length, velocity)
    elif actuator.gaintype[a] == GainType.MUSCLE:
        span = actuator.lengthrange[per_world(actuator.lengthrange.shape[0], w), o]
        gain = muscle_gain(prm, length, velocity, span, actuator.acc0[per_world(actuator.acc0.shape[0], w), o])
    return gain


@wp.func
def bias_term(actuator: Actuator, drive: Drive, w: int, a: int) -> float:
    """Affine or muscle bias of actuator ``a``; 0 for others."""
    o = actuator.outadr[a]
    length = drive.actuator_length[w, o]
    bias = wp.float32(0.0)
    if actuator.biastype[a] == BiasType.AFFINE:
        prm = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
        bias = affine(prm, length, drive.actuator_velocity[w, o])
    elif actuator.biastype[a] == BiasType.MUSCLE:
        biasprm = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
        reach = actuator.lengthrange[per_world(actuator.lengthrange.shape[0], w), o]
        bias = muscle_bias(biasprm, length, reach, actuator.acc0[per_world(actuator.acc0.shape[0], w), o])
    return bias


@wp.func
def _actuator_force(opt: Option, jnt: Joint, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, w: int, a: int) -> float:
    """Force of actuator ``a`` before its limits; also writes the rate of its activation."""
    ctrl = wp.float32(0.0)
    if actuator.ctrlnum[a] > 0 and not zero_controls:
        ctrl = clamped_control(opt, actuator, state, w, actuator.ctrladr[a])
    period = wrap_period(jnt, actuator, w, a)
    adr = actuator.actadr[a]
    drive_input = ctrl
    if adr >= 0:
        adr = adr + actuator.actnum[a] - 1
        act = state.act[w, adr]
        act_dot = activation_rate(actuator, ctrl, act, period, w, a)
        drive.act_dot[w, adr] = act_dot
        drive_input = act
        if actuator.actearly[a] != 0:
            drive_input = next_activation(opt, actuator, act, act_dot, w, a)
    if period > 0.0:
        length = drive.actuator_length[w, actuator.outadr[a]]
        drive_input = length + nearest_turn(drive_input - length, period)
    force = gain_term(actuator, drive, w, a) * drive_input + bias_term(actuator, drive, w, a)
    if actuator_disabled(opt, actuator, a):
        force = 0.0
    return force


@wp.func
def limited_force(actuator: Actuator, force: float, w: int, a: int) -> float:
    """``force`` of actuator ``a`` within its range."""
    result = force
    if actuator.forcelimited[a] != 0:
        limits = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a]
        result = wp.clamp(force, limits[0], limits[1])
    return result


@wp.func
def limits_wait(size: Size, actuator: Actuator, a: int) -> bool:
    """The force of actuator ``a`` is limited after all forces on its tendon have been scaled."""
    return size.ntenfrc > 0 and actuator.trntype[a] == TrnType.TENDON


@wp.func
def actuator_velocity_world(size: Size, state: State, drive: Drive, w: int, lane: int):
    """Velocities of all force outputs: moment times generalized velocity."""
    for o in range(lane, size.nout, lanes()):
        adr = assume_nonnegative(drive.moment_rowadr[w, o])
        velocity = wp.float32(0.0)
        for k in range(adr, adr + drive.moment_rownnz[w, o]):
            velocity += drive.actuator_moment[w, k] * state.qvel[w, assume_nonnegative(drive.moment_colind[w, k])]
        drive.actuator_velocity[w, o] = velocity
    sync()


@wp.func
def tendon_pull(size: Size, actuator: Actuator, drive: Drive, w: int, t: int) -> float:
    """Sum of the forces of all actuators of tendon ``t``."""
    total = wp.float32(0.0)
    for a in range(size.nactuator):
        if actuator.trntype[a] == TrnType.TENDON and actuator.trnid[a][0] == t:
            total += drive.actuator_force[w, actuator.outadr[a]]
    return total


@wp.func
def limit_tendon_force_world(size: Size, actuator: Actuator, tendon: Tendon, drive: Drive, w: int, lane: int):
    """Scale the forces of the actuators of each tendon so that their sum stays in the tendon's range; then limit each.

    Forces count as held where their sum is still at the tendon's limit after that, as in MuJoCo: not where one of them has met its own limit on the way.
    """
    for t in range(lane, size.ntendon, lanes()):
        if tendon.actfrclimited[t] != 0:
            total = tendon_pull(size, actuator, drive, w, t)
            limits = tendon.actfrcrange[per_world(tendon.actfrcrange.shape[0], w), t]
            within = wp.clamp(total, limits[0], limits[1])
            factor = wp.float32(1.0)
            if within != total:
                factor = within / total
            for a in range(size.nactuator):
                if actuator.trntype[a] == TrnType.TENDON and actuator.trnid[a][0] == t:
                    drive.actuator_force[w, actuator.outadr[a]] = drive.actuator_force[w, actuator.outadr[a]] * factor
    sync()
    for a in range(lane, size.nactuator, lanes()):
        if actuator.trntype[a] == TrnType.TENDON:
            drive.actuator_force[w, actuator.outadr[a]] = limited_force(actuator, drive.actuator_force[w, actuator.outadr[a]], w, a)
    sync()
    for t in range(lane, size.ntendon, lanes()):
        if tendon.actfrclimited[t] != 0:
            left = tendon_pull(size, actuator, drive, w, t)
            limits = tendon.actfrcrange[per_world(tendon.actfrcrange.shape[0], w), t]
            rounding = SUMMED * wp.max(wp.abs(limits[0]), wp.abs(limits[1]))
            held = wp.where(left <= limits[0] + rounding or left >= limits[1] - rounding, 1, 0)
            for a in range(size.nactuator):
                if actuator.trntype[a] == TrnType.TENDON and actuator.trnid[a][0] == t:
                    drive.held[w, actuator.outadr[a]] = held
    sync()


@wp.func
def actuation_world(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, frc: Force,
    drive: Drive, w: int, lane: int,
):  # fmt: skip
    """Actuator velocities, forces and activation rates of one world."""
    if size.nactuator == 0 or (opt.disableflags & DisableBit.ACTUATION) != 0:
        for o in range(lane, size.nout, lanes()):
            drive.actuator_velocity[w, o] = 0.0
            drive.actuator_force[w, o] = 0.0
        for i in range(lane, size.na, lanes()):
            drive.act_dot[w, i] = 0.0
        for i in range(lane, size.nv, lanes()):
            frc.qfrc_actuator[w, i] = 0.0
    else:
        actuator_velocity_world(size, state, drive, w, lane)
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        for a in range(lane, size.nactuator, lanes()):
            if actuator.law[a] == ForceLaw.GAIN_BIAS:
                force = _actuator_force(opt, jnt, actuator, state, drive, zero_controls, w, a)
                if not limits_wait(size, actuator, a):
                    force = limited_force(actuator, force, w, a)
                drive.actuator_force[w, actuator.outadr[a]] = force
        if size.nlaw == 0:  # else laws.py goes on from here
            if size.ntenfrc > 0:
                sync()
                limit_tendon_force_world(size, actuator, tendon, drive, w, lane)
            generalized_force_world(size, opt, jnt, dof, frc, drive, w, lane)
    sync()


@wp.kernel
def _fwd_actuation(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, frc: Force,
    drive: Drive,
):  # fmt: skip
    w, lane = wp.tid()
    actuation_world(size, opt, jnt, dof, actuator, tendon, state, frc, drive, w, lane)


@wp.kernel
def _actuator_velocity(size: Size, state: State, drive: Drive):
    w, lane = wp.tid()
    actuator_velocity_world(size, state, drive, w, lane)


def actuator_velocity(m: Any, d: Any) -> None:
    """Velocity of each force output.

    Reads   d.state.qvel, d.drive (moment, after transmission)
    Writes  d.drive.actuator_velocity
    MuJoCo  part of mj_fwdVelocity.
    """
    launch(_actuator_velocity, d, [m.size, d.state, d.drive])


def fwd_actuation(m: Any, d: Any) -> None:
    """Actuator velocities and forces, activation rates, generalized actuator force.

    Reads   m.opt, m.jnt, m.dof, m.actuator; d.state (ctrl, act, qvel), d.drive (after transmission), d.frc.qfrc_gravcomp
    Writes  d.drive.actuator_velocity, actuator_force, act_dot; d.frc.qfrc_actuator [N, N m]
    MuJoCo  mj_fwdActuation, and the actuator velocities of mj_fwdVelocity; for actuators with a law of their own
            ``laws.fwd_laws`` follows.
    """
    state = delayed_controls(m, d)
    launch(_fwd_actuation, d, [m.size, m.opt, m.jnt, m.dof, m.actuator, m.tendon, state, d.frc, d.drive])
