"""Gains, biases and activation rates that the caller wrote as Warp functions, for actuators of type ``user``.

The functions are put into a kernel of their own, in a Warp module of its own; nothing else is recompiled.
MuJoCo: callbacks mjcb_act_gain, mjcb_act_bias and mjcb_act_dyn.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import BiasType, DisableBit, DynType, ForceLaw, GainType
from newtonish.kernels.forces.actuation import (
    activation_rate,
    actuator_disabled,
    bias_term,
    clamped_control,
    controls_are_bad,
    gain_term,
    limited_force,
    limits_wait,
    next_activation,
)
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Drive, State
from newtonish.kernels.structs.field import vec10
from newtonish.kernels.structs.model import Actuator, Option, Size


@wp.struct
class ActuatorInput:
    """What a user function knows of an actuator: its place, its parameters, its state.

    ``prm`` are ten numbers of the model: gainprm for a gain, biasprm for a bias, dynprm for an activation. ``time`` is
    in seconds; ``length`` and ``velocity`` are those of the transmission; ``act`` is the activation asked for or, in gains
    and biases, the last one (0 without activations); ``ctrl`` is the control within its range. Other activations of the
    actuator are ``act[world, actadr + k]`` in the array that is passed beside, ``component`` is the k asked for.
    """

    world: wp.int32
    actuator: wp.int32
    actadr: wp.int32
    component: wp.int32
    prm: vec10
    time: wp.float32
    length: wp.float32
    velocity: wp.float32
    act: wp.float32
    ctrl: wp.float32


@wp.func
def no_term(x: ActuatorInput, act: wp.array2d(dtype=float)) -> float:
    """Stands for a function that was not given."""
    return 0.0


def user_kernel(gain: Any, bias: Any, dyn: Any) -> wp.Kernel:
    """A kernel that writes the forces, before limits that wait, and the activation rates of the actuators with law USER."""

    @wp.kernel(module="unique", enable_backward=False)
    def user_forces(size: Size, opt: Option, actuator: Actuator, state: State, drive: Drive, fraction: float):
        w, lane = wp.tid()
        if (opt.disableflags & DisableBit.ACTUATION) == 0:
            zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
            for a in range(lane, size.nactuator, lanes()):
                if actuator.law[a] == ForceLaw.USER:
                    o = actuator.outadr[a]
                    x = ActuatorInput()
                    x.world = w
                    x.actuator = a
                    x.actadr = actuator.actadr[a]
                    x.component = actuator.actnum[a] - 1
                    x.time = state.time[w] + fraction * opt.timestep[per_world(opt.timestep.shape[0], w)]
                    x.length = drive.actuator_length[w, o]
                    x.velocity = drive.actuator_velocity[w, o]
                    if not zero_controls:
                        x.ctrl = clamped_control(opt, actuator, state, w, actuator.ctrladr[a])
                    drive_input = x.ctrl
                    if x.actadr >= 0:
                        last = x.actadr + x.component
                        if actuator.dyntype[a] == DynType.USER:
                            x.prm = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
                            for k in range(actuator.actnum[a]):
                                x.component = k
                                x.act = state.act[w, x.actadr + k]
                                drive.act_dot[w, x.actadr + k] = dyn(x, state.act)
                        else:
                            rate = activation_rate(actuator, x.ctrl, state.act[w, last], 0.0, w, a)
                            drive.act_dot[w, last] = rate
                        x.act = state.act[w, last]
                        drive_input = x.act
                        if actuator.actearly[a] != 0:
                            drive_input = next_activation(opt, actuator, x.act, drive.act_dot[w, last], w, a)
                    factor = wp.float32(0.0)
                    if actuator.gaintype[a] == GainType.USER:
                        x.prm = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
                        factor = gain(x, state.act)
                    else:
                        factor = gain_term(actuator, drive, w, a)
                    offset = wp.float32(0.0)
                    if actuator.biastype[a] == BiasType.USER:
                        x.prm = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
                        offset = bias(x, state.act)
                    else:
                        offset = bias_term(actuator, drive, w, a)
                    force = factor * drive_input + offset
                    if not limits_wait(size, actuator, a):
                        force = limited_force(actuator, force, w, a)
                    if actuator_disabled(opt, actuator, a):
                        force = 0.0
                    drive.actuator_force[w, o] = force

    return user_forces


def user_forces(m: Any, d: Any, state: Any, fraction: float) -> None:
    """Forces and activation rates of user actuators, between ``fwd_actuation`` and ``fwd_laws``.

    Args:
        m: model.
        d: data.
        state: ``d.state``, or what stands for it where controls are delayed.
        fraction: of the time step that has passed, at the stages of an integrator.
    """
    launch(m.user_actuation.kernel, d, [m.size, m.opt, m.actuator, state, d.drive, float(fraction)])
