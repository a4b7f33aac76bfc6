"""A few steps for a tool that watches them, by newtonish or by mujoco_warp; between two marks for a profiler."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from day import cpu_results, engine
from day.journal import Journal
from day.results import result_file


def steps(journal: Journal, device: str, model: str, worlds: int, steps: int, folder: str, by: str = "newtonish", captured: bool = False) -> None:
    """Step unequal worlds from states of the CPU's run, in which there are contacts; the first step, which compiles, is not marked."""
    place = engine.start(device)
    states = _states(Path(folder), model, worlds)
    take = _newtonish(model, worlds, device, states, captured) if by == "newtonish" else _mujoco_warp(model, worlds, device, states)
    take()
    with _Marked(place):
        for _ in range(steps):
            take()
    journal.write("stepped", model=model, by=by, worlds=worlds, steps=steps, captured=captured)


def _states(folder: Path, model: str, worlds: int) -> dict[str, np.ndarray]:
    """States from the second half of the results, repeated as needed; nothing where there are no results."""
    if not result_file(folder, model).exists():
        return {}
    results = cpu_results.load(folder, model)
    count = results["nefc"].shape[0]
    states = cpu_results.states_before(results, np.arange(count // 2, count, max(1, count // 16)))
    rows = np.arange(worlds) % len(states["qpos"])
    return {name: array[rows] for name, array in states.items()}


def _newtonish(model: str, worlds: int, device: str, states: dict[str, np.ndarray], captured: bool) -> Any:
    from newtonish import mjw
    from newtonish.kernels.runtime.modules import load_modules
    from newtonish.mjw.replay import modules_of_step

    m, d = engine.load(model, worlds, device)
    engine.put_states(d, states)
    load_modules(d.device, modules_of_step(m, d))
    return lambda: (mjw.step if captured else engine.plain_step)(m, d)


def _mujoco_warp(model: str, worlds: int, device: str, states: dict[str, np.ndarray]) -> Any:
    import mujoco
    import mujoco_warp
    import warp as wp

    from day.models import model_file

    with wp.ScopedDevice(device):
        compiled = mujoco.MjModel.from_xml_path(str(model_file(model)))
        m = mujoco_warp.put_model(compiled)
        d = mujoco_warp.make_data(compiled, nworld=worlds)
        engine.put_states(d, states)

    def take() -> None:
        with wp.ScopedDevice(device):
            mujoco_warp.step(m, d)

    return take


class _Marked:
    """Tells a profiler that is attached where to begin and where to end."""

    def __init__(self, place: Any) -> None:
        self._place = place
        self._driver = ctypes.CDLL("libcuda.so.1") if place.is_cuda else None

    def __enter__(self) -> None:
        self._call("cuProfilerStart")

    def __exit__(self, *_: Any) -> None:
        self._call("cuProfilerStop")

    def _call(self, name: str) -> None:
        import warp as wp

        wp.synchronize_device(self._place)
        if self._driver is not None and (code := getattr(self._driver, name)()):
            raise RuntimeError(f"{name}: error {code} of the driver; the profiler would see nothing")
