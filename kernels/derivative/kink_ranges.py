"""Kinks of actuators: controls, activations and forces at an end of their range."""

import warp as wp

from newtonish.common.actuator_parameters import FilterDyn
from newtonish.common.enums import DisableBit, DynType, Kink, TrnType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.kink_state import Kinks, at_end, note
from newtonish.kernels.forces.actuation import actuator_disabled, bias_term, controls_are_bad, gain_term
from newtonish.kernels.integrate.derivative import actuator_input
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Drive, Force, State
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size, Tendon


@wp.func
def _force(opt: Option, actuator: Actuator, state: State, drive: Drive, zero_controls: bool, w: int, a: int) -> float:
    """Force of actuator ``a`` before its limits."""
    force = wp.float32(0.0)
    if not actuator_disabled(opt, actuator, a):
        force = gain_term(actuator, drive, w, a) * actuator_input(opt, actuator, state, drive, zero_controls, w, a) + bias_term(actuator, drive, w, a)
    return force


@wp.func
def _activation_is_at_end(opt: Option, actuator: Actuator, state: State, drive: Drive, w: int, a: int) -> bool:
    """Whether the next activation of actuator ``a`` is, before it is held in its range."""
    adr = actuator.actadr[a] + actuator.actnum[a] - 1
    dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
    if actuator.dyntype[a] == DynType.FILTEREXACT:
        tau = wp.max(actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a][FilterDyn.TIMECONST], MINVAL)
        dt = tau * (1.0 - wp.exp(-dt / tau))
    span = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
    return at_end(state.act[w, adr] + dt * drive.act_dot[w, adr], span[0], span[1])


@wp.func
def range_kinks(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, frc: Force, drive: Drive, kinks: Kinks,
    w: int, lane: int,
):  # fmt: skip
    """All ranges of actuators, and those of the sums of their forces on joints and tendons."""
    zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
    last = size.nactuator
    if (opt.disableflags & DisableBit.ACTUATION) != 0:
        last = 0
    for a in range(lane, last, lanes()):
        found = bool(False)
        u = actuator.ctrladr[a]
        if actuator.ctrlnum[a] > 0 and (opt.disableflags & DisableBit.CLAMPCTRL) == 0:
            if actuator.ctrllimited[u] != 0:
                span = actuator.ctrlrange[per_world(actuator.ctrlrange.shape[0], w), u]
                found = at_end(state.ctrl[w, u], span[0], span[1])
        if actuator.forcelimited[a] != 0:
            span = actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a]
            found = found or at_end(_force(opt, actuator, state, drive, zero_controls, w, a), span[0], span[1])
        if actuator.actadr[a] >= 0 and actuator.actlimited[a] != 0:
            if _activation_is_at_end(opt, actuator, state, drive, w, a):
                found = True
        if found:
            note(kinks, w, int(Kink.RANGE))
    if last > 0:
        _sums(size, opt, jnt, dof, actuator, tendon, state, frc, drive, kinks, zero_controls, w, lane)


@wp.func
def _sums(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, frc: Force, drive: Drive, kinks: Kinks,
    zero_controls: bool, w: int, lane: int,
):  # fmt: skip
    """Ranges of what all actuators of a joint or a tendon give together, before it is held in them."""
    for i in range(lane, size.nv, lanes()):
        j = dof.jntid[i]
        if jnt.actfrclimited[j] != 0:
            total = wp.float32(0.0)
            for o in range(size.nout):
                for n in range(drive.moment_rowadr[w, o], drive.moment_rowadr[w, o] + drive.moment_rownnz[w, o]):
                    if drive.moment_colind[w, n] == i:
                        total += drive.actuator_moment[w, n] * drive.actuator_force[w, o]
            if jnt.actgravcomp[j] != 0 and (opt.disableflags & DisableBit.GRAVITY) == 0:
                total += frc.qfrc_gravcomp[w, i]
            span = jnt.actfrcrange[per_world(jnt.actfrcrange.shape[0], w), j]
            if at_end(total, span[0], span[1]):
                note(kinks, w, int(Kink.RANGE))
    for t in range(lane, size.ntendon, lanes()):
        if tendon.actfrclimited[t] != 0:
            total = wp.float32(0.0)
            for a in range(size.nactuator):
                if actuator.trntype[a] == TrnType.TENDON and actuator.trnid[a][0] == t:
                    total += _force(opt, actuator, state, drive, zero_controls, w, a)
            span = tendon.actfrcrange[per_world(tendon.actfrcrange.shape[0], w), t]
            if at_end(total, span[0], span[1]):
                note(kinks, w, int(Kink.RANGE))
