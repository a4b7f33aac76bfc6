"""A function of (m, d) as tables of kernel calls, which a native loop runs on a CPU.

Kernels are entered as ``entry(bounds, arguments)``, the way of the versions of Warp that ``newtonish.kernels.runtime.launch`` knows.

What the function launches is gathered for the first two groups of worlds. Their arguments differ in addresses alone, by the same
amount from each group to the next, and so from world to world: a thread has one copy of the arguments and moves those words when it
takes another group, which may be smaller.
The last full group is gathered too and has to follow from the first two; where it does not, there are no tables.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import warp as wp

from newtonish.kernels.runtime.launch import gathered, goes_through_worlds
from newtonish.kernels.runtime.sequence import sequence_kernel
from newtonish.kernels.structs.container import Data, Model

__all__ = ["Calls", "NoTable"]

Counter = tuple[wp.array, int]

# bytes of a group's arrays: about what the second-level cache of a core holds
_GROUP_BYTES = 1 << 20
_MOST_WORLDS = 64
# where there are several threads, groups are at most so small a part of what is left for each of them, and of the largest group
_PARTS_OF_REST, _PARTS_OF_GROUP = 2, 8
_ALIGNMENT = 64
_Entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_Grid = tuple[int, int, int]


class NoTable(Exception):
    """The launches of the groups do not follow from each other, or are not of the expected kind."""


def group_size(nworld: int, threads: int, nbytes: int) -> int:
    """Most worlds that go through a step together.

    Args:
        nworld: number of worlds.
        threads: that share them out.
        nbytes: of the arrays of all worlds.
    """
    size = min(max(1, _GROUP_BYTES * nworld // max(1, nbytes)), nworld, _MOST_WORLDS)
    # at least two full groups tell how arguments move, and each thread has scratch where a group of its own begins
    return size if threads == 1 and size == nworld else max(1, min(size, nworld // max(2, threads)))


class _Launches:
    """The launches of a function for the worlds ``first`` to ``last - 1``, and all their arguments in one row of words.

    Scratch of one world at a time is that of the world ``slot``.

    Attributes:
        commands: Warp's commands; they hold the modules, and with the views the arrays.
        words: Launch bounds and arguments of one command after another.
        places: For each command the positions of its bounds, its arguments and the last of these in that row [bytes].
    """

    def __init__(self, function: Callable[[Model, Data], None], m: Model, d: Data, first: int, last: int, slot: int = 0):
        self.views = m.view(first, last), d.view(first, last, slot)
        with gathered() as self.commands:
            function(*self.views)
        parts, self.places, end = [], [], 0
        for command in self.commands:
            bounds, members = _padded(bytes(command.bounds)), _members(command)
            arguments = end + len(bounds)
            self.places.append((end, arguments, arguments + sum(map(len, members[:-1]))))
            parts += [bounds, _padded(b"".join(members))]
            end = arguments + len(parts[-1])
        self.words = np.frombuffer(b"".join(parts), dtype=np.int64)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % _ALIGNMENT)


def _members(command: wp.Launch) -> list[bytes]:
    """The arguments of a launch as members of one C struct: each at a multiple of its alignment."""
    parts, end = [], 0
    for value in command.params[1:]:
        content = bytes(value)
        gap = -end % ctypes.alignment(value)
        parts += [bytes(gap), content]
        end += gap + len(content)
    return parts


def _grid(command: wp.Launch, worlds: int) -> _Grid:
    """Offset of the number of threads in the launch bounds, first extent of the grid a world, threads a unit of it."""
    bounds: Any = command.bounds
    extent, size = int(bounds.shape[0]), int(bounds.size)
    if goes_through_worlds(command.kernel):
        return type(bounds).size.offset, 0, 0  # the grid stays as it is
    if extent % worlds or extent == 0 or size % extent or int(bounds.coord_mult) != 1:
        raise NoTable(f"{command.kernel.key}: a grid of {extent} for {worlds} worlds")
    return type(bounds).size.offset, extent // worlds, size // extent


def _address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _start(array: np.ndarray) -> int:
    return int(array.ctypes.data)


def _task(header: np.ndarray, kept: tuple[Any, ...]) -> partial[None]:
    """What one thread runs: calls with arguments of its own, until no group is left. Python's interpreter lock is free meanwhile."""
    command = wp.launch(sequence_kernel, dim=1, inputs=[_start(header)], device="cpu", record_cmd=True)
    argument = ctypes.c_uint64(_start(header))
    run = partial(_Entry(_address(command.hooks.forward)), ctypes.addressof(command.bounds), ctypes.addressof(argument))
    run.__dict__["header"], run.__dict__["kept"] = header, (*kept, command, argument)  # live as long as it does
    return run


def _table(plan: np.ndarray, base: _Launches, increase: np.ndarray, grids: list[_Grid], counters: np.ndarray, copies: np.ndarray) -> partial[None]:
    """The task of one thread."""
    room = np.zeros(len(base.words) + _ALIGNMENT // 8, dtype=np.int64)
    first = -_start(room) % _ALIGNMENT // 8
    words = room[first : first + len(base.words)]
    words[:] = base.words
    start, moved = _start(words), np.flatnonzero(increase)
    patches = np.stack([start + 8 * moved, base.words[moved], increase[moved]], axis=1).astype(np.int64)
    rows = []
    for command, (bounds, arguments, last), grid in zip(base.commands, base.places, grids, strict=True):
        number = start + last if goes_through_worlds(command.kernel) else 0
        rows.append((_address(command.hooks.forward), start + bounds, start + arguments, *grid, number))
    calls = np.array(rows, dtype=np.int64).reshape(-1, 7)
    tables = [entry for table in (calls, patches, counters, copies) for entry in (_start(table), len(table))]
    header = np.array([_start(plan), *tables, 0, 0], dtype=np.int64)
    return _task(header, (room, patches, calls, counters, copies, plan))


class Calls:
    """The calls of a function for all worlds, on one or more threads.

    Args:
        function: what launches kernels on every world, by ``newtonish.kernels.runtime.launch`` alone; its attribute ``works_on``, if it has one, tells
            of ``m`` and ``d`` how many bytes it goes through beside the arrays of the data.
        m: model.
        d: data on a CPU.
        threads: that share the worlds out.
        counters: integers of every world, and how large each of them may become.
        copies: address of a copy and of its original, and bytes of a world: what is kept as it is before the steps of a run.

    Raises:
        NoTable: the function launches something else.

    Attributes:
        size: Most worlds of a group.
        tasks: What each thread runs.
    """

    def __init__(self, function: Callable[[Model, Data], None], m: Model, d: Data, threads: int, counters: list[Counter], copies: Sequence[_Grid] = ()):
        beside = function.__dict__["works_on"](m, d) if hasattr(function, "works_on") else 0
        self.size = group_size(d.nworld, threads, d.nbytes() + beside)
        full = d.nworld // self.size
        firsts = sorted({0, min(1, full - 1), full - 1})
        launches = [_Launches(function, m, d, i * self.size, (i + 1) * self.size) for i in firsts]
        base = launches[0]
        if any(command.block_dim != 1 for one in launches for command in one.commands):
            raise NoTable(f"{function.__name__}: blocks of several threads")
        if not _alike(launches):
            raise NoTable(f"{function.__name__}: groups of worlds are launched in different ways")
        increase = launches[min(1, len(launches) - 1)].words - base.words
        follows = all((base.words + i * increase == one.words).all() for i, one in zip(firsts, launches, strict=True))
        if not follows or (increase % self.size).any():
            raise NoTable(f"{function.__name__}: arguments of groups of worlds do not follow from each other")
        if any(array.strides[0] != 4 for array, _ in counters):
            raise NoTable("counters that are not contiguous")
        grids = [_grid(command, self.size) for command in base.commands]
        watched = np.array([(a.ptr, 4, room) for a, room in counters], dtype=np.int64).reshape(-1, 3)
        kept = np.array(copies, dtype=np.int64).reshape(-1, 3)
        count = max(1, min(threads, full))
        fewest = self.size if count == 1 else max(1, self.size // _PARTS_OF_GROUP)
        self._plan = np.array([0, 0, 0, d.nworld, self.size, fewest, _PARTS_OF_REST * count], dtype=np.int64)
        self._fields = memoryview(self._plan.data)  # quicker to read and write
        self._launches = launches
        # scratch of its own for each thread, as far apart as groups are; all of its groups use the same
        launches += [_Launches(function, m, d, 0, self.size, i * self.size) for i in range(1, count)]
        bases = [base, *launches[len(firsts) :]]
        self.tasks: list[Callable[[], None]] = [_table(self._plan, one, increase // self.size, grids, watched, kept) for one in bases]

    def watching(self, watched: Sequence[tuple[int, int]]) -> tuple[Callable[[], None], memoryview]:
        """The first thread's task for all worlds, begun anew each time, unless a watched number is another one than now.

        Args:
            watched: address and number of 32-bit integers.

        Returns:
            What runs it; and where it reads, second in a row, how often to call the function, and leaves, third in a row, 0 if it did, 1 if it
            did and a world lacked room, 2 if it did not.
        """
        then = [np.ctypeslib.as_array((ctypes.c_int32 * count).from_address(address)).copy() for address, count in watched]
        rows = [(address, _start(was), count) for (address, count), was in zip(watched, then, strict=True)]
        watches = np.array(rows, dtype=np.int64).reshape(-1, 3)
        first = self.tasks[0].__dict__
        header = first["header"].copy()
        header[-2:] = _start(watches), len(watches)
        return _task(header, (first["kept"], then, watches)), self._fields

    def begin(self, steps: int) -> None:
        """Let the next run of the tasks call the function ``steps`` times for every group."""
        fields = self._fields
        fields[0], fields[1], fields[2] = 0, steps, 0

    def is_full(self) -> bool:
        """Whether some world wanted more room than there is in the last run."""
        return self._fields[2] != 0


def _alike(launches: list[_Launches]) -> bool:
    """Whether all groups launch the same kernels on the same grids."""
    kinds = [[(command.kernel, bytes(command.bounds)) for command in one.commands] for one in launches]
    return all(kind == kinds[0] for kind in kinds)
