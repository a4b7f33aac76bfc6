"""The native sparse factorisation, solution and product, against plain Warp twins and against numpy in float64."""

import numpy as np
import pytest
import warp as wp
from launching import launch_worlds

from newtonish.kernels.linalg.sparse_ltdl import copy_shifted, ltdl_factor, ltdl_solve, symmetric_mul

NWORLD = 3


@wp.kernel(enable_backward=False)
def _native(
    nnz: wp.array(dtype=int), adr: wp.array(dtype=int), col: wp.array(dtype=int), matrix: wp.array2d(dtype=float),
    factor: wp.array2d(dtype=float), diaginv: wp.array2d(dtype=float), x: wp.array2d(dtype=float),
    product: wp.array2d(dtype=float), nv: int,
):  # fmt: skip
    w, _lane = wp.tid()
    symmetric_mul(nnz, adr, col, matrix, x, product, nv, w)
    ltdl_factor(nnz, adr, col, matrix, factor, diaginv, nv, w)
    ltdl_solve(nnz, adr, col, factor, diaginv, x, nv, w)


@wp.kernel(enable_backward=False, module="unique")  # a GPU compiles no native code in it, which would want lanes
def _twin(
    nnz: wp.array(dtype=int), adr: wp.array(dtype=int), col: wp.array(dtype=int), matrix: wp.array2d(dtype=float),
    factor: wp.array2d(dtype=float), diaginv: wp.array2d(dtype=float), x: wp.array2d(dtype=float),
    product: wp.array2d(dtype=float), nv: int,
):  # fmt: skip
    w = wp.tid()
    for i in range(nv):
        product[w, i] = 0.0
        for k in range(adr[i], adr[i] + nnz[i]):
            j = col[k]
            factor[w, k] = matrix[w, k]
            product[w, i] = product[w, i] + matrix[w, k] * x[w, j]
            if j != i:
                product[w, j] = product[w, j] + matrix[w, k] * x[w, i]
    for back in range(nv):
        k = nv - 1 - back
        last = adr[k] + nnz[k] - 1
        diaginv[w, k] = 1.0 / factor[w, last]
        for a in range(adr[k], last):
            i = col[a]
            scaled = factor[w, a] * diaginv[w, k]
            for j in range(nnz[i]):
                factor[w, adr[i] + j] = factor[w, adr[i] + j] - scaled * factor[w, adr[k] + j]
        for a in range(adr[k], last):
            factor[w, a] = factor[w, a] * diaginv[w, k]
            x[w, col[a]] = x[w, col[a]] - factor[w, a] * x[w, k]
    for k in range(nv):
        x[w, k] = x[w, k] * diaginv[w, k]
        for a in range(adr[k], adr[k] + nnz[k] - 1):
            x[w, k] = x[w, k] - factor[w, a] * x[w, col[a]]


def random_sparsity(nv: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of a random forest of dofs: ancestors ascending, the diagonal last."""
    rows: list[list[int]] = []
    for i in range(nv):
        parent = int(rng.integers(-1, i)) if i else -1
        rows.append([*(rows[parent] if parent >= 0 else []), i])
    nnz = np.array([len(r) for r in rows], dtype=np.int32)
    adr = np.concatenate([[0], np.cumsum(nnz)[:-1]]).astype(np.int32)
    return nnz, adr, np.concatenate(rows).astype(np.int32)


@pytest.mark.parametrize("nv", [1, 2, 9, 40])
def test_native_is_the_twin_and_solves(nv: int, device: str) -> None:
    rng = np.random.default_rng(nv)
    nnz, adr, col = random_sparsity(nv, rng)
    row = np.repeat(np.arange(nv), nnz)
    values = rng.uniform(-1, 1, (NWORLD, len(col)))
    values[:, row == col] = 2.0 * nnz.max() + rng.uniform(0, 1, (NWORLD, nv))
    b = rng.standard_normal((NWORLD, nv))
    pattern = [wp.array(a, dtype=int, device=device) for a in (nnz, adr, col)]
    results = []
    for kernel in (_native, _twin):
        x = wp.array(np.pad(b, ((0, 0), (0, 3))), dtype=float, device=device)  # rows may be longer than nv
        arrays = [wp.array(values, dtype=float, device=device), wp.zeros(values.shape, dtype=float, device=device)]
        arrays += [wp.zeros((NWORLD, nv), dtype=float, device=device), x]
        arrays += [wp.full((NWORLD, nv), 9.0, dtype=float, device=device)]
        inputs = [*pattern, *arrays, nv]
        if kernel is _native:
            launch_worlds(kernel, NWORLD, inputs, device)
        else:
            wp.launch(kernel, dim=NWORLD, inputs=inputs, device=device)
        results.append([a.numpy() for a in arrays[1:]])
    for native, twin in zip(*results):
        np.testing.assert_allclose(native, twin, rtol=2e-5, atol=2e-6)
    for world in range(NWORLD):
        dense = np.zeros((nv, nv))
        dense[row, col] = dense[col, row] = values[world]
        np.testing.assert_allclose(results[0][2][world, :nv], np.linalg.solve(dense, b[world]), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(results[0][3][world], dense @ b[world], rtol=1e-4, atol=1e-4)


@wp.kernel(enable_backward=False)
def _shifted(
    nnz: wp.array(dtype=int), adr: wp.array(dtype=int), matrix: wp.array2d(dtype=float), shift: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float), nv: int,
):  # fmt: skip
    w, _lane = wp.tid()
    copy_shifted(nnz, adr, matrix, shift, result, nv, w)


def test_copy_shifted(device: str) -> None:
    rng = np.random.default_rng(0)
    nnz, adr, col = random_sparsity(9, rng)
    values, shift = rng.standard_normal((NWORLD, len(col))), rng.standard_normal((NWORLD, 9))
    arrays = [wp.array(a, dtype=int, device=device) for a in (nnz, adr)]
    arrays += [wp.array(a, dtype=float, device=device) for a in (values, shift)]
    result = wp.zeros(values.shape, dtype=float, device=device)
    launch_worlds(_shifted, NWORLD, [*arrays, result, 9], device)
    values[:, adr + nnz - 1] += shift
    np.testing.assert_allclose(result.numpy(), values, rtol=1e-6, atol=1e-6)
