"""Products with the constraint Jacobian and with M^-1 J', whichever way they are stored."""

import warp as wp

from newtonish.kernels.constraint.row import is_sparse
from newtonish.kernels.linalg.dense import mul_rows, mul_rows_transposed
from newtonish.kernels.linalg.dual import add_row, inverse_rows, partial_row_dot, partial_rows_dot
from newtonish.kernels.linalg.sparse_rows import (
    partial_sparse_row_dot,
    sparse_add_row,
    sparse_inverse_rows,
    sparse_mul_rows,
    sparse_mul_rows_transposed,
)
from newtonish.kernels.math.world import lanes, scratch_slot, sum_lanes, sync
from newtonish.kernels.structs.data import Efc, Mass, Solve
from newtonish.kernels.structs.model import Dof, Size


@wp.func
def jacobian_times(efc: Efc, x: wp.array2d(dtype=float), result: wp.array2d(dtype=float), nefc: int, w: int):
    """``result`` = J x - aref of all rows, both scratch."""
    slot = scratch_slot(w)
    if is_sparse(efc):
        sparse_mul_rows(efc.J, efc.J_rownnz, efc.J_rowadr, efc.J_colind, x, efc.aref, 1.0, result, nefc, w, slot)
    else:
        mul_rows(efc.J, x, efc.aref, 1.0, result, nefc, 0, 0, w, slot)


@wp.func
def transposed_times_force(efc: Efc, result: wp.array2d(dtype=float), nefc: int, w: int):
    """``result`` = J' force, scratch."""
    slot = scratch_slot(w)
    if is_sparse(efc):
        sparse_mul_rows_transposed(efc.J, efc.J_rownnz, efc.J_rowadr, efc.J_colind, efc.force, result, nefc, w, slot)
    else:
        mul_rows_transposed(efc.J, efc.force, result, nefc, 0, 0, w, slot)


@wp.func
def row_times(efc: Efc, r: int, x: wp.array2d(dtype=float), w: int) -> float:
    """J_r x, the same in every lane."""
    slot = scratch_slot(w)
    mine = wp.float32(0.0)
    if is_sparse(efc):
        mine = partial_sparse_row_dot(efc.J, efc.J_rownnz, efc.J_rowadr, efc.J_colind, r, x, w, slot)
    else:
        mine = partial_row_dot(efc.J, r, x, w, slot)
    return sum_lanes(mine)


@wp.func
def fill_inverse(size: Size, dof: Dof, mass: Mass, efc: Efc, sol: Solve, nefc: int, w: int, lane: int):
    """``sol.W`` = M^-1 J' by rows."""
    slot = scratch_slot(w)
    if is_sparse(efc):
        sparse_inverse_rows(
            efc.J, efc.J_rownnz, efc.J_rowadr, efc.J_colind, dof.treeid, dof.M_rownnz, dof.M_rowadr, dof.M_colind,
            mass.qLD, mass.qLDiagInv, sol.W, sol.W_colind, size.nwrow, nefc, size.nv, w, slot,
        )  # fmt: skip
        for i in range(lane, sol.grad.shape[1], lanes()):
            sol.grad[slot, i] = 0.0  # for inverse_inertia
        sync()
    else:
        inverse_rows(efc.J, dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qLD, mass.qLDiagInv, sol.W, nefc, size.nv, w, slot)


@wp.func
def add_inverse_row(efc: Efc, sol: Solve, x: wp.array2d(dtype=float), r: int, factor: float, w: int):
    """``x += factor * W_r``; a barrier must follow."""
    if is_sparse(efc):
        room = sol.W.shape[2] // sol.A.shape[1]
        sparse_add_row(x, sol.W, sol.W_colind, r, room, factor, scratch_slot(w))
    else:
        add_row(x, sol.W, r, factor, scratch_slot(w))


@wp.func
def inverse_inertia(efc: Efc, sol: Solve, r: int, other: int, w: int) -> float:
    """J_r M^-1 J_other', the same in every lane; ``sol.grad`` is zero before and after."""
    product = wp.float32(0.0)
    if is_sparse(efc):
        add_inverse_row(efc, sol, sol.grad, other, 1.0, w)
        product = row_times(efc, r, sol.grad, w)
        sync()  # all have read what is taken back now
        add_inverse_row(efc, sol, sol.grad, other, -1.0, w)
    else:
        product = sum_lanes(partial_rows_dot(efc.J, r, sol.W, other, w, scratch_slot(w)))
    return product
