"""Contacts with elliptic friction cones: what the solver asks of them all.

The formulas are in ``newtonish.kernels.linalg.cones``. Sums are this lane's share.
"""

import warp as wp

from newtonish.kernels.linalg.cones import (
    hessian_add_cones,
    partial_cone_cost,
    partial_cone_derivatives,
    partial_cone_update,
)
from newtonish.kernels.math.world import scratch_slot
from newtonish.kernels.structs.data import Contact, Efc, Solve, Status


@wp.func
def contact_count(contact: Contact, status: Status, w: int) -> int:
    """Contacts of the world that have a slot."""
    return wp.min(status.ncon[w], contact.dist.shape[1])


@wp.func
def cones_cost(contact: Contact, efc: Efc, status: Status, Jaref: wp.array2d(dtype=float), w: int) -> float:
    """Cost of all contacts at the residuals ``Jaref``."""
    return partial_cone_cost(
        Jaref, efc.D, contact.efc_address, contact.dim, contact.friction, contact.mu, contact_count(contact, status, w),
        w, scratch_slot(w),
    )  # fmt: skip


@wp.func
def cones_derivatives(contact: Contact, efc: Efc, sol: Solve, status: Status, alpha: float, w: int) -> wp.vec2:
    """First and second derivative by ``alpha`` of the cost of all contacts, at Jaref + alpha Jv."""
    return partial_cone_derivatives(
        sol.Jaref, sol.Jv, efc.D, contact.efc_address, contact.dim, contact.friction, contact.mu, alpha,
        contact_count(contact, status, w), w, scratch_slot(w),
    )  # fmt: skip


@wp.func
def cones_update(contact: Contact, efc: Efc, status: Status, Jaref: wp.array2d(dtype=float), w: int) -> int:
    """Write force and state of all contacts; 1 if the Hessian changed: a new state, or a contact within its cone."""
    return partial_cone_update(
        Jaref, efc.D, contact.efc_address, contact.dim, contact.friction, contact.mu, efc.force, efc.state,
        contact_count(contact, status, w), w, scratch_slot(w),
    )  # fmt: skip


@wp.func
def cones_hessian(contact: Contact, efc: Efc, sol: Solve, status: Status, nv: int, w: int):
    """Add the blocks of contacts within their cones to ``sol.H``."""
    hessian_add_cones(
        sol.H, efc.J, sol.Jaref, efc.D, contact.efc_address, contact.dim, contact.friction, contact.mu,
        contact_count(contact, status, w), nv, w, scratch_slot(w),
    )  # fmt: skip
