"""L' D L of the Newton Hessian, and its solution, by one warp of a GPU that is compiled for the number of dofs (``NV``, up to 64).

Each lane has a column of H, and of the columns from 32 on (``HIGH`` of them) another one. Eight rows at a time are eliminated, from the last: a
lane takes from them what the rows below contribute, whose L comes from memory, eight elements for all lanes at once, and whose elements in its
own column it has kept, not divided by their pivots. Pivots, and the elements by which rows of the eight act on one another, come by shuffles.

Memory gets L, with zeros on the diagonal and right of it. So both halves of the solution are without conditions: the first goes by rows, of which
each lane takes the element of its column; in the second a lane takes eight elements of its row at a time. Method: Featherstone 2008, ch. 6.5.

Both texts stand within native functions, in which ``A`` is the matrix, ``width`` the floats from one row to the next, ``inverse`` has 1/D, ``largest``
its bounds, and ``v`` the right-hand side.
"""

WARP_FACTOR = """
    static_assert(NV <= WIDTH || WIDTH == 32, "a warp has the columns from 32 on once more");
    constexpr int HIGH = NV > 32 ? NV - 32 : 0;
    if (LANE < WIDTH) {
        const bool own = WIDTH <= NV_PAD || LANE < NV_PAD, beyond = LANE < NV_PAD - 32;
        float u[NV], uh[HIGH + 1];  // rows below, in the columns of this lane
        const float most = LANE < NV ? largest[LANE] : 0.0f, high_most = LANE < HIGH ? largest[32 + LANE] : 0.0f;
        float scale = 0.0f, high_scale = 0.0f;
#pragma unroll
        for (int c = (NV - 1) / 8 * 8; c >= 0; c -= 8) {
            const bool high = c >= 32;
            float a[8] = {}, b[8] = {};
#pragma unroll
            for (int m = 0; m < 8; m++) {
                const int end = (c + m) / 4 * 4 + 4;  // of what is written of this row: four columns at a time, up to the diagonal
                if (c + m < NV && LANE < end && own) a[m] = A[(c + m) * width + LANE];
                if (c + m < NV && high && LANE < end - 32) b[m] = A[(c + m) * width + 32 + LANE];
            }
#pragma unroll
            for (int k = c + 8; k < NV; k++) {
                const float4 p = *(const float4*)(A + k * width + c), q = *(const float4*)(A + k * width + c + 4);
                const float l[8] = {p.x, p.y, p.z, p.w, q.x, q.y, q.z, q.w};
#pragma unroll
                for (int m = 0; m < 8; m++) {
                    a[m] -= l[m] * u[k];
                    if (high) b[m] -= l[m] * uh[k - 32];
                }
            }
#pragma unroll
            for (int m = 7; m >= 0; m--) {
                if (c + m >= NV) continue;
                const float pivot = of_lane(high ? b[m] : a[m], (c + m) % 32), value = __fdividef(1.0f, pivot);
                const float limit = of_lane(high ? high_most : most, (c + m) % 32), s = pivot > 0.0f ? fminf(value, limit) : limit;
                if (LANE == (c + m) % 32) (high ? high_scale : scale) = s;
                u[c + m] = a[m];
                if (high) uh[c + m - 32] = b[m];
                const float l = a[m] * s, lh = b[m] * s;
#pragma unroll
                for (int i = 0; i < m; i++) {
                    const float t = of_lane(high ? b[m] : a[m], (c + i) % 32);
                    a[i] -= t * l;
                    if (high) b[i] -= t * lh;
                }
                a[m] = l;
                b[m] = lh;
            }
#pragma unroll
            for (int m = 0; m < 8; m++) {
                if (c + m < NV && own) A[(c + m) * width + LANE] = LANE < c + m ? a[m] : 0.0f;
                if (c + m < NV && high && beyond) A[(c + m) * width + 32 + LANE] = 32 + LANE < c + m ? b[m] : 0.0f;
            }
            SYNC_WARP();
        }
        if (LANE < NV) inverse[LANE] = scale;
        if (LANE < HIGH) inverse[32 + LANE] = high_scale;
    }
    SYNC();
"""

WARP_SOLVE = """
    constexpr int HIGH = NV > 32 ? NV - 32 : 0;
    if (LANE < WIDTH) {
        const int i = LANE < NV ? LANE : NV - 1, j = 32 + (LANE < HIGH ? LANE : HIGH - 1);  // lanes without a dof do as others
        float x = v[i], y = HIGH > 0 ? v[j] : 0.0f;
#pragma unroll
        for (int k = NV - 1; k > 0; k--) {
            const float t = of_lane(k < 32 ? x : y, k % 32);
            x -= A[k * width + i] * t;
            if (k > 32) y -= A[k * width + j] * t;
        }
        x *= inverse[i];
        if (HIGH > 0) y *= inverse[j];
#pragma unroll
        for (int c = 0; c < NV; c += 8) {
            float row[8] = {}, high_row[8] = {};
            if (c < 32) *(float4*)row = *(const float4*)(A + i * width + c), *(float4*)(row + 4) = *(const float4*)(A + i * width + c + 4);
            if (HIGH > 0) *(float4*)high_row = *(const float4*)(A + j * width + c), *(float4*)(high_row + 4) = *(const float4*)(A + j * width + c + 4);
#pragma unroll
            for (int m = 0; m < 8; m++) {
                if (c + m >= NV - 1) continue;
                const float t = of_lane(c < 32 ? x : y, (c + m) % 32);
                if (c < 32) x -= row[m] * t;
                if (HIGH > 0) y -= high_row[m] * t;
            }
        }
        SYNC_WARP();
        if (LANE < NV) v[LANE] = x;
        if (LANE < HIGH) v[32 + LANE] = y;
    }
    SYNC();
"""
