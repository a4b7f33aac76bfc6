"""What the benchmark asks of an engine, and this package's own engine behind that interface."""

from __future__ import annotations

import importlib
import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.cli.loading import load
from newtonish.errors import NewtonishError

__all__ = ["Engine", "Newtonish", "PeerMissing", "contacts_of_worlds"]


class PeerMissing(NewtonishError):
    """A peer is not installed, or cannot run this model here."""


class Engine:
    """Many worlds of one model in one engine.

    Attributes:
        name: What the table calls it.
        cores: CPU cores it may use: threads, but no more than worlds.
        seconds: Seconds for ``import`` and ``load``.
        threaded: Whether it takes a number of threads.
        by_processor: Whether turns are timed by the processor time of this process, of all engines alike.
        limit: Solver iterations after which it gives up, 0 where that is unknown.
    """

    name = ""
    threaded = False
    by_processor = False
    limit = 0

    def __init__(self) -> None:
        self.cores = 1
        self.seconds: dict[str, float] = {}

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Set the state of every world, arrays of shape (nworld, nq) and (nworld, nv)."""
        raise NotImplementedError

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        """Hold ``ctrl`` (nworld, nu) for ``steps`` steps; return the seconds spent stepping."""
        raise NotImplementedError

    def now(self) -> float:
        """Seconds since some moment, by the clock that turns are timed with; of processor time, those of each core."""
        return time.process_time() / self.cores if Engine.by_processor else time.perf_counter()

    def begin(self) -> None:
        """Called once between the warm-up and the first turn."""

    def counts(self) -> dict[str, np.ndarray]:
        """Contacts, rows and solver iterations of the last step, one number a world."""
        raise NotImplementedError

    def health(self) -> dict[str, int]:
        """Worlds that lacked room (``overflowed``) or were reset (``non-finite``) since the warm-up; empty where the engine does not tell."""
        return {}

    def room(self) -> dict[str, tuple[int, int]]:
        """By what there is room for, contacts and rows: the most that a world wanted, and its room."""
        return {}

    def _import(self, name: str) -> Any:
        start = time.perf_counter()
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise PeerMissing(f"not installed ({error})") from error
        finally:
            self.seconds["import"] = self.seconds.get("import", 0.0) + time.perf_counter() - start


class Newtonish(Engine):
    """This package, through its array-level entrance.

    The number of threads is the process's: an engine takes it back when another one had it.
    """

    threaded = True
    _serial = itertools.count(1)
    _awake = 0  # number of the engine whose number of threads holds; a reference would keep its arrays

    def __init__(self, path: Path, nworld: int, device: str, threads: int = 1, quiet: bool = False, capacity: dict[str, int] | None = None) -> None:
        super().__init__()
        self.name = "newtonish" if threads == 1 else f"newtonish, {threads} threads"
        self._threads, self.cores = threads, min(threads, nworld)
        self._mjw, self.model, self.data, self.seconds = load(path, nworld, device, quiet, capacity or {})
        self._device = device
        self.limit = int(self.model.opt.iterations)
        self._mjw.set_num_threads(threads)
        self._number = next(Newtonish._serial)
        Newtonish._awake = self._number

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        self.data.qpos.assign(qpos)
        self.data.qvel.assign(qvel)

    def begin(self) -> None:
        """Forget what overflowed while capacities grew in the warm-up: the turns have room for everything, or say so."""
        self.data.overflow.zero_()
        self.data.nonfinite.zero_()

    def wake(self) -> None:
        """Take back the thread count, with an untimed step that records again, where another engine had it."""
        if Newtonish._awake != self._number:
            Newtonish._awake = self._number
            self._mjw.set_num_threads(self._threads)
            self._mjw.step(self.model, self.data)

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        import warp as wp

        if ctrl.size:
            self.data.ctrl.assign(ctrl)
        wp.synchronize_device(self._device)
        start = self.now()
        self._mjw.step(self.model, self.data, nstep=steps)
        wp.synchronize_device(self._device)
        seconds = self.now() - start
        self._look_at_room()
        return seconds

    def _look_at_room(self) -> None:
        """Let capacities grow, which a step does by itself on a CPU alone; one that is not timed then records again."""
        if self._mjw.check_capacity(self.model, self.data):
            self._mjw.step(self.model, self.data)

    def health(self) -> dict[str, int]:
        found = {"overflowed": self.data.overflow, "non-finite": self.data.nonfinite}
        return {name: int((array.numpy() != 0).sum()) for name, array in found.items()}

    def room(self) -> dict[str, tuple[int, int]]:
        data = self.data
        found = {"contacts": (data.ncon_needed, data.nconmax), "rows": (data.nefc_needed, data.njmax)}
        return {name: (int(wanted.numpy().max(initial=0)), int(room)) for name, (wanted, room) in found.items()}

    def counts(self) -> dict[str, np.ndarray]:
        data = self.data
        return {
            "contacts": data.ncon.numpy(),
            "rows": data.nefc.numpy(),
            "iterations": data.solver_niter.numpy(),
        }


def contacts_of_worlds(data: Any, nworld: int) -> np.ndarray:
    """Contacts that have rows, for each world of mujoco_warp's flat list.

    Args:
        data: Data of mujoco_warp.
        nworld: Number of worlds.
    """
    total = min(int(data.nacon.numpy()[0]), data.naconmax)
    first_row = data.contact.efc_address.numpy()[:total]
    owners = data.contact.worldid.numpy()[:total]
    return np.bincount(owners[first_row[:, 0] >= 0] if total else owners, minlength=nworld)
