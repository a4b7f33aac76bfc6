"""Rings of the last steps of every world: what a step began with, its inputs, and statistics of its solution.

``d.recorder`` has the arrays: ``ring`` (nworld, steps, width) numbers, ``stats`` (nworld, steps, 6) integers, ``marks`` (nworld, 4): steps recorded
since the beginning, why the ring has stopped, resets before the step, and overflows that were seen. A world that fails keeps what led to it.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lanes
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import State, Status
from newtonish.kernels.structs.history import HistoryState

NONFINITE = wp.constant(1)
OVERFLOW = wp.constant(2)


@wp.func
def _put_floats(source: wp.array2d(dtype=float), ring: wp.array3d(dtype=float), w: int, slot: int, first: int, lane: int) -> int:
    for i in range(lane, source.shape[1], lanes()):
        ring[w, slot, first + i] = source[w, i]
    return first + source.shape[1]


@wp.func
def _put_state(state: State, hist: HistoryState, ring: wp.array3d(dtype=float), w: int, slot: int, lane: int):
    """Everything that the next step follows from, in the order of ``newtonish.mjw.flights.LAYOUT``."""
    if lane == 0:
        ring[w, slot, 0] = state.time[w]
        ring[w, slot, 1] = state.time_low[w]
    first = _put_floats(state.qpos, ring, w, slot, 2, lane)
    first = _put_floats(state.qvel, ring, w, slot, first, lane)
    first = _put_floats(state.act, ring, w, slot, first, lane)
    first = _put_floats(state.qacc_warmstart, ring, w, slot, first, lane)
    first = _put_floats(state.ctrl, ring, w, slot, first, lane)
    first = _put_floats(state.qfrc_applied, ring, w, slot, first, lane)
    for b in range(lane, state.xfrc_applied.shape[1], lanes()):
        for k in range(6):
            ring[w, slot, first + 6 * b + k] = state.xfrc_applied[w, b][k]
    first += 6 * state.xfrc_applied.shape[1]
    for i in range(lane, state.eq_active.shape[1], lanes()):
        ring[w, slot, first + i] = wp.where(state.eq_active[w, i], 1.0, 0.0)
    first += state.eq_active.shape[1]
    for i in range(lane, state.mocap_pos.shape[1], lanes()):
        for k in range(3):
            ring[w, slot, first + 3 * i + k] = state.mocap_pos[w, i][k]
    first += 3 * state.mocap_pos.shape[1]
    for i in range(lane, state.mocap_quat.shape[1], lanes()):
        for k in range(4):
            ring[w, slot, first + 4 * i + k] = state.mocap_quat[w, i][k]
    first += 4 * state.mocap_quat.shape[1]
    first = _put_floats(hist.history, ring, w, slot, first, lane)
    first = _put_floats(hist.plastic, ring, w, slot, first, lane)


@wp.kernel
def _record(state: State, hist: HistoryState, status: Status, ring: wp.array3d(dtype=float), marks: wp.array2d(dtype=int)):
    w, lane = wp.tid()
    if marks[w, 1] == 0:
        _put_state(state, hist, ring, w, marks[w, 0] % ring.shape[1], lane)
        if lane == 0:
            marks[w, 2] = status.nonfinite[w]


@wp.kernel
def _note_failures(status: Status, stats: wp.array3d(dtype=int), marks: wp.array2d(dtype=int)):
    w, lane = wp.tid()
    if lane == 0 and marks[w, 1] == 0:
        slot = marks[w, 0] % stats.shape[1]
        why = wp.int32(0)
        origin = wp.int32(0)
        if status.nonfinite[w] > marks[w, 2]:
            why = NONFINITE
            origin = status.nonfinite_origin[w]
        if (status.overflow[w] & ~marks[w, 3]) != 0:
            why = why | OVERFLOW
        stats[w, slot, 0] = status.ncon[w]
        stats[w, slot, 1] = status.nefc[w]
        stats[w, slot, 2] = status.solver_niter[w]
        stats[w, slot, 3] = status.overflow[w]
        stats[w, slot, 4] = why
        stats[w, slot, 5] = origin
        marks[w, 0] = marks[w, 0] + 1
        marks[w, 1] = why
        marks[w, 3] = status.overflow[w]


@wp.kernel
def _forget_flags(marks: wp.array2d(dtype=int), mask: wp.array(dtype=bool)):
    w, lane = wp.tid()
    if lane == 0 and mask[w]:
        marks[w, 3] = 0


def record(m: Any, d: Any) -> None:
    """Write what a step begins with into the ring of each world that has not failed; it counts when the step has ended.

    Reads   d.state, d.hist, d.status.nonfinite
    Writes  d.recorder (ring, marks).
    """
    ring, _, marks = d.recorder.of(d.first_world, d.nworld)
    launch(_record, d, [d.state, d.hist, d.status, ring, marks])


def note_failures(m: Any, d: Any) -> None:
    """End the record of a step; that of a world which failed in it stops there.

    Reads   d.status (ncon, nefc, solver_niter, nonfinite, nonfinite_origin, overflow)
    Writes  d.recorder (stats, marks).
    """
    _, stats, marks = d.recorder.of(d.first_world, d.nworld)
    launch(_note_failures, d, [d.status, stats, marks])


def forget_flags(d: Any, mask: wp.array) -> None:
    """The overflows of these worlds are cleared."""
    launch(_forget_flags, d, [d.recorder.of(d.first_world, d.nworld)[2], mask])
