"""The dual problem of the constraints, for solvers that change one force at a time.

Unknown are the forces f; they minimise f'(A + R) f / 2 + f.(J qacc_smooth - aref) with A = J M^-1 J', within their
bounds and friction cones. The acceleration x = qacc_smooth + M^-1 J'f is carried along with every change, so that a
row's residual is J_r x - aref_r + R_r f_r. Method: MuJoCo's documentation, chapter Computation, "Dual problem".
"""

import warp as wp

from newtonish.common.constants import MINVAL
from newtonish.kernels.constants import CONTACT_ELLIPTIC, CONTACT_PYRAMIDAL
from newtonish.kernels.linalg.dense import copy_vector, load_vector
from newtonish.kernels.linalg.dual import mat66
from newtonish.kernels.linalg.sparse_ltdl import ltdl_solve
from newtonish.kernels.math.world import lanes, scratch_slot, sync
from newtonish.kernels.solver.jacobian import (
    add_inverse_row,
    fill_inverse,
    inverse_inertia,
    jacobian_times,
    row_times,
    transposed_times_force,
)
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.field import vec6
from newtonish.kernels.structs.model import Dof, Size

DIAGONAL = wp.constant(6)  # column of sol.A
MINIMUM = wp.constant(MINVAL)


@wp.func
def block_length(contact: Contact, efc: Efc, w: int, r: int) -> int:
    """Rows that are treated together from row ``r`` on: those of an elliptic contact, or one."""
    n = wp.int32(1)
    if efc.type[w, r] == CONTACT_ELLIPTIC:
        n = contact.dim[w, efc.id[w, r]]
    return n


@wp.func
def dual_matrix(size: Size, dof: Dof, mass: Mass, contact: Contact, efc: Efc, sol: Solve, status: Status, w: int, lane: int):
    """Fill ``sol.W`` and the blocks of A on its diagonal, ``sol.A``: row r holds the columns of its own block."""
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    fill_inverse(size, dof, mass, efc, sol, nefc, w, lane)
    r = wp.int32(0)
    while r < nefc:
        n = block_length(contact, efc, w, r)
        if efc.type[w, r] == CONTACT_PYRAMIDAL:
            n = 2  # opposite edges: what the slip suppression treats together
        for i in range(n):
            for j in range(i + 1):
                a = inverse_inertia(efc, sol, r + i, r + j, w)
                if lane == 0:
                    sol.A[slot, r + i, j] = a
                    sol.A[slot, r + j, i] = a
                    if i == j:
                        sol.A[slot, r + i, DIAGONAL] = a
        r += n
    sync()


@wp.func
def block_matrix(sol: Solve, r: int, n: int, slot: int) -> mat66:
    """The block of A of the ``n`` rows from ``r`` on."""
    block = mat66()
    for i in range(n):
        for j in range(n):
            block[i, j] = sol.A[slot, r + i, j]
    return block


@wp.func
def row_residual(efc: Efc, sol: Solve, r: int, w: int) -> float:
    """J_r x - aref_r, the same in every lane."""
    return row_times(efc, r, sol.x, w) - efc.aref[w, r]


@wp.func
def change_force(efc: Efc, sol: Solve, r: int, force: float, w: int, lane: int):
    """Set the force of row ``r`` and move the acceleration with it. The caller ends its turn with a barrier."""
    sync()  # all have read the acceleration that changes now
    add_inverse_row(efc, sol, sol.x, r, force - efc.force[w, r], w)
    sync()
    if lane == 0:
        efc.force[w, r] = force
    sync()


@wp.func
def quadratic_change(A: mat66, residual: vec6, before: vec6, after: vec6, n: int) -> float:
    """Change of the dual cost when a block's forces go from ``before`` to ``after``; ``residual`` is its gradient there."""
    total = wp.float32(0.0)
    for i in range(n):
        step = after[i] - before[i]
        total += step * residual[i]
        for j in range(n):
            total += 0.5 * step * A[i, j] * (after[j] - before[j])
    return total


@wp.func
def acceleration_of_forces(size: Size, dof: Dof, mass: Mass, frc: Force, efc: Efc, sol: Solve, status: Status, w: int, lane: int):
    """``sol.x`` = qacc_smooth + W'f, by one product with the inverse of M; ``sol.JTf`` = J'f."""
    slot = scratch_slot(w)
    transposed_times_force(efc, sol.JTf, status.nefc[w], w)
    for i in range(lane, size.nv, lanes()):
        sol.qacc[w, i] = sol.JTf[slot, i]
    sync()
    ltdl_solve(dof.M_rownnz, dof.M_rowadr, dof.M_colind, mass.qLD, mass.qLDiagInv, sol.qacc, size.nv, w)
    for i in range(lane, size.nv, lanes()):
        sol.qacc[w, i] = sol.qacc[w, i] + frc.qacc_smooth[w, i]
    sync()
    load_vector(sol.x, sol.qacc, size.nv, w, slot)


@wp.func
def finish_dual(size: Size, dof: Dof, state: State, mass: Mass, frc: Force, efc: Efc, sol: Solve, status: Status, w: int, lane: int):
    """Acceleration and generalized force of the present forces, recomputed without the rounding of the sweeps."""
    slot = scratch_slot(w)
    acceleration_of_forces(size, dof, mass, frc, efc, sol, status, w, lane)
    copy_vector(sol.qfrc_constraint, w, sol.JTf, slot, size.nv)
    for i in range(lane, size.nv, lanes()):
        sol.Ma[w, i] = frc.qfrc_smooth[w, i] + sol.JTf[slot, i]
        state.qacc_warmstart[w, i] = sol.qacc[w, i]
    sync()


@wp.func
def residuals(efc: Efc, sol: Solve, status: Status, x: wp.array2d(dtype=float), w: int):
    """``sol.Jaref`` = J x - aref of all rows."""
    jacobian_times(efc, x, sol.Jaref, status.nefc[w], w)
