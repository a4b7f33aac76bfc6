"""Rows of a caller's arrays that a rollout reads and writes, step by step: controls in, states and sensors out.

The arrays change from call to call while the recording of a step stays, so kernels find rows by addresses that a call writes into a table:
for each kind of row the address of the first one, and the bytes from world to world and from step to step. Which step a world is at, it
counts itself; whoever takes steps again puts the count back along with the state.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lanes
from newtonish.kernels.runtime.launch import launch, launch_on

CONTROL, STATE, SENSORS, START, WARMSTART = range(5)
KINDS = 5
"""Kinds of rows: of each step the first three, and where worlds begin."""


@wp.func
def _address(table: wp.array2d(dtype=wp.uint64), kind: int, world: int, step: int):
    return table[kind, 0] + wp.uint64(world) * table[kind, 1] + wp.uint64(step) * table[kind, 2]


@wp.kernel
def _take(target: wp.array2d(dtype=float), table: wp.array2d(dtype=wp.uint64), steps: wp.array(dtype=int), kind: int, begin: int, first_world: int):
    w, lane = wp.tid()
    count = target.shape[1]
    row = wp.array(ptr=_address(table, kind, first_world + w, steps[w]), shape=(begin + count,), dtype=float)
    for i in range(lane, count, lanes()):
        target[w, i] = row[begin + i]


@wp.kernel
def _take_bool(target: wp.array2d(dtype=bool), table: wp.array2d(dtype=wp.uint64), steps: wp.array(dtype=int), kind: int, begin: int, first_world: int):
    w, lane = wp.tid()
    count = target.shape[1]
    row = wp.array(ptr=_address(table, kind, first_world + w, steps[w]), shape=(begin + count,), dtype=float)
    for i in range(lane, count, lanes()):
        target[w, i] = row[begin + i] != 0.0


@wp.kernel
def _give(source: wp.array2d(dtype=float), table: wp.array2d(dtype=wp.uint64), steps: wp.array(dtype=int), kind: int, begin: int, first_world: int):
    w, lane = wp.tid()
    count = source.shape[1]
    row = wp.array(ptr=_address(table, kind, first_world + w, steps[w]), shape=(begin + count,), dtype=float)
    for i in range(lane, count, lanes()):
        row[begin + i] = source[w, i]


@wp.kernel
def _give_bool(source: wp.array2d(dtype=bool), table: wp.array2d(dtype=wp.uint64), steps: wp.array(dtype=int), kind: int, begin: int, first_world: int):
    w, lane = wp.tid()
    count = source.shape[1]
    row = wp.array(ptr=_address(table, kind, first_world + w, steps[w]), shape=(begin + count,), dtype=float)
    for i in range(lane, count, lanes()):
        row[begin + i] = wp.where(source[w, i], 1.0, 0.0)


@wp.kernel
def _clear(target: wp.array2d(dtype=float)):
    w, lane = wp.tid()
    for i in range(lane, target.shape[1], lanes()):
        target[w, i] = 0.0


@wp.kernel
def _count(steps: wp.array(dtype=int), begins: bool):
    w, lane = wp.tid()
    if lane == 0:
        steps[w] = wp.where(begins, 0, steps[w] + 1)


@wp.kernel
def _place(table: wp.array2d(dtype=wp.uint64), kind: int, address: wp.uint64, per_world: wp.uint64, per_step: wp.uint64):
    table[kind, 0] = address
    table[kind, 1] = per_world
    table[kind, 2] = per_step


def take(d: Any, target: wp.array, table: wp.array, steps: wp.array, kind: int, begin: int) -> None:
    """Copy columns of this step's rows from ``begin`` on into an array (nworld, numbers) of floats or booleans."""
    launch(_take_bool if target.dtype == wp.bool else _take, d, [target, table, steps, kind, begin, d.first_world])


def give(d: Any, source: wp.array, table: wp.array, steps: wp.array, kind: int, begin: int) -> None:
    """Copy an array (nworld, numbers) of floats or booleans into columns of this step's rows from ``begin`` on."""
    launch(_give_bool if source.dtype == wp.bool else _give, d, [source, table, steps, kind, begin, d.first_world])


def clear(d: Any, target: wp.array) -> None:
    """Zero an array (nworld, numbers) of floats."""
    launch(_clear, d, [target])


def count(d: Any, steps: wp.array, begins: bool = False) -> None:
    """Let every world be at its first step, or at the next one."""
    launch(_count, d, [steps, begins])


def place(table: wp.array, kind: int, address: int, per_world: int, per_step: int) -> None:
    """Write a row of the table on the device."""
    launch_on(_place, table.device, 1, [table, kind, address, per_world, per_step], block_dim=1)
