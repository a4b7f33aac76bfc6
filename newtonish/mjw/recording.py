"""A function of (m, d) recorded once, to be run again and again: native calls on a CPU, else a graph.

Worlds do not touch each other, so a group of the worlds is a smaller problem of the same kind, and threads share the groups out.
A run leaves Python's interpreter lock, which is what lets threads run side by side.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import warp as wp

from newtonish.errors import NewtonishWarning, problem
from newtonish.kernels.runtime.launch import KNOWN_WARP, is_known
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.calls import Calls, NoTable
from newtonish.mjw.matching import options
from newtonish.mjw.overflow import demands
from newtonish.mjw.snapshot import Snapshot

__all__ = ["Recording", "lack_room", "side_by_side"]

_pools: dict[str, tuple[int, ThreadPoolExecutor]] = {}
_warned: set[str] = set()  # untested versions of Warp


class Recording:
    """A function for one version of a model and a data.

    Holds the model, so that no other one can take its place while this lives.

    Args:
        function: launches kernels on every world.
        m: model.
        d: data.
        threads: that run it on a CPU, at most as many as there are worlds.
        snapshot: is taken before every run; None: nothing is kept.

    Attributes:
        calls: Native calls, None where graphs are replayed.
        snapshot: What the last run began with.
    """

    def __init__(self, function: Callable[[Model, Data], None], m: Model, d: Data, threads: int, snapshot: Snapshot | None = None):
        self.snapshot = snapshot
        self._m, self._versions = m, (m.version, d.version)
        self._options, self._callbacks, self._watching = options(m), m.callback.key(), m.watching
        count = 1 if d.device.is_cuda else max(1, min(threads, d.nworld))
        counters = [] if d.device.is_cuda else _counters(d)
        self._rooms = [(wanted.numpy(), room) for wanted, room in counters]
        self.calls = None
        warn_of_untested_warp()
        # functions of the user's may copy and fill arrays, which only a graph records
        if is_known() and not d.device.is_cuda and not any(self._callbacks):
            with suppress(NoTable):
                self.calls = Calls(function, m, d, count, counters, () if snapshot is None else snapshot.pairs)
        self._kept = snapshot if snapshot is not None and (self.calls is None or snapshot.has_more) else None  # native calls copy all but that
        self._tasks = self._capture(function, m, d, count) if self.calls is None else self.calls.tasks

    @property
    def keeps_more(self) -> bool:
        """Whether something has to be kept before a run that native calls do not copy."""
        return self._kept is not None

    def _capture(self, function: Callable[[Model, Data], None], m: Model, d: Data, count: int) -> list[Callable[[], None]]:
        """Replays of a graph for each thread, over a slice of the worlds."""
        bounds = [d.nworld * i // count for i in range(count + 1)]
        self._views = [(m.view(a, b), d.view(a, b)) for a, b in itertools.pairwise(bounds)]  # hold the arrays
        graphs = []
        for m_view, d_view in self._views:
            with wp.ScopedCapture(device=d.device) as capture:
                function(m_view, d_view)
            graphs.append(capture.graph)
        return [partial(wp.capture_launch, graph) for graph in graphs]

    def serves(self, m: Model, d: Data) -> bool:
        """Whether this is still what the function does with ``m`` and ``d``; the quickest looks come first."""
        of_model, of_data = self._versions
        return (
            self._m is m
            and of_model == m.version
            and of_data == d.version
            and self._watching == m.watching
            and self._callbacks == m.callback.key()
            and self._options == options(m)
        )

    def replay(self, steps: int = 1) -> bool:
        """Run the function ``steps`` times on every world.

        Returns:
            Whether some world wanted more room than there is, False on a GPU, where the answer would have to be waited for.
        """
        calls = self.calls
        if self._kept is not None:
            self._kept.take(whole=calls is None)
        if calls is not None:
            calls.begin(steps)
            if len(self._tasks) == 1:
                self._tasks[0]()
            else:
                side_by_side(self._tasks)
            return calls.is_full()
        full = False
        for _ in range(steps):
            side_by_side(self._tasks)
            full = full or any(wanted.max() > room for wanted, room in self._rooms)
        return full


def warn_of_untested_warp() -> None:
    """Warn once in a process that the installed Warp is not of a tested version, and of what is slower with it."""
    if is_known() or wp.__version__ in _warned:
        return
    _warned.add(wp.__version__)
    tested = " or ".join(f"{version}*" for version in KNOWN_WARP)
    remedy = (
        "it may well work, but on a CPU steps take 1.1 to 1.5 times as long, up to 4 times in a single small world, and first starts "
        f"1.3 times, as what rests on Warp's inside is left out: install 'warp-lang=={tested}'"
    )
    warnings.warn(problem("warp-lang", f"untested version {wp.__version__}", tested, remedy), NewtonishWarning, stacklevel=2)


def _counters(d: Data) -> list[tuple[wp.array, int]]:
    """What worlds wanted of each capacity that grows, and the room there is."""
    return [(room.wanted, room.capacity) for room in demands(d)] + [(d.status.nhessian_needed, d.nhessian)] * d.sparse


def lack_room(d: Data) -> bool:
    """Whether some world wanted more room than there is since its last reset; waits for the device."""
    return any(int(wanted.numpy().max(initial=0)) > room for wanted, room in _counters(d))


def side_by_side(tasks: list[Callable[[], None]]) -> None:
    """Run all tasks, the first one in this thread."""
    if len(tasks) == 1:
        tasks[0]()
        return
    others = [_pool(len(tasks) - 1).submit(task) for task in tasks[1:]]
    tasks[0]()
    for other in others:
        other.result()


def _pool(size: int) -> ThreadPoolExecutor:
    if "pool" not in _pools or _pools["pool"][0] < size:
        _pools["pool"] = size, ThreadPoolExecutor(size, thread_name_prefix="newtonish")
    return _pools["pool"][1]
