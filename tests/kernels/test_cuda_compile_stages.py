"""The kernels of single stages compile for CUDA, on a machine without a GPU as well."""

import pytest
from cuda_compile import compile_for_cuda, name_of, stage_builds


@pytest.mark.parametrize("build", stage_builds(), ids=name_of)
def test_the_stage_kernels(build, tmp_path):
    compile_for_cuda(build, 90, tmp_path)
