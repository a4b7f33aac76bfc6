"""``newtonish doctor``: whether this machine has what it takes, and what to do where it has not."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from newtonish import __version__
from newtonish.cli import tables
from newtonish.cli.arguments import use_device
from newtonish.errors import NewtonishError, problem

__all__ = ["Finding", "examine", "run"]

_PYTHONS = ((3, 10), (3, 13))
_OPTIONAL = ("mujoco", "mujoco-warp", "newton", "matplotlib", "imageio-ffmpeg")


class Finding(NamedTuple):
    """Something that was checked: its name, what was found, and what is wrong with it, if anything."""

    what: str
    found: str
    problems: tuple[str, ...] = ()


def _python() -> Finding:
    here, (least, most) = sys.version_info[:2], _PYTHONS
    text = ".".join(map(str, sys.version_info[:3]))
    if least <= here <= most:
        return Finding("Python", text)
    allowed = f"{least[0]}.{least[1]} to {most[0]}.{most[1]}"
    return Finding("Python", text, (problem("Python", text, allowed, "make a virtual environment of one of these"),))


def _packages() -> list[Finding]:
    import warp as wp

    from newtonish.kernels.runtime.launch import is_known

    found = [Finding("newtonish", __version__), Finding("warp-lang", wp.__version__ + ("" if is_known() else ", not tested: steps on a CPU are slower"))]
    for name in _OPTIONAL:
        try:
            text = version(name)
        except PackageNotFoundError:
            text = "not installed (optional)"
        found.append(Finding(name, text))
    return found


def _processor() -> Finding:
    from newtonish.mjw.replay import get_num_threads

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        return Finding("CPU", f"{cores} cores, {get_num_threads()} threads")
    except NewtonishError as error:  # of the environment variable
        return Finding("CPU", f"{cores} cores", tuple(error.problems))


def _memory() -> Finding:
    from newtonish.memory import free_memory

    free = free_memory("cpu")
    return Finding("free memory", "unknown" if free is None else f"{free / 2**30:.1f} GiB")


def _cache() -> Finding:
    import warp as wp

    folder = Path(wp.config.kernel_cache_dir)
    if os.access(folder, os.W_OK):
        return Finding("kernel cache", str(folder))
    remedy = "set WARP_CACHE_PATH to a folder of yours"
    return Finding("kernel cache", str(folder), (problem(f"kernel cache {folder}", "a folder without write permission", "a writable one", remedy),))


def _driver() -> Finding:
    import warp as wp

    version_of_driver = wp.get_cuda_driver_version()
    return Finding("CUDA driver", "none" if version_of_driver is None else f"CUDA {version_of_driver[0]}.{version_of_driver[1]}")


def _gpu(device: Any) -> Finding:
    from newtonish.mjw.driver import driver_problems

    text = f"{device.name}, sm_{device.arch}, {device.free_memory / 2**30:.1f} of {device.total_memory / 2**30:.1f} GiB free"
    return Finding(str(device), text, tuple(driver_problems("device", device)))


def examine() -> list[Finding]:
    """Everything that is checked, in the order of the table."""
    import warp as wp

    use_device("cpu")  # starts Warp quietly
    return [_python(), *_packages(), _processor(), _memory(), _cache(), _driver(), *map(_gpu, wp.get_cuda_devices())]


def run(arguments: Namespace) -> int:
    """Carry out the command: a table, and a line for each problem; 1 if there is any."""
    found = examine()
    rows = [(finding.what, finding.found + (" (see below)" if finding.problems else "")) for finding in found]
    tables.grid("This machine", ("what", "found"), rows, left=2)
    problems = [text for finding in found for text in finding.problems]
    for text in problems:
        print(text)
    if not problems:
        print("nothing is missing")
    return 1 if problems else 0
