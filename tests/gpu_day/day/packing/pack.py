"""``pack``: gathers a folder with packages, project, models, kernels and results of the CPU, and writes it in parts."""

from __future__ import annotations

import datetime
import shutil
import subprocess
from pathlib import Path

from day.children import Run
from day.models import BENCHED, EIGHT, SHARED, chosen, shared_folders
from day.packing import parts, site
from day.places import REPO
from day.slices import lanes
from day.slices.bench import variables

__all__ = ["pack"]

PROJECT = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "newtonish", "kernels", "importers", "tests")
"""What of the repository travels: slices run from there, with the packages of the site."""

OF_TESTS = ("adhesion", "allegro_hand", "arm21", "barkour_vb", "converter_tests", "dm_humanoid", "gym_ant")
"""Folders of real models that the kernel tests read."""


def pack(run: Run) -> int:
    """Gather everything and write the parts; what is written to the journal says what became of it."""
    options, tree = run.options, run.places.out / "tree"
    for name in ("site", "project", "shared", "results"):  # the kernel cache stays: its files are named by their content
        shutil.rmtree(tree / name, ignore_errors=True)
    models = chosen(run, EIGHT)
    _packages(run, tree)
    _project(tree, models, whole=not options.models)
    _results(run, tree, models)
    _kernels(run, tree, models)
    facts = {"python": options.python, "arch": options.arch, "date": datetime.date.today().isoformat(), "commit": _commit()}
    written = parts.write(tree, run.places.out / "parts", options.part_size, facts)
    run.journal.write("parts", parts=[part["bytes"] for part in written], folder=str(run.places.out / "parts"))
    for part in written:
        print(f"{part['name']}  {part['bytes'] / (1 << 20):.1f} MiB")
    return 1 if run.trouble else 0


def _packages(run: Run, tree: Path) -> None:
    options = run.options
    target = tree / "site"
    target.mkdir(parents=True)
    packages = tuple(name for name in options.packages or site.PACKAGES if name not in options.leave_out)
    if options.installed:
        site.from_here(target, packages)
    else:
        site.from_wheels(target, run.places.out / "wheels", packages, options.python)
    site.project_package(target)
    site.slim(target, options.with_cpu_compiler)


def _project(tree: Path, models: tuple[str, ...], whole: bool) -> None:
    """The repository without its history, and the real models that tests and slices read."""
    for name in PROJECT:
        source, target = REPO / name, tree / "project" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    folders = {*shared_folders(models), *(SHARED / name for name in OF_TESTS if whole)}
    for folder in sorted(folder for folder in folders if folder.exists()):
        shutil.copytree(folder, tree / "shared" / "models" / folder.name)


def _results(run: Run, tree: Path, models: tuple[str, ...]) -> None:
    options = run.options
    for model in models:
        run.task("results", {"model": model, "folder": str(tree / "results"), "worlds": options.result_worlds, "steps": options.steps})


def _kernels(run: Run, tree: Path, models: tuple[str, ...]) -> None:
    """Binaries for the architecture: as the mapping chooses lanes, those of single models where models are named; at every other setting what is measured."""
    options = run.options
    measured = [model for model in BENCHED if model in models]
    for setting in options.settings or lanes.SETTINGS:
        place = {"WARP_CACHE_PATH": str(tree / "cache"), **variables(setting)}
        run.task("kernels", {"arch": options.arch, "models": options.models if setting == "default" else measured}, **place)
    if options.with_peer:
        run.task("peer_kernels", {"arch": options.arch, "models": measured}, WARP_CACHE_PATH=str(tree / "cache"))
    kept = {".cubin", ".meta"}
    for path in list((tree / "cache").rglob("*")):
        if path.is_file() and path.suffix not in kept:
            path.unlink()
    for folder in sorted((tree / "cache").rglob("*"), reverse=True):  # modules for the CPU, which the peer's step compiled, and headers
        if folder.is_dir() and not any(path.suffix == ".cubin" for path in folder.rglob("*")):
            shutil.rmtree(folder)


def _commit() -> str:
    """What the repository's history calls this state; empty outside one."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=REPO, capture_output=True, text=True)
    return done.stdout.strip()
