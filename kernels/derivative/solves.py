"""Cholesky factors of symmetric matrices of a world, solves and products with them, in float64 and native code.

Right sides are the columns of a matrix whose rows are contiguous: a CPU goes through a row of them at a time, a lane of a GPU through its columns.
"""

import warp as wp

_ROWS = """
    double* a = (double*)((char*)A.data + (size_t)w * A.strides[0]);
"""
_COLUMNS = """
    double* x = (double*)((char*)X.data + (size_t)w * X.strides[0]);
    const int width = X.shape[2];
#if defined(__CUDA_ARCH__)
#define EACH_COLUMN for (int l = LANE; l < width; l += LANES)
#else
#define EACH_COLUMN for (int l = 0; l < width; l++)
    // four sums at a time, as a compiler may not reorder one
    auto row_times = [](const double* row, const double* v, int count) {
        double sums[4] = {0.0, 0.0, 0.0, 0.0};
        int k = 0;
        for (; k + 4 <= count; k += 4)
            for (int m = 0; m < 4; m++) sums[m] += row[k + m] * v[k + m];
        for (; k < count; k++) sums[0] += row[k] * v[k];
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    };
#endif
"""

_ELEMENTS = """
#if defined(__CUDA_ARCH__)
#define EACH_ELEMENT(count) for (int l = LANE; l < (count); l += LANES)
#define BARRIER() SYNC()
#else
#define BARRIER()
#define EACH_ELEMENT(count) for (int l = 0; l < (count); l++)
#endif
"""
_DONE = """
#undef EACH_ELEMENT
#undef BARRIER
"""


@wp.func_native(
    _ROWS
    + _ELEMENTS
    + """
    BARRIER();
    for (int i = n - 1; i >= 0; i--) {
        double* row = a + i * n;
        const double root = sqrt(row[i] > 1e-300 ? row[i] : 1e-300);
        BARRIER();
        const double inverse = 1.0 / root;
        EACH_ELEMENT(i) row[l] *= inverse;
        EACH_ELEMENT(1) row[i] = inverse;
        BARRIER();
        EACH_ELEMENT(i) {
            const double f = row[l];
            double* to = a + l * n;
            if (f != 0.0)
                for (int k = 0; k <= l; k++) to[k] -= f * row[k];
        }
        BARRIER();
    }
"""
    + _DONE
)
def factor_world(A: wp.array3d(dtype=wp.float64), n: int, w: int):
    """Replace the lower triangle of a positive definite matrix A by L of A = L' L, with inverses on its diagonal; all lanes call it, and it begins and ends with a barrier.

    From the last dof to the first, so that a tree fills nothing: rows that a dof is not coupled with stay as they are (Featherstone, Rigid Body
    Dynamics Algorithms, 2008, section 6.5).
    """
    ...


@wp.func_native(
    _ROWS
    + _COLUMNS
    + """
#if !defined(__CUDA_ARCH__)
    if (width == 1) {
        for (int i = n - 1; i >= 0; i--) {
            const double* row = a + i * n;
            const double f = x[i] * row[i];
            x[i] = f;
            for (int k = 0; k < i; k++) x[k] -= f * row[k];
        }
        for (int i = 0; i < n; i++) x[i] = (x[i] - row_times(a + i * n, x, i)) * a[i * n + i];
        return;
    }
#endif
    for (int i = n - 1; i >= 0; i--) {
        double* from = x + (size_t)i * width;
        const double pivot = a[i * n + i];
        EACH_COLUMN from[l] *= pivot;
        for (int k = 0; k < i; k++) {
            const double f = a[i * n + k];
            double* to = x + (size_t)k * width;
            if (f != 0.0) EACH_COLUMN to[l] -= f * from[l];
        }
    }
    for (int i = 0; i < n; i++) {
        double* to = x + (size_t)i * width;
        for (int k = 0; k < i; k++) {
            const double f = a[i * n + k];
            const double* from = x + (size_t)k * width;
            if (f != 0.0) EACH_COLUMN to[l] -= f * from[l];
        }
        const double pivot = a[i * n + i];
        EACH_COLUMN to[l] *= pivot;
    }
#undef EACH_COLUMN
"""
)
def solve_columns(A: wp.array3d(dtype=wp.float64), X: wp.array3d(dtype=wp.float64), n: int, w: int):
    """Solve with a factor for all columns of ``X``, in place; a lane has every ``lanes()``-th column, from its own number on."""
    ...


@wp.func_native(
    _ROWS
    + _COLUMNS
    + """
    double* y = (double*)((char*)Y.data + (size_t)w * Y.strides[0]);
#if !defined(__CUDA_ARCH__)
    if (width == 1) {
        for (int i = 0; i < n; i++) y[i] = row_times(a + i * n, x, n);
        return;
    }
#endif
    for (int i = 0; i < n; i++) {
        double* to = y + (size_t)i * width;
        EACH_COLUMN to[l] = 0.0;
        for (int k = 0; k < n; k++) {
            const double f = a[i * n + k];
            const double* from = x + (size_t)k * width;
            if (f != 0.0) EACH_COLUMN to[l] += f * from[l];
        }
    }
#undef EACH_COLUMN
"""
)
def multiply_columns(A: wp.array3d(dtype=wp.float64), X: wp.array3d(dtype=wp.float64), Y: wp.array3d(dtype=wp.float64), n: int, w: int):
    """``Y = A X``, columns as in ``solve_columns``."""
    ...


@wp.func_native(_ROWS + _ELEMENTS + "    EACH_ELEMENT(n * n) a[l] = 0.0;" + _DONE)
def clear_matrix(A: wp.array3d(dtype=wp.float64), n: int, w: int):
    """Zeros; the lanes share the elements, without a barrier."""
    ...


@wp.func_native(
    _ROWS
    + _ELEMENTS
    + """
    const double* b = (const double*)((const char*)B.data + (size_t)w * B.strides[0]);
    EACH_ELEMENT(n * n) a[l] = b[l];
"""
    + _DONE
)
def copy_matrix(A: wp.array3d(dtype=wp.float64), B: wp.array3d(dtype=wp.float64), n: int, w: int):
    """``A = B``; the lanes share the elements, without a barrier."""
    ...


@wp.func_native(
    _ROWS
    + _ELEMENTS
    + """
    const double* x = (const double*)((const char*)X.data + (size_t)w * X.strides[0]);
    double* y = (double*)((char*)Y.data + (size_t)w * Y.strides[0]);
    for (int i = 0; i < n; i++) {
        const double f = factor * x[i];
        EACH_ELEMENT(n) y[l] += f * a[i * n + l];
    }
"""
    + _DONE
)
def add_transposed(A: wp.array3d(dtype=wp.float64), X: wp.array3d(dtype=wp.float64), Y: wp.array3d(dtype=wp.float64), factor: wp.float64, n: int, w: int):
    """``Y += factor A' X`` for single columns; each lane has elements of Y of its own."""
    ...
