"""Many independent tasks, each done once, in order of their numbers whatever the order in which they end."""

from __future__ import annotations

import hashlib
import json
import pickle
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from newtonish.distributed.fingerprint import fingerprint
from newtonish.distributed.pool import Function, Pool, Task, TaskFailed, Worker, WorkerLost, make_pool
from newtonish.errors import ModelError, problem
from newtonish.files import read_file, write_file

__all__ = ["Outcome", "sweep"]

_MOST_LOSSES = 3
"""Workers that may die at one task before it is taken for the cause."""


@dataclass(frozen=True)
class Outcome:
    """What became of a sweep.

    Attributes:
        results: by number of the task; all of them, unless it was interrupted.
        lost: workers that died and were replaced.
        resumed: results that came from the folder of an earlier call.
    """

    results: dict[int, Any]
    lost: int
    resumed: int

    def __iter__(self) -> Any:
        return (self.results[index] for index in sorted(self.results))


def sweep(
    function: Function, arguments: Sequence[Any], *, workers: int = 0, each: Worker | None = None, seed: int = 0, address: str | None = None,
    folder: str | PathLike[str] | None = None, progress: Callable[[int, int, float], None] | None = None, begun: Callable[[Pool], None] | None = None,
) -> Outcome:  # fmt: skip
    """Call a function for each argument, spread over workers.

    Args:
        function: takes an argument and a NumPy generator, whose numbers follow from ``seed`` and the argument's place alone. It must be one that a new
            process can import or that pickles, and depend on nothing else.
        arguments: one for each task.
        workers: Ray actors; 0: this process, without Ray.
        each: what each worker has to itself; None: one core.
        seed: of the random numbers.
        address: of a Ray cluster; None: the one that is set up, or this machine.
        folder: results are kept there as they come, and those that are there are not computed again; one of another function, other arguments or another seed is refused. Only read
            folders of your own: results are pickled.
        progress: called with tasks done, tasks in all and seconds left, as far as can be told.
        begun: called with the pool once it is there.

    Returns:
        The results. An interrupt (KeyboardInterrupt) leaves those that had come.

    Raises:
        WorkerLost: three workers died at the same task.
        TaskFailed: the function raised an exception.
        UnsupportedError: workers were asked for and Ray is not installed.
        ModelError: a number is out of range, or the folder is of another sweep.
    """
    store = _Store(folder, len(arguments), seed, fingerprint((function, list(arguments)))) if folder is not None else None
    results = store.load() if store is not None else {}
    resumed = len(results)
    waiting = deque(Task(index, argument) for index, argument in enumerate(arguments) if index not in results)
    if not waiting:
        return Outcome(results, 0, resumed)
    pool = make_pool(function, seed, workers, each or Worker(), address)
    lost = 0
    try:
        if begun is not None:
            begun(pool)
        lost = _work(pool, waiting, results, store, len(arguments), progress)
    except KeyboardInterrupt:
        pass
    finally:
        pool.close()
    return Outcome(results, lost, resumed)


def _work(
    pool: Pool, waiting: deque[Task], results: dict[int, Any], store: _Store | None, total: int, progress: Callable[[int, int, float], None] | None,
) -> int:  # fmt: skip
    """Hand out tasks until each has its result; how many workers were lost."""
    losses: dict[int, int] = {}
    begin, before, running = time.perf_counter(), len(results), 0
    while waiting or running:
        while waiting and pool.idle():
            pool.give(waiting.popleft())
            running += 1
        try:
            task, result, whole = pool.take()
        except Exception as error:
            given = f"{type(error).__name__}: {error}"
            raise TaskFailed(
                problem(
                    "sweep: function", given, "functions that return a result for each argument", "mend it; what had come is in the folder, if there is one"
                )
            ) from error
        running -= 1
        if not whole:
            losses[task.number] = losses.get(task.number, 0) + 1
            if losses[task.number] >= _MOST_LOSSES:
                given = f"{_MOST_LOSSES} workers that died at it"
                raise WorkerLost(problem(f"task {task.number}", given, "tasks that a worker survives", "look at its memory, and call it here with workers=0"))
            waiting.appendleft(task)
            continue
        results[task.number] = result
        if store is not None:
            store.keep(task.number, result)
        if progress is not None:
            done = len(results)
            progress(done, total, (time.perf_counter() - begin) / (done - before) * (total - done))
    return sum(losses.values())


class _Store:
    """Results in a folder, a file for each task, written whole or not at all."""

    def __init__(self, folder: str | PathLike[str], total: int, seed: int, content: str) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._head = {"format": "newtonish sweep 2", "tasks": total, "seed": seed, "content": content}
        path = self._folder / "sweep.json"
        if not path.exists():
            write_file(path, json.dumps(self._head))
        elif json.loads(read_file(path, 1 << 16)) != self._head:
            raise ModelError(problem(f"folder '{folder}'", "results of another sweep", "those of this function, arguments and seed", "name another folder"))

    def load(self) -> dict[int, Any]:
        """Results that are there; a damaged one counts as missing."""
        found = {}
        for path in sorted(self._folder.glob("task_*.pickle")):
            contents = read_file(path, 1 << 34)
            if hashlib.sha256(contents[32:]).digest() == contents[:32]:
                found[int(path.stem.removeprefix("task_"))] = pickle.loads(contents[32:])
        return found

    def keep(self, index: int, result: Any) -> None:
        """Write a result."""
        contents = pickle.dumps(result)
        write_file(self._folder / f"task_{index}.pickle", hashlib.sha256(contents).digest() + contents)
