"""Slopes of actuators that pull one tendon, of whose forces the tendon limits the sum.

Beyond the limit all are scaled: F_a = f_a S / sum(f), S the limit. What a change of one force f_b does to the tension sum(g_a F_a), with gears g, is that of
a slope of its own, and so each actuator's slopes are scaled by a factor.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import ForceLaw
from newtonish.kernels.constants import ON_TENDON
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forces.actuation import actuator_disabled, bias_term, controls_are_bad, gain_term
from newtonish.kernels.forces.dcmotor import electrical_force
from newtonish.kernels.forces.pid import pid_force
from newtonish.kernels.integrate.derivative import actuator_input
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Drive, State
from newtonish.kernels.structs.model import Actuator, Joint, Option, Size, Tendon


@wp.func
def waits_for_tendon(actuator: Actuator, tendon: Tendon, a: int) -> bool:
    """Whether actuator ``a`` shares a limit with others."""
    result = wp.bool(False)
    if actuator.trntype[a] == ON_TENDON:
        result = tendon.actfrclimited[actuator.trnid[a][0]] != 0
    return result


@wp.func
def _force_before(opt: Option, jnt: Joint, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, w: int, a: int) -> float:
    """Force of actuator ``a`` before all limits, without what no limit holds."""
    force = wp.float32(0.0)
    if not actuator_disabled(opt, actuator, a):
        if actuator.law[a] == ForceLaw.PID:
            force = pid_force(opt, jnt, actuator, state, drive, zero_controls, w, a)
        elif actuator.law[a] == ForceLaw.DCMOTOR:
            force = electrical_force(opt, actuator, state, drive, zero_controls, w, a).force
        else:
            force = gain_term(actuator, drive, w, a) * actuator_input(opt, actuator, state, drive, zero_controls, w, a) + bias_term(actuator, drive, w, a)
    return force


@wp.func
def _is_within(actuator: Actuator, force: wp.float64, w: int, a: int) -> bool:
    """Whether actuator ``a`` may have this force, as far as its own range goes."""
    within = wp.bool(True)
    if actuator.forcelimited[a] != 0:
        limits = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a]
        within = force > real(limits[0]) and force < real(limits[1])
    return within


@wp.func
def _gear(actuator: Actuator, w: int, a: int) -> wp.float64:
    return real(actuator.gear[per_world(actuator.gear.shape[0], w), actuator.outadr[a]][0])


@wp.func
def _share_out(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, tendon: Tendon, state: State, drive: Drive, linear: Linear, zero_controls: bool,
    w: int, t: int,
):  # fmt: skip
    """Factors of all actuators of tendon ``t``."""
    total = real(0.0)
    for a in range(size.nactuator):
        if actuator.trntype[a] == ON_TENDON and actuator.trnid[a][0] == t:
            linear.share[w, a] = real(_force_before(opt, jnt, actuator, state, drive, zero_controls, w, a))
            total += linear.share[w, a]
    limits = tendon.actfrcrange[per_world(tendon.actfrcrange.shape[0], w), t]
    scale = real(1.0)
    if total < real(limits[0]) or total > real(limits[1]):
        scale = wp.clamp(total, real(limits[0]), real(limits[1])) / total
    free_tension = real(0.0)
    for a in range(size.nactuator):
        if actuator.trntype[a] == ON_TENDON and actuator.trnid[a][0] == t:
            if _is_within(actuator, scale * linear.share[w, a], w, a):
                free_tension += linear.share[w, a] * _gear(actuator, w, a)
    for a in range(size.nactuator):
        if actuator.trntype[a] == ON_TENDON and actuator.trnid[a][0] == t:
            factor = wp.where(_is_within(actuator, scale * linear.share[w, a], w, a), real(1.0), real(0.0))
            if scale != real(1.0):
                factor = scale * (factor - free_tension / (total * _gear(actuator, w, a)))
            linear.share[w, a] = factor


@wp.kernel
def _shared_limits(
    size: Size, opt: Option, jnt: Joint, actuator: Actuator, tendon: Tendon, state: State, drive: Drive, linear: Linear, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        for a in range(lane, size.nactuator, lanes()):
            linear.share[w, a] = real(1.0)
        sync()
        for t in range(lane, size.ntendon, lanes()):
            if tendon.actfrclimited[t] != 0:
                _share_out(size, opt, jnt, actuator, tendon, state, drive, linear, zero_controls, w, t)


through_worlds(_shared_limits)


@wp.func
def scale_slopes(linear: Linear, w: int, a: int):
    """Of actuator ``a``, whose slopes do not know of limits that tendons have."""
    if linear.share.shape[1] > 0:
        factor = linear.share[w, a]
        linear.force_length[w, a] = factor * linear.force_length[w, a]
        linear.force_velocity[w, a] = factor * linear.force_velocity[w, a]
        linear.force_act[w, a] = factor * linear.force_act[w, a]
        linear.force_ctrl[w, a] = factor * linear.force_ctrl[w, a]


def shared_limits(m: Any, d: Any, state: State, work: Workspace) -> None:
    """By which factor tendons scale what each actuator's force does to their tension, before slopes of forces.

    Reads   m.opt, m.actuator, m.tendon; ``state`` (with the controls that act), d.drive
    Writes  work.linear.share; d.drive.act_dot, as it was
    """
    launch(_shared_limits, d, [m.size, m.opt, m.jnt, m.actuator, m.tendon, state, d.drive, work.linear])
