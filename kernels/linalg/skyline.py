"""The Newton Hessian of one island, M + J' D J, within its envelope, as native code.

Rows of H are kept in panels of eight. A panel reaches from its first non-zero block of eight columns, ``first``, to the
diagonal, beginning at ``address``, and holds column after column: the eight elements of a column are one vector. The
factor (``skyline_cholesky``) has the same envelope. Places of dofs run through each tree from its last dof to its first, an
order in which M alone fills in nothing (Featherstone 2008, ch. 6.5), and trees that touch have near places (see ``islands``).

M, J and the list of rows are those of world ``w``, the rest is scratch of slot ``slot``; D, state and x are windows with
one row. On a GPU all lanes of the block must call these functions together; what a function writes is visible to all
lanes when it returns.
"""

import warp as wp

from newtonish.kernels.linalg.cones import CONTACT, CURVATURE
from newtonish.kernels.linalg.dense import VECTOR_TYPES
from newtonish.kernels.linalg.island_products import ROWS, TREES
from newtonish.kernels.structs.field import vec5

# pointers to the panels of a slot, and AT(i, j), an element of H
PANELS = """
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
END = """
#undef AT
#undef BARRIER
"""


@wp.func_native(
    TREES
    + PANELS
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
    + END
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
    + PANELS
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
    ROWS
    + PANELS
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
