"""Kernels on tiles by emulation: Warp's own functions, and what stands for NVIDIA's library."""

import numpy as np
import pytest
import warp as wp
from emulation.compiler import Form
from emulation.emulator import Emulator

SIZE, SIDES, THREADS, WORLDS = 24, 4, 64, 3
N, M = wp.constant(SIZE), wp.constant(SIDES)


@wp.kernel(module="unique", enable_backward=False, module_options={"enable_mathdx_gemm": False})
def solve(a: wp.array3d(dtype=float), b: wp.array3d(dtype=float), lower: wp.array3d(dtype=float), x: wp.array3d(dtype=float), sums: wp.array(dtype=float)):
    w = wp.tid()
    factor = wp.tile_matmul(wp.tile_load(a[w], shape=(N, N)), wp.tile_transpose(wp.tile_load(a[w], shape=(N, N))))
    wp.tile_cholesky_inplace(factor)
    wp.tile_store(lower[w], factor)
    sides = wp.tile_load(b[w], shape=(N, M))
    wp.tile_lower_solve_inplace(factor, sides)
    wp.tile_upper_solve_inplace(wp.tile_transpose(factor), sides)
    wp.tile_store(x[w], sides)
    total = wp.tile_reduce(wp.add, wp.tile_map(wp.abs, sides))
    wp.tile_store(sums, total, offset=w)


@wp.kernel(module="unique", enable_backward=False, module_options={"enable_mathdx_gemm": False})
def solve_upper(a: wp.array3d(dtype=float), b: wp.array2d(dtype=float), x: wp.array2d(dtype=float)):
    w = wp.tid()
    factor = wp.tile_load(a[w], shape=(N, N))
    wp.tile_cholesky_inplace(factor, fill_mode="upper")
    wp.tile_store(x[w], wp.tile_cholesky_solve(factor, wp.tile_load(b[w], shape=N), fill_mode="upper"))


@pytest.fixture(scope="module")
def matrices() -> np.ndarray:
    rng = np.random.default_rng(0)
    return (rng.standard_normal((WORLDS, SIZE, SIZE)) + 12.0 * np.eye(SIZE)).astype(np.float32)


def array(values: np.ndarray) -> wp.array:
    return wp.array(values.astype(np.float32), device="cpu")


@pytest.mark.parametrize("form", [Form(), Form(counted=True, fused=True)], ids=["checked", "counted"])
def test_factors_and_solutions(matrices, form):
    emulator = Emulator(form, check=not form.counted)
    positive = matrices @ matrices.transpose(0, 2, 1)
    sides = np.random.default_rng(1).standard_normal((WORLDS, SIZE, SIDES))
    lower, x, sums = array(np.zeros_like(positive)), array(np.zeros_like(sides)), array(np.zeros(WORLDS))
    emulator.launch(solve, (WORLDS, THREADS), [array(matrices), array(sides), lower, x, sums], THREADS, 32)
    expected = np.linalg.solve(positive.astype(np.float64), sides)
    np.testing.assert_allclose(lower.numpy(), np.linalg.cholesky(positive), atol=2e-4)
    np.testing.assert_allclose(x.numpy(), expected, atol=1e-4)
    np.testing.assert_allclose(sums.numpy(), np.abs(expected).sum(axis=(1, 2)), rtol=1e-4)
    one = array(np.zeros((WORLDS, SIZE)))
    emulator.launch(solve_upper, (WORLDS, THREADS), [array(positive), array(sides[:, :, 0]), one], THREADS, 32)
    np.testing.assert_allclose(one.numpy(), expected[:, :, 0], atol=1e-4)
    assert not emulator.reports()


def test_a_factor_costs_what_its_products_do(matrices):
    emulator = Emulator(Form(counted=True, fused=True), check=False)
    positive = array(matrices @ matrices.transpose(0, 2, 1))
    emulator.launch(solve_upper, (WORLDS, THREADS), [positive, array(np.ones((WORLDS, SIZE))), array(np.zeros((WORLDS, SIZE)))], THREADS, 32)
    counted = sum(count for place, count in emulator.profile().items() if place.startswith("potrf"))
    assert counted / WORLDS == pytest.approx(sum(18 + -(-n * (n + 1) // 2 // 32) for n in range(SIZE)), rel=0.1)
