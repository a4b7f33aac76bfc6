"""Rows of contacts: frictionless, pyramidal and elliptic, of dimension 1, 3, 4 and 6.

A contact of dimension ``dim`` has a space of ``dim`` axes: normal, two tangents, spin, two rolls. An elliptic contact
makes one row of each axis; a pyramidal one makes the 2 (dim - 1) edges ``normal +- friction * axis``, all with the same
regularisation. Method: MuJoCo's documentation, chapter Computation, "Contact"; Jacobian of the contact point as the
difference of the two bodies' motions, so that dofs common to both cancel.
"""

import warp as wp

from newtonish.common.enums import ConstraintType
from newtonish.kernels.constants import CONTACT_ELLIPTIC, CONTACT_PYRAMIDAL, DISABLED, ELLIPTIC, MINVAL
from newtonish.kernels.constraint.row import (
    clear_jacobian,
    impedance,
    is_sparse,
    reference,
    regularization,
    row_room,
    write_row,
)
from newtonish.kernels.constraint.weightless import limited_invweight, share_of
from newtonish.kernels.linalg.chains import common_dofs
from newtonish.kernels.linalg.contact_jacobian import contact_columns, contact_jacobian, edge_velocities, entry_of
from newtonish.kernels.math.finite import at_least, below
from newtonish.kernels.math.world import fresh, lanes, per_world, scan_lanes, sum_lanes_int
from newtonish.kernels.structs.data import Com, Contact, Efc, State, Status
from newtonish.kernels.structs.model import Body, Geom, Option, Tree

CONTACT_FRICTIONLESS = wp.constant(int(ConstraintType.CONTACT_FRICTIONLESS))


@wp.func
def contact_row_count(cone: int, dim: int) -> int:
    """Rows that a contact of dimension ``dim`` makes."""
    return wp.where(cone == ELLIPTIC or dim == 1, dim, 2 * (dim - 1))


@wp.func
def _write_jacobian(opt: Option, tree: Tree, body: Body, geom: Geom, state: State, com: Com, contact: Contact, efc: Efc, w: int, c: int, r: int):
    """Jacobian of contact ``c`` in rows from ``r`` on, and their velocities."""
    dim = contact.dim[w, c]
    nrow = contact_row_count(opt.cone, dim)
    clear_jacobian(efc, w, r, nrow)
    pos = contact.pos[w, c]
    geoms = contact.geom[w, c]
    common = common_dofs(tree, geom.bodyid[geoms[0]], geom.bodyid[geoms[1]])
    pyramid = wp.where(opt.cone == ELLIPTIC, 0, 1)
    stride = efc.J.shape[2]
    place = wp.int32(-1)
    if is_sparse(efc):
        stride = row_room(efc)
        place = 0
    sides = wp.int32(2)  # not a literal, or Warp unrolls the loop and the long call is compiled twice
    for side in range(sides):
        b = geom.bodyid[wp.where(side == 0, geoms[0], geoms[1])]
        begin = tree.chain_adr[b] + common
        end = tree.chain_adr[b + 1]
        offset = pos - com.subtree_com[w, body.rootid[b]]
        sign = wp.where(side == 0, -1.0, 1.0)
        contact_jacobian(
            efc.J,
            com.cdof,
            state.qvel,
            tree.chain_dofid,
            begin,
            end,
            sign,
            offset,
            contact.frame,
            contact.friction,
            c,
            pyramid,
            dim,
            stride,
            place,
            efc.vel,
            r,
            w,
        )
        if place >= 0:
            contact_columns(efc.J_colind, efc.J_rownnz, tree.chain_dofid, begin, end, stride, place, r, nrow, w)
            place += end - begin
    if pyramid == 1:
        edge_velocities(efc.vel, contact.friction, c, dim, r, w)


@wp.func
def _write_elliptic(efc: Efc, contact: Contact, w: int, c: int, r: int, R: float, kb: wp.vec2, spring: float, b: float, invsqrt: float):
    """Rows of an elliptic contact but their Jacobian: the normal, then the tangents, whose weights follow from their friction."""
    dist = contact.dist[w, c]
    margin = contact.includemargin[w, c]
    vel = efc.vel[w, r]
    write_row(efc, w, r, CONTACT_ELLIPTIC, c, dist, margin, 1.0 / R, vel, spring - kb[1] * vel, 0.0)
    first = entry_of(contact.friction, w, c, 0)
    for k in range(1, contact.dim[w, c]):
        ratio = first / entry_of(contact.friction, w, c, k - 1)
        D = 1.0 / at_least(R * invsqrt * invsqrt * ratio * ratio, MINVAL)
        vel = efc.vel[w, r + k]
        write_row(efc, w, r + k, CONTACT_ELLIPTIC, c, 0.0, 0.0, D, vel, -b * vel, 0.0)


@wp.func
def _inverse_weight(opt: Option, body: Body, geom: Geom, w: int, geoms: wp.vec2i) -> float:
    """Inverse weight [1/kg] that the rows of a contact see: that of both bodies' translation, unless it is next to nothing.

    A body hinged at its centre of mass has none, though all of its surface off the axis moves, and MuJoCo makes its rows 1e15 times as stiff
    as others (see ``newtonish.kernels.constraint.weightless``). Then it is a share of what the rotation makes of a force on the farthest point of the
    surface: not on the contact's own, since where contacts contradict each other the ratio of their weights decides, which is one in MuJoCo.
    """
    nth = per_world(body.invweight0.shape[0], w)
    radius_w = per_world(geom.rbound.shape[0], w)
    moved = wp.float32(0.0)
    turned = wp.float32(0.0)
    for side in range(2):
        weight = body.invweight0[nth, geom.bodyid[geoms[side]]]
        radius = geom.rbound[radius_w, geoms[side]]
        moved += weight[0]
        turned += weight[1] * radius * radius
    limit = limited_invweight(0.0, opt.meaninertia[per_world(opt.meaninertia.shape[0], w)])
    return at_least(moved, share_of(turned, limit))


@wp.func
def _write_rows(opt: Option, body: Body, geom: Geom, contact: Contact, efc: Efc, w: int, c: int, r: int):
    """All of the rows of contact ``c``, from row ``r`` on, but their Jacobian and velocities."""
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    geoms = contact.geom[w, c]
    invweight = _inverse_weight(opt, body, geom, w, geoms)
    solimp = contact.solimp[w, c]
    dist = contact.dist[w, c]
    margin = contact.includemargin[w, c]
    dim = contact.dim[w, c]
    kb = reference(contact.solref[w, c], solimp, timestep, opt.disableflags)
    imp = impedance(solimp, dist - margin)
    spring = -kb[0] * imp * (dist - margin)
    if dim == 1:
        D = 1.0 / regularization(invweight, imp)
        vel = efc.vel[w, r]
        write_row(efc, w, r, CONTACT_FRICTIONLESS, c, dist, margin, D, vel, spring - kb[1] * vel, 0.0)
        return
    sliding = entry_of(contact.friction, w, c, 0)
    invsqrt = opt.impratio_invsqrt[per_world(opt.impratio_invsqrt.shape[0], w)]
    mu = sliding * invsqrt
    contact.mu[w, c] = mu
    if opt.cone == ELLIPTIC:
        solreffriction = contact.solreffriction[w, c]
        b = kb[1]
        if solreffriction[0] != 0.0 or solreffriction[1] != 0.0:
            b = reference(solreffriction, solimp, timestep, opt.disableflags)[1]
        _write_elliptic(efc, contact, w, c, r, regularization(invweight, imp), kb, spring, b, invsqrt)
    else:
        R = regularization(invweight * (1.0 + sliding * sliding), imp)
        D = 1.0 / at_least(2.0 * mu * mu * R, MINVAL)
        for k in range(2 * (dim - 1)):
            vel = efc.vel[w, r + k]
            write_row(efc, w, r + k, CONTACT_PYRAMIDAL, c, dist, margin, D, vel, spring - kb[1] * vel, 0.0)


@wp.func
def _place_rows(opt: Option, body: Body, geom: Geom, contact: Contact, efc: Efc, w: int, lane: int, start: int, last: int) -> wp.vec2i:
    """``contact.efc_address`` of the first ``last`` contacts, rows from ``start`` on; returns what ``contact_rows`` does."""
    room = efc.type.shape[1]
    written = wp.int32(0)
    count = wp.int32(0)
    for first in range(0, last, lanes()):
        c = first + lane
        nrow = wp.int32(0)
        if c < last:
            near = below(contact.dist[w, c], contact.includemargin[w, c]) or contact.adhesion[w, c] != 0.0
            geoms = contact.geom[w, c]
            movable = body.weldid[geom.bodyid[geoms[0]]] != body.weldid[geom.bodyid[geoms[1]]]  # a pair may be of one rigid part
            if near and movable and (opt.disableflags & DISABLED) == 0:
                nrow = contact_row_count(opt.cone, contact.dim[w, c])
        place = scan_lanes(nrow)
        r = start + count + place[0]
        kept = wp.where(nrow > 0 and r + nrow <= room, nrow, 0)
        if c < last:
            contact.efc_address[w, c] = wp.where(kept > 0, r, -1)
        count += place[1]
        written += sum_lanes_int(kept)
    return wp.vec2i(written, count)


@wp.func
def contact_rows(
    opt: Option, tree: Tree, body: Body, geom: Geom, state: State, com: Com, contact: Contact, efc: Efc, status: Status,
    w: int, lane: int, start: int,
) -> wp.vec2i:  # fmt: skip
    """Write the contact rows from row ``start`` on, a contact whole or not at all, and ``contact.efc_address``.

    Returns the number of rows written and the number there would be with unlimited room. One thing after the other, so that
    no lane of a GPU holds all of it in registers.
    """
    last = wp.min(status.ncon[w], contact.dist.shape[1])
    rows = _place_rows(opt, body, geom, contact, efc, w, lane, start, last)
    for c in range(lane, last, lanes()):
        r = contact.efc_address[w, c]
        if r >= 0:
            _write_jacobian(opt, tree, body, geom, state, com, contact, efc, fresh(w), c, r)
    for c in range(lane, last, lanes()):
        r = contact.efc_address[w, c]
        if r >= 0:
            _write_rows(opt, body, geom, contact, efc, w, c, r)
    return rows
