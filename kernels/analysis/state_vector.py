"""Copying parts of a state into and out of rows of one array, world by world."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lanes
from newtonish.kernels.runtime.launch import launch


@wp.kernel
def _read(source: wp.array2d(dtype=float), row: wp.array2d(dtype=float), first: int, active: wp.array(dtype=bool)):
    w, lane = wp.tid()
    if active[w]:
        for i in range(lane, source.shape[1], lanes()):
            row[w, first + i] = source[w, i]


@wp.kernel
def _write(target: wp.array2d(dtype=float), row: wp.array2d(dtype=float), first: int, active: wp.array(dtype=bool)):
    w, lane = wp.tid()
    if active[w]:
        for i in range(lane, target.shape[1], lanes()):
            target[w, i] = row[w, first + i]


@wp.kernel
def _read_bool(source: wp.array2d(dtype=bool), row: wp.array2d(dtype=float), first: int, active: wp.array(dtype=bool)):
    w, lane = wp.tid()
    if active[w]:
        for i in range(lane, source.shape[1], lanes()):
            row[w, first + i] = wp.where(source[w, i], 1.0, 0.0)


@wp.kernel
def _write_bool(target: wp.array2d(dtype=bool), row: wp.array2d(dtype=float), first: int, active: wp.array(dtype=bool)):
    w, lane = wp.tid()
    if active[w]:
        for i in range(lane, target.shape[1], lanes()):
            target[w, i] = row[w, first + i] != 0.0


@wp.kernel
def _move(source: wp.array2d(dtype=float), target: wp.array2d(dtype=float), begin: int, first: int, count: int):
    w, lane = wp.tid()
    for i in range(lane, count, lanes()):
        target[w, first + i] = source[w, begin + i]


def as_floats(array: wp.array) -> wp.array:
    """A contiguous array (nworld, ...) of floats, vectors or booleans as (nworld, numbers); nothing is copied."""
    count = 1
    for length in (*array.shape[1:], *getattr(array.dtype, "_shape_", ())):
        count *= length
    dtype = wp.bool if array.dtype == wp.bool else wp.float32
    flat = wp.array(ptr=array.ptr, shape=(array.shape[0], count), dtype=dtype, device=array.device)
    flat._ref = array  # keeps the memory
    return flat


def read_part(d: Any, source: wp.array, row: wp.array, first: int, active: wp.array) -> None:
    """Copy an array of Data into columns of ``row`` from ``first`` on, in the active worlds."""
    kernel = _read_bool if source.dtype == wp.bool else _read
    launch(kernel, d, [as_floats(source), row, first, active])


def write_part(d: Any, target: wp.array, row: wp.array, first: int, active: wp.array) -> None:
    """Copy columns of ``row`` from ``first`` on into an array of Data, in the active worlds."""
    kernel = _write_bool if target.dtype == wp.bool else _write
    launch(kernel, d, [as_floats(target), row, first, active])


def move_part(d: Any, source: wp.array, begin: int, target: wp.array, first: int, count: int) -> None:
    """Copy some columns of one state vector into another."""
    launch(_move, d, [source, target, begin, first, count])
