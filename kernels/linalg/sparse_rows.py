"""Products of a sparse constraint Jacobian with vectors of all dofs, and rows of M^-1 J' kept sparse, as native code.

J is one line of entries for each world: row r begins at ``rowadr[r]``, has ``rownnz[r]`` entries, and their dofs are in
``colind``. A row of W = M^-1 J' has an entry for every dof of the trees that the row of J touches; rows are ``room``
entries apart, and unused ones at their end have the column -1. J, its columns, forces and M are those of world ``w``; W, its
columns and vectors are scratch of slot ``slot`` (see ``scratch_slot``). On a GPU all lanes of the block must call these
functions together.
"""

import warp as wp

_ROWS = """
    const float* A = (const float*)((const char*)J.data + (size_t)w * J.strides[0]);
    const int* nnz = (const int*)((const char*)rownnz.data + (size_t)w * rownnz.strides[0]);
    const int* adr = (const int*)((const char*)rowadr.data + (size_t)w * rowadr.strides[0]);
    const int* col = (const int*)((const char*)colind.data + (size_t)w * colind.strides[0]);
#if defined(__CUDA_ARCH__)
    const int lane = LANE, lanes = LANES;
#define BARRIER SYNC();
#else
    const int lane = 0, lanes = 1;
#define BARRIER
#endif
"""
_END = """
#undef BARRIER
"""


@wp.func_native(
    _ROWS
    + """
    const float* v = (const float*)((const char*)x.data + (size_t)slot * x.strides[0]);
    const float* s = (const float*)((const char*)shift.data + (size_t)w * shift.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)slot * result.strides[0]);
    for (int r = lane; r < (nrow + 7) / 8 * 8; r += lanes) {
        float sum = 0.0f;
        for (int e = adr[r]; e < adr[r] + nnz[r]; e++) sum += A[e] * v[col[e]];
        y[r] = sum - scale * s[r];
    }
    BARRIER
"""
    + _END
)
def sparse_mul_rows(
    J: wp.array3d(dtype=float),
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    colind: wp.array2d(dtype=int),
    x: wp.array2d(dtype=float),
    shift: wp.array2d(dtype=float),
    scale: float,
    result: wp.array2d(dtype=float),
    nrow: int,
    w: int,
    slot: int,
):
    """``result = J x - scale * shift`` for the first ``nrow`` rows and the padding behind them."""
    ...


@wp.func_native(
    _ROWS
    + """
    const float* f = (const float*)((const char*)force.data + (size_t)w * force.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)slot * result.strides[0]);
    for (int i = lane; i < result.shape[1]; i += lanes) y[i] = 0.0f;
    BARRIER
    // rows one after the other, a row's entries, all of different dofs, to the lanes: a fixed order of sums
    for (int r = 0; r < nrow; r++) {
        for (int e = adr[r] + lane; e < adr[r] + nnz[r]; e += lanes) y[col[e]] += A[e] * f[r];
        BARRIER
    }
"""
    + _END
)
def sparse_mul_rows_transposed(
    J: wp.array3d(dtype=float),
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    colind: wp.array2d(dtype=int),
    force: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float),
    nrow: int,
    w: int,
    slot: int,
):
    """``result = J' force`` over the first ``nrow`` rows; its padding becomes zero."""
    ...


@wp.func_native(
    _ROWS
    + """
    const float* L = (const float*)((const char*)factor.data + (size_t)w * factor.strides[0]);
    const float* inverse = (const float*)((const char*)diaginv.data + (size_t)w * diaginv.strides[0]);
    float* W = (float*)((char*)result.data + (size_t)slot * result.strides[0]);
    int* columns = (int*)((char*)result_colind.data + (size_t)slot * result_colind.strides[0]);
    const int* Mnnz = M_rownnz.data;
    const int* Madr = M_rowadr.data;
    const int* Mcol = M_colind.data;
    const int* tree = treeid.data;
    for (int r = lane; r < nrow; r += lanes) {
        int used = 0;
        const int begin = adr[r], end = begin + nnz[r];
        for (int e = begin; e < end; e++) {
            const int t = tree[col[e]];
            bool seen = e > begin && tree[col[e - 1]] == t;
            for (int f = begin; !seen && f < e; f++) seen = tree[col[f]] == t;
            if (seen) continue;
            int first = col[e], last = col[e];
            while (first > 0 && tree[first - 1] == t) first--;
            while (last + 1 < nv && tree[last + 1] == t) last++;
            float* v = W + r * room + used - first;  // v[i] is the entry of dof i
            for (int i = first; i <= last; i++) {
                v[i] = 0.0f;
                columns[r * room + used + i - first] = i;
            }
            for (int f = e; f < end; f++)
                if (tree[col[f]] == t) v[col[f]] += A[f];
            for (int k = last; k >= first; k--) {
                const float z = v[k];
                for (int a = Madr[k]; a < Madr[k] + Mnnz[k] - 1; a++) v[Mcol[a]] -= L[a] * z;
                v[k] = z * inverse[k];
            }
            for (int k = first; k <= last; k++) {
                float sum = v[k];
                for (int a = Madr[k]; a < Madr[k] + Mnnz[k] - 1; a++) sum -= L[a] * v[Mcol[a]];
                v[k] = sum;
            }
            used += last - first + 1;
        }
        for (; used < room; used++) columns[r * room + used] = -1;
    }
    BARRIER
"""
    + _END
)
def sparse_inverse_rows(
    J: wp.array3d(dtype=float),
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    colind: wp.array2d(dtype=int),
    treeid: wp.array(dtype=int),
    M_rownnz: wp.array(dtype=int),
    M_rowadr: wp.array(dtype=int),
    M_colind: wp.array(dtype=int),
    factor: wp.array2d(dtype=float),
    diaginv: wp.array2d(dtype=float),
    result: wp.array3d(dtype=float),
    result_colind: wp.array2d(dtype=int),
    room: int,
    nrow: int,
    nv: int,
    w: int,
    slot: int,
):
    """Rows of ``result`` = M^-1 times the rows of J, with the factor L' D L of M; a GPU's lane takes whole rows."""
    ...


@wp.func_native(
    _ROWS
    + """
    const float* v = (const float*)((const char*)x.data + (size_t)slot * x.strides[0]);
    float sum = 0.0f;
    for (int e = adr[row] + lane; e < adr[row] + nnz[row]; e += lanes) sum += A[e] * v[col[e]];
    return sum;
"""
)
def partial_sparse_row_dot(
    J: wp.array3d(dtype=float),
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    colind: wp.array2d(dtype=int),
    row: int,
    x: wp.array2d(dtype=float),
    w: int,
    slot: int,
) -> float:
    """This lane's share of row ``row`` of J times ``x``."""
    ...


@wp.func_native(
    """
    const float* a = (const float*)((const char*)W.data + (size_t)slot * W.strides[0]) + row * room;
    const int* col = (const int*)((const char*)W_colind.data + (size_t)slot * W_colind.strides[0]) + row * room;
    float* y = (float*)((char*)x.data + (size_t)slot * x.strides[0]);
#if defined(__CUDA_ARCH__)
    for (int k = LANE; k < room; k += LANES)
        if (col[k] >= 0) y[col[k]] += factor * a[k];
    SYNC();
#else
    for (int k = 0; k < room && col[k] >= 0; k++) y[col[k]] += factor * a[k];
#endif
"""
)
def sparse_add_row(
    x: wp.array2d(dtype=float),
    W: wp.array3d(dtype=float),
    W_colind: wp.array2d(dtype=int),
    row: int,
    room: int,
    factor: float,
    slot: int,
):
    """``x += factor * W[row]``; visible to all lanes when it returns."""
    ...
