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
#endif
"""


@wp.func_native(
    _ROWS
    + """
#if defined(__CUDA_ARCH__)
    SYNC();
    for (int j = 0; j < n; j++) {
        if (LANE == 0) a[j * n + j] = sqrt(a[j * n + j] > 1e-300 ? a[j * n + j] : 1e-300);
        SYNC();
        const double pivot = 1.0 / a[j * n + j];
        for (int i = j + 1 + LANE; i < n; i += LANES) a[i * n + j] *= pivot;
        SYNC();
        for (int i = j + 1 + LANE; i < n; i += LANES) {
            const double f = a[i * n + j];
            if (f != 0.0)
                for (int k = j + 1; k <= i; k++) a[i * n + k] -= f * a[k * n + j];
        }
        SYNC();
    }
#else
    // four sums at a time, as a compiler may not reorder one
    for (int i = 0; i < n; i++) {
        double* row = a + i * n;
        for (int j = 0; j <= i; j++) {
            const double* other = a + j * n;
            double sums[4] = {0.0, 0.0, 0.0, 0.0};
            int k = 0;
            for (; k + 4 <= j; k += 4)
                for (int m = 0; m < 4; m++) sums[m] += row[k + m] * other[k + m];
            for (; k < j; k++) sums[0] += row[k] * other[k];
            const double left = row[j] - ((sums[0] + sums[1]) + (sums[2] + sums[3]));
            row[j] = j < i ? left / other[j] : sqrt(left > 1e-300 ? left : 1e-300);
        }
    }
#endif
"""
)
def factor_world(A: wp.array3d(dtype=wp.float64), n: int, w: int):
    """Replace the lower triangle of a positive definite matrix by its Cholesky factor; all lanes call it, and it begins and ends with a barrier."""
    ...


@wp.func_native(
    _ROWS
    + _COLUMNS
    + """
#if !defined(__CUDA_ARCH__)
    if (width == 1) {
        for (int i = 0; i < n; i++) {
            double left = x[i];
            for (int k = 0; k < i; k++) left -= a[i * n + k] * x[k];
            x[i] = left / a[i * n + i];
        }
        for (int i = n - 1; i >= 0; i--) {
            const double f = x[i] / a[i * n + i];
            x[i] = f;
            for (int k = 0; k < i; k++) x[k] -= a[i * n + k] * f;
        }
        return;
    }
#endif
    for (int i = 0; i < n; i++) {
        double* to = x + (size_t)i * width;
        for (int k = 0; k < i; k++) {
            const double f = a[i * n + k];
            const double* from = x + (size_t)k * width;
            if (f != 0.0) EACH_COLUMN to[l] -= f * from[l];
        }
        const double pivot = 1.0 / a[i * n + i];
        EACH_COLUMN to[l] *= pivot;
    }
    for (int i = n - 1; i >= 0; i--) {
        double* to = x + (size_t)i * width;
        const double pivot = 1.0 / a[i * n + i];
        EACH_COLUMN to[l] *= pivot;
        for (int k = 0; k < i; k++) {
            const double f = a[i * n + k];
            double* onto = x + (size_t)k * width;
            if (f != 0.0) EACH_COLUMN onto[l] -= f * to[l];
        }
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


_ELEMENTS = """
#if defined(__CUDA_ARCH__)
#define EACH_ELEMENT(count) for (int l = LANE; l < (count); l += LANES)
#else
#define EACH_ELEMENT(count) for (int l = 0; l < (count); l++)
#endif
"""


@wp.func_native(_ROWS + _ELEMENTS + "    EACH_ELEMENT(n * n) a[l] = 0.0;\n#undef EACH_ELEMENT\n")
def clear_matrix(A: wp.array3d(dtype=wp.float64), n: int, w: int):
    """Zeros; the lanes share the elements, without a barrier."""
    ...


@wp.func_native(
    _ROWS
    + _ELEMENTS
    + """
    const double* b = (const double*)((const char*)B.data + (size_t)w * B.strides[0]);
    EACH_ELEMENT(n * n) a[l] = b[l];
#undef EACH_ELEMENT
"""
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
#undef EACH_ELEMENT
"""
)
def add_transposed(A: wp.array3d(dtype=wp.float64), X: wp.array3d(dtype=wp.float64), Y: wp.array3d(dtype=wp.float64), factor: wp.float64, n: int, w: int):
    """``Y += factor A' X`` for single columns; each lane has elements of Y of its own."""
    ...
