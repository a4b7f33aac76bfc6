"""The kernels of single stages compile for CUDA, on a machine without a GPU as well."""

import pytest
from cuda_compile import STEP_MODULES, compile_for_cuda, kernel_modules


@pytest.mark.parametrize("name", [name for name in kernel_modules() if name not in STEP_MODULES])
def test_the_stage_kernels(name, tmp_path):
    compile_for_cuda(name, 90, tmp_path)
