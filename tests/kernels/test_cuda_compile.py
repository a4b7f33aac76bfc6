"""The kernels of a step compile for CUDA, on a machine without a GPU as well."""

import pytest
from cuda_compile import STEP_BUILDS, compile_for_cuda, name_of, one_of_each_file, translate_for_cuda, without_like_collisions


@pytest.mark.parametrize("build", without_like_collisions(STEP_BUILDS), ids=name_of)
def test_the_kernels_of_a_step(build, tmp_path):
    compile_for_cuda(build, 90, tmp_path)


@pytest.mark.parametrize("build", one_of_each_file(STEP_BUILDS), ids=name_of)
def test_the_kernels_of_a_step_for_an_older_gpu(build, tmp_path):
    assert ".target sm_75" in translate_for_cuda(build, 75, tmp_path)
