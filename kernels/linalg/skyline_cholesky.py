"""The Cholesky factor H = C C' of one island's Hessian within its envelope, and solutions by it, as native code.

The factor takes the place of H, in the panels that ``skyline`` describes. Method: George and Liu 1981, ch. 4 (envelope
method), blocked.
"""

import warp as wp

from newtonish.kernels.linalg.eight import EIGHT, END_EIGHT, FIRST_WARP
from newtonish.kernels.linalg.skyline import END, PANELS


@wp.func_native(
    EIGHT
    + PANELS
    + """
    float* inverse = (float*)((char*)diaginv.data + (size_t)FRESH(slot) * diaginv.strides[0]);
    const float* largest = (const float*)((const char*)bound.data + (size_t)FRESH(slot) * bound.strides[0]);
"""
    + FIRST_WARP
    + """
    for (int p = 0; p < n / 8; p++) {
        float* P = h + panels[p];  // P + 8 j is column j
        for (int q = begins[p]; q <= p; q++) {
            const float* Q = h + panels[q];
            const int start = 8 * (begins[p] > begins[q] ? begins[p] : begins[q]);
            v8 a[8];
#pragma unroll
            for (int k = 0; k < 8; k++) a[k] = GROUP == 0 ? LOAD8(P + 64 * q + 8 * k) : v8{};
            EACH_TERM(m, start, 8 * q) {
                const v8 u = LOAD8(P + 8 * m);
                ROW8(row, Q + 8 * m)
#pragma unroll
                for (int k = 0; k < 8; k++) a[k] -= u * row[k];
            }
            if (start < 8 * q) {
#pragma unroll
                for (int k = 0; k < 8; k++) TOTAL8(a[k]);
            }
            if (q < p) {
                const float* T = Q + 64 * q;
#pragma unroll
                for (int k = 0; k < 8; k++) {
#pragma unroll
                    for (int l = 0; l < k; l++) a[k] -= a[l] * T[8 * l + k];
                    a[k] *= inverse[8 * q + k];
                }
            } else {
                // columns are divided by the roots of their pivots in the end: the next pivot waits for no root
                v8 divided[8];
                float scale[8];
#pragma unroll
                for (int k = 0; k < 8; k++) {
#pragma unroll
                    for (int l = 0; l < k; l++) a[k] -= divided[l] * ELEMENT(a[l], k);
                    const float pivot = ELEMENT(a[k], k), value = RECIPROCAL(pivot), limit = largest[8 * p + k];
                    const float taken = ((pivot > 0.0f) & (value < limit)) ? value : limit;
                    divided[k] = a[k] * taken;
                    scale[k] = sqrtf(taken);
                    if (LEADER) inverse[8 * p + k] = scale[k];
                }
#pragma unroll
                for (int k = 0; k < 8; k++) a[k] = INDEX8 > k ? a[k] * scale[k] : v8{};
            }
#pragma unroll
            for (int k = 0; k < 8; k++) STORE8(P + 64 * q + 8 * k, a[k]);
            MEET();
        }
    }
    BARRIER
"""
    + END_EIGHT
    + END
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
    EIGHT
    + PANELS
    + """
    const float* inverse = (const float*)((const char*)diaginv.data + (size_t)FRESH(slot) * diaginv.strides[0]);
    float* v = (float*)((char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
#if defined(__CUDA_ARCH__)
    if (LANE < WIDTH) {
        for (int p = 0; p < n / 8; p++) {
            const float* P = h + panels[p];
            float u = GROUP == 0 ? v[8 * p + INDEX8] : 0.0f;
            EACH_TERM(m, 8 * begins[p], 8 * p) u -= P[8 * m + INDEX8] * v[m];
            TOTAL8(u);
            ROW8(scale, inverse + 8 * p)
#pragma unroll
            for (int k = 0; k < 8; k++) u -= P[64 * p + 8 * k + INDEX8] * (ELEMENT(u, k) * scale[k]);  // C is zero down to its diagonal
            u *= inverse[8 * p + INDEX8];
            STORE8(v + 8 * p, u);
            MEET();
        }
        for (int p = n / 8 - 1; p >= 0; p--) {
            const float* P = h + panels[p];
            float own = v[8 * p + INDEX8], u[8];
            ROW8(scale, inverse + 8 * p)
            ROW8(column, P + 64 * p + 8 * INDEX8)
#pragma unroll
            for (int k = 7; k >= 0; k--) {
                u[k] = ELEMENT(own, k) * scale[k];
                own -= column[k] * u[k];
            }
            own *= inverse[8 * p + INDEX8];
            MEET();
            STORE8(v + 8 * p, own);
            for (int m = 8 * begins[p] + LANE; m < 8 * p; m += WIDTH) {
                const float4 s = *(const float4*)(P + 8 * m), t = *(const float4*)(P + 8 * m + 4);
                v[m] -= s.x * u[0] + s.y * u[1] + s.z * u[2] + s.w * u[3] + t.x * u[4] + t.y * u[5] + t.z * u[6] + t.w * u[7];
            }
            MEET();
        }
    }
    SYNC();
#else
#define PAIRS(a, b) (__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) \\
                   + __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15))
    for (int p = 0; p < n / 8; p++) {
        const float* P = h + panels[p];
        f8 s0 = *(const f8*)(v + 8 * p), s1 = {}, s2 = {}, s3 = {};
        for (int m = 8 * begins[p]; m < 8 * p; m += 4) {
            s0 -= *(const f8*)(P + 8 * m) * v[m];
            s1 -= *(const f8*)(P + 8 * m + 8) * v[m + 1];
            s2 -= *(const f8*)(P + 8 * m + 16) * v[m + 2];
            s3 -= *(const f8*)(P + 8 * m + 24) * v[m + 3];
        }
        // within a block one unknown after the other, as numbers: of each sum only the last term waits for the unknown before
        const f8 u = (s0 + s1) + (s2 + s3);
        float x[8];
        for (int k = 0; k < 8; k++) {
            float sum = u[k];
            for (int m = 0; m < k; m++) sum -= P[64 * p + 8 * m + k] * x[m];
            x[k] = sum * inverse[8 * p + k];
        }
        *(f8*)(v + 8 * p) = f8{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
    }
    for (int p = n / 8 - 1; p >= 0; p--) {
        const float* P = h + panels[p];
        float x[8];
        for (int k = 7; k >= 0; k--) {
            float sum = v[8 * p + k];
            for (int m = 7; m > k; m--) sum -= P[64 * p + 8 * k + m] * x[m];
            x[k] = sum * inverse[8 * p + k];
        }
        const f8 u = {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
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
    + END_EIGHT
    + END
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
