"""Zeroed arrays whose pages the system provides when they are first written to.

Capacities are made for the worst state of a world; most worlds never come near it. On a CPU, room that no world has used
costs addresses but no memory: a fresh anonymous mapping is zero without having been written.
"""

from __future__ import annotations

import ctypes
import math
import mmap
from typing import Any

import warp as wp

LEAST = 1 << 18
"""Bytes from which an array gets a mapping of its own; below, whole pages of 4 KiB for each would cost more than they save."""


def zeros_on_host(shape: tuple[int, ...], dtype: Any, device: Any) -> wp.array:
    """An array of zeros in memory of the host, at an address by which the host and kernels on ``device`` reach it.

    What kernels wrote there the host reads by that address without waiting for them (CUDA: page-locked memory, unified addresses).
    """
    device = wp.get_device(device)
    if device.is_cpu:
        return wp.zeros(shape, dtype=dtype, device=device)
    held = wp.zeros(shape, dtype=dtype, device="cpu", pinned=True)

    def release(address: int, number: int, held: wp.array = held) -> None:
        """The memory ends with the last reference to it, which is this function's."""

    return wp.array(ptr=held.ptr, dtype=dtype, shape=shape, capacity=held.capacity, device=device, deleter=release)


def zeros(shape: tuple[int, ...], dtype: Any, device: Any) -> wp.array:
    """An array of zeros; on a CPU a large one occupies what has been written to."""
    size = math.prod(shape) * wp.types.type_size_in_bytes(dtype)
    if not wp.get_device(device).is_cpu or size < LEAST or not hasattr(mmap, "MAP_PRIVATE"):
        return wp.zeros(shape, dtype=dtype, device=device)
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held = ctypes.c_char.from_buffer(pages)

    def release(address: int, number: int, held: Any = held) -> None:
        """The mapping ends with the last reference to it, which is this function's."""

    return wp.array(ptr=ctypes.addressof(held), dtype=dtype, shape=shape, capacity=size, device=device, deleter=release)
