"""Rows of dry friction in joints on a GPU: each has one entry, 1, in the column of its dof, and no other row of them has that dof.

Of a robot with friction in each of its joints they are most rows; products with such rows are no sums. There J has them as any other rows;
on a CPU, which goes through eight rows at a time, they are nothing special, and these functions are not called. Arrays are as in
``newtonish.kernels.linalg.dense``; the rows are those from ``begin`` to ``end - 1``, and ``dofs`` has the dof of each. All lanes call these
functions together.
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES

_EACH = """
#if defined(__CUDA_ARCH__)
    const int* dof = (const int*)((const char*)dofs.data + (size_t)FRESH(w) * dofs.strides[0]);
    for (int r = begin + FRESH(LANE); r < end; r += LANES) {
"""
_END = """
    }
    SYNC();
#endif
"""


@wp.func_native(
    VECTOR_TYPES
    + """
    const float* v = (const float*)((const char*)x.data + (size_t)FRESH(slot) * x.strides[0]);
    const float* s = (const float*)((const char*)shift.data + (size_t)FRESH(w) * shift.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)FRESH(slot) * result.strides[0]);
"""
    + _EACH
    + "y[r] = v[dof[r]] - scale * s[r];"
    + _END
)
def mul_lone_rows(
    dofs: wp.array2d(dtype=int), x: wp.array2d(dtype=float), shift: wp.array2d(dtype=float), scale: float, result: wp.array2d(dtype=float),
    begin: int, end: int, w: int, slot: int,
):  # fmt: skip
    """``result = J x - scale * shift`` of these rows."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    const float* f = (const float*)((const char*)force.data + (size_t)FRESH(w) * force.strides[0]);
    float* y = (float*)((char*)result.data + (size_t)FRESH(slot) * result.strides[0]);
"""
    + _EACH
    + "y[dof[r]] += f[r];"
    + _END
)
def add_lone_forces(dofs: wp.array2d(dtype=int), force: wp.array2d(dtype=float), result: wp.array2d(dtype=float), begin: int, end: int, w: int, slot: int):
    """``result += J' force`` of these rows."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + """
    float* A = (float*)((char*)H.data + (size_t)FRESH(slot) * H.strides[0]);
    const float* d = (const float*)((const char*)D.data + (size_t)FRESH(w) * D.strides[0]);
    const int* s = (const int*)((const char*)state.data + (size_t)FRESH(w) * state.strides[0]);
    const int pitch = H.strides[1] / 4;
"""
    + _EACH
    + "if (s[r] == 1) A[dof[r] * (pitch + 1)] += d[r];"
    + _END
)
def hessian_add_lone_rows(
    dofs: wp.array2d(dtype=int), H: wp.array3d(dtype=float), D: wp.array2d(dtype=float), state: wp.array2d(dtype=int), begin: int, end: int,
    w: int, slot: int,
):  # fmt: skip
    """``H += D_r J_r' J_r`` of those of these rows whose state is quadratic."""
    ...
