"""Binaries of mujoco_warp's kernels for an architecture, into the kernel cache that this process was started with.

mujoco_warp makes most of its kernels when a model first asks for them. So a step is taken on the CPU, with an eye on what it launches in
which blocks. What it launches on a GPU alone is missing and gets compiled there.
"""

from __future__ import annotations

import time
from typing import Any

from day import engine
from day.journal import Journal

WARPS_BLOCK = 256


def peer_kernels(journal: Journal, device: str, arch: int, models: list[str]) -> None:
    """Compile what a step of each model launches."""
    import mujoco
    import mujoco_warp
    import warp as wp

    from day.models import model_file

    engine.start("cpu")
    seen = _watch(wp)
    for model in models:
        begin = time.perf_counter()
        compiled = mujoco.MjModel.from_xml_path(str(model_file(model)))
        with wp.ScopedDevice("cpu"):
            m, d = mujoco_warp.put_model(compiled), mujoco_warp.make_data(compiled, nworld=2)
            mujoco_warp.step(m, d)
        count, failed = _compile(wp, seen, arch)
        seconds = round(time.perf_counter() - begin, 1)
        journal.write("peer kernels", model=model, arch=arch, files=count, failed=failed, seconds=seconds)


def _watch(wp: Any) -> dict[tuple[str, int], Any]:
    """Modules that are launched from now on, by name and size of the block."""
    seen: dict[tuple[str, int], Any] = {}

    def watched(launch: Any) -> Any:
        def wrapper(kernel: Any, *arguments: Any, **options: Any) -> Any:
            seen.setdefault((kernel.module.name, options.get("block_dim", WARPS_BLOCK)), kernel.module)
            return launch(kernel, *arguments, **options)

        return wrapper

    wp.launch, wp.launch_tiled = watched(wp.launch), watched(wp.launch_tiled)
    return seen


def _compile(wp: Any, seen: dict[tuple[str, int], Any], arch: int) -> tuple[int, list[str]]:
    """Compile all of them and forget them; how many there are now, and which failed."""
    failed = []
    modules = sorted(seen.items())
    for (name, block), module in modules:
        before = module.options["block_dim"]
        module.options["block_dim"] = block
        try:
            wp.compile_aot_module(module, arch=arch, use_ptx=False)
        except Exception as error:
            failed.append(f"{name}: {' '.join(str(error).split())[:200]}")
        finally:
            module.options["block_dim"] = before
    seen.clear()
    return len(modules), failed
