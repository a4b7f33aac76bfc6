"""Slopes of actuators that pull one tendon, of whose forces the tendon limits the sum.

Beyond the limit all are scaled: F_a = f_a S / sum(f), S the limit. What a change of one force f_b does to the tension sum(g_a F_a), with gears g, is that of
a slope of its own, and so each actuator's slopes are scaled by a factor.
"""

import warp as wp

from newtonish.common.enums import TrnType
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.forces.actuation import actuator_disabled, bias_term, gain_term
from newtonish.kernels.integrate.derivative import actuator_input
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.structs.data import Drive, State
from newtonish.kernels.structs.model import Actuator, Option, Size, Tendon

ON_TENDON = wp.constant(int(TrnType.TENDON))


@wp.func
def waits_for_tendon(actuator: Actuator, tendon: Tendon, a: int) -> bool:
    """Whether actuator ``a`` shares a limit with others."""
    result = wp.bool(False)
    if actuator.trntype[a] == ON_TENDON:
        result = tendon.actfrclimited[actuator.trnid[a][0]] != 0
    return result


@wp.func
def _own_limit_holds(actuator: Actuator, drive: Drive, w: int, a: int) -> bool:
    """The range of actuator ``a`` holds its force, after the tendon's."""
    held = wp.bool(False)
    if actuator.forcelimited[a] != 0:
        force = drive.actuator_force[w, actuator.outadr[a]]
        limits = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a]
        held = force <= limits[0] or force >= limits[1]
    return held


@wp.func
def _force_before(opt: Option, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, w: int, a: int) -> wp.float64:
    """Force of actuator ``a`` before all limits."""
    force = real(0.0)
    if not actuator_disabled(opt, actuator, a):
        value = actuator_input(opt, actuator, state, drive, zero_controls, w, a)
        force = real(gain_term(actuator, drive, w, a) * value + bias_term(actuator, drive, w, a))
    return force


@wp.func
def _gear(actuator: Actuator, w: int, a: int) -> wp.float64:
    return real(actuator.gear[per_world(actuator.gear.shape[0], w), actuator.outadr[a]][0])


@wp.func
def shared_limits_world(
    size: Size, opt: Option, actuator: Actuator, tendon: Tendon, state: State, drive: Drive, linear: Linear, zero_controls: bool, w: int, lane: int,
):  # fmt: skip
    """Scale the slopes of forces that share a limit, which do not know of limits so far; begins and ends with a barrier."""
    sync()
    for t in range(lane, size.ntendon, lanes()):
        if tendon.actfrclimited[t] != 0:
            total = real(0.0)
            free_tension = real(0.0)
            for a in range(size.nactuator):
                if actuator.trntype[a] == ON_TENDON and actuator.trnid[a][0] == t:
                    force = _force_before(opt, actuator, state, drive, zero_controls, w, a)
                    total += force
                    if not _own_limit_holds(actuator, drive, w, a):
                        free_tension += force * _gear(actuator, w, a)
            limits = tendon.actfrcrange[per_world(tendon.actfrcrange.shape[0], w), t]
            within = wp.clamp(total, real(limits[0]), real(limits[1]))
            for a in range(size.nactuator):
                if actuator.trntype[a] == ON_TENDON and actuator.trnid[a][0] == t:
                    factor = wp.where(_own_limit_holds(actuator, drive, w, a), real(0.0), real(1.0))
                    if within != total:
                        factor = within / total * (factor - free_tension / (total * _gear(actuator, w, a)))
                    linear.force_length[w, a] = factor * linear.force_length[w, a]
                    linear.force_velocity[w, a] = factor * linear.force_velocity[w, a]
                    linear.force_act[w, a] = factor * linear.force_act[w, a]
                    linear.force_ctrl[w, a] = factor * linear.force_ctrl[w, a]
    sync()
