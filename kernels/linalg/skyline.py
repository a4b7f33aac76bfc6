"""The Newton Hessian of one island, M + J' D J, and its Cholesky factor within its envelope, as native code.

Rows of H are kept in panels of eight. A panel reaches from its first non-zero block of eight columns, ``first``, to the
diagonal, beginning at ``address``, and holds column after column: the eight elements of a column are one vector. The
factor H = C C' has the same envelope. Places of dofs run through each tree from its last dof to its first, an order in
which M alone fills in nothing, and trees that touch have near places (see ``islands``). Method: George and Liu 1981, ch. 4
(envelope method), blocked; Featherstone 2008, ch. 6.5, for the order within a tree.

M, J and the list of rows are those of world ``w``, the rest is scratch of slot ``slot``; D, state and x are windows with
one row. On a GPU all lanes of the block must call these functions together; what a function writes is visible to all
lanes when it returns.
"""

import warp as wp

from newtonish.kernels.linalg.cones import CONTACT, CURVATURE
from newtonish.kernels.linalg.dense import VECTOR_TYPES
from newtonish.kernels.linalg.island_products import ROWS, TREES
from newtonish.kernels.structs.field import vec5

_PANELS = """
    float* h = (float*)((char*)H.data + slot * H.strides[0]);
    const int* begins = (const int*)((const char*)first.data + slot * first.strides[0]);
    const int* panels = (const int*)((const char*)address.data + slot * address.strides[0]);
#define AT(i, j) h[panels[(i) >> 3] + ((j) - 8 * begins[(i) >> 3]) * 8 + ((i) & 7)]
#if defined(__CUDA_ARCH__)
    const int lane = threadIdx.x, lanes = blockDim.x;
#define BARRIER __syncthreads();
#else
    const int lane = 0, lanes = 1;
#define BARRIER
#endif
"""
_END = """
#undef AT
#undef BARRIER
"""


@wp.func_native(
    TREES
    + _PANELS
    + """
    const float* A = (const float*)((const char*)M.data + w * M.strides[0]);
    const int blocks = n / 8;
    const int size = panels[blocks - 1] + 64 * (blocks - begins[blocks - 1]);
    for (int e = lane; e < size; e += lanes) h[e] = 0.0f;
    BARRIER
    for (int k = lane; k < count; k += lanes) {
        const int bottom = dofadr.data[members[k]], number = dofnum.data[members[k]];
        const int top = places[members[k]] + bottom + number - 1;  // the place of dof i is top - i
        for (int i = bottom; i < bottom + number; i++)
            for (int a = adr[i]; a < adr[i] + nnz[i]; a++) AT(top - col[a], top - i) = A[a];
    }
    for (int i = used + lane; i < n; i += lanes) AT(i, i) = 1.0f;
    BARRIER
"""
    + _END
)
def skyline_begin(
    H: wp.array2d(dtype=float),
    first: wp.array2d(dtype=int),
    address: wp.array2d(dtype=int),
    M: wp.array2d(dtype=float),
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    trees: wp.array2d(dtype=int),
    tree_pos: wp.array2d(dtype=int),
    dofadr: wp.array(dtype=int),
    dofnum: wp.array(dtype=int),
    begin: int,
    count: int,
    used: int,
    n: int,
    w: int,
    slot: int,
):
    """``H = M`` over the ``count`` trees of the island, and 1 on the diagonal of the places from ``used`` to ``n``."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + ROWS
    + _PANELS
    + """
    const int* kinds = (const int*)((const char*)type.data + w * type.strides[0]);
    const int* owners = (const int*)((const char*)id.data + w * id.strides[0]);
    const float* d = D.data;
    const int* s = state.data;
    int k = 0;
    while (k < count) {
        // rows of one joint, tendon, equality or contact have the same columns
        const int r = order[k], number = nnz[r], a = adr[r];
        int last = k;
        bool active = false;
        for (; last < count && last - k < 10 && kinds[order[last]] == kinds[r] && owners[order[last]] == owners[r]; last++)
            active |= s[last] == 1;
        if (active) {
#if !defined(__CUDA_ARCH__)
            for (int i = 0; i < number; i++) {
                float t[10];
                for (int m = k; m < last; m++) t[m - k] = s[m] == 1 ? d[m] * A[adr[order[m]] + i] : 0.0f;
                const int p = place[a + i];
                float* row = h + panels[p >> 3] - 64 * begins[p >> 3] + (p & 7);  // row[8 q] is the element of column q
                for (int j = 0; j < number; j += 8) {
                    f8 sum = {};
                    for (int m = k; m < last; m++) sum += t[m - k] * *(const f8*)(A + adr[order[m]] + j);
                    const int n = number - j < 8 ? number - j : 8;
                    for (int c = 0; c < n; c++)
                        if (place[a + j + c] <= p) row[8 * place[a + j + c]] += sum[c];
                }
            }
#else
            for (int e = lane; e < number * number; e += lanes) {
                const int i = e / number, j = e - i * number;
                const int p = place[a + i], q = place[a + j];
                if (q > p) continue;
                float sum = 0.0f;
                for (int m = k; m < last; m++) {
                    const float* row = A + adr[order[m]];
                    if (s[m] == 1) sum += d[m] * row[i] * row[j];
                }
                AT(p, q) += sum;
            }
            __syncthreads();
#endif
        }
        k = last;
    }
"""
    + _END
)
def skyline_add_rows(
    H: wp.array2d(dtype=float),
    first: wp.array2d(dtype=int),
    address: wp.array2d(dtype=int),
    J: wp.array3d(dtype=float),
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    column: wp.array2d(dtype=int),
    rows: wp.array2d(dtype=int),
    type: wp.array2d(dtype=int),
    id: wp.array2d(dtype=int),
    D: wp.array2d(dtype=float),
    state: wp.array2d(dtype=int),
    begin: int,
    count: int,
    w: int,
    slot: int,
):
    """``H += D_r J_r' J_r`` over the rows of the island whose state is quadratic."""
    ...


@wp.func_native(
    ROWS
    + _PANELS
    + """
    const float* X = Jaref.data;
    const float* weights = D.data;
    const int* addresses = con_address.data;
    const int* dims = dim.data;
    const float* frictions = (const float*)friction.data;
    const float* mus = mu.data;
#define RESIDUAL(i) X[i]
    for (int c = 0; c < ncon; c++) {"""
    + CONTACT
    + """
        if (zone != 4) continue;
"""
    + CURVATURE
    + """
        const int number = nnz[order[r]], a = adr[order[r]];
        for (int e = lane; e < number * number; e += lanes) {
            const int i = e / number, j = e - i * number;
            const int p = place[a + i], q = place[a + j];
            if (q > p) continue;
            float sum = 0.0f;
            for (int k = 0; k < n; k++) {
                float t = 0.0f;
                for (int l = 0; l < n; l++) t += C[k][l] * A[adr[order[r + l]] + i];
                sum += t * A[adr[order[r + k]] + j];
            }
            AT(p, q) += sum;
        }
        BARRIER
    }
#undef RESIDUAL
"""
    + _END
)
def skyline_add_cones(
    H: wp.array2d(dtype=float),
    first: wp.array2d(dtype=int),
    address: wp.array2d(dtype=int),
    J: wp.array3d(dtype=float),
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    column: wp.array2d(dtype=int),
    rows: wp.array2d(dtype=int),
    Jaref: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    con_address: wp.array2d(dtype=int),
    dim: wp.array2d(dtype=int),
    friction: wp.array2d(dtype=vec5),
    mu: wp.array2d(dtype=float),
    begin: int,
    ncon: int,
    w: int,
    slot: int,
):
    """``H += J_c' C J_c`` for every contact of the island in between its zones (see ``cones``)."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + _PANELS
    + """
    float* inverse = (float*)((char*)diaginv.data + slot * diaginv.strides[0]);
    const float* largest = (const float*)((const char*)bound.data + slot * bound.strides[0]);
    for (int p = 0; p < n / 8; p++) {
        float* P = h + panels[p] - 64 * begins[p];  // P + 8 j is column j
        for (int q = begins[p]; q <= p; q++) {
            const float* Q = h + panels[q] - 64 * begins[q];
            const int start = 8 * (begins[p] > begins[q] ? begins[p] : begins[q]);
#if defined(__CUDA_ARCH__)
            for (int e = lane; e < 64; e += lanes) {
                const int i = e & 7, k = e >> 3;
                float sum = P[64 * q + e];
                for (int m = start; m < 8 * q; m++) sum -= P[8 * m + i] * Q[8 * m + k];
                P[64 * q + e] = sum;
            }
            __syncthreads();
            if (q < p) {
                for (int i = lane; i < 8; i += lanes)
                    for (int k = 0; k < 8; k++) {
                        float sum = P[64 * q + 8 * k + i];
                        for (int l = 0; l < k; l++) sum -= P[64 * q + 8 * l + i] * Q[64 * q + 8 * l + k];
                        P[64 * q + 8 * k + i] = sum * inverse[8 * q + k];
                    }
            } else if (lane == 0) {
                for (int k = 0; k < 8; k++) {
                    const float pivot = P[64 * p + 9 * k];
                    const float limit = largest[8 * p + k];
                    const float scale = sqrtf(pivot > 0.0f ? fminf(1.0f / pivot, limit) : limit);
                    inverse[8 * p + k] = scale;
                    for (int i = 0; i < 8; i++) P[64 * p + 8 * k + i] = i > k ? P[64 * p + 8 * k + i] * scale : 0.0f;
                    for (int l = k + 1; l < 8; l++)
                        for (int i = l; i < 8; i++) P[64 * p + 8 * l + i] -= P[64 * p + 8 * k + i] * P[64 * p + 8 * k + l];
                }
            }
            __syncthreads();
#else
            f8 a[8];
            for (int k = 0; k < 8; k++) a[k] = *(const f8*)(P + 64 * q + 8 * k);
            for (int m = start; m < 8 * q; m++) {
                const f8 u = *(const f8*)(P + 8 * m);
                const float* row = Q + 8 * m;
                for (int k = 0; k < 8; k++) a[k] -= u * row[k];
            }
            if (q < p) {
                const float* T = Q + 64 * q;
                for (int k = 0; k < 8; k++) {
                    for (int l = 0; l < k; l++) a[k] -= a[l] * T[8 * l + k];
                    a[k] *= inverse[8 * q + k];
                }
            } else {
                const i8 iota = {0, 1, 2, 3, 4, 5, 6, 7};
                for (int k = 0; k < 8; k++) {
                    for (int l = 0; l < k; l++) a[k] -= a[l] * a[l][k];
                    const float pivot = a[k][k], value = 1.0f / pivot, limit = largest[8 * p + k];
                    const float scale = sqrtf(((pivot > 0.0f) & (value < limit)) ? value : limit);
                    inverse[8 * p + k] = scale;
                    a[k] = iota > k ? a[k] * scale : f8{};
                }
            }
            for (int k = 0; k < 8; k++) *(f8*)(P + 64 * q + 8 * k) = a[k];
#endif
        }
    }
"""
    + _END
)
def skyline_factor(
    H: wp.array2d(dtype=float),
    first: wp.array2d(dtype=int),
    address: wp.array2d(dtype=int),
    diaginv: wp.array2d(dtype=float),
    bound: wp.array2d(dtype=float),
    n: int,
    slot: int,
):
    """Factorise H = C C' in place: C below its diagonal in ``H``, 1 over its diagonal in ``diaginv``.

    ``bound`` is 1/D of M alone, in the same order of elimination: a pivot of H cannot be smaller than M's, because H - M
    is positive semi-definite; where rounding makes it so, M's is taken.
    """
    ...


@wp.func_native(
    VECTOR_TYPES
    + _PANELS
    + """
    const float* inverse = (const float*)((const char*)diaginv.data + slot * diaginv.strides[0]);
    float* v = x.data;
#if defined(__CUDA_ARCH__)
    // one warp does it: panels follow one another
    if (threadIdx.x < 32) {
        for (int p = 0; p < n / 8; p++) {
            const float* P = h + panels[p] - 64 * begins[p];
            if (lane < 8) {
                float sum = v[8 * p + lane];
                for (int m = 8 * begins[p]; m < 8 * p; m++) sum -= P[8 * m + lane] * v[m];
                v[8 * p + lane] = sum;
            }
            __syncwarp();
            if (lane == 0)
                for (int k = 0; k < 8; k++) {
                    v[8 * p + k] *= inverse[8 * p + k];
                    for (int i = k + 1; i < 8; i++) v[8 * p + i] -= P[64 * p + 8 * k + i] * v[8 * p + k];
                }
            __syncwarp();
        }
        for (int p = n / 8 - 1; p >= 0; p--) {
            const float* P = h + panels[p] - 64 * begins[p];
            if (lane == 0)
                for (int k = 7; k >= 0; k--) {
                    float sum = v[8 * p + k];
                    for (int i = k + 1; i < 8; i++) sum -= P[64 * p + 8 * k + i] * v[8 * p + i];
                    v[8 * p + k] = sum * inverse[8 * p + k];
                }
            __syncwarp();
            for (int m = 8 * begins[p] + lane; m < 8 * p; m += 32) {
                float sum = v[m];
                for (int i = 0; i < 8; i++) sum -= P[8 * m + i] * v[8 * p + i];
                v[m] = sum;
            }
            __syncwarp();
        }
    }
    __syncthreads();
#else
#define PAIRS(a, b) (__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) \\
                   + __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15))
    for (int p = 0; p < n / 8; p++) {
        const float* P = h + panels[p] - 64 * begins[p];
        f8 s0 = *(const f8*)(v + 8 * p), s1 = {}, s2 = {}, s3 = {};
        for (int m = 8 * begins[p]; m < 8 * p; m += 4) {
            s0 -= *(const f8*)(P + 8 * m) * v[m];
            s1 -= *(const f8*)(P + 8 * m + 8) * v[m + 1];
            s2 -= *(const f8*)(P + 8 * m + 16) * v[m + 2];
            s3 -= *(const f8*)(P + 8 * m + 24) * v[m + 3];
        }
        f8 u = (s0 + s1) + (s2 + s3);
        for (int k = 0; k < 8; k++) {
            u[k] *= inverse[8 * p + k];
            u -= *(const f8*)(P + 64 * p + 8 * k) * u[k];
        }
        *(f8*)(v + 8 * p) = u;
    }
    for (int p = n / 8 - 1; p >= 0; p--) {
        const float* P = h + panels[p] - 64 * begins[p];
        f8 u = *(const f8*)(v + 8 * p);
        for (int k = 7; k >= 0; k--) {
            const f8 t = *(const f8*)(P + 64 * p + 8 * k) * u;
            u[k] = (u[k] - (((t[0] + t[4]) + (t[1] + t[5])) + ((t[2] + t[6]) + (t[3] + t[7])))) * inverse[8 * p + k];
        }
        *(f8*)(v + 8 * p) = u;
        for (int m = 8 * begins[p]; m < 8 * p; m += 8) {
            const float* C = P + 8 * m;
            const f8 a = PAIRS(PAIRS(*(const f8*)(C) * u, *(const f8*)(C + 8) * u),
                               PAIRS(*(const f8*)(C + 16) * u, *(const f8*)(C + 24) * u));
            const f8 b = PAIRS(PAIRS(*(const f8*)(C + 32) * u, *(const f8*)(C + 40) * u),
                               PAIRS(*(const f8*)(C + 48) * u, *(const f8*)(C + 56) * u));
            *(f8*)(v + m) -= __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
                           + __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
        }
    }
#undef PAIRS
#endif
"""
    + _END
)
def skyline_solve(
    H: wp.array2d(dtype=float),
    first: wp.array2d(dtype=int),
    address: wp.array2d(dtype=int),
    diaginv: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    n: int,
    slot: int,
):
    """Solve H x = b in place with the factor of ``skyline_factor``; where b is zero in the padding, x is."""
    ...
