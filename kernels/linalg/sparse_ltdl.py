"""Sparse L'DL factorisation of inertia-like matrices, solution and product, as native code.

A row of the lower triangle holds the dof's ancestors in ascending order and the diagonal last, so the row of an ancestor
has the same columns as the beginning of the row of a descendant: eliminating a dof subtracts prefixes of its own row
from its ancestors' rows, contiguously and without fill-in. Method: Featherstone 2008, ch. 6.5 (LTDL).

``rownnz``, ``rowadr``, ``colind`` describe the rows; matrices and vectors have a world axis in front, and ``w`` picks the
world. On a GPU all lanes of the block must call these functions together; each ends with a barrier.
"""

import warp as wp

from newtonish.kernels.linalg.sparse_paths import FACTOR, PATHS, SOLVE


@wp.func_native(
    """
    const float* source = (const float*)((const char*)matrix.data + (size_t)w * matrix.strides[0]);
    float* L = (float*)((char*)factor.data + (size_t)w * factor.strides[0]);
    float* inverse = (float*)((char*)diaginv.data + (size_t)w * diaginv.strides[0]);
    const int* nnz = rownnz.data;
    const int* adr = rowadr.data;
    const int* col = colind.data;
    const int size = nv > 0 ? adr[nv - 1] + nnz[nv - 1] : 0;
"""
    + PATHS
    + """
#if defined(__CUDA_ARCH__)
    if (L != source) {
#pragma unroll 4
        for (int i = LANE; i < size; i += LANES) L[i] = source[i];
    }
    SYNC();
    if (on_paths) {
"""
    + FACTOR
    + """
        SYNC();
        return;
    }
    const int lane = LANE, lanes = LANES;
    for (int k = nv - 1; k >= 0; k--) {
        const float* row = L + adr[k];
        const int* ancestors = col + adr[k];
        const int n = nnz[k] - 1;
        const float scale = 1.0f / row[n];
        if (lane == 0) inverse[k] = scale;
        if (n > 0 && ancestors[n - 1] == k - 1) {
            // a dof and the one before it, its parent, have the same ancestors: both at once load and store the ancestors' rows half as often
            float* parent = L + adr[k - 1];
            const float t = row[n - 1] * scale;
            for (int j = lane; j < n; j += lanes) parent[j] -= t * row[j];
            SYNC();
            const float parent_scale = 1.0f / parent[n - 1];
            if (lane == 0) inverse[k - 1] = parent_scale;
            for (int a = lane; a < n - 1; a += lanes) {
                const float t = row[a] * scale, u = parent[a] * parent_scale;
                float* other = L + adr[ancestors[a]];
                for (int j = 0; j <= a; j++) other[j] -= t * row[j] + u * parent[j];
            }
            k--;
        } else {
            // an ancestor a lane: the beginning of its row is shorter than the row of the next
            for (int a = lane; a < n; a += lanes) {
                const float t = row[a] * scale;
                float* other = L + adr[ancestors[a]];
                for (int j = 0; j <= a; j++) other[j] -= t * row[j];
            }
        }
        SYNC();
    }
    // a row is read only while its own dof is eliminated: all can be scaled at the end
    for (int k = lane; k < nv; k += lanes) {
        float* row = L + adr[k];
        for (int a = 0; a < nnz[k] - 1; a++) row[a] *= inverse[k];
    }
    SYNC();
#else
    if (L != source)
        for (int i = 0; i < size; i++) L[i] = source[i];
    for (int k = nv - 1; k >= 0; k--) {
        float* __restrict__ row = L + adr[k];
        const int* ancestors = col + adr[k];
        const int n = nnz[k] - 1;
        const float scale = 1.0f / row[n];
        inverse[k] = scale;
        for (int a = n - 1; a >= 0; a--) {
            const float t = row[a] * scale;
            float* __restrict__ other = L + adr[ancestors[a]];
            // prefixes are short: four lanes without unrolling beat the compiler's own choice by a quarter
            _Pragma("clang loop vectorize(enable) vectorize_width(4) interleave(disable) unroll(disable)")
            for (int j = 0; j <= a; j++) other[j] -= t * row[j];
            row[a] = t;
        }
    }
#endif
"""
)
def ltdl_factor(
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    matrix: wp.array2d(dtype=float),
    factor: wp.array2d(dtype=float),
    diaginv: wp.array2d(dtype=float),
    nv: int,
    w: int,
):
    """Factorise ``matrix`` = L' D L: rows of L with D on the diagonal in ``factor``, 1/D in ``diaginv``.

    ``matrix`` and ``factor`` may be the same array.
    """
    ...


@wp.func_native(
    """
    const float* source = (const float*)((const char*)matrix.data + (size_t)w * matrix.strides[0]);
    const float* added = (const float*)((const char*)shift.data + (size_t)w * shift.strides[0]);
    float* target = (float*)((char*)result.data + (size_t)w * result.strides[0]);
    const int* nnz = rownnz.data;
    const int* adr = rowadr.data;
    const int size = nv > 0 ? adr[nv - 1] + nnz[nv - 1] : 0;
#if defined(__CUDA_ARCH__)
    for (int i = LANE; i < size; i += LANES) target[i] = source[i];
    SYNC();
    for (int k = LANE; k < nv; k += LANES) target[adr[k] + nnz[k] - 1] += added[k];
    SYNC();
#else
    for (int i = 0; i < size; i++) target[i] = source[i];
    for (int k = 0; k < nv; k++) target[adr[k] + nnz[k] - 1] += added[k];
#endif
"""
)
def copy_shifted(
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    matrix: wp.array2d(dtype=float),
    shift: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float),
    nv: int,
    w: int,
):
    """Copy a sparse matrix and add ``shift`` to its diagonal."""
    ...


@wp.func_native(
    """
    const float* L = (const float*)((const char*)factor.data + (size_t)w * factor.strides[0]);
    const float* inverse = (const float*)((const char*)diaginv.data + (size_t)w * diaginv.strides[0]);
    float* v = (float*)((char*)x.data + (size_t)w * x.strides[0]);
    const int* nnz = rownnz.data;
    const int* adr = rowadr.data;
    const int* col = colind.data;
"""
    + PATHS
    + """
#if defined(__CUDA_ARCH__)
    if (on_paths) {
"""
    + SOLVE
    + """
        SYNC();
        return;
    }
    // one warp does it: rows follow one another, a row's ancestors go to the lanes
    if (LANE < WIDTH) {
        const int lane = LANE;
        for (int k = nv - 1; k >= 0; k--) {
            const float t = v[k];
            for (int a = lane; a < nnz[k] - 1; a += WIDTH) v[col[adr[k] + a]] -= L[adr[k] + a] * t;
            SYNC_WARP();
        }
        for (int k = lane; k < nv; k += WIDTH) v[k] *= inverse[k];
        SYNC_WARP();
        for (int k = 0; k < nv; k++) {
            float sum = 0.0f;
            for (int a = lane; a < nnz[k] - 1; a += WIDTH) sum += L[adr[k] + a] * v[col[adr[k] + a]];
            sum = warp_sum(sum);
            if (lane == 0) v[k] -= sum;
            SYNC_WARP();
        }
    }
    SYNC();
#else
    for (int k = nv - 1; k >= 0; k--) {
        const float t = v[k];
        const float* row = L + adr[k];
        const int* ancestors = col + adr[k];
        const int n = nnz[k] - 1;
        for (int a = 0; a < n; a++) v[ancestors[a]] -= row[a] * t;
        v[k] = t * inverse[k];
    }
    for (int k = 0; k < nv; k++) {
        const float* row = L + adr[k];
        const int* ancestors = col + adr[k];
        const int n = nnz[k] - 1;
        // two sums: one alone waits for each addition
        float even = v[k], odd = 0.0f;
        int a = 0;
        for (; a + 1 < n; a += 2) {
            even -= row[a] * v[ancestors[a]];
            odd -= row[a + 1] * v[ancestors[a + 1]];
        }
        if (a < n) even -= row[a] * v[ancestors[a]];
        v[k] = even + odd;
    }
#endif
"""
)
def ltdl_solve(
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    factor: wp.array2d(dtype=float),
    diaginv: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    nv: int,
    w: int,
):
    """Solve L' D L x = b in place: row ``w`` of ``x`` holds b before and x after."""
    ...


@wp.func_native(
    """
    const float* A = (const float*)((const char*)matrix.data + (size_t)w * matrix.strides[0]);
    const float* v = (const float*)((const char*)x.data + (size_t)w * x.strides[0]);
    float* r = (float*)((char*)result.data + (size_t)w * result.strides[0]);
    const int* nnz = rownnz.data;
    const int* adr = rowadr.data;
    const int* col = colind.data;
#if defined(__CUDA_ARCH__)
    // rows one after the other in one warp: the part above the diagonal is added to the ancestors, in a fixed order
    if (LANE < WIDTH) {
        const int lane = LANE;
        for (int k = lane; k < nv; k += WIDTH) r[k] = 0.0f;
        SYNC_WARP();
        for (int k = 0; k < nv; k++) {
            const float t = v[k];
            const int n = nnz[k] - 1;
            float sum = 0.0f;
            for (int a = lane; a < n; a += WIDTH) {
                const float element = A[adr[k] + a];
                const int i = col[adr[k] + a];
                sum += element * v[i];
                r[i] += element * t;
            }
            sum = warp_sum(sum);
            if (lane == 0) r[k] += sum + A[adr[k] + n] * t;
            SYNC_WARP();
        }
    }
    SYNC();
#else
    for (int k = 0; k < nv; k++) {
        const float* row = A + adr[k];
        const int* ancestors = col + adr[k];
        const int n = nnz[k] - 1;
        const float t = v[k];
        float sum = row[n] * t;
        for (int a = 0; a < n; a++) {
            sum += row[a] * v[ancestors[a]];
            r[ancestors[a]] += row[a] * t;
        }
        r[k] = sum;  // descendants have not added anything yet
    }
#endif
"""
)
def symmetric_mul(
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    matrix: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float),
    nv: int,
    w: int,
):
    """Product of a symmetric matrix, given by its lower triangle, with row ``w`` of ``x``; ``result`` is another array."""
    ...
