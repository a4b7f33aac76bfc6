"""MuJoCo's own batch of simulations as a peer: ``mujoco.batch``, which steps worlds on a pool of threads.

It is used as its documentation shows it: one ``MjData`` a thread, into which the state row of each world is loaded and out of which it is
saved, as many steps of a world at a time as its controls are held. Its results are those of the peer ``mujoco`` to the bit.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.cli.bench.engine import Engine, PeerMissing
from newtonish.errors import problem

__all__ = ["MuJoCoBatch"]


class MuJoCoBatch(Engine):
    """``mujoco.batch.Batch`` on a number of threads, the calling one included."""

    name = "mujoco_batch"
    threaded = True

    def __init__(self, path: Path, nworld: int, device: str, threads: int = 1) -> None:
        super().__init__()
        self.cores = min(threads, nworld)
        mujoco = self._import("mujoco")
        batch = self._import_batch(mujoco)
        start = time.perf_counter()
        try:
            self.model = mujoco.MjModel.from_xml_path(str(path))
            keeps = mujoco.mjtEnableBit.mjENBL_SLEEP | mujoco.mjtEnableBit.mjENBL_IPC  # these need one MjData a world
            persistent = bool(self.model.opt.enableflags & keeps)
            self._batch = batch.Batch(self.model, nworld, nthread=threads, persistent=persistent)
        except ValueError as error:
            raise PeerMissing(f"cannot load the model: {error}") from error
        self.limit = int(self.model.opt.iterations)
        self._counters = {name: self._batch.bind(field) for name, field in _COUNTERS.items()}
        warning = mujoco.mjtWarning
        self._full = [int(kind) for kind in (warning.mjWARN_CONTACTFULL, warning.mjWARN_CNSTRFULL)]
        self._lost = [int(kind) for kind in (warning.mjWARN_BADQPOS, warning.mjWARN_BADQVEL, warning.mjWARN_BADQACC)]
        self.seconds["load"] = time.perf_counter() - start

    def _import_batch(self, mujoco: Any) -> Any:
        """The module ``mujoco.batch``; versions before 4.0 have none."""
        try:
            return self._import("mujoco.batch")
        except PeerMissing as error:
            given = f"mujoco {getattr(mujoco, '__version__', 'of no version')}, which has no mujoco.batch"
            remedy = "install a newer one, pip install 'mujoco>=4.0'"
            raise PeerMissing(problem("--vs mujoco_batch", given, "mujoco 4.0 or later", remedy)) from error

    @property
    def qpos(self) -> np.ndarray:
        """Positions of all worlds, (nworld, nq)."""
        return self._batch.bind("qpos")

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        self._batch.bind("qpos")[:] = qpos
        self._batch.bind("qvel")[:] = qvel

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        if ctrl.size:
            self._batch.bind("ctrl")[:] = ctrl
        start = self.now()
        self._batch.step(nstep=steps)
        return self.now() - start

    def begin(self) -> None:
        self._batch.warning[:] = 0

    def health(self) -> dict[str, int]:
        raised = self._batch.warning[:, :, 1] > 0  # (nworld, kind): the last column counts
        found = {"overflowed": self._full, "non-finite": self._lost}
        return {name: int(raised[:, kinds].any(axis=1).sum()) for name, kinds in found.items()}

    def counts(self) -> dict[str, np.ndarray]:
        found = self._counters
        return {name: values.reshape(len(values), -1).max(axis=1) for name, values in found.items()}


_COUNTERS = {"contacts": "ncon", "rows": "nefc", "iterations": "solver_niter"}
"""Fields of ``MjData`` behind each count; iterations are those of each island, of which the largest counts."""
