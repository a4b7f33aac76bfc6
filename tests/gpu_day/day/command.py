"""The command line: ``pack``, ``unpack``, ``run SLICE...``, ``report FOLDER...``, and ``task`` for the processes that these start."""

from __future__ import annotations

import argparse
import json
import signal
from pathlib import Path
from types import ModuleType
from typing import Any

from day.children import Run
from day.journal import Budget, Journal
from day.places import Places

__all__ = ["main"]

SLICES = ("devices", "tests", "agreement", "sanitizer", "bench", "lanes", "stages")
"""In the order of a day."""


def slice_named(name: str) -> ModuleType:
    """The module of a slice."""
    import importlib

    return importlib.import_module(f"day.slices.{name}")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _counts(text: str) -> list[int]:
    return [int(name) for name in _names(text)]


def _settings(text: str) -> list[str]:
    return [name.strip() for name in text.split(";") if name.strip()]


def build_parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    parser = argparse.ArgumentParser(prog="python tests/gpu_day", description="A day on a GPU: see docs/gpu_day.md.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_pack(commands.add_parser("pack", help="gather what a machine without internet needs, in parts"))
    unpack = commands.add_parser("unpack", help="join and unpack parts; the script unpack.py beside them does the same")
    unpack.add_argument("parts", nargs="+", help="folders or files of parts")
    unpack.add_argument("--into", required=True, help="folder to unpack into")
    _add_run(commands.add_parser("run", help="run slices, one after the other"))
    page = commands.add_parser("report", help="one Markdown page of everything that slices found")
    page.add_argument("folders", nargs="+", type=Path, help="folders or files of journals")
    page.add_argument("--out", type=Path, help="write the page to this file")
    task = commands.add_parser("task", help="for the processes that slices start")
    task.add_argument("name")
    task.add_argument("arguments", type=json.loads)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", required=True, type=Path, help="folder for what is found")
    parser.add_argument("--models", type=_names, help="models, separated by commas (default: those of the slice)")
    parser.add_argument("--settings", type=_settings, help="settings of NEWTONISH_LANES, separated by semicolons (default: those of the slice)")
    parser.add_argument("--result-worlds", type=int, default=16, help="worlds of the CPU's results (default: 16)")
    parser.add_argument("--steps", type=int, default=200, help="steps of the CPU's results (default: 200)")


def _add_pack(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--python", default="3.12", help="Python of that machine (default: 3.12)")
    parser.add_argument("--arch", type=int, default=90, help="architecture of its GPU (default: 90)")
    parser.add_argument("--part-size", type=float, default=52.0, help="MiB of a part at most (default: 52, which is 55 MB)")
    parser.add_argument("--installed", action="store_true", help="pack what is installed here instead of fetching wheels")
    parser.add_argument("--packages", type=_names, help="these packages only")
    parser.add_argument("--leave-out", type=_names, default=[], help="packages that the machine has")
    parser.add_argument("--with-cpu-compiler", action="store_true", help="with Warp's compiler for CPUs, 20 MB")
    parser.add_argument("--without-peer", dest="with_peer", action="store_false", help="without kernels of mujoco_warp")


def _add_run(parser: argparse.ArgumentParser) -> None:
    about = "; ".join(f"{name}: {slice_named(name).ABOUT}" for name in SLICES)
    parser.add_argument("slices", nargs="+", choices=SLICES, metavar="SLICE", help=about)
    _add_common(parser)
    parser.add_argument("--device", default="cuda:0", help="Warp device (default: cuda:0)")
    parser.add_argument("--seconds", type=float, default=540.0, help="time of each slice (default: 540)")
    parser.add_argument("--worlds", type=_counts, help="numbers of worlds, separated by commas (default: those of the slice)")
    parser.add_argument("--copies", type=int, default=8192, help="copies of one world (default: 8192)")
    parser.add_argument("--turn", type=int, default=100, help="steps of a turn of the benchmark (default: 100)")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each engine (default: 3)")
    parser.add_argument("--peers", default="mujoco_warp", help="engines beside newtonish (default: mujoco_warp)")
    parser.add_argument("--paths", type=_names, help="files or folders of tests (default: those of the slice)")
    parser.add_argument("--workers", type=int, help="processes of tests (default: cores, at most 8)")


def main(words: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = build_parser().parse_args(words)
    if options.command == "task":
        from day import tasks

        return tasks.run(options.name, options.arguments)
    if options.command == "unpack":
        from day.packing import unpack

        return unpack.main([*options.parts, "--into", options.into])
    if options.command == "report":
        return _report(options)
    if options.command == "pack":
        from day.packing.pack import pack

        return pack(_begin("pack", "cpu", 1e9, options))
    before = signal.signal(signal.SIGTERM, _end)
    try:
        return max(_run_slice(name, options) for name in options.slices)
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(number: int, _: Any) -> None:
    """End by an exception, on whose way children are ended too: they would go on, with the GPU."""
    raise SystemExit(128 + number)


def _begin(name: str, device: str, seconds: float, options: Any) -> Run:
    places = Places.of(options.out)
    places.out.mkdir(parents=True, exist_ok=True)
    journal = Journal(places.journal, name)
    shown = {key: value for key, value in vars(options).items() if isinstance(value, str | int | float | list) and key != "command"}
    journal.write("begin", device=device, seconds=seconds, options=shown, packed=places.day is not None)
    return Run(places, device, Budget(seconds), journal, options)


def _run_slice(name: str, options: Any) -> int:
    """Run a slice within its time; the exit code is 1 where something of it went wrong, not where it was cut."""
    run = _begin(name, options.device, options.seconds, options)
    slice_named(name).run(run)
    run.journal.write("end", seconds=round(run.budget.spent, 1), cut=run.cut, trouble=run.trouble)
    print(f"{name}: {run.budget.spent:.0f} s, {len(run.cut)} cut, {len(run.trouble)} in trouble", flush=True)
    return 1 if run.trouble else 0


def _report(options: Any) -> int:
    from day.page import page

    text = page(options.folders)
    if options.out is None:
        print(text)
    else:
        options.out.write_text(text, encoding="utf-8")
    return 0
