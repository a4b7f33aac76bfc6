"""Speeds too small for a processor's own arithmetic count as zero in steps on a CPU, and nowhere else in the process."""

import platform

import numpy as np
import pytest

from newtonish import mjw

FREE = """<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
SMALL = np.float32(1e-40)  # below 1.2e-38, the least float32 of full precision


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="other processors are as quick with small numbers")
@pytest.mark.parametrize("nworld", [1, 3])
def test_small_speeds_become_zero(nworld):
    m, d = mjw.load(FREE, nworld, device="cpu")
    speed = np.full((nworld, 6), SMALL)
    speed[:, 1] = 0.5 + np.arange(nworld)
    d.qvel.assign(speed)
    mjw.step(m, d, 2)
    expected = np.zeros((nworld, 6), np.float32)
    expected[:, 1] = speed[:, 1]
    assert np.array_equal(d.qvel.numpy(), expected)


def test_the_thread_goes_on_as_before():
    m, d = mjw.load(FREE, 2, device="cpu")
    mjw.step(m, d, 2)
    assert np.float32(1e-38) * np.float32(0.1) > 0.0
