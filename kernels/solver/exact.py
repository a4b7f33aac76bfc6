"""Residuals and forces of constraint rows to more than float32: each value is the sum of a float32 and what it rounds off.

Where rows are stiff, forces a thousand times the applied one follow from residuals in which most of J x and aref
cancels, and cancel in turn in J' f. ``sol.Jv`` holds the lower parts, first those of ``sol.Jaref``, then of ``efc.force``.
Formulas of cones: MuJoCo's documentation, chapter Computation, "Friction cones" (see newtonish.kernels.linalg.cones).
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.constraint.row import is_sparse
from newtonish.kernels.enums import ConstraintState
from newtonish.kernels.math.world import scratch_slot, sync
from newtonish.kernels.solver.cone import contact_count
from newtonish.kernels.structs.data import Contact, Efc, Solve, Status
from newtonish.kernels.structs.model import Option

QUADRATIC = wp.constant(int(ConstraintState.QUADRATIC))
CONE = wp.constant(int(ConstraintState.CONE))


@wp.func
def exact_residuals(efc: Efc, sol: Solve, x: wp.array2d(dtype=float), at: int, nefc: int, nv: int, w: int, lane: int):
    """``sol.Jaref + sol.Jv`` = J x - aref, for row ``at`` of ``x``; padding is zero. Ends with a barrier."""
    slot = scratch_slot(w)
    for r in range(lane, (nefc + 7) // 8 * 8, wp.block_dim()):
        total = wp.float64(0.0)
        if r < nefc:
            total = -wp.float64(efc.aref[w, r])
            if is_sparse(efc):
                for k in range(efc.J_rowadr[w, r], efc.J_rowadr[w, r] + efc.J_rownnz[w, r]):
                    total += wp.float64(efc.J[w, 0, k]) * wp.float64(x[at, efc.J_colind[w, k]])
            else:
                for i in range(nv):
                    total += wp.float64(efc.J[w, r, i]) * wp.float64(x[at, i])
        high = wp.float32(total)
        sol.Jaref[slot, r] = high
        sol.Jv[slot, r] = wp.float32(total - wp.float64(high))
    sync()


@wp.func
def _residual(sol: Solve, slot: int, r: int) -> wp.float64:
    return wp.float64(sol.Jaref[slot, r]) + wp.float64(sol.Jv[slot, r])


@wp.func
def _store_force(efc: Efc, sol: Solve, force: wp.float64, w: int, slot: int, r: int):
    high = wp.float32(force)
    efc.force[w, r] = high
    sol.Jv[slot, r] = wp.float32(force - wp.float64(high))


@wp.func
def _cone_force(contact: Contact, efc: Efc, sol: Solve, w: int, slot: int, c: int):
    """Forces of contact ``c`` within its cone: -Dm (N - mu T) times the gradient of N - mu T."""
    r = contact.efc_address[w, c]
    mu = wp.float64(contact.mu[w, c])
    Dm = wp.float64(efc.D[w, r]) / (mu * mu * (wp.float64(1.0) + mu * mu))
    square = wp.float64(0.0)
    for k in range(1, contact.dim[w, c]):
        u = wp.float64(contact.friction[w, c][k - 1]) * _residual(sol, slot, r + k)
        square += u * u
    T = wp.sqrt(square)
    pull = Dm * mu * (mu * _residual(sol, slot, r) - mu * T)
    _store_force(efc, sol, -pull, w, slot, r)
    for k in range(1, contact.dim[w, c]):
        s = wp.float64(contact.friction[w, c][k - 1])
        _store_force(efc, sol, pull * s * s * _residual(sol, slot, r + k) / T, w, slot, r + k)


@wp.func
def exact_forces(opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, w: int, lane: int):
    """``efc.force + sol.Jv`` = forces at the residuals in ``sol.Jaref + sol.Jv``, in the zones ``efc.state``.

    Ends with a barrier. Forces of friction rows at their bound and of rows at rest are float32 values as they are.
    """
    slot = scratch_slot(w)
    if opt.cone == ELLIPTIC:
        for c in range(lane, contact_count(contact, status, w), wp.block_dim()):
            if contact.efc_address[w, c] >= 0:
                if efc.state[w, contact.efc_address[w, c]] == CONE:
                    _cone_force(contact, efc, sol, w, slot, c)
    for r in range(lane, status.nefc[w], wp.block_dim()):
        if efc.state[w, r] == QUADRATIC:
            _store_force(efc, sol, -wp.float64(efc.D[w, r]) * _residual(sol, slot, r), w, slot, r)
        elif efc.state[w, r] != CONE:
            sol.Jv[slot, r] = 0.0
    sync()


@wp.func
def exact_force(efc: Efc, sol: Solve, w: int, slot: int, r: int) -> wp.float64:
    """Force of row ``r`` after ``exact_forces``."""
    return wp.float64(efc.force[w, r]) + wp.float64(sol.Jv[slot, r])
