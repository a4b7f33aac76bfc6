"""Cholesky factors of symmetric matrices of a world and solves with them, in float64."""

import warp as wp

from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.math.world import lanes, sync


@wp.func
def factor_world(A: wp.array3d(dtype=wp.float64), n: int, w: int, lane: int):
    """Replace the lower triangle of a positive definite matrix by its Cholesky factor; begins and ends with a barrier."""
    sync()
    for j in range(n):
        if lane == 0:
            A[w, j, j] = wp.sqrt(wp.max(A[w, j, j], real(1.0e-300)))
        sync()
        pivot = real(1.0) / A[w, j, j]
        for i in range(j + 1 + lane, n, lanes()):
            A[w, i, j] = A[w, i, j] * pivot
        sync()
        for i in range(j + 1 + lane, n, lanes()):
            f = A[w, i, j]
            if f != real(0.0):
                for k in range(j + 1, i + 1):
                    A[w, i, k] = A[w, i, k] - f * A[w, k, j]
        sync()


@wp.func
def solve_line(A: wp.array3d(dtype=wp.float64), x: wp.array3d(dtype=wp.float64), n: int, w: int, line: int):
    """Solve with a factor for column ``line`` of ``x``, in place; one lane does it alone."""
    for i in range(n):
        total = x[w, i, line]
        for k in range(i):
            total -= A[w, i, k] * x[w, k, line]
        x[w, i, line] = total / A[w, i, i]
    for back in range(n):
        i = n - 1 - back
        total = x[w, i, line]
        for k in range(i + 1, n):
            total -= A[w, k, i] * x[w, k, line]
        x[w, i, line] = total / A[w, i, i]
