"""Residuals and forces of constraint rows to more than float32: each value is the sum of a float32 and what it rounds off.

Where rows are stiff, forces a thousand times the applied one follow from residuals in which most of J x and aref
cancels, and cancel in turn in J' f. ``Jv`` holds the lower parts, first those of the residuals in ``Jaref``, then of ``efc.force``.
Formulas of cones: MuJoCo's documentation, chapter Computation, "Friction cones" (see newtonish.kernels.linalg.cones).
"""

import warp as wp

from newtonish.common.enums import ConstraintState
from newtonish.kernels.constants import QUADRATIC
from newtonish.kernels.math.world import fresh, lanes, sync
from newtonish.kernels.solver.rows import Rows
from newtonish.kernels.structs.data import Contact, Efc, Solve

CONE = wp.constant(int(ConstraintState.CONE))


@wp.func
def split(high: wp.array2d(dtype=float), low: wp.array2d(dtype=float), at: int, i: int, value: wp.float64):
    """Write ``value`` to ``high + low``."""
    rounded = wp.float32(value)
    high[at, i] = rounded
    low[at, i] = wp.float32(value - wp.float64(rounded))


@wp.func
def whole(high: wp.array2d(dtype=float), low: wp.array2d(dtype=float), at: int, i: int) -> wp.float64:
    """Read ``high + low``."""
    return wp.float64(high[at, i]) + wp.float64(low[at, i])


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
        u = wp.float64(contact.friction[w, c][k - 1]) * whole(sol.Jaref, sol.Jv, slot, r + k)
        square += u * u
    T = wp.sqrt(square)
    pull = Dm * mu * (mu * whole(sol.Jaref, sol.Jv, slot, r) - mu * T)
    _store_force(efc, sol, -pull, w, slot, r)
    for k in range(1, contact.dim[w, c]):
        s = wp.float64(contact.friction[w, c][k - 1])
        _store_force(efc, sol, pull * s * s * whole(sol.Jaref, sol.Jv, slot, r + k) / T, w, slot, r + k)


@wp.func
def exact_forces(rows: Rows, contact: Contact, efc: Efc, sol: Solve, slot: int, lane: int):
    """``efc.force + sol.Jv`` = forces at the residuals in ``sol.Jaref + sol.Jv``, in the zones ``efc.state``.

    Ends with a barrier. Forces of friction rows at their bound and of rows at rest are float32 values as they are.
    """
    w = fresh(rows.w)
    at = fresh(slot)
    for c in range(lane, rows.ncon, lanes()):
        if contact.efc_address[w, c] >= 0:
            if efc.state[w, contact.efc_address[w, c]] == CONE:
                _cone_force(contact, efc, sol, w, at, c)
    for r in range(lane, rows.nefc, lanes()):
        if efc.state[w, r] == QUADRATIC:
            _store_force(efc, sol, -wp.float64(efc.D[w, r]) * whole(sol.Jaref, sol.Jv, at, r), w, at, r)
        elif efc.state[w, r] != CONE:
            sol.Jv[at, r] = 0.0
    sync()


@wp.func
def exact_force(efc: Efc, sol: Solve, w: int, slot: int, r: int) -> wp.float64:
    """Force of row ``r`` after ``exact_forces``."""
    return wp.float64(efc.force[w, r]) + wp.float64(sol.Jv[slot, r])
