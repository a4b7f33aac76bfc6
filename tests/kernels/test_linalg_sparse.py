"""Native algebra of sparse rows and of the Hessian within its envelope, against plain twins in numpy, for unequal worlds."""

import numpy as np
import pytest
import warp as wp
from launching import launch_worlds

from newtonish.kernels.linalg import skyline_cholesky, sparse_rows
from newtonish.kernels.math.world import lanes, sum_lanes, sync

NWORLD = 3


@wp.kernel
def _products(
    J: wp.array3d(dtype=float),
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    colind: wp.array2d(dtype=int),
    treeid: wp.array(dtype=int),
    M_rownnz: wp.array(dtype=int),
    M_rowadr: wp.array(dtype=int),
    M_colind: wp.array(dtype=int),
    L: wp.array2d(dtype=float),
    diaginv: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    force: wp.array2d(dtype=float),
    y: wp.array2d(dtype=float),
    JTf: wp.array2d(dtype=float),
    W: wp.array3d(dtype=float),
    W_colind: wp.array2d(dtype=int),
    dense: wp.array3d(dtype=float),
    dots: wp.array2d(dtype=float),
    nrow: int,
    nv: int,
    room: int,
):
    w, lane = wp.tid()
    sparse_rows.sparse_mul_rows(J, rownnz, rowadr, colind, x, force, 0.5, y, nrow, w, w)
    sparse_rows.sparse_mul_rows_transposed(J, rownnz, rowadr, colind, force, JTf, nrow, w, w)
    sparse_rows.sparse_inverse_rows(J, rownnz, rowadr, colind, treeid, M_rownnz, M_rowadr, M_colind, L, diaginv, W, W_colind, room, nrow, nv, w, w)
    for r in range(nrow):
        mine = sparse_rows.partial_sparse_row_dot(J, rownnz, rowadr, colind, r, x, w, w)
        total = sum_lanes(mine)
        if lane == 0:
            dots[w, r] = total
    for r in range(nrow):
        for k in range(lane, room, lanes()):
            if W_colind[w, r * room + k] >= 0:
                dense[w, r, W_colind[w, r * room + k]] = W[w, 0, r * room + k]
    sync()  # all have read what is changed now
    sparse_rows.sparse_add_row(x, W, W_colind, nrow - 1, room, 2.0, w)


def launch(kernel, inputs, device: str) -> None:
    launch_worlds(kernel, NWORLD, inputs, device)


def test_products_of_sparse_rows(device):
    """Dofs 0-2 are a chain, 3-4 another, 5 is alone; rows list dofs in any order, and of a tree that was left before."""
    rng = np.random.default_rng(0)
    nv, trees = 6, np.array([0, 0, 0, 1, 1, 2])
    columns = [[2, 0], [4, 1], [5], [0, 3, 2], [], [3, 4, 5, 1]]
    nrow, width, room = len(columns), 4, 6
    rows = 8  # with the padding
    M_rows = [[0], [0, 1], [0, 1, 2], [3], [3, 4], [5]]
    L = rng.uniform(-0.5, 0.5, (NWORLD, 11))
    adr = np.cumsum([0, *map(len, M_rows)])[:-1]
    diaginv = rng.uniform(0.5, 2.0, (NWORLD, nv))
    J, colind = np.zeros((NWORLD, 1, rows * width)), np.zeros((NWORLD, rows * width), dtype=np.int32)
    rownnz, rowadr = np.zeros((NWORLD, rows), dtype=np.int32), np.tile(np.arange(rows) * width, (NWORLD, 1))
    full = np.zeros((NWORLD, nrow, nv))
    for r, of_row in enumerate(columns):
        rownnz[:, r] = len(of_row)
        for k, column in enumerate(of_row):
            value = rng.standard_normal(NWORLD)
            J[:, 0, r * width + k], colind[:, r * width + k], full[:, r, column] = value, column, value
    x, force = np.zeros((NWORLD, 8)), np.zeros((NWORLD, rows))
    x[:, :nv], force[:, :nrow] = rng.standard_normal((NWORLD, nv)), rng.standard_normal((NWORLD, nrow))

    def put(array, dtype=float):
        return wp.array(array, dtype=dtype, device=device)

    y, JTf, dots = (wp.zeros((NWORLD, 8), dtype=float, device=device) for _ in range(3))
    W, W_colind = wp.zeros((NWORLD, 1, rows * room), dtype=float, device=device), put(np.zeros((NWORLD, rows * room)), int)
    dense, moved = wp.zeros((NWORLD, nrow, nv), dtype=float, device=device), put(x)
    flat = [item for row in M_rows for item in row]
    structure = [put(np.array([len(row) for row in M_rows]), int), put(adr, int), put(np.array(flat), int)]
    inputs = [put(J), put(rownnz, int), put(rowadr, int), put(colind, int), put(trees, int), *structure, put(L), put(diaginv)]
    launch(_products, [*inputs, moved, put(force), y, JTf, W, W_colind, dense, dots, nrow, nv, room], device)
    for w in range(NWORLD):
        lower = np.eye(nv)
        for i, row in enumerate(M_rows):
            for k, column in enumerate(row[:-1]):
                lower[i, column] = L[w, adr[i] + k]
        M = lower.T @ np.diag(1.0 / diaginv[w]) @ lower
        inverse = np.linalg.solve(M, full[w].T).T
        assert np.allclose(y.numpy()[w, :nrow], full[w] @ x[w, :nv] - 0.5 * force[w, :nrow], atol=1e-5)
        assert np.allclose(dots.numpy()[w, :nrow], full[w] @ x[w, :nv], atol=1e-5)
        assert np.allclose(JTf.numpy()[w, :nv], full[w].T @ force[w, :nrow], atol=1e-5)
        assert np.allclose(dense.numpy()[w], inverse, atol=1e-4)
        assert np.allclose(moved.numpy()[w, :nv], x[w, :nv] + 2.0 * inverse[-1], atol=1e-4)


@wp.kernel
def _factor_and_solve(
    H: wp.array2d(dtype=float),
    first: wp.array2d(dtype=int),
    address: wp.array2d(dtype=int),
    inverse: wp.array2d(dtype=float),
    bound: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    n: int,
):
    w, _lane = wp.tid()
    skyline_cholesky.skyline_factor(H, first, address, inverse, bound, n, w)
    skyline_cholesky.skyline_solve(H, first, address, inverse, x, n, w)


@pytest.mark.parametrize("first", [[0], [0, 1], [0, 0, 1, 1, 3, 0], [0, 0, 0, 0], [0, 1, 1, 2, 2, 3, 3]])
def test_solution_within_the_envelope(first, device):
    rng = np.random.default_rng(len(first))
    blocks, n = len(first), 8 * len(first)
    begins = np.cumsum([0, *(64 * (p + 1 - f) for p, f in enumerate(first))])
    H, b = np.zeros((NWORLD, begins[-1])), rng.standard_normal((NWORLD, n))
    full = np.zeros((NWORLD, n, n))
    for w in range(NWORLD):
        for p in range(blocks):
            values = rng.standard_normal((8, 8 * (p + 1 - first[p])))
            full[w, 8 * p : 8 * p + 8, 8 * first[p] : 8 * p + 8] = values
        full[w] = np.tril(full[w])
        full[w] = full[w] + full[w].T + 4.0 * n * np.eye(n)
        for p in range(blocks):  # panels column after column; what is above the diagonal has no meaning
            part = np.where(np.tri(n), full[w], np.nan)[8 * p : 8 * p + 8, 8 * first[p] : 8 * p + 8]
            H[w, begins[p] : begins[p + 1]] = part.T.ravel()
    x = wp.array(b, dtype=float, device=device)
    inverse = wp.zeros((NWORLD, n), dtype=float, device=device)
    bound = wp.full((NWORLD, n), 1e6, dtype=float, device=device)
    panels = [wp.array(np.tile(row, (NWORLD, 1)), dtype=int, device=device) for row in (first, begins[:-1] - 64 * np.array(first))]
    launch(_factor_and_solve, [wp.array(H, dtype=float, device=device), *panels, inverse, bound, x, n], device)
    for w in range(NWORLD):
        expected = np.linalg.solve(full[w], b[w])
        assert np.allclose(x.numpy()[w], expected, rtol=1e-4, atol=1e-6)
