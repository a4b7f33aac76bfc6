"""The constraint rows of a world or an island as the solver sees them: their cost, forces and states, whatever the friction cone.

Method: MuJoCo's documentation, chapter Computation, "Primal problem"; the formulas of rows and cones are in
``newtonish.kernels.linalg.rows`` and ``newtonish.kernels.linalg.cones``.
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.linalg.cones import partial_cone_cost, partial_cone_derivatives, partial_cone_update
from newtonish.kernels.linalg.rows import partial_cost, partial_derivatives, partial_update
from newtonish.kernels.math.world import sum_lanes, sum_lanes_int, sync
from newtonish.kernels.structs.data import Contact, Efc, Status
from newtonish.kernels.structs.model import Option


@wp.struct
class Rows:
    """How many rows are solved together, and which row of the arrays of ``Contact`` and ``Efc`` is theirs."""

    w: int
    nefc: int
    ne: int  # leading equality rows
    nflat: int  # leading rows of which each has a cost of its own: all of them, or those before elliptic contacts
    ncon: int  # elliptic contacts


@wp.func
def first_contact_row(status: Status, w: int) -> int:
    return status.ne[w] + status.nf[w] + status.nl[w]


@wp.func
def world_rows(opt: Option, contact: Contact, status: Status, w: int) -> Rows:
    """All rows of world ``w``."""
    nflat = status.nefc[w]
    ncon = wp.int32(0)
    if opt.cone == ELLIPTIC:
        nflat = first_contact_row(status, w)
        ncon = wp.min(status.ncon[w], contact.dist.shape[1])  # those that have a slot
    return Rows(w, status.nefc[w], status.ne[w], nflat, ncon)


@wp.func
def rows_cost(rows: Rows, contact: Contact, efc: Efc, Jaref: wp.array2d(dtype=float), slot: int) -> float:
    """Cost of all rows at the residuals in row ``slot`` of ``Jaref``, the same in every lane."""
    cost = partial_cost(Jaref, efc.D, efc.frictionloss, rows.ne, rows.nflat, rows.w, slot)
    if rows.ncon > 0:
        cost += partial_cone_cost(Jaref, efc.D, contact.efc_address, contact.dim, contact.friction, contact.mu, rows.ncon, rows.w, slot)
    return sum_lanes(cost)


@wp.func
def rows_update(rows: Rows, contact: Contact, efc: Efc, Jaref: wp.array2d(dtype=float), slot: int) -> int:
    """Write ``efc.force`` and ``efc.state``; not 0 if the Hessian changed: a new state, or a contact within its cone. Ends with a barrier."""
    changed = partial_update(Jaref, efc.D, efc.frictionloss, efc.force, efc.state, rows.ne, rows.nflat, rows.w, slot)
    if rows.ncon > 0:
        changed += partial_cone_update(
            Jaref, efc.D, contact.efc_address, contact.dim, contact.friction, contact.mu, efc.force, efc.state, rows.ncon,
            rows.w, slot,
        )  # fmt: skip
    sync()
    return sum_lanes_int(changed)


@wp.func
def rows_line(rows: Rows, contact: Contact, efc: Efc, Jaref: wp.array2d(dtype=float), Jv: wp.array2d(dtype=float), alpha: float, slot: int) -> wp.vec2:
    """First and second derivative by ``alpha`` of the cost of all rows at Jaref + alpha Jv, the same in every lane."""
    d = partial_derivatives(Jaref, Jv, efc.D, efc.frictionloss, alpha, rows.ne, rows.nflat, rows.w, slot)
    if rows.ncon > 0:
        d += partial_cone_derivatives(Jaref, Jv, efc.D, contact.efc_address, contact.dim, contact.friction, contact.mu, alpha, rows.ncon, rows.w, slot)
    return wp.vec2(sum_lanes(d[0]), sum_lanes(d[1]))
