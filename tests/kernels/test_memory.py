"""Arrays whose pages are provided when they are written to: zero at first, alive as long as a view of them, cheap while unused."""

import gc
from pathlib import Path

import numpy as np
import pytest
import warp as wp

from newtonish.kernels.structs.memory import LEAST, zeros

SHAPES = [((3, 2), wp.vec3), ((2, LEAST), wp.float32), ((LEAST, 2), wp.mat33), ((LEAST,), wp.bool), ((0, 5), wp.float32)]


@pytest.mark.parametrize(("shape", "dtype"), SHAPES)
def test_an_array_is_like_one_of_warps(shape, dtype):
    array, other = zeros(shape, dtype, "cpu"), wp.zeros(shape, dtype=dtype, device="cpu")
    for name in ("shape", "strides", "dtype", "device", "capacity", "is_contiguous"):
        assert getattr(array, name) == getattr(other, name), name
    assert not array.numpy().any()
    if array.size:
        array.fill_(1)
        assert array.numpy().all()
        wp.copy(array, other)
        assert not array.numpy().any()


def test_a_view_keeps_the_memory():
    array = zeros((4, LEAST), wp.float32, "cpu")
    array.fill_(7.0)
    rows, host = array[1:3], array.numpy()
    del array
    gc.collect()
    assert (rows.numpy() == 7.0).all()
    assert (host == 7.0).all()
    rows.zero_()
    assert host[1:3].max() == 0.0
    assert host[3].min() == 7.0


def _resident() -> int:
    """Resident memory of this process [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what is resident")
def test_room_that_nobody_uses_takes_no_memory():
    huge = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if huge.exists() and "[always]" in huge.read_text():
        pytest.skip("the system gives whole huge pages")
    before = _resident()
    array = zeros((1024, LEAST), wp.uint8, "cpu")  # 256 MiB
    assert _resident() - before < 2**24
    array[:, :4096].fill_(1)
    assert 2**22 <= _resident() - before < 2**25
    assert np.count_nonzero(array[5].numpy()) == 4096
