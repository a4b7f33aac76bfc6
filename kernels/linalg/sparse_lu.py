"""Sparse LU factorisation and solution of matrices that couple each dof with its ancestors and descendants, natively.

Dofs are numbered parents first. Eliminating from the last dof to the first, column r has entries in the rows of r's
ancestors only, and what is subtracted from such a row lies in columns of r's ancestors, which that row has: there is no
fill-in, although the matrix is not symmetric. Method: Featherstone 2008, ch. 6.5, without the symmetry.

``rownnz``, ``rowadr``, ``diag``, ``colind`` describe the rows (columns ascending, ``diag`` the place of the diagonal);
matrices and vectors have a world axis in front, and ``w`` picks the world. On a GPU all lanes of the block must call these
functions together; each ends with a barrier.
"""

import warp as wp

_POINTERS = """
    float* A = (float*)((char*)matrix.data + (size_t)w * matrix.strides[0]);
    float* v = (float*)((char*)x.data + (size_t)w * x.strides[0]);
    const int* adr = rowadr.data;
    const int* nnz = rownnz.data;
    const int* place = diag.data;
    const int* col = colind.data;
#if defined(__CUDA_ARCH__)
    const int lane = LANE, lanes = LANES;
#else
    const int lane = 0, lanes = 1;
#endif
"""


@wp.func_native(
    _POINTERS
    + """
    for (int r = nv - 1; r >= 0; r--) {
        const float* row = A + adr[r];
        const int* columns = col + adr[r];
        const int n = place[r];
        const float scale = 1.0f / row[n];
        const float known = v[r];
        for (int a = lane; a < n; a += lanes) {
            const int i = columns[a];
            float* other = A + adr[i];
            const int* others = col + adr[i];
            int e = place[i] + 1;
            while (others[e] != r) e++;
            const float factor = other[e] * scale;
            // the columns of r's ancestors are all in row i: walk both
            int k = 0;
            for (int j = 0; j < n; j++) {
                while (others[k] != columns[j]) k++;
                other[k] -= factor * row[j];
            }
            v[i] -= factor * known;
        }
#if defined(__CUDA_ARCH__)
        SYNC();
#endif
    }
    if (lane == 0) {
        for (int r = 0; r < nv; r++) {
            float sum = v[r];
            const float* row = A + adr[r];
            for (int a = 0; a < place[r]; a++) sum -= row[a] * v[col[adr[r] + a]];
            v[r] = sum / row[place[r]];
        }
    }
#if defined(__CUDA_ARCH__)
    SYNC();
#endif
"""
)
def lu_solve(
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    diag: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    matrix: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    nv: int,
    w: int,
):
    """Solve in place: row ``w`` of ``x`` holds the right side before and the solution after; the matrix is used up."""
    ...


@wp.func_native(
    _POINTERS
    + """
    const float* u = (const float*)((const char*)vec.data + (size_t)w * vec.strides[0]);
    for (int r = lane; r < nv; r += lanes) {
        float sum = 0.0f;
        for (int a = 0; a < nnz[r]; a++) sum += A[adr[r] + a] * u[col[adr[r] + a]];
        v[r] = sum;
    }
#if defined(__CUDA_ARCH__)
    SYNC();
#endif
"""
)
def rows_mul(
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    diag: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    matrix: wp.array2d(dtype=float),
    vec: wp.array2d(dtype=float),
    x: wp.array2d(dtype=float),
    nv: int,
    w: int,
):
    """Row ``w`` of ``x`` = matrix times row ``w`` of ``vec``; two different arrays."""
    ...
