"""The engines that ``newtonish bench`` sets newtonish beside.

Only this file, ``peer_batch.py`` and ``peer_newton.py`` import them, by name and only when a benchmark asks for them. MuJoCo
steps its worlds one after another in the calling thread; mujoco_warp records one step into a graph and replays it, as its own
benchmark does.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.cli.bench.engine import Engine, Newtonish, PeerMissing, contacts_of_worlds
from newtonish.cli.bench.peer_batch import MuJoCoBatch
from newtonish.cli.bench.peer_newton import Newton
from newtonish.cli.models import as_mjcf

__all__ = ["ENGINES", "PEERS", "WITHOUT_WARP", "MuJoCo", "MuJoCoWarp", "make"]


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
        self.limit = int(self.model.opt.iterations)
        self._worlds = [self._mujoco.MjData(self.model) for _ in range(nworld)]
        self.seconds["load"] = time.perf_counter() - start

    @property
    def first(self) -> Any:
        """``MjData`` of the first world."""
        return self._worlds[0]

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        for world, data in enumerate(self._worlds):
            data.qpos[:] = qpos[world]
            data.qvel[:] = qvel[world]

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        model, step = self.model, self._mujoco.mj_step
        for data, signal in zip(self._worlds, ctrl, strict=True):
            data.ctrl[:] = signal
        start = self.now()
        for data in self._worlds:
            step(model, data, nstep=steps)
        return self.now() - start

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
        self.limit = int(self.model.opt.iterations)
        self._graph: Any = None

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        self.data.qpos.assign(qpos)
        self.data.qvel.assign(qvel)

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        wp = self._wp
        if ctrl.size:
            self.data.ctrl.assign(ctrl)
        wp.synchronize_device(self._device)
        start = self.now()
        if self._graph is None:
            with wp.ScopedDevice(self._device), wp.ScopedCapture() as capture:  # what it launches names no device
                self._engine.step(self.model, self.data)
            self._graph = capture.graph
        for _ in range(steps):
            wp.capture_launch(self._graph)
        wp.synchronize_device(self._device)
        return self.now() - start

    def begin(self) -> None:
        self.data.overflow.zero_()

    def health(self) -> dict[str, int]:
        return {"overflowed": int((self.data.overflow.numpy() != 0).sum())}

    def counts(self) -> dict[str, np.ndarray]:
        data = self.data
        return {
            "contacts": contacts_of_worlds(data, self._nworld),
            "rows": data.nefc.numpy().ravel(),
            "iterations": data.solver_niter.numpy().ravel(),
        }


PEERS: dict[str, type[Engine]] = {"mujoco": MuJoCo, "mujoco_batch": MuJoCoBatch, "mujoco_warp": MuJoCoWarp, "newton": Newton}
"""What ``--vs`` may name."""

ENGINES: dict[str, type[Engine]] = {"newtonish": Newtonish, **PEERS}

WITHOUT_WARP = ("mujoco", "mujoco_batch")
"""Engines whose start does not include Warp's."""


def make(name: str, path: Path, nworld: int, device: str, threads: int = 1) -> Engine:
    """Build the engine called ``name``, on ``threads`` threads if it can; :class:`PeerMissing` says why when that is not possible."""
    engine = ENGINES[name]
    shared = {"threads": threads} if engine.threaded else {}
    return engine(path if name == "newtonish" else as_mjcf(path), nworld, device, **shared)
