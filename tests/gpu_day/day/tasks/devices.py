"""What machine it is: devices, versions, memory, whether packed kernels are found, how fast memory is copied."""

from __future__ import annotations

import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from day import engine
from day.journal import Journal

PACKAGES = ("warp-lang", "numpy", "mujoco", "mujoco-warp", "scipy", "pytest")
COPIED_BYTES = 1 << 32
REPEATS = 10


def look(journal: Journal, device: str, models: list[str], copied: int = COPIED_BYTES) -> None:
    """Write what the device is, then load the kernels of some models and copy memory."""
    begin = time.perf_counter()
    place = engine.start(device)
    journal.write("machine", **_machine(place), import_seconds=time.perf_counter() - begin)
    for model in models:
        journal.write("kernels", model=model, **_kernels(model, place))
    journal.write("copy", **_copy(place, copied))


def _machine(place: Any) -> dict[str, Any]:
    import warp as wp

    import newtonish

    context = wp._src.context.runtime
    found: dict[str, Any] = {
        "device": str(place), "name": place.name if place.is_cuda else platform.processor() or platform.machine(),
        "devices": [str(entry) for entry in wp.get_devices()], "python": sys.version.split()[0], "cores": os.cpu_count(),
        "toolkit": context.toolkit_version, "driver": context.driver_version, "cpu compiler": context.llvm is not None,
        "newtonish": str(Path(newtonish.__file__).parent), "versions": {name: _version(name) for name in PACKAGES},
    }  # fmt: skip
    if place.is_cuda:
        found |= {"arch": place.arch, "multiprocessors": place.sm_count, "memory": place.total_memory, "free": place.free_memory}
        found["conditional graphs"] = wp.is_conditional_graph_supported()
    return found


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _kernels(model: str, place: Any) -> dict[str, Any]:
    """Load what a step of a model launches; which binaries were there and which had to be compiled."""
    import warp as wp

    from newtonish import mjw
    from newtonish.mjw.replay import modules_of_step

    before = _binaries()
    m, d = engine.load(model, 4, str(place))
    begin = time.perf_counter()
    mjw.step(m, d)
    wp.synchronize_device(place)
    seconds = time.perf_counter() - begin
    compiled = sorted(name for name in _binaries() - before)
    return {"modules": len(modules_of_step(m, d)), "compiled": compiled, "first step seconds": seconds}


def _binaries() -> set[str]:
    import warp as wp

    return {path.name for ending in ("cubin", "ptx", "o") for path in Path(wp.config.kernel_cache_dir).rglob(f"*.{ending}")}


def _copy(place: Any, copied: int) -> dict[str, Any]:
    """Bytes read and written a second by copies from one array to another on the device."""
    import warp as wp

    if place.is_cuda:
        copied = min(copied, place.free_memory // 4)
    source = wp.full(copied // 4, 1.0, dtype=wp.float32, device=place)
    target = wp.empty_like(source)
    wp.copy(target, source)
    wp.synchronize_device(place)
    begin = time.perf_counter()
    for _ in range(REPEATS):
        wp.copy(target, source)
    wp.synchronize_device(place)
    return {"bytes": copied, "bytes a second": 2 * copied * REPEATS / (time.perf_counter() - begin)}
