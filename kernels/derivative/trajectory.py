"""Steps of a trajectory, one after another on the device: what each begins with and leaves, and the sweep of adjoints back through them.

A counter in each world says which step is next, so that every step is the same call. Rows keep what a step begins with: of every so many steps, and,
while the adjoint goes through the steps between two of these, of all of them. A step from a row is the one that was taken, bit for bit, as its
warm start is a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import warp as wp

from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.math.world import lane_index, lanes, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Sense, State, Status
from newtonish.kernels.structs.field import group, value
from newtonish.kernels.structs.model import Size

f32, i32 = wp.float32, wp.int32
UNKNOWN = wp.constant(float("nan"))

TRACK = group(
    "Track",
    "track",
    "",
    [
        value("clock", i32, doc="number of the next step"),
        value("resets", i32, doc="automatic resets of the world before the first step"),
        value("lost", i32, doc="1: the world was reset on the way, where no derivative leads through"),
        value("blind", i32, doc="1 + step with a contact whose geometry has no derivative; 0: none"),
        value("pair", wp.vec2i, doc="the geoms of that contact"),
        value("row", f32, "nkept", "nrow", doc="time, position, velocity, activation and warm start before a step"),
        value("ctrl", f32, "nstep", "nu", doc="controls of each step"),
        value("qfrc", f32, "nqfrc", "nv", doc="applied generalized forces of each step; no steps: those of the state"),
        value("xfrc", wp.spatial_vector, "nxfrc", "nbody", doc="the same of forces on bodies"),
        value("qpos", f32, "nstep", "nq", doc="position after each step"),
        value("qvel", f32, "nstep", "nv", doc="velocity"),
        value("act", f32, "nstep", "na", doc="activation"),
        value("sensordata", f32, "nstep", "nsensordata", doc="sensors, of the state in which the step begins"),
        value("next_bar", f32, "nstep", "nx", doc="adjoint of the state after each step, as given"),
        value("bar", f32, "nx", doc="adjoint of the state that the next step back leads to"),
        value("ctrl_bar", f32, "nstep", "nu", doc="adjoint of the controls of each step"),
        value("qfrc_bar", f32, "nqfrcbar", "nv", doc="of applied generalized forces; no steps: not wanted"),
        value("xfrc_bar", wp.spatial_vector, "nxfrcbar", "nbody", doc="of forces on bodies"),
    ],
)
Track = TRACK.struct


@dataclass
class Course:
    """A track and how it is kept.

    Attributes:
        track: arrays of all worlds.
        every: steps from one row that stays to the next.
        kept: number of rows that stay; ``every - 1`` further ones are of the steps between two of them.
    """

    track: Any
    every: int
    kept: int

    def view(self, d: Any) -> Any:
        """The arrays of the worlds of a view."""
        struct = TRACK.struct()
        for f in TRACK.fields:
            array = getattr(self.track, f.name)
            setattr(struct, f.name, array[d.first_world : d.first_world + d.nworld] if array.size else array)
        return struct


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
        state.ctrl[w, i] = track.ctrl[w, t, i]
    if track.qfrc.shape[1] > 0:
        for i in range(lane, size.nv, lanes()):
            state.qfrc_applied[w, i] = track.qfrc[w, t, i]
    if track.xfrc.shape[1] > 0:
        for i in range(lane, size.nbody, lanes()):
            state.xfrc_applied[w, i] = track.xfrc[w, t, i]


@wp.kernel
def _begin(size: Size, state: State, status: Status, track: Track, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        _write_row(size, state, track, w, lane, 0)
        if lane == 0:
            track.clock[w] = 0
            track.resets[w] = status.nonfinite[w]
            track.lost[w] = 0


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
                track.qpos[w, t, i] = state.qpos[w, i]
            for i in range(lane, size.nv, lanes()):
                track.qvel[w, t, i] = state.qvel[w, i]
            for i in range(lane, size.na, lanes()):
                track.act[w, t, i] = state.act[w, i]
            for i in range(lane, size.nsensordata, lanes()):
                track.sensordata[w, t, i] = sense.sensordata[w, i]
        stays = (t + 1) % every == 0
        if (stays or again != 0) and t + 1 < track.qpos.shape[1]:
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
        if lane == 0:
            track.blind[w] = 0


through_worlds(_begin_sweep)


@wp.kernel
def _back(size: Size, state: State, track: Track, linear: Linear, every: int, kept: int, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        t = track.clock[w]
        _read_row(size, state, track, w, lane, _place(t, every, kept))
        _give_inputs(size, state, track, w, lane, t)
        for i in range(lane, track.bar.shape[1], lanes()):
            linear.next_bar[w, i] = track.bar[w, i] + track.next_bar[w, t, i]


through_worlds(_back)


@wp.kernel
def _gather(size: Size, track: Track, linear: Linear, nworld: int):
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        t = track.clock[w]
        sync()
        for i in range(lane, track.bar.shape[1], lanes()):
            track.bar[w, i] = linear.state_bar[w, i]
        for i in range(lane, size.nu, lanes()):
            track.ctrl_bar[w, t, i] = linear.ctrl_bar[w, i]
        if track.qfrc_bar.shape[1] > 0:
            for i in range(lane, size.nv, lanes()):
                track.qfrc_bar[w, t, i] = linear.qfrc_bar[w, i]
        if track.xfrc_bar.shape[1] > 0:
            for i in range(lane, size.nbody, lanes()):
                track.xfrc_bar[w, t, i] = linear.xfrc_bar[w, i]
        if lane == 0:
            track.clock[w] = t - 1
            if linear.blind[w] != 0:
                track.blind[w] = 1 + t
                track.pair[w] = linear.pair[w]


through_worlds(_gather)


def begin(m: Any, d: Any, course: Course) -> None:
    """The present state as the one that the first step begins with.

    Reads   d.state, d.status.nonfinite
    Writes  track.row (the first), clock, resets, lost
    """
    launch(_begin, d, [m.size, d.state, d.status, course.view(d)])


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
    Writes  track.bar, blind
    """
    launch(_begin_sweep, d, [m.size, course.view(d)])


def back(m: Any, d: Any, course: Course, linear: Any) -> None:
    """The state, inputs and adjoint of the step that is next on the way back.

    Reads   track
    Writes  d.state, linear.next_bar
    """
    launch(_back, d, [m.size, d.state, course.view(d), linear, course.every, course.kept])


def gather(m: Any, d: Any, course: Course, linear: Any) -> None:
    """What the adjoint of a step found.

    Reads   linear
    Writes  track
    """
    launch(_gather, d, [m.size, course.view(d), linear])
