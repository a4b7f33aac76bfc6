"""The Newton Hessian H = M + J' D J: how it is stored, its factorisation and solution, as native code.

H is stored dense, lower triangle by rows of ``nv_pad`` floats, and eliminated from the last dof to the first, like M:
H = L' D L. In that order a chain of dofs fills in nothing, and contacts with static geoms only couple dofs of one
chain; columns that are zero are skipped when rows are added (``hessian_sum``). What stands right of the diagonal has no meaning until
``hessian_factor`` has run, on which ``hessian_solve`` relies: on a CPU it is zero within the eight columns of the diagonal, on a GPU it is the
transpose of the factor. A GPU's kernels that are compiled for a number of dofs have a factor of their own kind (``warp_factor``). Method:
Featherstone 2008, ch. 6.5, on the matrix of the Newton step (MuJoCo's documentation, chapter Computation, "Newton").

All arrays have a world axis in front; ``w`` picks the world and ``slot`` the part of the scratch arrays (see
``scratch_slot``). H has rows up to ``nv_pad``; those behind ``nv`` stay zero. On a GPU all lanes of the block must
call these functions together; what a function writes is visible to all lanes when it returns.
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES
from newtonish.kernels.linalg.warp_factor import WARP_FACTOR, WARP_SOLVE

# floats from one row to the next, and dofs; constants where the kernel is compiled for one number of dofs
_EXTENT = """
#if defined(__CUDA_ARCH__) && NV > 0
    constexpr int width = ON_CHIP ? PITCH : NV_PAD;
#elif defined(__CUDA_ARCH__)
    const int count = nv, padded = H.shape[2], width = H.strides[1] / 4;
#else
    const int width = H.shape[2];
#endif
"""


@wp.func_native(
    VECTOR_TYPES
    + """
    float* A = (float*)((char*)H.data + (size_t)FRESH(slot) * H.strides[0]);
    const float* B = (const float*)((const char*)M.data + (size_t)FRESH(slot) * M.strides[0]);
    const int width = H.shape[2];
#if defined(__CUDA_ARCH__)
    const int pitch = H.strides[1] / 4;
    // eight lanes a row
    const int lane = FRESH(LANE);
    for (int i = lane / 8; i < width; i += (LANES + 7) / 8)
        for (int j = 4 * (lane % 8); j < width; j += 32) *(float4*)(A + i * pitch + j) = *(const float4*)(B + i * width + j);
    SYNC();
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
    float* A = (float*)((char*)H.data + (size_t)FRESH(slot) * H.strides[0]);
    float* inverse = (float*)((char*)diaginv.data + (size_t)FRESH(slot) * diaginv.strides[0]);
    const float* largest = (const float*)((const char*)bound.data + (size_t)FRESH(w) * bound.strides[0]);
"""
    + _EXTENT
    + """
#if defined(__CUDA_ARCH__) && NV > 0
"""
    + WARP_FACTOR
    + """
#elif defined(__CUDA_ARCH__)
    // One warp, eight rows at a time from the last, a column a lane, those with the diagonal first. The transpose of each row is
    // written too, right of the diagonal, so that both halves of the solution go along rows.
    const auto load = [&](int c, int j, float a[8]) {
        const int last = c + 8 < count ? c + 8 : count;
        float* column = A + j;
#pragma unroll
        for (int m = 0; m < 8; m++) a[m] = column[(c + m) * width];
#pragma unroll 1
        for (int k = last; k < count; k++) {  // what the rows below contribute; more of them at a time have no room
            const float t = column[k * width] * inverse[k];
            const float4 p = *(const float4*)(A + k * width + c), q = *(const float4*)(A + k * width + c + 4);
            a[0] -= p.x * t; a[1] -= p.y * t; a[2] -= p.z * t; a[3] -= p.w * t;
            a[4] -= q.x * t; a[5] -= q.y * t; a[6] -= q.z * t; a[7] -= q.w * t;
        }
    };
    const auto store = [&](int c, int j, const float a[8]) {
#pragma unroll
        for (int m = 0; m < 8; m++) {
            if (j < c + m) A[(c + m) * width + j] = A[j * width + c + m] = a[m];
            if (j == c + m) A[j * width + j] = 0.0f;
        }
    };
    if (LANE < WIDTH) {
        for (int c = (count - 1) / 8 * 8; c >= 0; c -= 8) {
            float a[8];
            const int base = c / WIDTH * WIDTH, own = base + LANE < padded ? base + LANE : padded - 1;
            load(c, own, a);
#pragma unroll
            for (int m = 7; m >= 0; m--) {
                if (c + m >= count) continue;
                const float pivot = of_lane(a[m], c + m), value = __fdividef(1.0f, pivot), most = largest[c + m];
                const float scale = pivot > 0.0f && value < most ? value : most;
                if (LANE == m) inverse[c + m] = scale;
                const float t = a[m] * scale;
#pragma unroll
                for (int i = 0; i < m; i++) a[i] -= of_lane(a[m], c + i) * t;
            }
            SYNC_WARP();  // all have read what is written now
            if (base + LANE < padded) store(c, own, a);
            SYNC_WARP();
            for (int j = LANE; j < base; j += WIDTH) {
                load(c, j, a);
#pragma unroll
                for (int m = 7; m >= 0; m--) {
                    if (c + m >= count) continue;
                    const float t = a[m] * inverse[c + m];
#pragma unroll
                    for (int i = 0; i < m; i++) a[i] -= A[(c + m) * width + c + i] * t;
                }
                store(c, j, a);
                SYNC_WARP();
            }
        }
    }
    SYNC();
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
    const float* A = (const float*)((const char*)H.data + (size_t)FRESH(slot) * H.strides[0]);
    const float* inverse = (const float*)((const char*)diaginv.data + (size_t)FRESH(slot) * diaginv.strides[0]);
    float* v = (float*)((char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
"""
    + _EXTENT
    + """
#if defined(__CUDA_ARCH__) && NV > 0
"""
    + WARP_SOLVE
    + """
#elif defined(__CUDA_ARCH__)
    // one warp; up to two unknowns a lane stay in registers, beyond that all are in memory
    if (LANE < WIDTH && count <= 2 * WIDTH) {
        const int i = FRESH(LANE), j = i + WIDTH;
        const float scale = i < count ? inverse[i] : 0.0f, other_scale = j < count ? inverse[j] : 0.0f;
        float mine = i < count ? v[i] : 0.0f, other = j < count ? v[j] : 0.0f;
        for (int k = count - 1; k > 0; k--) {
            const float t = of_lane(k < WIDTH ? mine * scale : other * other_scale, k);
            if (i < k) mine -= t * A[k * width + i];
            if (k > WIDTH && j < k) other -= t * A[k * width + j];
        }
        mine *= scale;
        other *= other_scale;
        for (int k = 0; k < count - 1; k++) {
            const float t = of_lane(k < WIDTH ? mine : other, k);
            if (k < WIDTH && i > k && i < count) mine -= scale * A[k * width + i] * t;
            if (count > WIDTH && j > k && j < count) other -= other_scale * A[k * width + j] * t;
        }
        if (i < count) v[i] = mine;
        if (j < count) v[j] = other;
    } else if (LANE < WIDTH) {
        for (int k = nv - 1; k > 0; k--) {
            const float t = v[k] * inverse[k];
            for (int i = LANE; i < k; i += WIDTH) v[i] -= t * A[k * width + i];
            SYNC_WARP();
        }
        for (int k = LANE; k < nv; k += WIDTH) v[k] *= inverse[k];
        SYNC_WARP();
        for (int k = 0; k < nv - 1; k++) {
            const float t = v[k];
            for (int i = k + 1 + LANE; i < nv; i += WIDTH) v[i] -= inverse[i] * A[k * width + i] * t;
            SYNC_WARP();
        }
    }
    SYNC();
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
def hessian_solve(H: wp.array3d(dtype=float), diaginv: wp.array2d(dtype=float), x: wp.array2d(dtype=float), nv: int, slot: int):
    """Solve H x = b in place with the factor of ``hessian_factor``; the padding of ``x`` stays zero."""
    ...
