"""Every kernel compiles for CUDA, on a machine without a GPU as well."""

import importlib
import pkgutil

import pytest
import warp as wp

import newtonish.kernels
from newtonish.kernels.launch import CUDA_BLOCK_DIM
from newtonish.kernels.modules import INTEGRATOR_MODULES, step_modules

STEP_MODULES = sorted({name for integrator in INTEGRATOR_MODULES for name in step_modules(integrator)})
OTHER_SOLVERS = [step_modules(3, solver, noslip=True, fluid=True) for solver in (0, 1)]
STEP_MODULES = sorted({*STEP_MODULES, *OTHER_SOLVERS[0], *OTHER_SOLVERS[1]})


def kernel_modules() -> list[str]:
    """Names of all modules of the package that define kernels."""
    names = [info.name for info in pkgutil.walk_packages(newtonish.kernels.__path__, "newtonish.kernels.")]
    for name in names:
        importlib.import_module(name)
    return sorted(name for name in names if wp.get_module(name).kernels)


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("name", STEP_MODULES)
def test_the_fused_kernels_of_a_step(name, arch, tmp_path):
    compile_for_cuda(name, arch, tmp_path)


@pytest.mark.parametrize("name", [name for name in kernel_modules() if name not in STEP_MODULES])
def test_the_stage_kernels(name, tmp_path):
    compile_for_cuda(name, 90, tmp_path)


def compile_for_cuda(name: str, arch: int, folder) -> None:
    module = wp.get_module(name)
    module.options["block_dim"] = CUDA_BLOCK_DIM
    try:
        files = wp.compile_aot_module(module, arch=arch, module_dir=folder)
    finally:
        module.options["block_dim"] = 256
    assert files and all(path.exists() for path in files)
