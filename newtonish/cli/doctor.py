"""``newtonish doctor``: whether this machine has what it takes, what to do where it has not, and what is slower on it and why."""

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
from newtonish.cli.output import findings
from newtonish.errors import NewtonishError, problem

__all__ = ["Finding", "examine", "run"]

_PYTHONS = ((3, 10), (3, 13))
_OPTIONAL = ("mujoco", "mujoco-warp", "newton", "gymnasium", "torch", "matplotlib", "shtab")


class Finding(NamedTuple):
    """Something that was checked: its name, what was found, what is wrong with it, and what is slower because of it."""

    what: str
    found: str
    problems: tuple[str, ...] = ()
    slower: tuple[str, ...] = ()


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

    slower = [] if is_known() else ["steps on a CPU: this version of Warp was not tested, and its kernels are launched one by one; install a tested one"]
    if wp.config.mode == "debug" or wp.config.verify_fp:
        slower.append("everything: Warp's debug mode is on; unset wp.config.mode and wp.config.verify_fp")
    found = [Finding("newtonish", __version__), Finding("warp-lang", wp.__version__, slower=tuple(slower))]
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
        threads = get_num_threads()
    except NewtonishError as error:  # of the environment variable
        return Finding("CPU", f"{cores} cores", tuple(error.problems))
    slower = []
    if threads < cores:
        slower.append(f"many worlds: {threads} of {cores} cores are used; set NEWTONISH_NUM_THREADS={cores}, or unset it")
    share = _quota()
    if share is not None and share < min(cores, threads):
        fitting = max(1, int(share))
        slower.append(
            f"many worlds: this container may use {share:g} of {cores} cores' time, and threads wait for one another; set NEWTONISH_NUM_THREADS={fitting}"
        )
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load > 1.5 * cores:
        slower.append(f"everything: other programs are busy (load {load:.1f} on {cores} cores); measure with --clock processor")
    return Finding("CPU", f"{cores} cores, {threads} threads, load {load:.1f}", slower=tuple(slower))


def _quota(path: Path = Path("/sys/fs/cgroup/cpu.max")) -> float | None:
    """Cores whose time a control group grants; None without a limit."""
    try:
        granted, period = path.read_text().split()[:2]
        return None if granted == "max" else int(granted) / int(period)
    except (OSError, ValueError):
        return None


def _memory() -> Finding:
    from newtonish.memory import free_memory

    free = free_memory("cpu")
    return Finding("free memory", "unknown" if free is None else f"{free / 2**30:.1f} GiB")


def _cache() -> list[Finding]:
    import warp as wp

    folder = Path(wp.config.kernel_cache_dir)
    if os.access(folder, os.W_OK):
        count = sum(entry.name.startswith("wp_") for entry in folder.iterdir())
        empty = () if count else ("the first start: no kernel is compiled yet; newtonish warmup MODEL does it ahead",)
        return [Finding("kernel cache", str(folder)), Finding("cached modules", str(count), slower=empty)]
    remedy = "set WARP_CACHE_PATH to a folder of yours"
    text = problem(f"kernel cache {folder}", "a folder without write permission", "a writable one", remedy)
    return [Finding("kernel cache", str(folder), (text,), ("every start: kernels are compiled again each time",))]


def _display() -> list[Finding]:
    """Where a window opens, what draws pictures, and what writes films."""
    found = [name for name in ("WAYLAND_DISPLAY", "DISPLAY") if os.environ.get(name)]
    window = ", ".join(f"{name}={os.environ[name]}" for name in found) or "none: record needs none; xvfb-run gives the window one"
    if sys.platform in ("win32", "darwin"):
        window = "the system's"
    return [Finding("display", window), _drawing(), _films()]


def _drawing() -> Finding:
    try:
        from newtonish.viewer.draw.device import drawing_device

        name, software = drawing_device()
    except (NewtonishError, ImportError, OSError) as error:
        return Finding("OpenGL", f"none, so view, record and pictures do not work: {error}")
    slower = ("pictures: the processor draws them, as there is no graphics driver; in the window, S switches shadows off",) if software else ()
    return Finding("OpenGL", name, slower=slower)


def _films() -> Finding:
    from newtonish.viewer.encoders import ffmpeg

    try:
        return Finding("ffmpeg", ffmpeg())
    except NewtonishError:
        return Finding("ffmpeg", "none: films as .gif and .apng only; pip install 'newtonish[view]' brings one")


def _driver() -> Finding:
    import warp as wp

    number = wp.get_cuda_driver_version()
    slower = () if wp.get_cuda_devices() else ("thousands of worlds: there is no NVIDIA GPU, so all of them are stepped by the CPU",)
    return Finding("CUDA driver", "none" if number is None else f"CUDA {number[0]}.{number[1]}", slower=slower)


def _gpu(device: Any) -> Finding:
    from newtonish.mjw.driver import driver_problems

    text = f"{device.name}, sm_{device.arch}, {device.free_memory / 2**30:.1f} of {device.total_memory / 2**30:.1f} GiB free"
    return Finding(str(device), text, tuple(driver_problems("device", device)))


def examine() -> list[Finding]:
    """Everything that is checked, in the order of the table."""
    import warp as wp

    use_device("cpu")  # starts Warp quietly
    return [_python(), *_packages(), _processor(), _memory(), *_cache(), _driver(), *map(_gpu, wp.get_cuda_devices()), *_display()]


def run(arguments: Namespace) -> int:
    """Carry out the command: a table, and a line for each problem; 1 if there is any."""
    found = examine()
    findings(arguments, {"machine": [finding._asdict() for finding in found]})
    rows = [(finding.what, finding.found + (" (see below)" if finding.problems else "")) for finding in found]
    tables.grid("This machine", ("what", "found"), rows, left=2)
    problems = [text for finding in found for text in finding.problems]
    for text in problems:
        print(text)
    slower = [text for finding in found for text in finding.slower]
    for text in slower:
        print(f"slower: {text}")
    if not problems:
        print("nothing is missing")
    return 1 if problems else 0
