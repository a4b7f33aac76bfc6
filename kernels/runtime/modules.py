"""The Warp modules whose kernels a function launches, compiled side by side and loaded before anything is captured."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, groupby
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import warp as wp

from newtonish.kernels.runtime.header import load_side_by_side
from newtonish.kernels.runtime.lanes import BLOCK_DIM, block_of, mapping_of, variant
from newtonish.kernels.runtime.launch import is_gpu, load_now, planned, prepared

# What takes the compiler for CPUs longest, the slowest first: 4 s to 1 s of processor time (decision 024)
SLOWEST = (
    "fused.collision_sdf", "fused.collision_sweep", "fused.collision_hfield", "inverse", "fused.collision_convex", "fused.implicitfast_fluid",
    "fused.solve_islands", "fused.refine_islands", "fused.sensor", "fused.implicit", "integrate.discrete.metric",
    "fused.implicitfast", "fused.smooth", "fused.position", "fused.solve_pgs", "sensor.distance", "fused.solve",
    "fused.constraint", "integrate.discrete.solve", "forces.laws", "fused.smooth_motors", "fused.collision",
    "fused.constraint_joints", "fused.implicitfast_joints", "fused.noslip", "fused.refine", "integrate.discrete.refine", "fused.position_joints",
    "constraint.equality_stage", "sensor.rangefinder", "integrate.discrete.free",
)  # fmt: skip
_loaded: set[tuple[str, str, int]] = set()


class Build(NamedTuple):
    """What is compiled as one: a Warp module, for blocks of so many threads.

    Attributes:
        module: the module.
        block_dim: threads of a block.
    """

    module: wp.Module
    block_dim: int


def planned_modules(function: Callable[[Any, Any], None], m: Any, d: Any, *, for_cuda: bool = False) -> list[Build]:
    """What has to be compiled before ``function(m, d)`` can launch its kernels, in the order of their first launches.

    The function is run with every launch listed and none carried out, so the list has all that is launched, and nothing
    else. Functions of the user's (``m.callback``) are not called, as they may do more than launch; Warp compiles what
    they launch when they first do.

    Args:
        function: launches kernels on every world, by ``newtonish.kernels.runtime.launch`` alone.
        m: model.
        d: data, of which no array is read.
        for_cuda: list what a GPU needs, whatever device the data is on.
    """
    with planned(for_cuda) as plan:
        function(m, d)
    return list(dict.fromkeys(Build(prepared(one.kernel.module), one.block_dim) for one in plan))


def builds_of(file: ModuleType, d: Any, *, for_cuda: bool = False) -> list[Build]:
    """What has to be compiled before kernels of a file that is imported are launched, on grids of their own or on worlds like those of ``d``.

    Args:
        file: which defines kernels.
        d: data.
        for_cuda: list what a GPU needs, whatever device the data is on.
    """
    module = prepared(wp.get_module(file.__name__))
    if not for_cuda and not is_gpu(d.device):
        return [Build(module, 1)]
    choices = [(kernel, mapping_of(d).choice(kernel)) for kernel in module.kernels.values()]
    variants = [Build(variant(kernel, choice).module, block_of(choice.lanes)) for kernel, choice in choices]
    return list(dict.fromkeys([Build(module, BLOCK_DIM), *variants]))


def load_modules(device: Any, builds: Iterable[Build]) -> None:
    """Compile (in parallel) and load on ``device``; what was loaded before costs nothing."""
    place = str(wp.get_device(device))
    missing = [one for one in dict.fromkeys(builds) if (place, one.module.name, one.block_dim) not in _loaded]
    if not missing:
        return
    missing.sort(key=lambda one: _turn(one.module))  # else in the order of their launches
    if wp.get_device(device).is_cpu:
        load_side_by_side([one.module for one in missing])
    else:
        workers = min(len(missing), os.cpu_count() or 1)
        for lanes, group in groupby(sorted(missing, key=lambda one: one.block_dim), lambda one: one.block_dim):
            load_now([one.module for one in group], device, block_dim=lanes, workers=workers)
    _loaded.update((place, one.module.name, one.block_dim) for one in missing)


def _turn(module: wp.Module) -> int:
    """When a module begins to be compiled, so that none of the slow ones is left alone at the end."""
    name = module.name.removeprefix("newtonish.kernels.")
    return SLOWEST.index(name) if name in SLOWEST else len(SLOWEST)


def compile_modules(builds: Sequence[Build], arch: int, folder: Path | None = None, *, ptx: bool = False) -> list[Path]:
    """Compile for a CUDA architecture, such as 90 for sm_90; no GPU is needed.

    Args:
        builds: what to compile, as of a GPU.
        arch: compute capability times ten.
        folder: where to; None: Warp's kernel cache, where a process with such a GPU finds the files.
        ptx: only translate to PTX, which the assembler has not seen yet.

    Returns:
        The file of each.
    """

    by_module: dict[wp.Module, list[Build]] = {}  # whose options change meanwhile: each is one thread's
    for build in builds:
        by_module.setdefault(build.module, []).append(build)
    with ThreadPoolExecutor(max(1, min(len(by_module), os.cpu_count() or 1))) as pool:
        paths = pool.map(lambda group: [_compile(build, arch, folder, ptx) for build in group], by_module.values())
        found = dict(zip(chain(*by_module.values()), chain.from_iterable(paths), strict=True))
    return [found[build] for build in builds]


def _compile(build: Build, arch: int, folder: Path | None, ptx: bool) -> Path:
    options = build.module.options
    before = options["block_dim"]
    options["block_dim"] = build.block_dim  # part of what the cache's names are made of
    try:
        return Path(wp.compile_aot_module(build.module, arch=arch, module_dir=folder, use_ptx=ptx)[0])
    finally:
        options["block_dim"] = before
