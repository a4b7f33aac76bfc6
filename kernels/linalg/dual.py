"""Native parts of the dual solvers: M^-1 J' by rows, products with one row, and the friction of a cone.

With W = M^-1 J' kept by rows, a row's own inverse inertia is J_r . W_r, and a change of its force moves the acceleration
along W_r: a sweep over all rows costs two vector operations a row instead of a product with the matrix A = J M^-1 J'.
All arrays have a world axis in front: J and the factor of M are those of world ``w``, the rest is scratch of slot ``slot``
(see ``scratch_slot``). On a GPU all lanes of the block must call these functions together.
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES
from newtonish.kernels.structs.field import vec5, vec6

mat66 = wp.types.matrix(shape=(6, 6), dtype=wp.float32)


@wp.func_native(
    """
    const float* A = (const float*)((const char*)J.data + (size_t)w * J.strides[0]);
    const float* L = (const float*)((const char*)factor.data + (size_t)w * factor.strides[0]);
    const float* inverse = (const float*)((const char*)diaginv.data + (size_t)w * diaginv.strides[0]);
    float* W = (float*)((char*)result.data + (size_t)slot * result.strides[0]);
    const int width = J.shape[2];
    const int* nnz = rownnz.data;
    const int* adr = rowadr.data;
    const int* col = colind.data;
#if defined(__CUDA_ARCH__)
    for (int r = LANE; r < nrow; r += LANES) {
#else
    for (int r = 0; r < nrow; r++) {
#endif
        float* v = W + r * width;
        for (int i = 0; i < width; i++) v[i] = A[r * width + i];
        for (int k = nv - 1; k >= 0; k--) {
            const float t = v[k];
            if (t == 0.0f) continue;  // trees that the row does not touch
            for (int a = 0; a < nnz[k] - 1; a++) v[col[adr[k] + a]] -= L[adr[k] + a] * t;
            v[k] = t * inverse[k];
        }
        for (int k = 0; k < nv; k++) {
            float sum = v[k];
            for (int a = 0; a < nnz[k] - 1; a++) sum -= L[adr[k] + a] * v[col[adr[k] + a]];
            v[k] = sum;
        }
    }
#if defined(__CUDA_ARCH__)
    SYNC();
#endif
"""
)
def inverse_rows(
    J: wp.array3d(dtype=float),
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    factor: wp.array2d(dtype=float),
    diaginv: wp.array2d(dtype=float),
    result: wp.array3d(dtype=float),
    nrow: int,
    nv: int,
    w: int,
    slot: int,
):
    """Rows of ``result`` = M^-1 times the rows of J, with the sparse factor L' D L of M; a GPU's lane takes whole rows."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    const int width = J.shape[2];
    const float* a = (const float*)((const char*)J.data + (size_t)w * J.strides[0]) + row * width;
    const float* b = (const float*)((const char*)x.data + (size_t)slot * x.strides[0]);
#if defined(__CUDA_ARCH__)
    float sum = 0.0f;
    for (int i = LANE; i < width; i += LANES) sum += a[i] * b[i];
    return sum;
#else
    f8 sums = {};
    for (int i = 0; i < width; i += 8) sums += *(const f8*)(a + i) * *(const f8*)(b + i);
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
#endif
"""
)
def partial_row_dot(J: wp.array3d(dtype=float), row: int, x: wp.array2d(dtype=float), w: int, slot: int) -> float:
    """This lane's share of row ``row`` of J times ``x``."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    const int width = J.shape[2];
    const float* a = (const float*)((const char*)J.data + (size_t)w * J.strides[0]) + row * width;
    const float* b = (const float*)((const char*)W.data + (size_t)slot * W.strides[0]) + other * width;
#if defined(__CUDA_ARCH__)
    float sum = 0.0f;
    for (int i = LANE; i < width; i += LANES) sum += a[i] * b[i];
    return sum;
#else
    f8 sums = {};
    for (int i = 0; i < width; i += 8) sums += *(const f8*)(a + i) * *(const f8*)(b + i);
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
#endif
"""
)
def partial_rows_dot(J: wp.array3d(dtype=float), row: int, W: wp.array3d(dtype=float), other: int, w: int, slot: int) -> float:
    """This lane's share of row ``row`` of J times row ``other`` of W: an element of A = J M^-1 J'."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    const int width = W.shape[2];
    const float* a = (const float*)((const char*)W.data + (size_t)slot * W.strides[0]) + row * width;
    float* b = (float*)((char*)x.data + (size_t)slot * x.strides[0]);
#if defined(__CUDA_ARCH__)
    for (int i = LANE; i < width; i += LANES) b[i] += factor * a[i];
#else
    for (int i = 0; i < width; i += 8) *(f8*)(b + i) += factor * *(const f8*)(a + i);
#endif
"""
)
def add_row(x: wp.array2d(dtype=float), W: wp.array3d(dtype=float), row: int, factor: float, slot: int):
    """``x += factor * W[row]``; each lane writes what it alone reads in ``partial_row_dot``, so that no barrier follows."""
    ...


@wp.func_native(
    """
    // in units of the friction coefficients the ellipsoid is a ball: |x| <= radius
    float B[5][5], c[5], L[5][5], x[5], g[5];
    for (int i = 0; i < n; i++) {
        c[i] = b.c[i + 1] * mu.c[i];
        for (int j = 0; j < n; j++) B[i][j] = A.data[i + 1][j + 1] * mu.c[i] * mu.c[j];
    }
    float lambda = 0.0f;
    float square = 0.0f;
    for (int trial = 0; trial < 30; trial++) {
        // Cholesky factor of B + lambda
        int definite = 1;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                float sum = B[i][j] + (i == j ? lambda : 0.0f);
                for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
                if (i == j) {
                    if (!(sum > 1e-12f * (B[i][i] < 1.0f ? B[i][i] : 1.0f))) { definite = 0; sum = 1e-12f; }
                    L[i][i] = sqrtf(sum);
                } else {
                    L[i][j] = sum / L[j][j];
                }
            }
        }
        if (!definite) {
            for (int i = 0; i < n; i++) x[i] = 0.0f;
            break;
        }
        for (int i = 0; i < n; i++) {
            float sum = -c[i];
            for (int k = 0; k < i; k++) sum -= L[i][k] * x[k];
            x[i] = sum / L[i][i];
        }
        for (int i = n - 1; i >= 0; i--) {
            float sum = x[i];
            for (int k = i + 1; k < n; k++) sum -= L[k][i] * x[k];
            x[i] = sum / L[i][i];
        }
        square = 0.0f;
        for (int i = 0; i < n; i++) square += x[i] * x[i];
        if (square <= radius * radius * 1.000002f) break;
        // Newton on 1/|x| - 1/radius, which is nearly linear in lambda
        float slope = 0.0f;
        for (int i = 0; i < n; i++) {
            float sum = x[i];
            for (int k = 0; k < i; k++) sum -= L[i][k] * g[k];
            g[i] = sum / L[i][i];
            slope += g[i] * g[i];
        }
        const float length = sqrtf(square);
        lambda += square / slope * (length - radius) / radius;
    }
    // what is left of the iteration's error, and of rounding, is scaled away
    const float scale = square > radius * radius ? radius / sqrtf(square) : 1.0f;
    wp::vec_t<6, float> result;
    result.c[0] = 0.0f;
    for (int i = 0; i < 5; i++) result.c[i + 1] = i < n ? x[i] * mu.c[i] * scale : 0.0f;
    return result;
"""
)
def cone_friction(A: mat66, b: vec6, mu: vec5, radius: float, n: int) -> vec6:
    """Friction that minimises f'A f / 2 + b.f over the ``n`` tangential axes, within sum (f_i/mu_i)^2 <= radius^2.

    Axes are counted from 1, as rows of a contact are; element 0 of the result is zero. Method: the constraint's
    multiplier by Newton's method on the secular equation (More and Sorensen 1983).
    """
    ...
