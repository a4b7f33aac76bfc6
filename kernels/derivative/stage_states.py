"""Keeping the state of each stage of a Runge-Kutta step, and returning to it."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.actuator_parameters import FilterDyn
from newtonish.common.enums import DisableBit, DynType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.stage_laws import end_of_law
from newtonish.kernels.derivative.stages import Stages
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forces.actuation import actuator_disabled, next_activation
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Scratch, Solve, State
from newtonish.kernels.structs.model import Actuator, Option, Size


@wp.func
def vector_of(array: wp.array3d(dtype=float), w: int, k: int, i: int) -> wp.vec3d:
    """Three numbers of stage ``k`` from ``i`` on."""
    return wp.vec3d(real(array[w, k, i]), real(array[w, k, i + 1]), real(array[w, k, i + 2]))


@wp.func
def note_blind(linear: Linear, stages: Stages, w: int, fresh: bool, lane: int):
    """Note a contact that the stage has no derivative of, and tell of the one of any stage; ``fresh``: this is the first."""
    if lane == 0:
        if fresh:
            stages.blind[w] = 0
        if stages.blind[w] == 0:
            stages.blind[w] = linear.blind[w]
            stages.pair[w] = linear.pair[w]
        linear.blind[w] = stages.blind[w]
        linear.pair[w] = stages.pair[w]


@wp.func
def _end_of_activation(opt: Option, actuator: Actuator, stages: Stages, off: bool, w: int, a: int):
    """That of actuator ``a``, with one of MuJoCo's own dynamics."""
    adr = actuator.actadr[a] + actuator.actnum[a] - 1
    rate = wp.where(off, 0.0, stages.dot[w, adr])
    by_act = real(1.0)
    by_dot = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
    if actuator.dyntype[a] == DynType.FILTEREXACT:
        tau = real(wp.max(actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a][FilterDyn.TIMECONST], MINVAL))
        by_dot = tau * (real(1.0) - wp.exp(-by_dot / tau))
    if off:
        by_dot = real(0.0)
    if actuator.actlimited[a] != 0:
        after = next_activation(opt, actuator, stages.act[w, 0, adr], rate, w, a)
        within = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
        if after <= within[0] or after >= within[1]:
            by_act = real(0.0)
            by_dot = real(0.0)
    stages.end_act[w, adr] = by_act
    stages.end_dot[w, adr] = by_dot


@wp.func
def end_of_activations_world(size: Size, opt: Option, actuator: Actuator, stages: Stages, w: int, lane: int):
    """Derivatives of the activations after the step, made of those before it and of the mean of their rates; returns with a barrier."""
    for z in range(lane, size.na, lanes()):
        stages.end_act[w, z] = real(1.0)
        stages.end_dot[w, z] = real(0.0)
    sync()
    acts = (opt.disableflags & DisableBit.ACTUATION) == 0
    for a in range(lane, size.nactuator, lanes()):
        if acts and actuator.actadr[a] >= 0:
            off = actuator_disabled(opt, actuator, a)
            if actuator.law[a] != 0:
                end_of_law(opt, actuator, stages, off, w, a)
            else:
                _end_of_activation(opt, actuator, stages, off, w, a)
    sync()


@wp.kernel
def _keep(size: Size, state: State, sol: Solve, scratch: Scratch, stages: Stages, k: int, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for i in range(lane, size.nq, lanes()):
            stages.qpos[w, k, i] = state.qpos[w, i]
        for i in range(lane, size.nv, lanes()):
            stages.qvel[w, k, i] = state.qvel[w, i]
            stages.rate[w, k, i] = scratch.qvel[w, i]
            stages.qacc[w, k, i] = sol.qacc[w, i]
            stages.turn[w, i] = wp.float64(scratch.dqvel[w, i])
        for i in range(lane, size.na, lanes()):
            stages.act[w, k, i] = state.act[w, i]
            stages.dot[w, i] = scratch.dact[w, i]
        sync()


through_worlds(_keep)


@wp.kernel
def _return(size: Size, state: State, stages: Stages, k: int, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for i in range(lane, size.nq, lanes()):
            state.qpos[w, i] = stages.qpos[w, k, i]
        for i in range(lane, size.nv, lanes()):
            state.qvel[w, i] = stages.qvel[w, k, i]
            state.qacc_warmstart[w, i] = stages.qacc[w, k, i]
        for i in range(lane, size.na, lanes()):
            state.act[w, i] = stages.act[w, k, i]
        sync()


through_worlds(_return)


def keep_stage(m: Any, d: Any, stages: Any, k: int) -> None:
    """Keep where stage ``k`` was evaluated, and the weighted means up to it.

    Reads   d.state, d.sol.qacc, d.scratch (qvel, dqvel, dact)
    Writes  stages: qpos, qvel, act, rate, qacc, turn, dot
    MuJoCo  no equivalent.
    """
    launch(_keep, d, [m.size, d.state, d.sol, d.scratch, stages, k])


def return_to_stage(m: Any, d: Any, stages: Any, k: int) -> None:
    """Put the state of stage ``k`` back, its acceleration as the solver's start.

    Reads   stages
    Writes  d.state: qpos, qvel, act, qacc_warmstart
    MuJoCo  no equivalent.
    """
    launch(_return, d, [m.size, d.state, stages, k])


@wp.kernel
def _restore_start(size: Size, state: State, linear: Linear, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for i in range(lane, size.nv, lanes()):
            state.qacc_warmstart[w, i] = linear.warm[w, i]


through_worlds(_restore_start)


def restore_start(m: Any, d: Any, work: Workspace) -> None:
    """Give the solver the start that it had before ``remember_start``.

    Reads   work.linear.warm
    Writes  d.state.qacc_warmstart
    """
    launch(_restore_start, d, [m.size, d.state, work.linear])
