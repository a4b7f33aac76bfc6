"""Binaries of newtonish's kernels for an architecture, into the kernel cache that this process was started with. No GPU is needed."""

from __future__ import annotations

import importlib
import pkgutil
import time
from pathlib import Path

from day import engine
from day.journal import Journal

BESIDE = ("newtonish.model.fk", "newtonish.model.state", "newtonish.model.ik", "newtonish.solver.reset")
"""Modules with kernels outside ``newtonish.kernels``."""

PLAIN = (*BESIDE, "newtonish.kernels.constraint.contact_force", "newtonish.kernels.support.differences")
"""Modules whose kernels are launched with Warp's own block size."""

WARPS_BLOCK = 256


def kernels(journal: Journal, device: str, arch: int, models: list[str] | None) -> None:
    """Compile what steps of some models launch, or every kernel of the package where no models are named."""
    from newtonish.kernels.modules import compile_modules

    engine.start("cpu")
    names = _all() if models is None else _of_models(models)
    begin = time.perf_counter()
    files = [file for name in PLAIN if models is None for file in _plain(name, arch)]
    files += compile_modules(names, arch)
    journal.write("kernels", arch=arch, modules=len(names), files=len(files), seconds=round(time.perf_counter() - begin, 1))


def _plain(name: str, arch: int) -> list[Path]:
    """Binaries of a module at Warp's block size, as it is and with newtonish's flags for CPUs: its launches come by both ways, and the flags
    are part of what the cache's names are made of."""
    import warp as wp

    from newtonish.kernels.launch import with_cpu_flags

    importlib.import_module(name)
    module, files = wp.get_module(name), []
    before = module.options["block_dim"]
    for change in (lambda: None, lambda: with_cpu_flags(module)):
        change()
        module.options["block_dim"] = WARPS_BLOCK
        module.mark_modified()
        files += wp.compile_aot_module(module, arch=arch, use_ptx=False)
    module.options["block_dim"] = before
    return files


def _all() -> list[str]:
    """Every module of the package that has kernels of blocks of its own."""
    import warp as wp

    import newtonish.kernels

    names = [info.name for info in pkgutil.walk_packages(newtonish.kernels.__path__, "newtonish.kernels.")]
    for name in names:
        importlib.import_module(name)
    return sorted(name for name in names if wp.get_module(name).kernels)


def _of_models(models: list[str]) -> list[str]:
    """Modules that steps of some models launch, and resets."""
    from newtonish.mjw.replay import needed_modules

    names: dict[str, None] = {}
    for model in models:
        names |= dict.fromkeys(needed_modules(engine.load(model, 1, "cpu")[0]))
    return list(names)
