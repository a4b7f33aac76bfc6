"""``newtonish warmup [MODEL...]``: compile ahead what models need, so that a first step does not wait.

Everything goes into Warp's kernel cache (``WARP_CACHE_PATH``, else the user's cache folder). A process that runs with the
same cache, the same versions of Warp and newtonish and, on a CPU, the same kind of processor only loads it.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, use_device
from newtonish.cli.loading import short_warnings, timed
from newtonish.cli.models import model_path
from newtonish.cli.output import findings
from newtonish.errors import problem

if TYPE_CHECKING:
    from newtonish.kernels.runtime.modules import Build

__all__ = ["run"]


def _architectures(text: str) -> list[int]:
    """Architectures out of a list such as ``80,90``; only what this Warp's compiler can make."""
    import warp as wp

    wp.init()
    known = sorted(wp.get_cuda_supported_archs())
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if not part.isdigit() or int(part) not in known:
            allowed = ", ".join(map(str, known)) or "none: this Warp was built without CUDA"
            raise UsageError(problem("--arch", repr(part), allowed, "name architectures by number, separated by commas"))
        found.append(int(part))
    return list(dict.fromkeys(found))


def _builds(models: list[tuple[Any, Any]], on_gpu: bool) -> list[Build]:
    """What steps of the models launch, by either interface, on a GPU or on a CPU; no GPU is needed to tell."""
    import warp as wp

    from newtonish.kernels.bridge import states
    from newtonish.kernels.runtime.launch import WARPS_BLOCK_DIM
    from newtonish.kernels.runtime.modules import Build, builds_of
    from newtonish.mjw.replay import modules_of_step
    from newtonish.model import fk

    found = [build for m, d in models for build in modules_of_step(m, d, for_cuda=on_gpu)]
    found += [build for _, d in models for build in builds_of(states, d, for_cuda=on_gpu)]
    # launched by the model, without what kernels of this package are compiled and launched with
    found.append(Build(wp.get_module(fk.__name__), WARPS_BLOCK_DIM if on_gpu else 1))
    return list(dict.fromkeys(found))


def _model(path: Path) -> tuple[Any, Any]:
    """The model of a file and data for it, on the CPU."""
    from newtonish.mjw.data import new_data
    from newtonish.mjw.from_file import read_compiled
    from newtonish.mjw.from_mjmodel import put_model

    with short_warnings(path):
        m = put_model(read_compiled(str(path))[0], device="cpu", strict=False)
    return m, new_data(m, 1, None, None)


def _cached(builds: list[Build]) -> dict[Build, set[str]]:
    """Files of each that the kernel cache has."""
    import warp as wp

    found = {}
    for build in builds:
        folder = Path(str(wp.config.kernel_cache_dir), build.module.get_module_identifier(block_dim=build.block_dim))
        found[build] = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    return found


def _compile(builds: list[Build], action: Callable[[list[Build]], object]) -> tuple[set[str], float]:
    """Carry out ``action``; returns the names of the modules that it had to compile, and how long it took [s]."""
    before = _cached(builds)
    _, seconds = timed(lambda: action(builds))
    after = _cached(builds)
    return {build.module.name for build, files in after.items() if files - before[build]}, seconds


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    if arguments.device == "none" and not arguments.arch:
        raise UsageError(problem("--device", "'none' without --arch", "a Warp device", "name a device or architectures"))
    paths = [model_path(text) for text in arguments.model or [None]]
    device = use_device("cpu" if arguments.device == "none" else arguments.device)
    architectures = _architectures(arguments.arch)
    import warp as wp

    from newtonish.kernels.runtime.modules import compile_modules, load_modules

    models = [_model(path) for path in paths]
    done: dict[str, tuple[set[str], float]] = {}
    with tables.working("compiling") as say:

        def work(target: str, on_gpu: bool, action: Callable[[list[Build]], object]) -> None:
            builds = _builds(models, on_gpu)
            say(f"compiling {len(builds)} modules for {target}")
            done[target] = _compile(builds, action)

        if arguments.device != "none":
            work(str(device), device.is_cuda, lambda builds: load_modules(device, builds))
        for arch in architectures:
            work(f"sm_{arch}", True, lambda builds, arch=arch: compile_modules(builds, arch))
    names = dict.fromkeys(build.module.name for build in _builds(models, False))
    rows = [(name.removeprefix("newtonish."), *("compiled" if name in new else "was there" for new, _ in done.values())) for name in names]
    told = {target: {"compiled": sorted(new), "seconds": seconds} for target, (new, seconds) in done.items()}
    findings(arguments, {"modules": list(names), "targets": told, "cache": str(wp.config.kernel_cache_dir)})
    tables.grid("Modules", ("module", *done), rows)
    tables.facts("Seconds", [(target, f"{seconds:.1f}") for target, (_, seconds) in done.items()])
    print(f"kernel cache: {wp.config.kernel_cache_dir}")
    return 0
