"""Who does the work: this process, or Ray actors, each with a GPU or a set of cores of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from newtonish.errors import ModelError, NewtonishError, UnsupportedError, problem

__all__ = ["LocalPool", "Pool", "RayPool", "Task", "TaskFailed", "Worker", "WorkerLost", "make_pool"]

Function = Callable[[Any, np.random.Generator], Any]


class WorkerLost(NewtonishError, RuntimeError):
    """Workers died again and again at one task."""


class TaskFailed(NewtonishError, RuntimeError):
    """A task's function raised an exception; it is the cause."""


@dataclass(frozen=True)
class Worker:
    """What each worker has to itself.

    Attributes:
        cores: CPU cores, which are the threads of a step.
        gpus: GPUs, 0 or 1.
    """

    cores: int = 1
    gpus: int = 0

    def __post_init__(self) -> None:
        if self.cores < 1 or self.gpus not in (0, 1):
            raise ModelError(
                problem("Worker", f"{self.cores} cores, {self.gpus} GPUs", "at least 1 core, 0 or 1 GPU", "take more workers rather than more GPUs for each")
            )

    @property
    def device(self) -> str:
        """The Warp device of its models: each worker sees its own GPU alone."""
        return "cuda:0" if self.gpus else "cpu"


class Task(NamedTuple):
    """A piece of work: its number in the whole, and what the function is given."""

    number: int
    argument: Any


class Pool(Protocol):
    """Workers that take tasks."""

    def idle(self) -> bool:
        """Whether one of them has nothing to do."""

    def give(self, task: Task) -> None:
        """Give a task to an idle one."""

    def take(self) -> tuple[Task, Any, bool]:
        """Wait for any to end: its task, the result, and whether there is one; False if its worker died and was replaced."""

    def close(self) -> None:
        """Send them home."""


def generator(seed: int, index: int) -> np.random.Generator:
    """The random numbers of a task: they follow from the seed and its number alone."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))


class LocalPool:
    """This process, one task after another."""

    def __init__(self, function: Function, seed: int) -> None:
        self._function, self._seed = function, seed
        self._task: Task | None = None

    def idle(self) -> bool:
        return self._task is None

    def give(self, task: Task) -> None:
        self._task = task

    def take(self) -> tuple[Task, Any, bool]:
        assert self._task is not None
        task, self._task = self._task, None
        return task, self._function(task.argument, generator(self._seed, task.number)), True

    def close(self) -> None:
        self._task = None


class _Actor:
    """What runs in a worker's process."""

    def __init__(self, function: Function, seed: int) -> None:
        self._function, self._seed = function, seed

    def do(self, index: int, argument: Any) -> Any:
        return self._function(argument, generator(self._seed, index))

    def process(self) -> int:
        return os.getpid()


class RayPool:
    """Ray actors. One that dies is replaced, and its task comes back.

    Args:
        function: what tasks do.
        seed: of their random numbers.
        workers: how many.
        each: what each has.
        address: of a cluster; None: the one that Ray finds, or a new one on this machine.
        environment: variables of the workers' environment.
    """

    def __init__(
        self, function: Function, seed: int, workers: int, each: Worker, address: str | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._ray = ray = _library()
        self._ours = not ray.is_initialized()
        if self._ours:
            local: dict[str, Any] = {} if address else {"num_cpus": workers * each.cores, "include_dashboard": False}
            ray.init(address=address, log_to_driver=False, ignore_reinit_error=True, **local)
        variables = {
            "NEWTONISH_NUM_THREADS": str(each.cores),
            "OMP_NUM_THREADS": str(each.cores),
            "OPENBLAS_NUM_THREADS": str(each.cores),
            **(environment or {}),
        }
        options = {"num_cpus": each.cores, "num_gpus": each.gpus, "max_restarts": 0, "runtime_env": {"env_vars": variables}}
        self._make = lambda: ray.remote(_Actor).options(**options).remote(function, seed)
        self.actors = [self._make() for _ in range(workers)]
        self._running: dict[Any, tuple[Any, Task]] = {}

    def idle(self) -> bool:
        return len(self._running) < len(self.actors)

    def give(self, task: Task) -> None:
        busy = [actor for actor, _ in self._running.values()]
        actor = next(actor for actor in self.actors if not any(actor is other for other in busy))
        self._running[actor.do.remote(task.number, task.argument)] = actor, task

    def take(self) -> tuple[Task, Any, bool]:
        done, _ = self._ray.wait(list(self._running), num_returns=1)
        actor, task = self._running.pop(done[0])
        try:
            return task, self._ray.get(done[0]), True
        except self._ray.exceptions.RayTaskError as error:
            raise error.as_instanceof_cause() from None
        except self._ray.exceptions.RayError:  # it died, or its machine did
            self.actors[next(k for k, other in enumerate(self.actors) if other is actor)] = self._make()
            return task, None, False

    def processes(self) -> list[int]:
        """Numbers of the workers' processes."""
        return self._ray.get([actor.process.remote() for actor in self.actors])

    def close(self) -> None:
        for actor in self.actors:
            self._ray.kill(actor)
        if self._ours:
            self._ray.shutdown()


def make_pool(function: Function, seed: int, workers: int, each: Worker, address: str | None) -> Pool:
    """Ray actors; with 0 workers this process."""
    if workers < 0:
        raise ModelError(problem("workers", repr(workers), "0 or more", "0 stands for this process"))
    return LocalPool(function, seed) if workers == 0 else RayPool(function, seed, workers, each, address)


def _library() -> Any:
    try:
        import ray
    except ImportError:
        raise UnsupportedError(
            problem("workers", "no library ray", "0 workers, which is this process, or an installed Ray", "pip install newtonish[ray]")
        ) from None
    return ray
