"""Compiling modules of kernels for CUDA without a GPU."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import warp as wp

import newtonish.kernels
from newtonish.kernels.launch import CUDA_BLOCK_DIM
from newtonish.kernels.modules import INTEGRATOR_MODULES, step_modules

_OF_INTEGRATORS = [step_modules(integrator) for integrator in INTEGRATOR_MODULES]
_OF_SOLVERS = [step_modules(3, solver, noslip=True, fluid=True) for solver in (0, 1)]
STEP_MODULES = sorted({name for names in (*_OF_INTEGRATORS, *_OF_SOLVERS) for name in names})
"""Modules that a step launches kernels of."""


def kernel_modules() -> list[str]:
    """Names of all modules of the package that define kernels."""
    names = [info.name for info in pkgutil.walk_packages(newtonish.kernels.__path__, "newtonish.kernels.")]
    for name in names:
        importlib.import_module(name)
    return sorted(name for name in names if wp.get_module(name).kernels)


def compile_for_cuda(name: str, arch: int, folder: Path) -> None:
    """Compile one module for an architecture, e.g. 90 for sm_90."""
    importlib.import_module(name)  # kernels are imported when a model needs them
    module = wp.get_module(name)
    module.options["block_dim"] = CUDA_BLOCK_DIM
    try:
        files = wp.compile_aot_module(module, arch=arch, module_dir=folder)
    finally:
        module.options["block_dim"] = 256
    assert files and all(path.exists() for path in files)
