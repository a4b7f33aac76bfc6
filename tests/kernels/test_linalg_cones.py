"""Native sums over elliptic contacts against a plain twin in numpy, whose derivatives are finite differences."""

import numpy as np
import pytest
import warp as wp
from launching import launch_worlds

from newtonish.kernels.linalg import cones
from newtonish.kernels.math.world import sum_lanes, sum_lanes_int
from newtonish.kernels.structs.field import vec5

NWORLD, NV = 3, 11
DIMS = [3, 1, 6, 4, 3, 6, 1]


@wp.kernel
def _cones(
    X: wp.array2d(dtype=float),
    V: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    J: wp.array3d(dtype=float),
    address: wp.array2d(dtype=int),
    dim: wp.array2d(dtype=int),
    friction: wp.array2d(dtype=vec5),
    mu: wp.array2d(dtype=float),
    force: wp.array2d(dtype=float),
    state: wp.array2d(dtype=int),
    H: wp.array3d(dtype=float),
    alpha: float,
    ncon: int,
    result: wp.array2d(dtype=float),
):
    w, lane = wp.tid()
    cost = sum_lanes(cones.partial_cone_cost(X, D, address, dim, friction, mu, ncon, w, w))
    d = cones.partial_cone_derivatives(X, V, D, address, dim, friction, mu, alpha, ncon, w, w)
    slope = sum_lanes(d[0])
    curvature = sum_lanes(d[1])
    changed = sum_lanes_int(cones.partial_cone_update(X, D, address, dim, friction, mu, force, state, ncon, w, w))
    cones.hessian_add_cones(H, J, X, D, address, dim, friction, mu, ncon, NV, w, w)
    if lane == 0:
        result[w, 0] = cost
        result[w, 1] = slope
        result[w, 2] = curvature
        result[w, 3] = float(changed)


def zone_and_cost(x: np.ndarray, D: np.ndarray, friction: np.ndarray, mu: float) -> tuple[int, float]:
    """State and cost of one contact, as the documentation writes them."""
    if len(x) == 1:
        return (0, 0.0) if x[0] >= 0.0 else (1, 0.5 * D[0] * x[0] ** 2)
    N, T = mu * x[0], np.linalg.norm(friction[: len(x) - 1] * x[1:])
    if mu * T <= N:
        return 0, 0.0
    if mu * N + T <= 0.0:
        return 1, 0.5 * float(D @ x**2)
    return 4, 0.5 * D[0] / (mu**2 * (1.0 + mu**2)) * (N - mu * T) ** 2


def gradient(f, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    return np.array([(f(x + step * e) - f(x - step * e)) / (2.0 * step) for e in np.eye(len(x))])


@pytest.mark.parametrize("seed", range(4))
def test_sums_over_cones(seed, device):
    rng = np.random.default_rng(seed)
    ncon, nrow = len(DIMS), 40
    first = 2 + np.concatenate([[0], np.cumsum(DIMS)[:-1]])
    address = np.tile(first, (NWORLD, 1))
    address[:, 4] = -1  # a contact without rows
    dim = np.tile(DIMS, (NWORLD, 1))
    friction = rng.uniform(0.3, 1.2, (NWORLD, ncon, 5))
    mu = friction[:, :, 0] * rng.uniform(0.5, 1.5, (NWORLD, ncon))
    # what makes the bottom zone and the middle one meet without a step: D as the rows of a contact have it
    D = np.zeros((NWORLD, nrow))
    for w in range(NWORLD):
        for c, r in enumerate(first):
            D[w, r] = rng.uniform(1.0, 3.0)
            for k in range(1, DIMS[c]):
                D[w, r + k] = D[w, r] * friction[w, c, k - 1] ** 2 / mu[w, c] ** 2
    X, V = rng.standard_normal((NWORLD, nrow)), rng.standard_normal((NWORLD, nrow))
    X[:, first] -= 0.4
    J = np.zeros((NWORLD, nrow, 16))
    J[:, :, :NV] = rng.standard_normal((NWORLD, nrow, NV)) * (rng.random((NWORLD, nrow, NV)) < 0.6)

    floats = [wp.array(a, dtype=float, device=device) for a in (X, V, D, J)]
    integers = [wp.array(a, dtype=int, device=device) for a in (address, dim)]
    parameters = [wp.array(friction, dtype=vec5, device=device), wp.array(mu, dtype=float, device=device)]
    force = wp.zeros((NWORLD, nrow), dtype=float, device=device)
    state = wp.array(np.full((NWORLD, nrow), 7), dtype=int, device=device)
    H = wp.zeros((NWORLD, 16, 16), dtype=float, device=device)
    result = wp.zeros((NWORLD, 4), dtype=float, device=device)
    inputs = [*floats, *integers, *parameters, force, state, H, 0.3, ncon, result]
    launch_worlds(_cones, NWORLD, inputs, device)

    zones = set()
    for w in range(NWORLD):
        live = [c for c in range(ncon) if address[w, c] >= 0]

        def one(x, c, w=w):
            return zone_and_cost(x, D[w, first[c] : first[c] + DIMS[c]], friction[w, c], mu[w, c])

        def total(alpha, w=w, live=live, one=one):
            return sum(one((X + alpha * V)[w, first[c] : first[c] + DIMS[c]], c)[1] for c in live)

        h = 1e-4
        slope = (total(0.3 + h) - total(0.3 - h)) / (2.0 * h)
        curvature = (total(0.3 + h) - 2.0 * total(0.3) + total(0.3 - h)) / h**2
        np.testing.assert_allclose(result.numpy()[w, :3], [total(0.0), slope, curvature], rtol=2e-3, atol=2e-3)
        assert result.numpy()[w, 3] >= 1.0
        expected = np.zeros((NV, NV))
        for c in live:
            rows = slice(first[c], first[c] + DIMS[c])
            zone = one(X[w, rows], c)[0]
            zones.add(zone)
            assert state.numpy()[w, rows].tolist() == [zone] * DIMS[c]
            slopes = gradient(lambda x, c=c, one=one: one(x, c)[1], X[w, rows])
            np.testing.assert_allclose(force.numpy()[w, rows], -slopes, rtol=1e-4, atol=1e-4)
            if zone == 4:
                C = gradient(lambda x, c=c, one=one: gradient(lambda y: one(y, c)[1], x, 1e-4), X[w, rows], 1e-4)
                expected += J[w, rows, :NV].T @ C @ J[w, rows, :NV]
        lower = np.tril_indices(NV)
        np.testing.assert_allclose(H.numpy()[w, :NV, :NV][lower], expected[lower], rtol=1e-3, atol=5e-3)
        untouched = np.ones(nrow, dtype=bool)
        for c in live:
            untouched[first[c] : first[c] + DIMS[c]] = False
        assert (state.numpy()[w, untouched] == 7).all() and not force.numpy()[w, untouched].any()
    assert zones == {0, 1, 4}
