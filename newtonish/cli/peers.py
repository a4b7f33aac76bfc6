"""The engines that ``newtonish bench`` sets side by side, behind one small interface.

This is the only file of the package that may import ``mujoco`` and ``mujoco_warp``, and it does so only when a
benchmark asks for them. MuJoCo steps its worlds one after another in the calling thread; mujoco_warp records one step
into a graph and replays it, as its own benchmark does.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.cli.loading import load
from newtonish.errors import NewtonishError

__all__ = ["ENGINES", "PEERS", "Engine", "MuJoCo", "MuJoCoWarp", "Newtonish", "PeerMissing", "make"]


class PeerMissing(NewtonishError):
    """A peer is not installed, or cannot run this model here."""


class Engine:
    """Many worlds of one model in one engine.

    Attributes:
        name: What the table calls it.
        cores: CPU cores it uses.
        seconds: Seconds for ``import`` and ``load``.
    """

    name = ""

    def __init__(self) -> None:
        self.cores = 1
        self.seconds: dict[str, float] = {}

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Set the state of every world, arrays of shape (nworld, nq) and (nworld, nv)."""
        raise NotImplementedError

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        """Hold ``ctrl`` (nworld, nu) for ``steps`` steps; return the seconds spent stepping."""
        raise NotImplementedError

    def counts(self) -> dict[str, np.ndarray]:
        """Contacts, rows and solver iterations of the last step, one number a world."""
        raise NotImplementedError

    def _import(self, name: str) -> Any:
        start = time.perf_counter()
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise PeerMissing(f"not installed ({error})") from error
        finally:
            self.seconds["import"] = self.seconds.get("import", 0.0) + time.perf_counter() - start


class Newtonish(Engine):
    """This package, through its array-level entrance."""

    def __init__(self, path: Path, nworld: int, device: str, threads: int = 1, quiet: bool = False) -> None:
        super().__init__()
        self.name = "newtonish" if threads == 1 else f"newtonish, {threads} threads"
        self.cores = threads
        self._mjw, self.model, self.data, self.seconds = load(path, nworld, device, quiet)
        self._device = device
        self._mjw.set_num_threads(threads)

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        self.data.qpos.assign(qpos)
        self.data.qvel.assign(qvel)

    def wake(self) -> None:
        """Take one untimed step with this engine's thread count, so that re-recording falls outside the timing."""
        self._mjw.set_num_threads(self.cores)
        self._mjw.step(self.model, self.data)

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        import warp as wp

        if ctrl.size:
            self.data.ctrl.assign(ctrl)
        wp.synchronize_device(self._device)
        start = time.perf_counter()
        for _ in range(steps):
            self._mjw.step(self.model, self.data)
        wp.synchronize_device(self._device)
        return time.perf_counter() - start

    def counts(self) -> dict[str, np.ndarray]:
        data = self.data
        return {
            "contacts": data.ncon.numpy(),
            "rows": data.nefc.numpy(),
            "iterations": data.solver_niter.numpy(),
        }


class MuJoCo(Engine):
    """MuJoCo's C engine: one ``MjData`` a world, stepped in turn by the calling thread."""

    def __init__(self, path: Path, nworld: int, device: str) -> None:
        super().__init__()
        self.name = "mujoco"
        self._mujoco = self._import("mujoco")
        start = time.perf_counter()
        try:
            self.model = self._mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            raise PeerMissing(f"cannot load the model: {error}") from error
        self._worlds = [self._mujoco.MjData(self.model) for _ in range(nworld)]
        self.seconds["load"] = time.perf_counter() - start

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        for world, data in enumerate(self._worlds):
            data.qpos[:] = qpos[world]
            data.qvel[:] = qvel[world]

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        model, step = self.model, self._mujoco.mj_step
        for data, signal in zip(self._worlds, ctrl, strict=True):
            data.ctrl[:] = signal
        start = time.perf_counter()
        for data in self._worlds:
            step(model, data, nstep=steps)
        return time.perf_counter() - start

    def counts(self) -> dict[str, np.ndarray]:
        worlds = self._worlds
        return {
            "contacts": np.array([data.ncon for data in worlds]),
            "rows": np.array([data.nefc for data in worlds]),
            "iterations": np.array([data.solver_niter.max() for data in worlds]),
        }


class MuJoCoWarp(Engine):
    """mujoco_warp, one step recorded into a graph by the first call and replayed after that."""

    def __init__(self, path: Path, nworld: int, device: str) -> None:
        super().__init__()
        self.name = "mujoco_warp"
        mujoco = self._import("mujoco")
        self._engine = self._import("mujoco_warp")
        import warp as wp

        self._wp, self._device, self._nworld = wp, device, nworld
        start = time.perf_counter()
        try:
            with wp.ScopedDevice(device):
                compiled = mujoco.MjModel.from_xml_path(str(path))
                self.model = self._engine.put_model(compiled)
                self.data = self._engine.make_data(compiled, nworld=nworld)
        except (ValueError, NotImplementedError) as error:
            raise PeerMissing(f"cannot load the model: {error}") from error
        self.seconds["load"] = time.perf_counter() - start
        self._graph: Any = None

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        self.data.qpos.assign(qpos)
        self.data.qvel.assign(qvel)

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        wp = self._wp
        if ctrl.size:
            self.data.ctrl.assign(ctrl)
        wp.synchronize_device(self._device)
        start = time.perf_counter()
        if self._graph is None:
            with wp.ScopedCapture(device=self._device) as capture:
                self._engine.step(self.model, self.data)
            self._graph = capture.graph
        for _ in range(steps):
            wp.capture_launch(self._graph)
        wp.synchronize_device(self._device)
        return time.perf_counter() - start

    def counts(self) -> dict[str, np.ndarray]:
        data = self.data
        contacts = min(int(data.nacon.numpy()[0]), data.naconmax)
        owners = data.contact.worldid.numpy()[:contacts]
        return {
            "contacts": np.bincount(owners, minlength=self._nworld),
            "rows": data.nefc.numpy().ravel(),
            "iterations": data.solver_niter.numpy().ravel(),
        }


PEERS: dict[str, Callable[[Path, int, str], Engine]] = {"mujoco": MuJoCo, "mujoco_warp": MuJoCoWarp}
"""What ``--vs`` may name."""

ENGINES: dict[str, Callable[[Path, int, str], Engine]] = {"newtonish": Newtonish, **PEERS}


def make(name: str, path: Path, nworld: int, device: str) -> Engine:
    """Build the engine called ``name``; :class:`PeerMissing` says why when that is not possible."""
    return ENGINES[name](path, nworld, device)
