"""Factors of unsymmetric matrices of a world, and solves with them and with their transposes, in float64 and native code.

From the last dof to the first, as in ``solves.py``, and without a choice of pivots: the matrices are those of implicit integrators, which differ
little from a mass matrix, and which the integrators factor in the same way. Below the diagonal and on it stands L, above it U of A = U L.
"""

import warp as wp

_MATRIX = """
    double* a = (double*)((char*)A.data + (size_t)w * A.strides[0]);
"""
_RIGHT_SIDES = """
    double* x = (double*)((char*)X.data + (size_t)w * X.strides[0]);
    const int width = X.shape[2];
#if defined(__CUDA_ARCH__)
#define EACH_COLUMN for (int l = LANE; l < width; l += LANES)
#else
#define EACH_COLUMN for (int l = 0; l < width; l++)
#endif
"""
_DONE = """
#undef EACH_COLUMN
"""


@wp.func_native(
    _MATRIX
    + """
#if defined(__CUDA_ARCH__)
#define BARRIER() SYNC()
    const int lane = LANE, lanes = LANES;
#else
#define BARRIER()
    const int lane = 0, lanes = 1;
#endif
    BARRIER();
    for (int r = n - 1; r >= 0; r--) {
        const double* row = a + r * n;
        const double pivot = 1.0 / row[r];
        for (int i = lane; i < r; i += lanes) {
            double* to = a + i * n;
            const double f = to[r] * pivot;
            to[r] = f;
            if (f != 0.0)
                for (int k = 0; k < r; k++) to[k] -= f * row[k];
        }
        BARRIER();
    }
#undef BARRIER
"""
)
def lu_factor_world(A: wp.array3d(dtype=wp.float64), n: int, w: int):
    """Replace a matrix by its factors; all lanes call it, and it begins and ends with a barrier."""
    ...


@wp.func_native(
    _MATRIX
    + _RIGHT_SIDES
    + """
    for (int r = n - 1; r >= 0; r--) {
        const double* from = x + (size_t)r * width;
        for (int i = 0; i < r; i++) {
            const double f = a[i * n + r];
            double* to = x + (size_t)i * width;
            if (f != 0.0) EACH_COLUMN to[l] -= f * from[l];
        }
    }
    for (int r = 0; r < n; r++) {
        double* to = x + (size_t)r * width;
        for (int k = 0; k < r; k++) {
            const double f = a[r * n + k];
            const double* from = x + (size_t)k * width;
            if (f != 0.0) EACH_COLUMN to[l] -= f * from[l];
        }
        const double pivot = 1.0 / a[r * n + r];
        EACH_COLUMN to[l] *= pivot;
    }
"""
    + _DONE
)
def lu_solve_columns(A: wp.array3d(dtype=wp.float64), X: wp.array3d(dtype=wp.float64), n: int, w: int):
    """Solve with the factors for all columns of ``X``, in place; columns as in ``solve_columns``."""
    ...


@wp.func_native(
    _MATRIX
    + _RIGHT_SIDES
    + """
    for (int r = n - 1; r >= 0; r--) {
        double* from = x + (size_t)r * width;
        const double pivot = 1.0 / a[r * n + r];
        EACH_COLUMN from[l] *= pivot;
        for (int k = 0; k < r; k++) {
            const double f = a[r * n + k];
            double* to = x + (size_t)k * width;
            if (f != 0.0) EACH_COLUMN to[l] -= f * from[l];
        }
    }
    for (int r = 0; r < n; r++) {
        double* to = x + (size_t)r * width;
        for (int i = 0; i < r; i++) {
            const double f = a[i * n + r];
            const double* from = x + (size_t)i * width;
            if (f != 0.0) EACH_COLUMN to[l] -= f * from[l];
        }
    }
"""
    + _DONE
)
def lu_solve_transposed(A: wp.array3d(dtype=wp.float64), X: wp.array3d(dtype=wp.float64), n: int, w: int):
    """The same with the transpose of the matrix."""
    ...
