"""The kernels of a step compile for CUDA, on a machine without a GPU as well."""

import pytest
from cuda_compile import STEP_BUILDS, compile_for_cuda, name_of


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("build", STEP_BUILDS, ids=name_of)
def test_the_kernels_of_a_step(build, arch, tmp_path):
    compile_for_cuda(build, arch, tmp_path)
