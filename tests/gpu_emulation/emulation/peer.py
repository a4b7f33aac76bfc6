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
from .compiler import Form
from .emulator import Emulator, Schedule
from .measure import APART, SAMPLES, Measurement, advance, cost_of, settle
from .stepping import Launch

OFF = 1e-2
"""Of a world's speed: contacts of meshes are not the same to the digit."""
_STATE = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart", "time")


class _Graphics:
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
    with mock.patch("warp.launch", launch), mock.patch("warp.launch_tiled", launch_tiled), mock.patch("warp.get_device", lambda *which: _Graphics(of(*which))):
        yield noted


def measure(path: str | Path, nworld: int = 32, seed: int = 0) -> Measurement:
    """Count a step of mujoco_warp, in states that ours has come to (``measure.measure``).

    Args:
        path: Of an MJCF file.
        nworld: Number of worlds, of which 32 fill the warps of a kernel with a thread for each.
        seed: Of velocities and controls.
    """
    import mujoco
    import mujoco_warp

    compiled = mujoco.MjModel.from_xml_path(str(path))
    ours, _ = mjw.load(path, nworld=1, device="cpu")
    d = settle(ours, nworld, seed)
    rng = np.random.default_rng(seed + 1)
    theirs = mujoco_warp.put_model(compiled)
    counting, touching = Emulator(Form(counted=True, fused=True), check=False), Emulator(Form(optimised=True), schedule=Schedule.ASCENDING, requests=True)
    launches: dict[str, Launch] = {}
    seen, reports = [], []
    for _ in range(SAMPLES):
        for emulator in (touching, counting):
            data = mujoco_warp.make_data(compiled, nworld=nworld)
            _put(d.state, data)
            with emulating(emulator, nworld) as noted:
                mujoco_warp.step(theirs, data)
            launches.update(noted)
        seen.append([data.nacon.numpy()[0] / nworld, data.nefc.numpy().mean(), data.solver_niter.numpy().mean()])
        reports += _check(ours, d, data)
        advance(ours, d, APART, rng)
    touching.reports()  # of atomic operations, and of tiles that hand data from lane to lane of a warp without a barrier
    total = nworld * SAMPLES
    kernels = {key: cost_of(launch, counting.figures[key], touching.figures[key], total) for key, launch in launches.items()}
    profile = {place: count / total for place, count in counting.profile().items()}
    contacts, rows, iterations = np.mean(seen, axis=0)
    return Measurement(kernels, int(compiled.nv), contacts, rows, iterations, profile, reports)


def _check(ours: Any, d: Any, theirs: Any) -> list[str]:
    """Says so where most worlds have other velocities after a step than ours have: then something went wrong by emulation."""
    after = mjw.make_data(ours, d.nworld)
    for name in _STATE:
        getattr(after.state, name).assign(getattr(d.state, name))
    mjw.step(ours, after)
    expected, found = after.state.qvel.numpy(), theirs.qvel.numpy()
    off = ~(np.linalg.norm(found - expected, axis=1) <= OFF * np.linalg.norm(expected, axis=1))
    return [f"{off.sum()} of {len(off)} worlds have other velocities than ours"] if 2 * off.sum() > len(off) else []


def _put(state: Any, data: Any) -> None:
    for name in _STATE:
        values = getattr(state, name).numpy()
        if values.size:
            getattr(data, name).assign(values)
