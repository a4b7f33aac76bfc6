"""The sum of the Newton Hessian H = M + J' D J, as native code; how H is stored: ``newtonish.kernels.linalg.hessian``.

A CPU adds four rows at a time to each row of H, and skips columns that are zero. On a GPU each lane has a tile of H in registers and goes
through the rows whose state is quadratic.
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES

# tiles of 4 x 4 entries on and below the diagonal, one a lane of a GPU: rows from 4 i on, columns from 4 j on, in ``sum``
EACH_TILE = """
    const int pitch = H.strides[1] / 4, tiles = (nv + 3) / 4;
    for (int t = FRESH(LANE); t < tiles * (tiles + 1) / 2; t += LANES) {
        int i = (int)((sqrtf(8.0f * (float)t + 1.0f) - 1.0f) * 0.5f);
        if ((i + 1) * (i + 2) / 2 <= t) i++;
        if (i * (i + 1) / 2 > t) i--;
        const int j = t - i * (i + 1) / 2;
        float* tile = A + 4 * (i * pitch + j);
        float4 sum[4];
#pragma unroll
        for (int m = 0; m < 4; m++) sum[m] = *(const float4*)(tile + m * pitch);
"""
END_TILE = """
#pragma unroll
        for (int m = 0; m < 4; m++) *(float4*)(tile + m * pitch) = sum[m];
    }
"""


@wp.func_native(
    VECTOR_TYPES
    + """
    float* A = (float*)((char*)H.data + (size_t)FRESH(slot) * H.strides[0]);
    const float* B = (const float*)((const char*)M.data + (size_t)FRESH(slot) * M.strides[0]);
    const float* R = (const float*)((const char*)J.data + (size_t)FRESH(w) * J.strides[0]);
    const float* d = (const float*)((const char*)D.data + (size_t)FRESH(w) * D.strides[0]);
    const int* s = (const int*)((const char*)state.data + (size_t)FRESH(w) * state.strides[0]);
    const int width = ROW_OF(H.shape[2]);
#if defined(__CUDA_ARCH__)
    // A tile has four columns, and four rows, or eight where there are more tiles of four by four than lanes: below the diagonal of 40 dofs
    // there are 55 of those, and 30 of eight by four.
#if NV > 0
    constexpr int fours = (NV + 3) / 4, TALL = fours * (fours + 1) / 2 <= LANES ? 4 : 8, pitch = ON_CHIP ? PITCH : NV_PAD, count = NV;
#else
    constexpr int TALL = 8;
    const int pitch = H.strides[1] / 4, count = nv;
#endif
    const int groups = (count + TALL - 1) / TALL, tiles = groups * (groups + 1) * TALL / 8, lane = FRESH(LANE);
    for (int begin = 0; begin < tiles; begin += LANES) {  // as often in all lanes, which vote for the rows
        const int t = begin + lane < tiles ? begin + lane : tiles - 1;
        int i = (int)((sqrtf(32.0f / TALL * (float)t + 1.0f) - 1.0f) * 0.5f);
        if ((i + 1) * (i + 2) * TALL / 8 <= t) i++;
        if (i * (i + 1) * TALL / 8 > t) i--;
        const int j = t - i * (i + 1) * TALL / 8;
        float4 sum[TALL];
#pragma unroll
        for (int m = 0; m < TALL; m++) sum[m] = *(const float4*)(B + (TALL * i + m) * width + 4 * j);
        for (int base = 0; base < last; base += WIDTH) {
            const int mine = base + lane % WIDTH;
            const bool used = mine < last && (mine < before || mine >= behind) && s[mine] == 1;
            unsigned rows = __ballot_sync(LANES_MASK, used) >> (threadIdx.x & 31 & ~(WIDTH - 1));
            for (; rows != 0; rows &= rows - 1) {
                const int r = base + __ffs(rows) - 1;
                const float* row = R + r * width;
                const float4 q = *(const float4*)(row + 4 * j);
                const float x = d[r] * q.x, y = d[r] * q.y, z = d[r] * q.z, u = d[r] * q.w;
#pragma unroll
                for (int m = 0; m < TALL; m += 4) {
                    const float4 p = *(const float4*)(row + TALL * i + m);
                    sum[m].x += p.x * x, sum[m].y += p.x * y, sum[m].z += p.x * z, sum[m].w += p.x * u;
                    sum[m + 1].x += p.y * x, sum[m + 1].y += p.y * y, sum[m + 1].z += p.y * z, sum[m + 1].w += p.y * u;
                    sum[m + 2].x += p.z * x, sum[m + 2].y += p.z * y, sum[m + 2].z += p.z * z, sum[m + 2].w += p.z * u;
                    sum[m + 3].x += p.w * x, sum[m + 3].y += p.w * y, sum[m + 3].z += p.w * z, sum[m + 3].w += p.w * u;
                }
            }
        }
        if (begin + lane < tiles)
#pragma unroll
            for (int m = 0; m < TALL; m++) *(float4*)(A + (TALL * i + m) * pitch + 4 * j) = sum[m];
    }
    SYNC();
#else
    for (int i = 0; i < nv; i++)
        for (int j = i * width; j <= i * width + i; j += 8) *(f8*)(A + j) = *(const f8*)(B + j);
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
    if (before > 0) add(A, R, d, s, 0, before, width);
    add(A, R, d, s, behind, last, width);
#endif
"""
)
def hessian_sum(
    H: wp.array3d(dtype=float),
    M: wp.array3d(dtype=float),
    J: wp.array3d(dtype=float),
    D: wp.array2d(dtype=float),
    state: wp.array2d(dtype=int),
    before: int,
    behind: int,
    last: int,
    nv: int,
    w: int,
    slot: int,
):
    """``H = M``, and ``+= D_r J_r' J_r`` for each row up to ``last - 1`` whose state is quadratic, but for those from ``before`` to ``behind - 1``.

    A CPU adds rows by fours, from 0 and from ``behind`` on: let that be the first row of a contact, since the four rows of a pyramid move the
    same dofs.
    """
    ...
