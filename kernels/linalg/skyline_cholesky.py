"""The Cholesky factor H = C C' of one island's Hessian within its envelope, and solutions by it, as native code.

The factor takes the place of H, in the panels that ``skyline`` describes. Method: George and Liu 1981, ch. 4 (envelope
method), blocked.
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES
from newtonish.kernels.linalg.skyline import END, PANELS


@wp.func_native(
    VECTOR_TYPES
    + PANELS
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
    VECTOR_TYPES
    + PANELS
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
