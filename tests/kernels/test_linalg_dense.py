"""Native linear algebra of rows and Hessian against plain twins in numpy, for many sizes and unequal worlds."""

import numpy as np
import pytest
import warp as wp
from launching import launch_worlds

from newtonish.kernels.linalg import dense, hessian, hessian_sum, newton_sums, rows
from newtonish.kernels.math.world import lanes, scratch_slot, sum_lanes, sum_lanes_int, sync

SIZES = [(1, 1), (5, 3), (8, 8), (27, 50), (33, 17), (70, 9)]
NWORLD = 3


@wp.kernel
def _products(
    J: wp.array3d(dtype=float),
    x: wp.array2d(dtype=float),
    shift: wp.array2d(dtype=float),
    y: wp.array2d(dtype=float),
    force: wp.array2d(dtype=float),
    JTf: wp.array2d(dtype=float),
    u: wp.array2d(dtype=float),
    nrow: int,
):
    w, lane = wp.tid()
    dense.mul_rows(J, x, shift, 0.5, y, nrow, 0, 0, w, w)
    dense.mul_rows_transposed(J, force, JTf, nrow, 0, 0, w, w)
    dense.add_scaled(u, x, 0.25, u.shape[1], w)


@wp.kernel
def _hessian(
    J: wp.array3d(dtype=float),
    D: wp.array2d(dtype=float),
    state: wp.array2d(dtype=int),
    sparse: wp.array2d(dtype=float),
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    bound: wp.array2d(dtype=float),
    M: wp.array3d(dtype=float),
    H: wp.array3d(dtype=float),
    copy: wp.array3d(dtype=float),
    inverse: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    nv: int,
    nrow: int,
):
    w, lane = wp.tid()
    dense.dense_symmetric(M, sparse, rownnz, rowadr, colind, nv, w, w)
    hessian_sum.hessian_sum(H, M, J, D, state, 2, 2, nrow, nv, w, w)
    for e in range(lane, nv * nv, lanes()):
        copy[w, e // nv, e % nv] = H[w, e // nv, e % nv]
    sync()
    hessian.hessian_factor(H, inverse, bound, nv, w, w)
    hessian.hessian_solve(H, inverse, x, nv, w)


@wp.kernel
def _rows(
    X: wp.array2d(dtype=float),
    V: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    loss: wp.array2d(dtype=float),
    force: wp.array2d(dtype=float),
    state: wp.array2d(dtype=int),
    alpha: float,
    ne: int,
    nflat: int,
    result: wp.array2d(dtype=float),
):
    w, lane = wp.tid()
    cost = sum_lanes(rows.partial_cost(X, D, loss, ne, nflat, w, w))
    d = rows.partial_derivatives(X, V, D, loss, alpha, ne, nflat, w, w)
    slope = sum_lanes(d[0])
    curvature = sum_lanes(d[1])
    changed = sum_lanes_int(rows.partial_update(X, D, loss, force, state, ne, nflat, w, w))
    if lane == 0:
        result[w, 0] = cost
        result[w, 1] = slope
        result[w, 2] = curvature
        result[w, 3] = float(changed)


@wp.kernel
def _sums(
    Mx: wp.array2d(dtype=float),
    smooth: wp.array2d(dtype=float),
    JTf: wp.array2d(dtype=float),
    grad: wp.array2d(dtype=float),
    search: wp.array2d(dtype=float),
    Mv: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    a: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float),
):
    w, lane = wp.tid()
    square = sum_lanes(newton_sums.partial_gradient(Mx, smooth, JTf, grad, search, w))
    d = newton_sums.partial_decrement(Mx, smooth, JTf, grad, search, w)
    line = newton_sums.partial_gauss_line(Mx, smooth, search, Mv, w)
    cost = sum_lanes(newton_sums.partial_gauss_cost(Mx, smooth, x, a, w))
    terms = wp.vec3(sum_lanes(d[0]), sum_lanes(d[1]), sum_lanes(d[2]))
    ends = wp.vec2(sum_lanes(line[0]), sum_lanes(line[1]))
    if lane == 0:
        result[w, 0] = square
        result[w, 1] = cost
        for k in range(3):
            result[w, 2 + k] = terms[k]
        for k in range(2):
            result[w, 5 + k] = ends[k]


@wp.kernel
def _load(source: wp.array2d(dtype=float), target: wp.array2d(dtype=float), copied: wp.array2d(dtype=float), n: int):
    w, lane = wp.tid()
    slot = scratch_slot(w)
    dense.load_vector(target, source, n, w, slot)
    dense.copy_vector(copied, w, target, slot, n)


def run(kernel, inputs, device) -> None:
    launch_worlds(kernel, NWORLD, inputs, device)


def padded(rng: np.random.Generator, *shape: int, sparsity: float = 0.0) -> np.ndarray:
    """Random numbers in the leading corner, zeros up to multiples of 8; the first axis is that of the worlds."""
    full = [NWORLD] + [(n + 7) // 8 * 8 for n in shape]
    result = np.zeros(full, dtype=np.float32)
    corner = (slice(None), *(slice(n) for n in shape))
    result[corner] = rng.standard_normal((NWORLD, *shape)) * (rng.random((NWORLD, *shape)) >= sparsity)
    return result


@pytest.mark.parametrize(("nv", "nrow"), SIZES)
def test_products_with_the_jacobian(nv, nrow, device):
    rng = np.random.default_rng(nv)
    J, x, shift, force, u = (
        padded(rng, nrow, nv),
        padded(rng, nv),
        padded(rng, nrow),
        padded(rng, nrow),
        padded(rng, nv),
    )
    arrays = [wp.array(a, dtype=float, device=device) for a in (J, x, shift, np.full_like(shift, 7), force, np.full_like(x, 7), u)]
    run(_products, [*arrays, nrow], device)
    np.testing.assert_allclose(arrays[3].numpy(), np.einsum("wrj,wj->wr", J, x) - 0.5 * shift, atol=2e-5)
    np.testing.assert_allclose(arrays[5].numpy(), np.einsum("wrj,wr->wj", J, force), atol=2e-5)
    np.testing.assert_allclose(arrays[6].numpy(), u + 0.25 * x, atol=1e-6)


@pytest.mark.parametrize("sparsity", [0.0, 0.6])
@pytest.mark.parametrize(("nv", "nrow"), SIZES)
def test_hessian_is_accumulated_factorised_and_solved(nv, nrow, sparsity, device):
    rng = np.random.default_rng(nrow)
    nrow = max(nrow, 4)
    J = padded(rng, nrow, nv, sparsity=sparsity)
    D, x = np.abs(padded(rng, nrow)), padded(rng, nv)
    state = rng.integers(0, 5, D.shape).astype(np.int32)
    # a mass matrix whose rows hold a few earlier columns
    columns = [[j for j in range(i) if rng.random() < 0.3] + [i] for i in range(nv)]
    rownnz = np.array([len(c) for c in columns], dtype=np.int32)
    rowadr = np.concatenate([[0], np.cumsum(rownnz)[:-1]]).astype(np.int32)
    colind = np.array([j for c in columns for j in c], dtype=np.int32)
    sparse = (0.1 * rng.standard_normal((NWORLD, len(colind)))).astype(np.float32)
    sparse[:, rowadr + rownnz - 1] = nv
    M = np.zeros((NWORLD, nv, nv))
    for i, c in enumerate(columns):
        M[:, i, c] = sparse[:, rowadr[i] : rowadr[i] + len(c)]
    M = np.tril(M) + np.transpose(np.tril(M, -1), (0, 2, 1))
    bound = np.full((NWORLD, nv), 1e6, dtype=np.float32)

    width = (nv + 7) // 8 * 8
    dense_shape = (NWORLD, width, width)
    floats = [wp.array(a, dtype=float, device=device) for a in (J, D)]
    state_array = wp.array(state, dtype=int, device=device)
    indices = [wp.array(a, dtype=int, device=device) for a in (rownnz, rowadr, colind)]
    M_out, H, copy = (wp.zeros(dense_shape, dtype=float, device=device) for _ in range(3))
    inverse, solution = wp.zeros((NWORLD, width), dtype=float, device=device), wp.array(x, dtype=float, device=device)
    sparse_array, bounds = wp.array(sparse, dtype=float, device=device), wp.array(bound, dtype=float, device=device)
    run(
        _hessian,
        [
            *floats,
            state_array,
            sparse_array,
            *indices,
            bounds,
            M_out,
            H,
            copy,
            inverse,
            solution,
            nv,
            nrow,
        ],
        device,
    )

    active = D * (state == 1)
    active[:, nrow:] = 0.0
    expected = M + np.einsum("wri,wr,wrj->wij", J, active, J)[:, :nv, :nv]
    np.testing.assert_allclose(M_out.numpy()[:, :nv, :nv], M, atol=1e-6)
    assert not M_out.numpy()[:, nv:].any() and not M_out.numpy()[:, :, nv:].any()
    lower = np.tril_indices(nv)
    for w in range(NWORLD):
        np.testing.assert_allclose(copy.numpy()[w][lower], expected[w][lower], atol=1e-4)
        L = np.tril(H.numpy()[w, :nv, :nv].astype(np.float64), -1) * inverse.numpy()[w, :nv, None] + np.eye(nv)
        rebuilt = L.T @ np.diag(1.0 / inverse.numpy()[w, :nv].astype(np.float64)) @ L
        np.testing.assert_allclose(rebuilt, expected[w], atol=1e-4 * np.abs(expected[w]).max())
        assert not H.numpy()[w].diagonal().any()
        if wp.get_device(device).is_cuda:
            np.testing.assert_array_equal(H.numpy()[w, :nv, :nv], H.numpy()[w, :nv, :nv].T)
        else:
            assert not any(H.numpy()[w, i, i : i // 8 * 8 + 8].any() for i in range(nv))
        np.testing.assert_allclose(solution.numpy()[w, :nv], np.linalg.solve(expected[w], x[w, :nv]), atol=1e-4)
        assert not solution.numpy()[w, nv:].any()


def test_a_lost_pivot_is_replaced_by_that_of_the_mass_matrix(device):
    """A matrix that rounding has made indefinite still gives a descent direction."""
    H = wp.array(np.tile(np.diag([1.0, -1e-3, 0.0] + [0.0] * 5), (NWORLD, 1, 1)), dtype=float, device=device)
    inverse, bound = (wp.array(np.full((NWORLD, 8), v), dtype=float, device=device) for v in (0.0, 0.5))
    run(_factor_only, [H, inverse, bound, 3], device)
    assert inverse.numpy()[:, :3].tolist() == [[0.5, 0.5, 0.5]] * NWORLD


@wp.kernel
def _factor_only(H: wp.array3d(dtype=float), inverse: wp.array2d(dtype=float), bound: wp.array2d(dtype=float), nv: int):
    w, lane = wp.tid()
    hessian.hessian_factor(H, inverse, bound, nv, w, w)


@pytest.mark.parametrize(("ne", "nfriction", "nflat"), [(0, 0, 1), (0, 0, 8), (3, 4, 21), (0, 9, 30), (8, 8, 17)])
def test_sums_over_rows(ne, nfriction, nflat, device):
    rng = np.random.default_rng(nflat)
    total = nflat + 5  # rows of elliptic contacts follow
    X, V, D = padded(rng, total), padded(rng, total), np.abs(padded(rng, total))
    loss = np.zeros_like(D)
    loss[:, ne : ne + nfriction] = 0.3 * rng.random((NWORLD, min(nfriction, loss.shape[1] - ne)))
    before = np.zeros(X.shape, dtype=np.int32)
    arrays = [wp.array(a, dtype=float, device=device) for a in (X, V, D, loss, np.full_like(X, 9))]
    state = wp.array(before, dtype=int, device=device)
    result = wp.zeros((NWORLD, 4), dtype=float, device=device)
    run(_rows, [*arrays, state, 0.7, ne, nflat, result], device)

    index = np.arange(nflat)
    high = np.where(index < ne, np.inf, loss[:, :nflat])
    low = np.where((index >= ne) & (loss[:, :nflat] > 0), -loss[:, :nflat], -np.inf)
    X, V, D = (a[:, :nflat].astype(np.float64) for a in (X, V, D))
    z = D * X
    g = np.clip(z, low, high)
    costs = np.where(z == g, 0.5 * z * X, g * X - 0.5 * g * g / D).sum(1)
    moved = D * (X + 0.7 * V)
    slopes = (np.clip(moved, low, high) * V).sum(1)
    curvatures = (D * V * V * ((moved > low) & (moved < high))).sum(1)
    states = np.where(z >= high, np.where(loss[:, :nflat] > 0, 3, 0), np.where(z <= low, 2, 1))
    np.testing.assert_allclose(result.numpy()[:, :3], np.stack([costs, slopes, curvatures], 1), atol=1e-4)
    np.testing.assert_allclose(arrays[4].numpy()[:, :nflat], -g, atol=1e-6)
    assert (arrays[4].numpy()[:, nflat:total] == 9).all()  # rows of others are not touched
    assert state.numpy()[:, :nflat].tolist() == states.tolist()
    assert ((result.numpy()[:, 3] != 0) == (states != 0).any(1)).all()
    run(_rows, [*arrays, state, 0.7, ne, nflat, result], device)
    assert not result.numpy()[:, 3].any()


@pytest.mark.parametrize("nv", [1, 8, 27, 70])
def test_sums_over_dofs(nv, device):
    rng = np.random.default_rng(nv)
    Mx, smooth, JTf, Mv, x, a = (padded(rng, nv) for _ in range(6))
    arrays = [wp.array(v, dtype=float, device=device) for v in (Mx, smooth, JTf, np.ones_like(x), np.ones_like(x), Mv, x, a)]
    result = wp.zeros((NWORLD, 7), dtype=float, device=device)
    run(_sums, [*arrays, result], device)
    grad = (Mx - smooth - JTf).astype(np.float64)
    terms = np.abs(grad) * (np.abs(Mx) + np.abs(smooth) + np.abs(JTf))
    expected = [
        grad * grad, 0.5 * (Mx - smooth) * (x - a), grad * grad, terms, grad * grad, -grad * (Mx - smooth), -grad * Mv,
    ]  # fmt: skip
    np.testing.assert_allclose(result.numpy(), np.stack([e.sum(1) for e in expected], 1), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(arrays[3].numpy(), grad, atol=1e-6)
    np.testing.assert_allclose(arrays[4].numpy(), -grad, atol=1e-6)


def test_what_another_world_left_in_the_padding_is_cleared(device):
    source = wp.array(np.arange(NWORLD * 5).reshape(NWORLD, 5), dtype=float, device=device)
    target = wp.array(np.full((NWORLD, 8), np.nan), dtype=float, device=device)
    copied = wp.zeros((NWORLD, 5), dtype=float, device=device)
    run(_load, [source, target, copied, 5], device)
    assert copied.numpy().tolist() == source.numpy().tolist()
    used = target.numpy()[:NWORLD] if wp.get_device(device).is_cuda else target.numpy()[:1]
    assert not used[:, 5:].any()
