"""Newton's ``SolverMuJoCo`` as a peer: the file read by Newton's own importer, replicated by Newton's builder.

Every step goes through Newton's interface, so that the transfer between its state and mujoco_warp's is part of the
time, as it is for its users. One step is recorded into a graph and replayed.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.cli.bench.engine import Engine, PeerMissing, contacts_of_worlds
from newtonish.common.frames import rotate

__all__ = ["Newton"]

_FREE = 0  # mjJNT_FREE


class Newton(Engine):
    """Newton with its MuJoCo solver; its worlds are mujoco_warp's."""

    name = "newton"

    def __init__(self, path: Path, nworld: int, device: str) -> None:
        super().__init__()
        mujoco = self._import("mujoco")
        newton = self._import("newton")
        import warp as wp

        self._wp, self._device, self._nworld = wp, device, nworld
        start = time.perf_counter()
        try:
            self._compiled = mujoco.MjModel.from_xml_path(str(path))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about the versions that Newton was tested with
                self._build(newton, path)
        except Exception as error:  # whatever its importer raises for a model that it does not read
            raise PeerMissing(f"cannot load the model: {' '.join(str(error).split())[:200]}") from error
        self.seconds["load"] = time.perf_counter() - start
        self._check()
        self.model = self._solver.mjw_model
        self.limit = int(self._compiled.opt.iterations)
        self._graph: Any = None

    def _build(self, newton: Any, path: Path) -> None:
        """Newton's model of all worlds, its solver and its states."""
        one = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(one)
        one.add_mjcf(str(path), ctrl_direct=True)
        all_worlds = newton.ModelBuilder()
        all_worlds.replicate(one, self._nworld)
        self._newton_model = all_worlds.finalize(device=self._device)
        self._solver = newton.solvers.SolverMuJoCo(self._newton_model)
        self._state, self._control = self._newton_model.state(), self._newton_model.control()
        self._step_size = float(self._compiled.opt.timestep)

    def _check(self) -> None:
        """Raise PeerMissing where Newton's model has other coordinates than the file's: states could not be given to it."""
        theirs, file = self._solver.mj_model, self._compiled
        same = theirs.njnt == file.njnt and theirs.nu == file.nu and bool((theirs.jnt_type == file.jnt_type).all())
        if not same:
            raise PeerMissing(f"made {theirs.njnt} joints and {theirs.nu} controls of the file's {file.njnt} and {file.nu}")

    def start(self, qpos: np.ndarray, qvel: np.ndarray) -> None:
        file = self._compiled
        q, qd = np.array(qpos, dtype=np.float64), np.array(qvel, dtype=np.float64)
        hinged = np.ones(file.nq, dtype=bool)
        for joint in range(file.njnt):
            a, v, body = file.jnt_qposadr[joint], file.jnt_dofadr[joint], file.jnt_bodyid[joint]
            if file.jnt_type[joint] == _FREE:
                hinged[a : a + 7] = False
                quat = q[:, a + 3 : a + 7].copy()
                spin = rotate(quat, qd[:, v + 3 : v + 6])
                arm = rotate(quat, np.broadcast_to(file.body_ipos[body], spin.shape))
                q[:, a + 3 : a + 7] = quat[:, [1, 2, 3, 0]]
                qd[:, v : v + 3] += np.cross(spin, arm)  # Newton's is the velocity of the centre of mass
                qd[:, v + 3 : v + 6] = spin
            elif file.jnt_type[joint] == 1:  # a ball
                hinged[a : a + 4] = False
                q[:, a : a + 4] = q[:, a : a + 4][:, [1, 2, 3, 0]]
        q[:, hinged] -= file.qpos0[hinged]
        self._state.joint_q.assign(q.ravel().astype(np.float32))
        self._state.joint_qd.assign(qd.ravel().astype(np.float32))

    def _step(self) -> None:
        self._solver.step(self._state, self._state, self._control, None, self._step_size)

    def advance(self, ctrl: np.ndarray, steps: int) -> float:
        wp = self._wp
        if ctrl.size:
            self._control.mujoco.ctrl.assign(ctrl.ravel())
        wp.synchronize_device(self._device)
        start = self.now()
        if self._graph is None:
            with wp.ScopedDevice(self._device):  # what it launches may name no device
                self._step()  # what it compiles at its first step cannot be recorded
                with wp.ScopedCapture() as capture:
                    self._step()
            self._graph = capture.graph
            steps -= 1
        for _ in range(steps):
            wp.capture_launch(self._graph)
        wp.synchronize_device(self._device)
        return self.now() - start

    def counts(self) -> dict[str, np.ndarray]:
        data = self._solver.mjw_data
        return {
            "contacts": contacts_of_worlds(data, self._nworld),
            "rows": data.nefc.numpy().ravel(),
            "iterations": data.solver_niter.numpy().ravel(),
        }
