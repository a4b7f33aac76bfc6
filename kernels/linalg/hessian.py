"""The Newton Hessian H = M + J' D J: accumulation, factorisation and solution, as native code.

H is stored dense, lower triangle by rows of ``nv_pad`` floats, and eliminated from the last dof to the first, like M:
H = L' D L. In that order a chain of dofs fills in nothing, and contacts with static geoms only couple dofs of one
chain; columns that are zero are skipped when rows are added. What stands right of the diagonal has no meaning, except
that ``hessian_factor`` clears it within the eight columns of the diagonal, which ``hessian_solve`` relies on. Method:
Featherstone 2008, ch. 6.5, on the matrix of the Newton step (MuJoCo's documentation, chapter Computation, "Newton").

All arrays have a world axis in front; ``w`` picks the world and ``slot`` the part of the scratch arrays (see
``scratch_slot``). H has rows up to ``nv_pad``; those behind ``nv`` stay zero. On a GPU all lanes of the block must
call these functions together; what a function writes is visible to all lanes when it returns.
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES


@wp.func_native(
    VECTOR_TYPES
    + """
    float* A = (float*)((char*)H.data + slot * H.strides[0]);
    const float* B = (const float*)((const char*)M.data + slot * M.strides[0]);
    const int width = H.shape[2];
#if defined(__CUDA_ARCH__)
    for (int e = threadIdx.x; e < nv * width; e += blockDim.x) A[e] = B[e];
    __syncthreads();
#else
    for (int i = 0; i < nv; i++)
        for (int j = i * width; j <= i * width + i; j += 8) *(f8*)(A + j) = *(const f8*)(B + j);
#endif
"""
)
def hessian_begin(H: wp.array3d(dtype=float), M: wp.array3d(dtype=float), nv: int, slot: int):
    """``H = M``, both dense."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    float* A = (float*)((char*)H.data + slot * H.strides[0]);
    const float* R = (const float*)((const char*)J.data + w * J.strides[0]);
    const float* d = (const float*)((const char*)D.data + w * D.strides[0]);
    const int* s = (const int*)((const char*)state.data + w * state.strides[0]);
    const int width = H.shape[2];
#if defined(__CUDA_ARCH__)
    for (int e = threadIdx.x; e < nv * width; e += blockDim.x) {
        const int i = e / width, j = e - i * width;
        if (j > i) continue;
        float sum = 0.0f;
        for (int r = first; r < last; r++)
            if (s[r] == 1) sum += d[r] * R[r * width + i] * R[r * width + j];
        A[e] += sum;
    }
    __syncthreads();
#else
    const auto add = [](float* A, const float* R, const float* d, const int* s, int first, int last, int width) OUTLINED {
        for (int r = first; r < last; r += 4) {
            float t[4];
            const float* row[4];
            for (int k = 0; k < 4; k++) {
                const int q = r + k < last ? r + k : last - 1;
                row[k] = R + q * width;
                t[k] = r + k < last && s[q] == 1 ? d[q] : 0.0f;
            }
            if (t[0] == 0.0f && t[1] == 0.0f && t[2] == 0.0f && t[3] == 0.0f) continue;
            for (int c = 0; c < width; c += 8) {
                const i8 used = (*(const f8*)(row[0] + c) != 0.0f) | (*(const f8*)(row[1] + c) != 0.0f)
                              | (*(const f8*)(row[2] + c) != 0.0f) | (*(const f8*)(row[3] + c) != 0.0f);
                unsigned columns = __builtin_bit_cast(unsigned char, __builtin_convertvector(used, b8));
                for (; columns != 0; columns &= columns - 1) {
                    const int i = c + __builtin_ctz(columns);
                    const float a0 = t[0] * row[0][i], a1 = t[1] * row[1][i];
                    const float a2 = t[2] * row[2][i], a3 = t[3] * row[3][i];
                    float* h = A + i * width;
                    for (int j = 0; j <= c; j += 8) {
                        f8 sum = *(f8*)(h + j);
                        sum += a0 * *(const f8*)(row[0] + j);
                        sum += a1 * *(const f8*)(row[1] + j);
                        sum += a2 * *(const f8*)(row[2] + j);
                        sum += a3 * *(const f8*)(row[3] + j);
                        *(f8*)(h + j) = sum;
                    }
                }
            }
        }
    };
    add(A, R, d, s, first, last, width);
#endif
"""
)
def hessian_add_rows(
    H: wp.array3d(dtype=float),
    J: wp.array3d(dtype=float),
    D: wp.array2d(dtype=float),
    state: wp.array2d(dtype=int),
    first: int,
    last: int,
    nv: int,
    w: int,
    slot: int,
):
    """``H += D_r J_r' J_r`` for the rows from ``first`` to ``last - 1`` whose state is quadratic, four rows at a time.

    Start at the first row of a contact: the four rows of a pyramid then move the same dofs.
    """
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    float* A = (float*)((char*)H.data + slot * H.strides[0]);
    float* inverse = (float*)((char*)diaginv.data + slot * diaginv.strides[0]);
    const float* largest = (const float*)((const char*)bound.data + w * bound.strides[0]);
    const int width = H.shape[2];
#if defined(__CUDA_ARCH__)
    for (int k = nv - 1; k >= 0; k--) {
        float* row = A + k * width;
        const float pivot = row[k];
        const float scale = pivot > 0.0f ? fminf(1.0f / pivot, largest[k]) : largest[k];
        // the lower triangle of the leading k x k block, element by element
        for (int e = threadIdx.x; e < k * (k + 1) / 2; e += blockDim.x) {
            int i = (int)((sqrtf(8.0f * (float)e + 1.0f) - 1.0f) * 0.5f);
            if ((i + 1) * (i + 2) / 2 <= e) i++;
            if (i * (i + 1) / 2 > e) i--;
            const int j = e - i * (i + 1) / 2;
            A[i * width + j] -= row[i] * scale * row[j];
        }
        if (threadIdx.x == 0) inverse[k] = scale;
        __syncthreads();
    }
    for (int k = threadIdx.x; k < nv; k += blockDim.x)
        for (int j = k; j < width; j++) A[k * width + j] = 0.0f;
    __syncthreads();
#else
// rows i and j = i - 1, N vectors of them from column c on: subtract what all rows below contribute
#define SUBTRACT(N) { \\
        f8 p[N], q[N]; \\
        for (int m = 0; m < N; m++) { p[m] = *(const f8*)(ri + c + 8 * m); q[m] = *(const f8*)(rj + c + 8 * m); } \\
        for (int k = nv - 1; k > i; k--) { \\
            const float* row = A + k * width; \\
            const float s = row[i] * inverse[k], t = row[j] * inverse[k]; \\
            for (int m = 0; m < N; m++) { \\
                const f8 u = *(const f8*)(row + c + 8 * m); \\
                p[m] -= s * u; \\
                q[m] -= t * u; \\
            } \\
        } \\
        for (int m = 0; m < N; m++) { *(f8*)(ri + c + 8 * m) = p[m]; *(f8*)(rj + c + 8 * m) = q[m]; } \\
    }
// 1/D of row r; the lanes from the diagonal on are cleared
#define FINISH(r, row) { \\
        const int own = r / 8 * 8; \\
        const float pivot = row[r], value = 1.0f / pivot; \\
        inverse[r] = ((pivot > 0.0f) & (value < largest[r])) ? value : largest[r]; \\
        const f8 tail = *(const f8*)(row + own); \\
        *(f8*)(row + own) = iota < r - own ? tail : f8{}; \\
    }
    const i8 iota = {0, 1, 2, 3, 4, 5, 6, 7};
    // two rows at a time: each row below is then loaded half as often; if nv is odd, row 0 is its own partner
    for (int i = nv - 1; i >= 0; i -= 2) {
        const int j = i > 0 ? i - 1 : 0;
        float* ri = A + i * width;
        float* rj = A + j * width;
        for (int c = 0; c <= i; c += 32) {
            const int left = (i - c) / 8;
            if (left == 0) SUBTRACT(1)
            else if (left == 1) SUBTRACT(2)
            else if (left == 2) SUBTRACT(3)
            else SUBTRACT(4)
        }
        FINISH(i, ri)
        if (i > 0) {
            const float t = ri[j] * inverse[i];
            for (int c = 0; c <= j; c += 8) *(f8*)(rj + c) -= t * *(const f8*)(ri + c);
            FINISH(j, rj)
        }
    }
#undef SUBTRACT
#undef FINISH
#endif
"""
)
def hessian_factor(
    H: wp.array3d(dtype=float),
    diaginv: wp.array2d(dtype=float),
    bound: wp.array2d(dtype=float),
    nv: int,
    w: int,
    slot: int,
):
    """Factorise H = L' D L in place: strictly lower rows of D L in ``H``, 1/D in ``diaginv``.

    ``bound`` is 1/D of M alone. A pivot of H cannot be smaller than M's, because H - M is positive semi-definite; where
    rounding makes it so, M's is taken.
    """
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    const float* A = (const float*)((const char*)H.data + slot * H.strides[0]);
    const float* inverse = (const float*)((const char*)diaginv.data + slot * diaginv.strides[0]);
    float* v = (float*)((char*)x.data + slot * x.strides[0]);
    const int width = H.shape[2];
#if defined(__CUDA_ARCH__)
    for (int k = nv - 1; k > 0; k--) {
        const float t = v[k] * inverse[k];
        for (int i = threadIdx.x; i < k; i += blockDim.x) v[i] -= t * A[k * width + i];
        __syncthreads();
    }
    for (int k = threadIdx.x; k < nv; k += blockDim.x) v[k] *= inverse[k];
    __syncthreads();
    for (int k = 0; k < nv; k++) {
        const float t = v[k];
        for (int i = k + 1 + threadIdx.x; i < nv; i += blockDim.x) v[i] -= inverse[i] * A[i * width + k] * t;
        __syncthreads();
    }
#else
// eight unknowns at a time: those of one chunk follow one another within registers
#define PAIRS(a, b) (__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) \\
                   + __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15))
#define ROW(k) *(const f8*)(diagonal + (k) * width)
    const auto solve = [](const float* A, const float* inverse, float* v, int width) OUTLINED {
        for (int c = width - 8; c >= 0; c -= 8) {
            const float* diagonal = A + c * width + c;
            const f8 pivots = *(const f8*)(inverse + c);
            f8 u = *(const f8*)(v + c);
            for (int k = 7; k > 0; k--) u -= u[k] * pivots[k] * ROW(k);
            u *= pivots;
            *(f8*)(v + c) = u;
            for (int j = 0; j < c; j += 8) {
                const float* rows = A + c * width + j;
                f8 sum = *(const f8*)(v + j);
                for (int k = 0; k < 8; k++) sum -= u[k] * *(const f8*)(rows + k * width);
                *(f8*)(v + j) = sum;
            }
        }
        for (int c = 0; c < width; c += 8) {
            const float* diagonal = A + c * width + c;
            const f8 pivots = *(const f8*)(inverse + c);
            f8 u = *(const f8*)(v + c);
            if (c > 0) {
                f8 d[8] = {};
                for (int j = 0; j < c; j += 8) {
                    const float* rows = A + c * width + j;
                    for (int k = 0; k < 8; k++) d[k] += *(const f8*)(rows + k * width) * *(const f8*)(v + j);
                }
                const f8 p = PAIRS(PAIRS(d[0], d[1]), PAIRS(d[2], d[3]));
                const f8 q = PAIRS(PAIRS(d[4], d[5]), PAIRS(d[6], d[7]));
                const f8 dots = __builtin_shufflevector(p, q, 0, 1, 2, 3, 8, 9, 10, 11)
                          + __builtin_shufflevector(p, q, 4, 5, 6, 7, 12, 13, 14, 15);
                u -= pivots * dots;
            }
            float x[8];
            for (int k = 0; k < 8; k++) {
                const float* row = diagonal + k * width;
                float sum = 0.0f;
                for (int j = 0; j < k; j++) sum += row[j] * x[j];
                x[k] = u[k] - pivots[k] * sum;
            }
            *(f8*)(v + c) = f8{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
        }
    };
    solve(A, inverse, v, width);
#undef PAIRS
#undef ROW
#endif
"""
)
def hessian_solve(
    H: wp.array3d(dtype=float), diaginv: wp.array2d(dtype=float), x: wp.array2d(dtype=float), nv: int, slot: int
):
    """Solve H x = b in place with the factor of ``hessian_factor``; the padding of ``x`` stays zero."""
    ...
