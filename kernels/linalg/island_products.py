"""Products of the sparse Jacobian and of the mass matrix on the vectors of one island, as native code.

An island's dofs have places of their own, those of a tree in descending order and one tree after the other; its vectors
are padded with zeros to a multiple of 8. ``column`` holds the places of the entries of J, ``rows`` from ``begin`` on the
``count`` rows of the island. J, M and ``rows`` are those of world ``w``, whose scratch ``column`` and ``tree_pos`` are; vectors are row ``slot``
of the copies (see ``newtonish.kernels.sparse.region``). On a GPU all lanes of the block must call these functions together; what a
function writes is visible to all lanes when it returns.
"""

import warp as wp

from newtonish.kernels.math.world import FRESH

# what each world has one of is scratch of its own slot, whichever the slot of the island's copies is
OF_WORLD = """
#if defined(__CUDA_ARCH__)
    const int world_slot = w;
#else
    const int world_slot = slot;
#endif
"""
ROWS = (
    FRESH
    + OF_WORLD
    + """
    const float* A = (const float*)((const char*)J.data + (size_t)FRESH(w) * J.strides[0]);
    const int* nnz = (const int*)((const char*)rownnz.data + (size_t)FRESH(w) * rownnz.strides[0]);
    const int* adr = (const int*)((const char*)rowadr.data + (size_t)FRESH(w) * rowadr.strides[0]);
    const int* place = (const int*)((const char*)column.data + (size_t)FRESH(world_slot) * column.strides[0]);
    const int* order = (const int*)((const char*)rows.data + (size_t)FRESH(w) * rows.strides[0]) + begin;
"""
)
TREES = (
    FRESH
    + OF_WORLD
    + """
    const int* nnz = rownnz.data;
    const int* adr = rowadr.data;
    const int* col = colind.data;
    const int* members = (const int*)((const char*)trees.data + (size_t)FRESH(w) * trees.strides[0]) + begin;
    const int* places = (const int*)((const char*)tree_pos.data + (size_t)FRESH(world_slot) * tree_pos.strides[0]);
"""
)
# one lane for a tree, or for a row: what they write is apart
EACH = """
#if defined(__CUDA_ARCH__)
    for (int k = FRESH(LANE); k < count; k += LANES) {
#else
    for (int k = 0; k < count; k++) {
#endif
"""
SYNC = """
#if defined(__CUDA_ARCH__)
    SYNC();
#endif
"""


@wp.func_native(
    ROWS
    + """
    const float* v = (const float*)((const char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
    const float* s = (const float*)((const char*)shift.data + (size_t)FRESH(slot) * shift.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)FRESH(slot) * result.strides[0]);
"""
    + EACH
    + """
        const int a = adr[order[k]], n = nnz[order[k]];
        float sum = 0.0f;
        for (int e = a; e < a + n; e++) sum += A[e] * v[place[e]];
        y[k] = sum - scale * s[k];
    }
#if defined(__CUDA_ARCH__)
    for (int k = count + LANE; k < (count + 7) / 8 * 8; k += LANES) y[k] = 0.0f;
#else
    for (int k = count; k < (count + 7) / 8 * 8; k++) y[k] = 0.0f;
#endif
"""
    + SYNC
)
def island_mul_rows(
    J: wp.array3d(dtype=float),
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    column: wp.array2d(dtype=int),
    rows: wp.array2d(dtype=int),
    x: wp.array2d(dtype=float),
    shift: wp.array2d(dtype=float),
    scale: float,
    result: wp.array2d(dtype=float),
    begin: int,
    count: int,
    w: int,
    slot: int,
):
    """``result = J x - scale * shift`` for the rows of the island, in their order there; the padding becomes zero."""
    ...


@wp.func_native(
    ROWS
    + """
    const float* f = (const float*)((const char*)force.data + (size_t)FRESH(slot) * force.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)FRESH(slot) * result.strides[0]);
    const int width = result.shape[1];
#if defined(__CUDA_ARCH__)
    for (int i = FRESH(LANE); i < width; i += LANES) y[i] = 0.0f;
    SYNC();
    // rows one after the other in one warp, a row's entries, all of different dofs, to the lanes: a fixed order of sums
    if (LANE < WIDTH) {
        for (int k = 0; k < count; k++) {
            if (f[k] == 0.0f) continue;
            const int a = adr[order[k]], n = nnz[order[k]];
            for (int e = a + LANE; e < a + n; e += WIDTH) y[place[e]] += A[e] * f[k];
            SYNC_WARP();
        }
    }
    SYNC();
#else
    for (int i = 0; i < width; i++) y[i] = 0.0f;
    for (int k = 0; k < count; k++) {
        const float t = f[k];
        if (t == 0.0f) continue;
        const int a = adr[order[k]], n = nnz[order[k]];
        for (int e = a; e < a + n; e++) y[place[e]] += A[e] * t;
    }
#endif
"""
)
def island_mul_rows_transposed(
    J: wp.array3d(dtype=float),
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    column: wp.array2d(dtype=int),
    rows: wp.array2d(dtype=int),
    force: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float),
    begin: int,
    count: int,
    w: int,
    slot: int,
):
    """``result = J' force`` over the rows of the island; its padding becomes zero."""
    ...


@wp.func_native(
    TREES
    + """
    const float* A = (const float*)((const char*)M.data + (size_t)FRESH(w) * M.strides[0]);
    const float* v = (const float*)((const char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)FRESH(slot) * result.strides[0]);
"""
    + """
    for (int k = 0; k < count; k++) {
        const int first = dofadr.data[members[k]], number = dofnum.data[members[k]];
        const int top = places[members[k]] + first + number - 1;  // the place of dof i is top - i
#if defined(__CUDA_ARCH__)
        for (int i = first + FRESH(LANE); i < first + number; i += LANES) {
            const int n = nnz[i] - 1;
            float sum = 0.0f;
            for (int a = 0; a <= n; a++) sum += A[adr[i] + a] * v[top - col[adr[i] + a]];
            // descendants follow, and their rows have dof i at place n, but for rows that are their diagonal alone
            for (int e = i + 1; e <= lastid.data[i]; e++)
                if (nnz[e] > n + 1) sum += A[adr[e] + n] * v[top - e];
            y[top - i] = sum;
        }
#else
        for (int i = first; i < first + number; i++) {
            const float* row = A + adr[i];
            const int* ancestors = col + adr[i];
            const int n = nnz[i] - 1;
            const float t = v[top - i];
            float sum = row[n] * t;
            for (int a = 0; a < n; a++) {
                sum += row[a] * v[top - ancestors[a]];
                y[top - ancestors[a]] += row[a] * t;
            }
            y[top - i] = sum;  // descendants have not added anything yet
        }
#endif
    }
"""
    + SYNC
)
def island_mul_mass(
    M: wp.array2d(dtype=float),
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    trees: wp.array2d(dtype=int),
    tree_pos: wp.array2d(dtype=int),
    dofadr: wp.array(dtype=int),
    dofnum: wp.array(dtype=int),
    lastid: wp.array(dtype=int),
    x: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float),
    begin: int,
    count: int,
    w: int,
    slot: int,
):
    """``result = M x`` over the ``count`` trees of the island; the padding stays as it is."""
    ...


@wp.func_native(
    TREES
    + """
    const float* L = (const float*)((const char*)factor.data + (size_t)FRESH(w) * factor.strides[0]);
    const float* inverse = (const float*)((const char*)diaginv.data + (size_t)FRESH(w) * diaginv.strides[0]);
    float* v = (float*)((char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
"""
    + EACH
    + """
        const int first = dofadr.data[members[k]], number = dofnum.data[members[k]];
        const int top = places[members[k]] + first + number - 1;  // the place of dof i is top - i
        for (int i = first + number - 1; i >= first; i--) {
            const float t = v[top - i];
            for (int a = adr[i]; a < adr[i] + nnz[i] - 1; a++) v[top - col[a]] -= L[a] * t;
            v[top - i] = t * inverse[i];
        }
        for (int i = first; i < first + number; i++) {
            float sum = v[top - i];
            for (int a = adr[i]; a < adr[i] + nnz[i] - 1; a++) sum -= L[a] * v[top - col[a]];
            v[top - i] = sum;
        }
    }
"""
    + SYNC
)
def island_solve_mass(
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    factor: wp.array2d(dtype=float),
    diaginv: wp.array2d(dtype=float),
    trees: wp.array2d(dtype=int),
    tree_pos: wp.array2d(dtype=int),
    dofadr: wp.array(dtype=int),
    dofnum: wp.array(dtype=int),
    x: wp.array2d(dtype=float),
    begin: int,
    count: int,
    w: int,
    slot: int,
):
    """Solve M x = b in place over the ``count`` trees of the island, with the factor L' D L of M."""
    ...


@wp.func_native(
    FRESH
    + OF_WORLD
    + """
    const int* nnz = (const int*)((const char*)rownnz.data + (size_t)FRESH(w) * rownnz.strides[0]);
    const int* adr = (const int*)((const char*)rowadr.data + (size_t)FRESH(w) * rowadr.strides[0]);
    const int* col = (const int*)((const char*)colind.data + (size_t)FRESH(w) * colind.strides[0]);
    const int* kinds = (const int*)((const char*)type.data + (size_t)FRESH(w) * type.strides[0]);
    const int* owners = (const int*)((const char*)id.data + (size_t)FRESH(w) * id.strides[0]);
    const int* order = (const int*)((const char*)rows.data + (size_t)FRESH(w) * rows.strides[0]) + begin;
    const int* at = (const int*)((const char*)dof_place.data + (size_t)FRESH(world_slot) * dof_place.strides[0]);
    int* place = (int*)((char*)column.data + (size_t)FRESH(world_slot) * column.strides[0]);
    int* first = (int*)((char*)panel_first.data + (size_t)FRESH(slot) * panel_first.strides[0]);
"""
    + EACH
    + """
        const int r = order[k], a = adr[r], n = nnz[r];
        int least = 0x7fffffff;
        for (int e = a; e < a + n; e++) {
            const int p = at[col[e]];
            place[e] = p;
            least = p < least ? p : least;
        }
        // rows of one joint, tendon, equality or contact have the same columns
        if (k > 0 && kinds[order[k - 1]] == kinds[r] && owners[order[k - 1]] == owners[r]) continue;
        for (int e = a; e < a + n; e++) wp::atomic_min(&first[place[e] / 8], least / 8);
    }
"""
    + SYNC
)
def island_columns(
    rownnz: wp.array2d(dtype=int),
    rowadr: wp.array2d(dtype=int),
    colind: wp.array2d(dtype=int),
    type: wp.array2d(dtype=int),
    id: wp.array2d(dtype=int),
    rows: wp.array2d(dtype=int),
    dof_place: wp.array2d(dtype=int),
    column: wp.array2d(dtype=int),
    panel_first: wp.array2d(dtype=int),
    begin: int,
    count: int,
    w: int,
    slot: int,
):
    """Places of the entries of the island's rows, and the first blocks of columns that the rows ask of the panels of H."""
    ...
