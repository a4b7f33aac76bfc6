"""``newtonish warmup [MODEL...]``: compile ahead what models need, so that a first step does not wait.

Everything goes into Warp's kernel cache (``WARP_CACHE_PATH``, else the user's cache folder). A process that runs with the
same cache, the same versions of Warp and newtonish and, on a CPU, the same kind of processor only loads it.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, use_device
from newtonish.cli.loading import short_warnings, timed
from newtonish.cli.models import model_path
from newtonish.errors import problem

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


def _modules(path: Path) -> list[str]:
    """Names of the modules that a step of a model launches, by either interface."""
    from newtonish.kernels.bridge import states  # noqa: F401 (a module of Warp's is known once it is imported)
    from newtonish.mjw.load import read_compiled
    from newtonish.mjw.put_model import put_model
    from newtonish.mjw.replay import needed_modules
    from newtonish.model import fk

    with short_warnings(path):
        m = put_model(read_compiled(str(path))[0], device="cpu", strict=False)
    return [*needed_modules(m), "newtonish.kernels.bridge.states", fk.__name__]


def _cached(names: list[str], lanes: int) -> dict[str, set[str]]:
    """Files of each module that the kernel cache has."""
    import warp as wp

    from newtonish.kernels.modules import find_module

    folders = {name: Path(wp.config.kernel_cache_dir, find_module(name).get_module_identifier(block_dim=lanes)) for name in names}
    return {name: {entry.name for entry in folder.iterdir()} if folder.is_dir() else set() for name, folder in folders.items()}


def _compile(target: str, names: list[str], lanes: int, action: Any) -> tuple[str, list[str], float]:
    """Carry out ``action`` and find out which of the modules it had to compile."""
    before = _cached(names, lanes)
    _, seconds = timed(action)
    after = _cached(names, lanes)
    return target, [name for name in names if after[name] - before[name]], seconds


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    if arguments.device == "none" and not arguments.arch:
        raise UsageError(problem("--device", "'none' without --arch", "a Warp device", "name a device or architectures"))
    paths = [model_path(text) for text in arguments.model or [None]]
    device = use_device("cpu" if arguments.device == "none" else arguments.device)
    architectures = _architectures(arguments.arch)
    import warp as wp

    from newtonish.kernels.launch import CUDA_BLOCK_DIM, block_dim
    from newtonish.kernels.modules import compile_modules, load_modules

    names = list(dict.fromkeys(name for path in paths for name in _modules(path)))
    done = []
    with tables.working("compiling") as say:
        if arguments.device != "none":
            say(f"compiling {len(names)} modules for {device}")
            done.append(_compile(str(device), names, block_dim(device), lambda: load_modules(device, names)))
        for arch in architectures:
            say(f"compiling {len(names)} modules for sm_{arch}")
            done.append(_compile(f"sm_{arch}", names, CUDA_BLOCK_DIM, lambda arch=arch: compile_modules(names, arch)))
    rows = [
        (name.removeprefix("newtonish."), *("compiled" if name in compiled else "was there" for _, compiled, _ in done))
        for name in names
    ]
    tables.grid("Modules", ("module", *(target for target, _, _ in done)), rows)
    tables.facts("Seconds", [(target, f"{seconds:.1f}") for target, _, seconds in done])
    print(f"kernel cache: {wp.config.kernel_cache_dir}")
    return 0
