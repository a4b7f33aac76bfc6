"""A step of mujoco_warp by emulation: the same meter for the same model in the same states.

What its functions launch is caught where they call ``wp.launch`` and ``wp.launch_tiled``, and runs in the form that a GPU would be given. They choose
what to launch by the device, so that it is said to be a GPU. Its kernels put the threads of a world into no group: a warp's lanes go through a
kernel together, and barriers are those of its tiles. Copies and fills of arrays, which cost a launch each, are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import warp as wp

from newtonish import mjw

from . import gpu
from .emulator import Emulator
from .stepping import Launch

OFF = 1e-2
"""Of a world's speed: contacts of meshes are not the same to the digit."""
_STATE = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart", "time")


class _AsGpu:
    """A CPU that says it is an H200."""

    is_cuda, is_cpu, sm_count = True, False, gpu.MULTIPROCESSORS

    def __init__(self, device: Any):
        self._device = device

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)


@contextmanager
def emulating(emulator: Emulator, nworld: int) -> Iterator[dict[str, Launch]]:
    """Within it, what anyone launches by Warp runs by emulation, and is noted by key."""
    noted: dict[str, Launch] = {}

    def launch(kernel: wp.Kernel, dim: Any, inputs: Any = (), outputs: Any = (), *, block_dim: int = 256, max_blocks: int = 0, **_: Any) -> None:
        extents = tuple(int(extent) for extent in np.atleast_1d(dim))
        threads = int(np.prod(extents))
        if threads:
            before = noted.get(kernel.key)
            if before is None or before.lanes < threads / nworld:
                noted[kernel.key] = Launch(kernel, block_dim, threads / nworld)
            emulator.launch(kernel, extents, [*inputs, *outputs], block_dim, gpu.WARP)

    def launch_tiled(kernel: wp.Kernel, dim: Any, inputs: Any = (), outputs: Any = (), *, block_dim: int, **_: Any) -> None:
        launch(kernel, (*np.atleast_1d(dim), block_dim), inputs, outputs, block_dim=block_dim)

    of = wp.get_device
    with mock.patch("warp.launch", launch), mock.patch("warp.launch_tiled", launch_tiled), mock.patch("warp.get_device", lambda *which: _AsGpu(of(*which))):
        yield noted


class MujocoWarp:
    """Steps of mujoco_warp from the states of ours.

    Args:
        path: Of an MJCF file.
        m: Model of ours.
    """

    def __init__(self, path: str | Path, m: Any):
        import mujoco
        import mujoco_warp

        self._engine, self._ours = mujoco_warp, m
        self._compiled = mujoco.MjModel.from_xml_path(str(path))
        self._model, self.nv = mujoco_warp.put_model(self._compiled), int(self._compiled.nv)
        self._data: Any = None
        self._off: list[str] = []

    def step(self, d: Any, emulator: Emulator) -> dict[str, Launch]:
        self._data = self._engine.make_data(self._compiled, nworld=d.nworld)
        _put(d.state, self._data)
        with emulating(emulator, d.nworld) as noted:
            self._engine.step(self._model, self._data)
        self._compare(d)
        return noted

    def counts(self, d: Any) -> list[float]:
        data = self._data
        return [data.nacon.numpy()[0] / d.nworld, data.nefc.numpy().mean(), data.solver_niter.numpy().mean()]

    def reports(self, emulator: Emulator) -> list[str]:
        """Steps that were not those of ours; what is reported of its kernels is atomic operations, and lanes of a warp that trust one another."""
        return self._off

    def _compare(self, d: Any) -> None:
        """Note where most worlds have other velocities than ours after a step: then something went wrong by emulation."""
        after = mjw.make_data(self._ours, d.nworld)
        _put(d.state, after.state)
        mjw.step(self._ours, after)
        expected, found = after.state.qvel.numpy(), self._data.qvel.numpy()
        off = ~(np.linalg.norm(found - expected, axis=1) <= OFF * np.linalg.norm(expected, axis=1))
        if 2 * off.sum() > len(off):
            self._off.append(f"{off.sum()} of {len(off)} worlds have other velocities than ours")


def _put(state: Any, data: Any) -> None:
    for name in _STATE:
        values = getattr(state, name).numpy()
        if values.size:
            getattr(data, name).assign(values)
