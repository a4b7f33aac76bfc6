"""A stand-in for the engine, so that the command line is tested apart from the physics."""

import sys
import types
from types import SimpleNamespace

import numpy as np
import pytest

import newtonish
import newtonish.mjw.from_file  # what commands import from the package while the stand-in is in its place


class FakeEngine(types.ModuleType):
    """An array-level API of two coordinates and two actuators: qvel follows ctrl, world 1 overflows and world 2 resets."""

    def __init__(self) -> None:
        super().__init__("newtonish.mjw")
        self.loaded: list[tuple[str, int, str]] = []
        self.applied: list[np.ndarray] = []
        self.threads = 0

    def load(self, path: str, nworld: int = 1, device: str = "cpu", **capacity: int) -> tuple[SimpleNamespace, SimpleNamespace]:
        import warp as wp

        self.loaded.append((path, nworld, device))
        self.capacity = capacity
        model = SimpleNamespace(
            nq=2,
            nv=2,
            nu=2,
            nbody=3,
            ngeom=4,
            nkey=0,
            actuator_ctrlrange=wp.array([[[-2.0, -1.0], [0.0, 0.0]]], dtype=wp.float32, device=device),
            actuator_ctrllimited=wp.array([1, 0], dtype=wp.int32, device=device),
            opt=SimpleNamespace(timestep=wp.array([0.01], dtype=wp.float32, device=device), iterations=100),
        )
        # Rows wider than their content, as an engine that pads its rows would have.
        padded = wp.zeros((nworld, 8), dtype=wp.float32, device=device)
        counts = {
            name: wp.zeros(nworld, dtype=wp.int32, device=device)
            for name in ("ncon", "nefc", "ncon_needed", "nefc_needed", "solver_niter", "overflow", "nonfinite")
        }
        data = SimpleNamespace(
            qpos=padded[:, :2],
            qvel=wp.zeros((nworld, 2), dtype=wp.float32, device=device),
            ctrl=wp.zeros((nworld, 2), dtype=wp.float32, device=device),
            time=wp.zeros(nworld, dtype=wp.float32, device=device),
            nconmax=8,
            njmax=32,
            **counts,
        )
        data.arrays = lambda: {"state.qvel": data.qvel, "state.ctrl": data.ctrl}
        data.nbytes = lambda: sum(array.capacity for array in data.arrays().values())
        return model, data

    def step(self, model: SimpleNamespace, data: SimpleNamespace, nstep: int = 1) -> None:
        for _ in range(nstep):
            self._step(data)

    def _step(self, data: SimpleNamespace) -> None:
        ctrl = data.ctrl.numpy()
        self.applied.append(ctrl.copy())
        data.qvel.numpy()[...] = ctrl
        data.qpos.numpy()[...] += 0.01 * ctrl
        data.time.numpy()[...] += 0.01
        data.ncon.numpy()[...] = np.arange(len(ctrl))
        data.nefc.numpy()[...] = 4 * np.arange(len(ctrl))
        data.solver_niter.numpy()[...] = 2
        if len(self.applied) == 2:
            data.overflow.numpy()[1:2] = 1
            data.nonfinite.numpy()[2:3] = 1

    def check_capacity(self, model: SimpleNamespace, data: SimpleNamespace) -> bool:
        return False

    def set_num_threads(self, count: int) -> None:
        self.threads = count

    def stage_times(self, model: SimpleNamespace, data: SimpleNamespace) -> dict[str, float]:
        return {"position": 1e-6, "collision": 2e-6, "solver": 4e-6, "integration": 1e-6}


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """The stand-in in place of ``newtonish.mjw``."""
    fake = FakeEngine()
    monkeypatch.setitem(sys.modules, "newtonish.mjw", fake)
    # Not setattr: looking up the old value would load the real engine, or keep the stand-in.
    monkeypatch.setitem(vars(newtonish), "mjw", fake)
    return fake
