"""Compiling modules of kernels for CUDA without a GPU."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import warp as wp
from step_models import builds_of_steps

import newtonish.kernels
from newtonish.kernels.launch import CUDA_BLOCK_DIM
from newtonish.kernels.modules import Build, build_of, compile_modules

STEP_BUILDS = builds_of_steps()
"""What steps launch kernels of."""


def stage_builds() -> list[Build]:
    """All other modules of the package that define kernels."""
    names = sorted(info.name for info in pkgutil.walk_packages(newtonish.kernels.__path__, "newtonish.kernels."))
    files = [importlib.import_module(name) for name in names]
    found = [build_of(file, CUDA_BLOCK_DIM) for file in files if wp.get_module(file.__name__).kernels]
    return [build for build in found if build not in STEP_BUILDS]


def name_of(build: Build) -> str:
    """What pytest calls a test of it."""
    return build.module.name


def compile_for_cuda(build: Build, arch: int, folder: Path) -> None:
    """Compile for an architecture, e.g. 90 for sm_90."""
    (path,) = compile_modules([build], arch, folder)
    assert path.read_bytes()[:4] == b"\x7fELF"
