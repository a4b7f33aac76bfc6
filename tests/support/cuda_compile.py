"""Compiling modules of kernels for CUDA without a GPU."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import warp as wp
from step_models import builds_of_steps

import newtonish.kernels
from newtonish.kernels.runtime.lanes import Mapping
from newtonish.kernels.runtime.modules import Build, builds_of, compile_modules

STEP_BUILDS = builds_of_steps()
"""What steps launch kernels of."""


def file_of(build: Build) -> str:
    """The module of a build as it is imported: that of its kernels for any number of lanes."""
    return build.module.name.split(".lanes")[0]


def one_of_each_file(builds: Iterable[Build]) -> list[Build]:
    """One build of each file, where several differ by lanes or dofs."""
    return list({file_of(build): build for build in builds}.values())


def without_like_collisions(builds: Iterable[Build]) -> list[Build]:
    """All builds, but of each file of collisions one: these take up to a minute, and lanes change little of their text."""
    found = list(builds)
    collisions = [build for build in found if ".collision" in build.module.name]
    return [build for build in found if build not in collisions] + one_of_each_file(collisions)


def stage_builds() -> list[Build]:
    """All other modules of the package that define kernels, each for one number of lanes."""
    names = sorted(info.name for info in pkgutil.walk_packages(newtonish.kernels.__path__, "newtonish.kernels."))
    files = [importlib.import_module(name) for name in names]
    any_data = SimpleNamespace(mapping=Mapping())
    covered = {file_of(build) for build in STEP_BUILDS}
    left = [file for file in files if wp.get_module(file.__name__).kernels and file.__name__ not in covered]
    return one_of_each_file(build for file in left for build in builds_of(file, any_data, for_cuda=True))


def name_of(build: Build) -> str:
    """What pytest calls a test of it."""
    return build.module.name


def compile_for_cuda(build: Build, arch: int, folder: Path) -> None:
    """Compile for an architecture, e.g. 90 for sm_90."""
    (path,) = compile_modules([build], arch, folder)
    assert path.read_bytes()[:4] == b"\x7fELF"


def translate_for_cuda(build: Build, arch: int, folder: Path) -> str:
    """PTX for an architecture: what the compiler makes of the text, and the assembler has not seen yet."""
    (path,) = compile_modules([build], arch, folder, ptx=True)
    return path.read_text().rstrip("\0")  # Warp writes C's end of the string too
