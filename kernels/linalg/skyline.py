"""The Newton Hessian of one island, M + J' D J, within its envelope, as native code.

Rows of H are kept in panels of eight. A panel reaches from its first non-zero block of eight columns, ``first``, to the
diagonal, and holds column after column: the eight elements of column j are one vector, at ``address`` + 8 j. The
factor (``skyline_cholesky``) has the same envelope. Places of dofs run through each tree from its last dof to its first, an
order in which M alone fills in nothing (Featherstone 2008, ch. 6.5), and trees that touch have near places (see ``islands``).

M, J and the list of rows are those of world ``w``, the rest is scratch of slot ``slot``. On a GPU all lanes of the block must call these functions together; what a function writes is visible to all
lanes when it returns.
"""

import warp as wp

from newtonish.kernels.linalg.cones import CONTACT, CURVATURE, EACH_ROW, PRODUCTS
from newtonish.kernels.linalg.dense import VECTOR_TYPES
from newtonish.kernels.linalg.island_products import ROWS, TREES
from newtonish.kernels.math.world import FRESH
from newtonish.kernels.structs.field import vec5

# pointers to the panels of a slot, and AT(i, j), an element of H
PANELS = (
    FRESH
    + """
    float* h = (float*)((char*)H.data + (size_t)FRESH(slot) * H.strides[0]);
    const int* begins = (const int*)((const char*)first.data + (size_t)FRESH(slot) * first.strides[0]);
    const int* panels = (const int*)((const char*)address.data + (size_t)FRESH(slot) * address.strides[0]);
#define AT(i, j) h[panels[(i) >> 3] + 8 * (j) + ((i) & 7)]
#if defined(__CUDA_ARCH__)
    const int lane = FRESH(LANE), lanes = LANES;
#define BARRIER SYNC();
#else
    const int lane = 0, lanes = 1;
#define BARRIER
#endif
"""
)
END = """
#undef AT
#undef BARRIER
"""


@wp.func_native(
    VECTOR_TYPES
    + TREES
    + PANELS
    + """
    const float* A = (const float*)((const char*)M.data + (size_t)FRESH(w) * M.strides[0]);
    const int size = panels[n / 8 - 1] + 8 * n;
#if defined(__CUDA_ARCH__)
    for (int e = panels[0] + 4 * lane; e < size; e += 4 * lanes) *(float4*)(h + e) = float4{};
#else
    for (int e = panels[0]; e < size; e += 8) *(f8*)(h + e) = f8{};
#endif
    BARRIER
    for (int k = 0; k < count; k++) {
        const int bottom = dofadr.data[members[k]], number = dofnum.data[members[k]];
        const int top = places[members[k]] + bottom + number - 1;  // the place of dof i is top - i
        for (int i = bottom + lane; i < bottom + number; i += lanes)
            for (int a = adr[i]; a < adr[i] + nnz[i]; a++) AT(top - col[a], top - i) = A[a];
    }
    for (int i = used + lane; i < n; i += lanes) AT(i, i) = 1.0f;
    BARRIER
"""
    + END
)
def skyline_mass(
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
    + PANELS
    + """
    const float* source = (const float*)((const char*)mass.data + (size_t)FRESH(slot) * mass.strides[0]);
    const int* of_mass = (const int*)((const char*)mass_first.data + (size_t)FRESH(slot) * mass_first.strides[0]);
    const int* from = (const int*)((const char*)mass_address.data + (size_t)FRESH(slot) * mass_address.strides[0]);
    for (int p = 0; p < n / 8; p++) {
        float* panel = h + panels[p];
        const float* own = source + from[p];
        const int begin = 64 * begins[p], filled = 64 * of_mass[p], end = 64 * (p + 1);
#if defined(__CUDA_ARCH__)
        for (int e = begin + 4 * lane; e < end; e += 4 * lanes) *(float4*)(panel + e) = e < filled ? float4{} : *(const float4*)(own + e);
#else
        for (int e = begin; e < filled; e += 8) *(f8*)(panel + e) = f8{};
        for (int e = filled; e < end; e += 8) *(f8*)(panel + e) = *(const f8*)(own + e);
#endif
    }
    BARRIER
"""
    + END
)
def skyline_begin(
    H: wp.array2d(dtype=float),
    first: wp.array2d(dtype=int),
    address: wp.array2d(dtype=int),
    mass: wp.array2d(dtype=float),
    mass_first: wp.array2d(dtype=int),
    mass_address: wp.array2d(dtype=int),
    n: int,
    slot: int,
):
    """``H = M``, which ``skyline_mass`` has put into an envelope of its own, within that of H."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + ROWS
    + PANELS
    + """
    const int* kinds = (const int*)((const char*)type.data + (size_t)FRESH(w) * type.strides[0]);
    const int* owners = (const int*)((const char*)id.data + (size_t)FRESH(w) * id.strides[0]);
    const float* d = (const float*)((const char*)D.data + (size_t)FRESH(slot) * D.strides[0]);
    const int* s = (const int*)((const char*)state.data + (size_t)FRESH(slot) * state.strides[0]);
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
            // four rows a turn: their entries in one panel, which follow one another, are a vector each, for all columns up to the panel's last
            for (int base = k; base < last; base += 4) {
                const float *row[4];
                float t[4];
                for (int m = 0; m < 4; m++) {
                    const int own = base + m < last ? base + m : base;
                    row[m] = A + adr[order[own]];
                    t[m] = base + m < last && s[own] == 1 ? d[own] : 0.0f;
                }
                for (int i = 0; i < number;) {
                    const int p = place[a + i] >> 3;
                    f8 v[4] = {};
                    for (; i < number && place[a + i] >> 3 == p; i++)
                        for (int m = 0; m < 4; m++) v[m][place[a + i] & 7] = t[m] * row[m][i];
                    float* panel = h + panels[p];
                    for (int j = 0; j < number; j++) {
                        if (place[a + j] >> 3 > p) continue;
                        f8* column = (f8*)(panel + 8 * place[a + j]);
                        f8 sum = v[0] * row[0][j];
                        for (int m = 1; m < 4; m++) sum += v[m] * row[m][j];
                        *column += sum;
                    }
                }
            }
#else
            // pairs of entries, four rows a turn: eight of the first entries, and with 32 lanes every fourth of those behind it
            for (int base = k; base < last; base += 4) {
                const int left = last - base;
                int o[4];
#pragma unroll
                for (int m = 0; m < 4; m++) o[m] = adr[order[m < left ? base + m : base]];
                for (int i = lane & 7; i < number; i += 8) {
                    const int p = place[a + i];
                    float* own = h + panels[p >> 3] + (p & 7);  // own[8 q] is the element of column q
                    float t[4];
#pragma unroll
                    for (int m = 0; m < 4; m++) t[m] = m < left && s[base + m] == 1 ? d[base + m] * A[o[m] + i] : 0.0f;
                    for (int j = i + (lane >> 3); j < number; j += lanes >> 3) {
                        const int q = place[a + j];
                        float sum = 0.0f;
#pragma unroll
                        for (int m = 0; m < 4; m++)
                            if (m < left) sum += t[m] * A[o[m] + j];
                        float* entry = own + 8 * q;
                        if (q > p) entry = h + panels[q >> 3] + (q & 7) + 8 * p;
                        *entry += sum;
                    }
                }
                SYNC();
            }
#endif
        }
        k = last;
    }
"""
    + END
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
    EACH_ROW
    + ROWS
    + PANELS
    + """
    const float* X = (const float*)((const char*)Jaref.data + (size_t)FRESH(slot) * Jaref.strides[0]);
    const float* weights = (const float*)((const char*)D.data + (size_t)FRESH(slot) * D.strides[0]);
    const int* addresses = (const int*)((const char*)con_address.data + (size_t)FRESH(slot) * con_address.strides[0]);
    const int* dims = (const int*)((const char*)dim.data + (size_t)FRESH(slot) * dim.strides[0]);
    const float* frictions = (const float*)((const char*)friction.data + (size_t)FRESH(slot) * friction.strides[0]);
    const float* mus = (const float*)((const char*)mu.data + (size_t)FRESH(slot) * mu.strides[0]);
#define RESIDUAL(i) X[i]
    for (int c = 0; c < ncon; c++) {"""
    + CONTACT
    + """
        if (zone != 4) continue;
#if defined(__CUDA_ARCH__)
"""
    + PRODUCTS
    + """
#else
"""
    + CURVATURE
    + """
#endif
        const int number = nnz[order[r]], a = adr[order[r]];
        for (int e = lane; e < number * number; e += lanes) {
            const int i = e / number, j = e - i * number;
            const int p = place[a + i], q = place[a + j];
            if (q > p) continue;
#if defined(__CUDA_ARCH__)
            float along = 0.0f, across = 0.0f, side_by_side = 0.0f;
            EACH_ROW(k, 1) {
                const float* row = A + adr[order[r + k]];
                along += unit[k] * row[i];
                across += unit[k] * row[j];
                side_by_side += s[k] * s[k] * row[i] * row[j];
            }
            AT(p, q) += Dm * m2 * (A[a + i] - along) * (A[a + j] - across) + side * (side_by_side - along * across);
#else
            float sum = 0.0f;
            for (int k = 0; k < n; k++) {
                float t = 0.0f;
                for (int l = 0; l < n; l++) t += C[k][l] * A[adr[order[r + l]] + i];
                sum += t * A[adr[order[r + k]] + j];
            }
            AT(p, q) += sum;
#endif
        }
        BARRIER
    }
#undef RESIDUAL
"""
    + END
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
