"""Binaries of newtonish's kernels for an architecture, into the kernel cache that this process was started with. No GPU is needed."""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from day import engine
from day.journal import Journal
from day.models import EIGHT, present

BESIDE = ("newtonish.model.fk", "newtonish.model.state", "newtonish.model.ik", "newtonish.solver.reset")
"""Modules with kernels outside ``newtonish.kernels``, launched with Warp's own block size."""

PLAIN = ("newtonish.kernels.constraint.contact_force", "newtonish.kernels.analysis.differences")
"""Modules within, some of whose kernels are launched with that block size as well."""


def kernels(journal: Journal, device: str, arch: int, models: list[str] | None) -> None:
    """Compile what steps of some models launch, or every kernel of the package where no models are named."""
    from newtonish.kernels.runtime.modules import compile_modules

    engine.start("cpu")
    builds = _all() if models is None else _of_models(models)
    begin = time.perf_counter()
    files = [file for name in BESIDE if models is None for file in _plain(name, arch)]
    files += compile_modules(builds, arch)
    journal.write("kernels", arch=arch, modules=len(builds), files=len(files), seconds=round(time.perf_counter() - begin, 1))


def _plain(name: str, arch: int) -> list[Path]:
    """Binaries of a module at Warp's block size, as it is and with newtonish's flags for CPUs: its launches come by both ways, and the flags
    are part of what the cache's names are made of."""
    import warp as wp

    from newtonish.kernels.runtime.launch import WARPS_BLOCK_DIM, prepared

    importlib.import_module(name)
    module, files = wp.get_module(name), []
    before = module.options["block_dim"]
    for change in (lambda: None, lambda: prepared(module)):
        change()
        module.options["block_dim"] = WARPS_BLOCK_DIM
        module.mark_modified()
        files += wp.compile_aot_module(module, arch=arch, use_ptx=False)
    module.options["block_dim"] = before
    return files


def _all() -> list[Any]:
    """Every module of the package that has kernels, for chains and for trees, and what steps of the models that are measured launch: kernels of
    a certain number of dofs are compiled for theirs."""
    import warp as wp

    import newtonish.kernels
    from newtonish.kernels.runtime.lanes import Mapping
    from newtonish.kernels.runtime.launch import WARPS_BLOCK_DIM
    from newtonish.kernels.runtime.modules import Build, builds_of

    names = sorted(info.name for info in pkgutil.walk_packages(newtonish.kernels.__path__, "newtonish.kernels."))
    files = [file for file in map(importlib.import_module, names) if wp.get_module(file.__name__).kernels]
    shapes = [SimpleNamespace(mapping=Mapping(branches=branches)) for branches in (1, 2)]
    found = [build for file in files for shape in shapes for build in builds_of(file, shape, for_cuda=True)]
    plain = [Build(wp.get_module(name), WARPS_BLOCK_DIM) for name in PLAIN]
    return list(dict.fromkeys([*found, *plain, *_of_models(present(EIGHT))]))


def _of_models(models: Iterable[str]) -> list[Any]:
    """Modules that steps of some models launch on a GPU, and resets."""
    from newtonish.mjw.replay import modules_of_step

    loaded = [engine.load(model, 1, "cpu") for model in models]
    return list(dict.fromkeys(build for m, d in loaded for build in modules_of_step(m, d, for_cuda=True)))
