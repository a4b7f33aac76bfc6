"""All constraint rows of each world, in MuJoCo's order: equality (see ``equality_stage``), friction, limits, contacts.

Reads   m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.tendon; d.state, d.com, d.ten, d.contact, d.status.ncon
        (after collision); if the model has equality constraints also m.site, m.eq, d.kin, d.vel (after com_vel)
Writes  d.efc but force and state; d.contact.efc_address, d.contact.mu; d.status: ne, nf, nl, nefc, overflow,
        nefc_needed
MuJoCo  mj_makeConstraint (with mj_makeImpedance, mj_referenceConstraint).
Method  MuJoCo's documentation, chapter Computation. Rows get their slots by scans over the lanes of a block, hence
        the same slots on every run and every device. Rows that do not fit are left out, contacts as a whole.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constraint.contact import contact_rows
from newtonish.kernels.constraint.friction import friction_rows
from newtonish.kernels.constraint.limit import limit_rows
from newtonish.kernels.constraint.row import clear_jacobian
from newtonish.kernels.constraint.stage import adjust_rows, equality
from newtonish.kernels.constraint.tendon import tendon_friction_rows, tendon_limit_rows
from newtonish.kernels.discrete.options import row_options
from newtonish.kernels.enums import OverflowType
from newtonish.kernels.launch import launch
from newtonish.kernels.math.world import sync
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, State, Status, TendonState
from newtonish.kernels.structs.model import Body, Dof, Geom, Joint, Option, Size, Tendon, Tree
from newtonish.kernels.support.overflow import flag_overflow

NEFC_OVERFLOW = wp.constant(int(OverflowType.NEFC))


@wp.func
def _clear_padding(efc: Efc, w: int, first: int, last: int):
    """Rows that keep the padding harmless: no Jacobian, no weight."""
    clear_jacobian(efc, w, first, last - first)
    for r in range(first, last):
        efc.pos[w, r] = 0.0
        efc.margin[w, r] = 0.0
        efc.D[w, r] = 0.0
        efc.vel[w, r] = 0.0
        efc.aref[w, r] = 0.0
        efc.frictionloss[w, r] = 0.0
        efc.force[w, r] = 0.0
        efc.state[w, r] = 0


@wp.func
def _count_rows(efc: Efc, status: Status, w: int, lane: int, ne: int, nf: int, nl: int, rows: wp.vec2i, equalities: int):
    """Store how many rows of each kind there are, and pad them; ``rows``: what ``contact_rows`` returns."""
    room = efc.type.shape[1]
    wanted = equalities + nf + nl + rows[1]
    kept_friction = wp.min(nf, room - ne)
    kept_limits = wp.min(nl, room - ne - kept_friction)
    nefc = ne + kept_friction + kept_limits + rows[0]
    if lane == 0:
        _clear_padding(efc, w, nefc, (nefc + 7) // 8 * 8)
        status.nf[w] = kept_friction
        status.nl[w] = kept_limits
        status.nefc[w] = nefc
        status.nefc_needed[w] = wp.max(status.nefc_needed[w], wanted)
        if wanted > nefc:
            flag_overflow(status, w, NEFC_OVERFLOW)
    sync()


@wp.func
def make_constraint_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, tendon: Tendon, state: State,
    kin: Kinematics, com: Com, ten: TendonState, contact: Contact, efc: Efc, status: Status, w: int, lane: int,
):  # fmt: skip
    """Constraint rows of world ``w`` after its equality rows, by all lanes of its block."""
    ne = wp.int32(0)
    wanted = wp.int32(0)
    if size.neq > 0:
        ne = status.ne[w]
        wanted = status.ne_needed[w]
    nf = friction_rows(size, opt, dof, state, efc, w, lane, ne)
    nf += tendon_friction_rows(size, opt, tendon, ten, efc, w, lane, ne + nf)
    nl = limit_rows(size, opt, jnt, dof, state, efc, w, lane, ne + nf)
    nl += tendon_limit_rows(size, opt, tendon, ten, efc, w, lane, ne + nf + nl)
    rows = contact_rows(opt, tree, body, geom, state, com, contact, efc, status, w, lane, ne + nf + nl)
    _count_rows(efc, status, w, lane, ne, nf, nl, rows, wanted)


@wp.func
def make_constraint_without_tendons_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, state: State, com: Com,
    contact: Contact, efc: Efc, status: Status, w: int, lane: int,
):  # fmt: skip
    """The same for a model without tendons."""
    ne = wp.int32(0)
    wanted = wp.int32(0)
    if size.neq > 0:
        ne = status.ne[w]
        wanted = status.ne_needed[w]
    nf = friction_rows(size, opt, dof, state, efc, w, lane, ne)
    nl = limit_rows(size, opt, jnt, dof, state, efc, w, lane, ne + nf)
    rows = contact_rows(opt, tree, body, geom, state, com, contact, efc, status, w, lane, ne + nf + nl)
    _count_rows(efc, status, w, lane, ne, nf, nl, rows, wanted)


@wp.kernel
def _make_constraint(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, tendon: Tendon, state: State,
    kin: Kinematics, com: Com, ten: TendonState, contact: Contact, efc: Efc, status: Status,
):  # fmt: skip
    w, lane = wp.tid()
    make_constraint_world(
        size, opt, tree, body, jnt, dof, geom, tendon, state, kin, com, ten, contact, efc, status, w, lane
    )


def make_constraint(m: Any, d: Any) -> None:
    """Make the constraint rows of all worlds (see the head of the file)."""
    equality(m, d)
    groups = [m.size, row_options(m), m.tree, m.body, m.jnt, m.dof, m.geom, m.tendon]
    launch(_make_constraint, d, [*groups, d.state, d.kin, d.com, d.ten, d.contact, d.efc, d.status])
    adjust_rows(m, d)
