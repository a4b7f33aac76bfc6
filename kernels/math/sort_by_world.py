"""Sorting items by their world, keeping the order within each world: counting sort by digits, without atomics.

Chunks of items are counted each on its own, a scan over (digit, chunk) gives every chunk its places, and every chunk writes
its items in order; digits go from the lowest to the highest (Knuth, The Art of Computer Programming, volume 3, 5.2.5). On a
CPU one chunk and one digit of as many values as there are worlds do. Nothing is allocated and the host is not asked, so it
can be captured.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lanes, scan_lanes
from newtonish.kernels.runtime.lanes import Choice, variant
from newtonish.kernels.runtime.launch import block_dim, launch_on

_SPAN = 256  # items of a chunk on a GPU
_DIGITS = 64  # values of a digit on a GPU


@wp.func
def chunk_end(c: int, span: int, number: int) -> int:
    return wp.min((c + 1) * span, number)


@wp.kernel
def count_kernel(
    key: wp.array(dtype=wp.int32), order: wp.array(dtype=wp.int32), number: wp.array(dtype=wp.int32), first: int, span: int,
    chunks: int, stride: int, digits: int, table: wp.array(dtype=wp.int32),
):  # fmt: skip
    """How often each digit occurs in a chunk; ``first``: the order is still that of the items."""
    c = wp.tid()
    for digit in range(digits):
        table[digit * chunks + c] = 0
    for i in range(c * span, chunk_end(c, span, number[0])):
        item = i
        if first == 0:
            item = order[i]
        at = (key[item] // stride) % digits * chunks + c
        table[at] = table[at] + 1


@wp.kernel
def scan_kernel(table: wp.array(dtype=wp.int32)):
    """Sums of all entries before each one; one block."""
    _, lane = wp.tid()
    size = table.shape[0]
    span = (size + lanes() - 1) // lanes()
    begin = wp.min(lane * span, size)
    end = wp.min(begin + span, size)
    total = wp.int32(0)
    for i in range(begin, end):
        total += table[i]
    place = scan_lanes(total)
    running = place[0]
    for i in range(begin, end):
        here = table[i]
        table[i] = running
        running += here


@wp.kernel
def place_kernel(
    key: wp.array(dtype=wp.int32), order: wp.array(dtype=wp.int32), number: wp.array(dtype=wp.int32), first: int, span: int,
    chunks: int, stride: int, digits: int, table: wp.array(dtype=wp.int32), result: wp.array(dtype=wp.int32),
):  # fmt: skip
    """Write the items of a chunk to their places."""
    c = wp.tid()
    for i in range(c * span, chunk_end(c, span, number[0])):
        item = i
        if first == 0:
            item = order[i]
        at = (key[item] // stride) % digits * chunks + c
        place = table[at]
        result[place] = item
        table[at] = place + 1


@wp.func
def first_of_world(key: wp.array(dtype=wp.int32), order: wp.array(dtype=wp.int32), number: int, world: int) -> int:
    """Place of the first item of ``world`` or a later one in the sorted order."""
    low = wp.int32(0)
    high = wp.int32(number)
    while low < high:
        middle = (low + high) // 2
        if key[order[middle]] < world:
            low = middle + 1
        else:
            high = middle
    return low


class SortByWorld:
    """Room for sorting up to ``capacity`` items with keys from 0 to ``worlds``.

    Attributes:
        number: How many items there are, at most the capacity; (1,) int32, to be filled before ``run``.
        key: The world of each item, to be filled as well; (capacity,) int32.
        order: The items by world, after ``run``.
    """

    def __init__(self, capacity: int, worlds: int, device: Any) -> None:
        self.device = wp.get_device(device)
        self.capacity = max(1, int(capacity))
        on_gpu = self.device.is_cuda
        self._span = _SPAN if on_gpu else self.capacity
        self._digits = _DIGITS if on_gpu else worlds + 1
        self._chunks = -(-self.capacity // self._span)
        self._strides = [1]
        while self._strides[-1] * self._digits <= worlds:
            self._strides.append(self._strides[-1] * self._digits)
        with wp.ScopedDevice(self.device):
            self.number = wp.zeros(1, dtype=wp.int32)
            self.key = wp.zeros(self.capacity, dtype=wp.int32)
            self._orders = [wp.zeros(self.capacity, dtype=wp.int32) for _ in range(2)]
            self._table = wp.zeros(self._digits * self._chunks, dtype=wp.int32)
        self.order = self._orders[len(self._strides) % 2]

    def run(self) -> None:
        """Sort the items."""
        source, target = self._orders
        for i, stride in enumerate(self._strides):
            inputs = [self.key, source, self.number, int(i == 0), self._span, self._chunks, stride, self._digits, self._table]
            self._launch(count_kernel, self._chunks, inputs)
            self._scan([self._table])
            self._launch(place_kernel, self._chunks, [*inputs, target])
            source, target = target, source

    def _scan(self, inputs: list[Any]) -> None:
        """Launch the one block whose lanes share the table out."""
        lanes = block_dim(self.device)
        kernel = variant(scan_kernel, Choice(lanes)) if lanes > 1 else scan_kernel
        launch_on(kernel, self.device, (1, lanes), inputs, block_dim=lanes)

    def _launch(self, kernel: wp.Kernel, dim: Any, inputs: list[Any]) -> None:
        """Launch with the block size that the module was loaded for."""
        launch_on(kernel, self.device, dim, inputs, block_dim=block_dim(self.device))
