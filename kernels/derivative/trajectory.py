"""Steps of a trajectory, one after another on the device: what each begins with and leaves, and the sweep of adjoints back through them.

A counter in each world says which step is next, so that every step is the same call. Rows keep what a step begins with: of every so many steps, and,
while the adjoint goes through the steps between two of these, of all of them. A step from a row is the one that was taken, bit for bit, as its
warm start is a part of it.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.derivative.course import Course, Track
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.math.world import lane_index, lanes, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Sense, State, Status
from newtonish.kernels.structs.model import Size

UNKNOWN = wp.constant(float("nan"))


@wp.func
def _place(t: int, every: int, kept: int) -> int:
    """Row of what step ``t`` begins with."""
    if t % every == 0:
        return t // every
    return kept + t % every - 1


@wp.func
def _write_row(size: Size, state: State, track: Track, w: int, lane: int, at: int):
    if lane == 0:
        track.row[w, at, 0] = state.time[w]
        track.row[w, at, 1] = state.time_low[w]
    first = wp.int32(2)
    for i in range(lane, size.nq, lanes()):
        track.row[w, at, first + i] = state.qpos[w, i]
    first += size.nq
    for i in range(lane, size.nv, lanes()):
        track.row[w, at, first + i] = state.qvel[w, i]
        track.row[w, at, first + size.nv + i] = state.qacc_warmstart[w, i]
    first += 2 * size.nv
    for i in range(lane, size.na, lanes()):
        track.row[w, at, first + i] = state.act[w, i]


@wp.func
def _read_row(size: Size, state: State, track: Track, w: int, lane: int, at: int):
    if lane == 0:
        state.time[w] = track.row[w, at, 0]
        state.time_low[w] = track.row[w, at, 1]
    first = wp.int32(2)
    for i in range(lane, size.nq, lanes()):
        state.qpos[w, i] = track.row[w, at, first + i]
    first += size.nq
    for i in range(lane, size.nv, lanes()):
        state.qvel[w, i] = track.row[w, at, first + i]
        state.qacc_warmstart[w, i] = track.row[w, at, first + size.nv + i]
    first += 2 * size.nv
    for i in range(lane, size.na, lanes()):
        state.act[w, i] = track.row[w, at, first + i]


@wp.func
def _give_inputs(size: Size, state: State, track: Track, w: int, lane: int, t: int):
    """Controls and forces of step ``t``."""
    for i in range(lane, size.nu, lanes()):
        state.ctrl[w, i] = track.ctrl[t, w, i]
    if track.qfrc.shape[0] > 0:
        for i in range(lane, size.nv, lanes()):
            state.qfrc_applied[w, i] = track.qfrc[t, w, i]
    if track.xfrc.shape[0] > 0:
        for i in range(lane, size.nbody, lanes()):
            state.xfrc_applied[w, i] = track.xfrc[t, w, i]


@wp.kernel
def _begin(size: Size, state: State, status: Status, track: Track, stops: int, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        _write_row(size, state, track, w, lane, 0)
        if lane == 0:
            track.clock[w] = 0
            track.resets[w] = status.nonfinite[w]
            track.lost[w] = wp.where(stops != 0 and status.nonfinite[w] > 0, 1, 0)  # it has stopped, whatever its state is now


through_worlds(_begin)


@wp.kernel
def _rewind(size: Size, state: State, track: Track, t: int, every: int, kept: int, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        _read_row(size, state, track, w, lane, _place(t, every, kept))
        if lane == 0:
            track.clock[w] = t


through_worlds(_rewind)


@wp.kernel
def _before(size: Size, state: State, track: Track, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        _give_inputs(size, state, track, w, lane, track.clock[w])


through_worlds(_before)


@wp.kernel
def _after(size: Size, state: State, sense: Sense, status: Status, track: Track, every: int, kept: int, again: int, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        t = track.clock[w]
        sync()
        if again == 0:
            for i in range(lane, size.nq, lanes()):
                track.qpos[t, w, i] = state.qpos[w, i]
            for i in range(lane, size.nv, lanes()):
                track.qvel[t, w, i] = state.qvel[w, i]
            for i in range(lane, size.na, lanes()):
                track.act[t, w, i] = state.act[w, i]
            for i in range(lane, size.nsensordata, lanes()):
                track.sensordata[t, w, i] = sense.sensordata[w, i]
        stays = (t + 1) % every == 0
        if (stays or again != 0) and t + 1 < track.qpos.shape[0]:
            _write_row(size, state, track, w, lane, _place(t + 1, every, kept))
        if lane == 0:
            track.clock[w] = t + 1
            if again == 0 and status.nonfinite[w] != track.resets[w]:
                track.lost[w] = 1


through_worlds(_after)


@wp.kernel
def _begin_sweep(size: Size, track: Track, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        for i in range(lane, track.bar.shape[1], lanes()):
            track.bar[w, i] = wp.where(track.lost[w] != 0, UNKNOWN, 0.0)
        for i in range(lane, track.total.shape[1], lanes()):
            track.total[w, i] = wp.where(track.lost[w] != 0, UNKNOWN, 0.0)
        if lane == 0:
            track.blind[w] = 0


through_worlds(_begin_sweep)


@wp.kernel
def _back(size: Size, state: State, track: Track, linear: Linear, sensor_bar: wp.array2d(dtype=float), every: int, kept: int, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        t = track.clock[w]
        _read_row(size, state, track, w, lane, _place(t, every, kept))
        _give_inputs(size, state, track, w, lane, t)
        for i in range(lane, track.bar.shape[1], lanes()):
            linear.next_bar[w, i] = track.bar[w, i] + track.next_bar[t, w, i]
        for i in range(lane, sensor_bar.shape[1], lanes()):
            sensor_bar[w, i] = track.sensor_bar[t, w, i]


through_worlds(_back)


@wp.kernel
def _gather(size: Size, track: Track, linear: Linear, fields: wp.array2d(dtype=float), kinks: wp.array(dtype=int), nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        t = track.clock[w]
        sync()
        for i in range(lane, track.bar.shape[1], lanes()):
            track.bar[w, i] = linear.state_bar[w, i]
        for i in range(lane, size.nu, lanes()):
            track.ctrl_bar[t, w, i] = linear.ctrl_bar[w, i]
        if track.qfrc_bar.shape[0] > 0:
            for i in range(lane, size.nv, lanes()):
                track.qfrc_bar[t, w, i] = linear.qfrc_bar[w, i]
        if track.xfrc_bar.shape[0] > 0:
            for i in range(lane, size.nbody, lanes()):
                track.xfrc_bar[t, w, i] = linear.xfrc_bar[w, i]
        for i in range(lane, fields.shape[1], lanes()):
            track.total[w, i] = wp.where(linear.blind[w] != 0, UNKNOWN, track.total[w, i] + fields[w, i])
        if lane == 0:
            track.clock[w] = t - 1
            if kinks.shape[0] > 0:
                track.kinks[t, w] = kinks[w]
            if linear.blind[w] != 0:
                track.blind[w] = 1 + t
                track.pair[w] = linear.pair[w]


through_worlds(_gather)


def begin(m: Any, d: Any, course: Course) -> None:
    """The present state as the one that the first step begins with.

    Reads   d.state, d.status.nonfinite, d.guard
    Writes  track.row (the first), clock, resets, lost
    """
    launch(_begin, d, [m.size, d.state, d.status, course.view(d), int(d.guard is not None and d.guard.stops)])


def rewind(m: Any, d: Any, course: Course, t: int) -> None:
    """The state in which step ``t`` begins, whose row is kept.

    Reads   track.row
    Writes  d.state, track.clock
    """
    launch(_rewind, d, [m.size, d.state, course.view(d), t, course.every, course.kept])


def before(m: Any, d: Any, course: Course) -> None:
    """Inputs of the step that is next.

    Reads   track
    Writes  d.state.ctrl, qfrc_applied, xfrc_applied
    """
    launch(_before, d, [m.size, d.state, course.view(d)])


def after(m: Any, d: Any, course: Course, again: bool) -> None:
    """Keep what a step left; ``again``: a step that is taken a second time, of which every row is kept.

    Reads   d.state, d.sense, d.status.nonfinite
    Writes  track
    """
    launch(_after, d, [m.size, d.state, d.sense, d.status, course.view(d), course.every, course.kept, int(again)])


def begin_sweep(m: Any, d: Any, course: Course) -> None:
    """Nothing is known yet of what comes after the last step.

    Reads   track.lost
    Writes  track.bar, total, blind
    """
    launch(_begin_sweep, d, [m.size, course.view(d)])


def back(m: Any, d: Any, course: Course, work: Workspace, by_sensors: bool) -> None:
    """The state, inputs and adjoint of the step that is next on the way back; ``by_sensors``: that of its sensors as well.

    Reads   track
    Writes  d.state, work.linear.next_bar, work.sensed.bar
    """
    bar = work.sensed.bar if by_sensors else wp.empty((0, 0), dtype=wp.float32, device=d.device)
    launch(_back, d, [m.size, d.state, course.view(d), work.linear, bar, course.every, course.kept])


def gather(m: Any, d: Any, course: Course, work: Workspace, by_fields: bool, with_kinks: bool) -> None:
    """What the adjoint of a step found; ``by_fields``: gradients by fields of the model as well; ``with_kinks``: and what kinks are near.

    Reads   work.linear, work.fields.everything, work.kinks.bits
    Writes  track
    """
    fields = work.fields.everything if by_fields else wp.empty((0, 0), dtype=wp.float32, device=d.device)
    kinks = work.kinks.bits if with_kinks else wp.empty(0, dtype=wp.int32, device=d.device)
    launch(_gather, d, [m.size, course.view(d), work.linear, fields, kinks])
