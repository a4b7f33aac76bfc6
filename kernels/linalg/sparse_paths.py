"""The sparse factor and its solution on a GPU, path by path, as parts of native functions.

A path is a run of dofs each of which is the parent of the next: an arm, a leg. The rows of a path have the columns of its last row, as far as they
go, so each lane keeps columns: of the right side in registers for a whole path, of the matrix for four rows at a time, which load
and store the rows of their ancestors once for all four. A column is the same lane's in all rows, so that no barrier is needed between paths.

For few lanes, and for trees that are deeper than a lane has registers for, ``newtonish.kernels.linalg.sparse_ltdl`` goes row by row.
"""

# ``on_paths``: whether these can do it, known to all lanes. ``PARTS``: columns of a lane, WIDTH from one to the next.
PATHS = """
#if defined(__CUDA_ARCH__)
    constexpr int PARTS = 2;
    const unsigned world = LANES_MASK;
    const int place = LANE % WIDTH;  // of this lane in its warp
    bool on_paths = WIDTH >= 8;
    if (on_paths) {
        int deepest = 0;
        for (int k = place; k < nv; k += WIDTH) deepest = nnz[k] > deepest ? nnz[k] : deepest;
        on_paths = __all_sync(world, deepest <= PARTS * WIDTH);
    }
    // entry j of a row of which each lane has PARTS
    auto entry = [world](const float* own, int j) {
        float part = own[0];
#pragma unroll
        for (int c = 1; c < PARTS; c++) {
            const float further = own[c];
            part = j >= c * WIDTH ? further : part;
        }
        return __shfl_sync(world, part, j & (WIDTH - 1), WIDTH);
    };
    // the column at which the path of dof k begins: from there on, they count up to k in place n
    auto path_begin = [world, place](const int* columns, int k, int n) {
        int begin = n;
#pragma unroll
        for (int c = PARTS - 1; c >= 0; c--) {
            const int j = c * WIDTH + place;
            if (c * WIDTH > n) continue;
            const bool counts = j <= n && columns[j <= n ? j : n] - j == k - n;
            const unsigned lanes = __ballot_sync(world, counts) & world;
            if (lanes) begin = c * WIDTH + ((__ffs(lanes) - 1) & (WIDTH - 1));
        }
        return begin;
    };
    // whether dof k is the child of the one before it
    auto follows = [nv, nnz, adr, col](int k) {
        const int i = k < nv ? k : nv - 1;
        return k < nv && nnz[i] > 1 && col[adr[i] + nnz[i] - 2] == k - 1;
    };
    // how many lanes say so, from the first on
    auto leading = [world](bool so) {
        const unsigned others = ~__ballot_sync(world, so) & world;
        return others ? (__ffs(others) - 1) & (WIDTH - 1) : WIDTH;
    };
    // how many rows of one entry stand from dof k downwards: of bodies alone, whose dofs nothing couples; each of these has a lane
    auto lone = [place, nnz, leading](int k, int bottom) {
        const int j = k - place;
        return leading(j >= bottom && nnz[j >= bottom ? j : bottom] == 1);
    };
    // dofs of this warp, from ``bottom`` to ``top`` - 1: of several warps that share a world each has some trees, which begin with a row of one entry
    auto border = [nv, nnz](int warp) {
        int k = nv * warp / (LANES / WIDTH);
        while (k > 0 && k < nv && nnz[k] > 1) k++;
        return k;
    };
    const int bottom = LANES > 32 ? border(LANE / WIDTH) : 0, top = LANES > 32 ? border(LANE / WIDTH + 1) : nv;
#endif
"""

FACTOR = """
    const int lane = place;
    for (int k = top - 1; k >= bottom;) {
        const int* columns = col + adr[k];
        int at = adr[k], p = nnz[k] - 1;
        if (p == 0) {
            const int number = lone(k, bottom);
            if (lane < number) inverse[k - lane] = __fdividef(1.0f, L[adr[k - lane]]);
            k -= number;
            continue;
        }
        const int begin = path_begin(columns, k, p);
        int above[PARTS];  // where the rows of the lane's columns begin
#pragma unroll
        for (int c = 0; c < PARTS; c++) {
            const int j = c * WIDTH + lane;
            above[c] = j < p ? adr[columns[j]] : 0;
        }
        while (p >= begin) {
            const int rows = p - begin < 3 ? p - begin + 1 : 4;
            float own[4][PARTS], scale[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
            for (int r = 0; r < 4; r++) {
#pragma unroll
                for (int c = 0; c < PARTS; c++) own[r][c] = 0.0f;
            }
            float* row = L + at + lane;
#pragma unroll
            for (int r = 0; r < 4; r++) {
                if (r >= rows) break;
#pragma unroll
                for (int c = 0; c < PARTS; c++) {
                    if (c * WIDTH > p) break;
                    if (c * WIDTH + lane <= p - r) own[r][c] = row[c * WIDTH];
                }
                row -= p - r;
            }
            row = L + at + lane;
            // each row takes its part out of those above it
#pragma unroll
            for (int r = 0; r < 4; r++) {
                if (r >= rows) break;
                scale[r] = __fdividef(1.0f, entry(own[r], p - r));
                if (lane == 0) inverse[k - r] = scale[r];
#pragma unroll
                for (int c = 0; c < PARTS; c++) {
                    if (c * WIDTH > p) break;
                    const int j = c * WIDTH + lane;
                    if (j <= p - r) row[c * WIDTH] = j < p - r ? own[r][c] * scale[r] : own[r][c];
                }
                row -= p - r;
#pragma unroll
                for (int q = r + 1; q < 4; q++) {
                    if (q >= rows) break;
                    const float t = entry(own[r], p - q) * scale[r];
#pragma unroll
                    for (int c = 0; c < PARTS; c++) own[q][c] -= t * own[r][c];
                }
            }
            // and all of them theirs out of the rows of their ancestors
            const int last = p - rows + 1;
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                const int end = last < (part + 1) * WIDTH ? last : (part + 1) * WIDTH;
#pragma unroll 1
                for (int a = part * WIDTH; a < end; a++) {
                    const int source = a & (WIDTH - 1);
                    float t[4];
#pragma unroll
                    for (int r = 0; r < 4; r++) t[r] = __shfl_sync(world, own[r][part] * scale[r], source, WIDTH);
                    float* other = L + __shfl_sync(world, above[part], source, WIDTH) + lane;
#pragma unroll
                    for (int c = 0; c <= part; c++) {
                        if (c < part || lane <= source) {
                            float sum = other[c * WIDTH];
#pragma unroll
                            for (int r = 0; r < 4; r++) sum -= t[r] * own[r][c];
                            other[c * WIDTH] = sum;
                        }
                    }
                }
            }
            at = row - L - lane;
            k -= rows;
            p -= rows;
        }
    }
"""

SOLVE = """
    const int lane = place;
    // L' y = b, from the ends of the paths to their beginnings
    for (int k = top - 1; k >= bottom;) {
        const int* columns = col + adr[k];
        const int n = nnz[k] - 1;
        if (n == 0) {
            k -= lone(k, bottom);
            continue;
        }
        const int begin = path_begin(columns, k, n);
        float own[PARTS];
#pragma unroll
        for (int c = 0; c < PARTS; c++) {
            const int j = c * WIDTH + lane;
            own[c] = j <= n ? v[columns[j]] : 0.0f;
        }
        const float* row = L + adr[k] + lane;
#pragma unroll 1
        for (int p = n; p >= begin; p--) {
            const float t = entry(own, p);
#pragma unroll
            for (int c = 0; c < PARTS; c++) {
                if (c * WIDTH >= p) break;
                if (c * WIDTH + lane < p) own[c] -= row[c * WIDTH] * t;
            }
            row -= p;
        }
#pragma unroll
        for (int c = 0; c < PARTS; c++) {
            const int j = c * WIDTH + lane;
            if (j <= n) v[columns[j]] = own[c];
        }
        k -= n - begin + 1;
    }
    // L x = y / D, from their beginnings to their ends
    for (int k = bottom; k < top;) {
        int end = k;  // the path's last dof
        for (bool further = true; further;) {
            const int number = leading(follows(end + 1 + lane));
            further = number == WIDTH;
            end += number;
        }
        if (end == k && nnz[k] == 1) {
            const int j = k + lane;
            const int number = leading(j < top && nnz[j < top ? j : k] == 1 && !follows(j + 1));
            if (lane < number) v[j] *= inverse[j];
            k += number;
            continue;
        }
        const int* columns = col + adr[end];
        const int n = nnz[end] - 1, begin = n - (end - k);
        float own[PARTS];
#pragma unroll
        for (int c = 0; c < PARTS; c++) {
            const int j = c * WIDTH + lane;
            own[c] = 0.0f;
            if (j <= n) own[c] = j < begin ? v[columns[j]] : v[columns[j]] * inverse[columns[j]];
        }
        const float* row = L + adr[k] + lane;
#pragma unroll 1
        for (int p = begin; p <= n; p++) {
            float sum = 0.0f;
#pragma unroll
            for (int c = 0; c < PARTS; c++) {
                if (c * WIDTH >= p) break;
                if (c * WIDTH + lane < p) sum += row[c * WIDTH] * own[c];
            }
#pragma unroll
            for (int offset = WIDTH / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(world, sum, offset);
#pragma unroll
            for (int c = 0; c < PARTS; c++) if (c * WIDTH + lane == p) own[c] -= sum;
            row += p + 1;
        }
#pragma unroll
        for (int c = 0; c < PARTS; c++) {
            const int j = c * WIDTH + lane;
            if (j >= begin && j <= n) v[columns[j]] = own[c];
        }
        k = end + 1;
    }
"""
