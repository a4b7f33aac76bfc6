"""The kernels of a step compile for CUDA, on a machine without a GPU as well."""

import pytest
from cuda_compile import STEP_MODULES, compile_for_cuda


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("name", STEP_MODULES)
def test_the_fused_kernels_of_a_step(name, arch, tmp_path):
    compile_for_cuda(name, arch, tmp_path)
