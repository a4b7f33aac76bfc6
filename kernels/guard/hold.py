"""Worlds that stop where they were when a number was not finite, and the signal by which the host learns of a reset.

The automatic reset has put such a world into the reference pose by the time these kernels see it. ``d.guard`` has what they need: a copy of the
state as ``kept``, the counts of resets before the step, and the signal, which lies in memory of the host.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lanes, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.runtime.nonfinite import is_bad
from newtonish.kernels.structs.data import State, Status
from newtonish.kernels.structs.model import Size


@wp.func_native("*(volatile int*)signal.data = 1;")
def _signal_reset(signal: wp.array(dtype=int)):
    """Several worlds may do so at once, and the host reads it at any time."""
    ...


@wp.func
def _move_state(size: Size, source: State, target: State, w: int, lane: int):
    """Copy what the automatic reset changes."""
    for i in range(lane, size.nq, lanes()):
        target.qpos[w, i] = source.qpos[w, i]
    for i in range(lane, size.nv, lanes()):
        target.qvel[w, i] = source.qvel[w, i]
        target.qacc_warmstart[w, i] = source.qacc_warmstart[w, i]
    for i in range(lane, size.na, lanes()):
        target.act[w, i] = source.act[w, i]
    for i in range(lane, size.neq, lanes()):
        target.eq_active[w, i] = source.eq_active[w, i]
    for i in range(lane, source.mocap_pos.shape[1], lanes()):
        target.mocap_pos[w, i] = source.mocap_pos[w, i]
        target.mocap_quat[w, i] = source.mocap_quat[w, i]
    if lane == 0:
        target.time[w] = source.time[w]
        target.time_low[w] = source.time_low[w]


@wp.kernel
def _remember(size: Size, state: State, status: Status, kept: State, counts: wp.array2d(dtype=int)):
    w, lane = wp.tid()
    _move_state(size, state, kept, w, lane)
    if lane == 0:
        counts[w, 0] = status.nonfinite[w]
        counts[w, 1] = status.nonfinite_origin[w]


@wp.kernel
def _count(status: Status, counts: wp.array2d(dtype=int)):
    w, lane = wp.tid()
    if lane == 0:
        counts[w, 0] = status.nonfinite[w]


@wp.kernel
def _hold(size: Size, state: State, status: Status, kept: State, counts: wp.array2d(dtype=int)):
    w, lane = wp.tid()
    bad = int(0)
    for i in range(lane, size.nq, lanes()):
        if is_bad(kept.qpos[w, i]):
            bad += 1
    for i in range(lane, size.nv, lanes()):
        if is_bad(kept.qvel[w, i]):
            bad += 1
    for i in range(lane, size.na, lanes()):
        if is_bad(kept.act[w, i]):
            bad += 1
    failed = status.nonfinite[w] > 0
    fit = sum_lanes_int(bad) == 0
    sync()  # all lanes have read what the first one writes
    if failed and fit:  # else there is nothing better than the reference pose
        _move_state(size, kept, state, w, lane)
    if failed and lane == 0 and counts[w, 0] > 0:  # it had stopped before: this was no other reset
        status.nonfinite[w] = counts[w, 0]
        status.nonfinite_origin[w] = counts[w, 1]
    sync()


@wp.kernel
def _signal(status: Status, counts: wp.array2d(dtype=int), signal: wp.array(dtype=int)):
    w, lane = wp.tid()
    if lane == 0 and status.nonfinite[w] > counts[w, 0]:
        _signal_reset(signal)


def remember(m: Any, d: Any) -> None:
    """Keep the state at the start of a step.

    Reads   m.size; d.state, d.status (nonfinite, nonfinite_origin)
    Writes  d.guard.
    """
    kept, counts = d.guard.of(d.first_world, d.nworld)
    if d.guard.stops:
        launch(_remember, d, [m.size, d.state, d.status, kept, counts])
    else:
        launch(_count, d, [d.status, counts])


def attend(m: Any, d: Any) -> None:
    """Put worlds that were reset since their last ``reset_data`` back to the start of the step, or signal those that were reset in it.

    Reads   m.size; d.guard, d.status.nonfinite
    Writes  d.state and d.status (nonfinite, nonfinite_origin) of worlds that stop.
    """
    kept, counts = d.guard.of(d.first_world, d.nworld)
    if d.guard.stops:
        launch(_hold, d, [m.size, d.state, d.status, kept, counts])
    else:
        launch(_signal, d, [d.status, counts, d.guard.signal])
