"""Rows of contacts: frictionless, pyramidal and elliptic, of dimension 1, 3, 4 and 6.

A contact of dimension ``dim`` has a space of ``dim`` axes: normal, two tangents, spin, two rolls. An elliptic contact
makes one row of each axis; a pyramidal one makes the 2 (dim - 1) edges ``normal +- friction * axis``, all with the same
regularisation. Method: MuJoCo's documentation, chapter Computation, "Contact"; Jacobian of the contact point as the
difference of the two bodies' motions, so that dofs common to both cancel.
"""

import warp as wp

from newtonish.kernels.constants import CONTACT_ELLIPTIC, CONTACT_PYRAMIDAL, DISABLED, ELLIPTIC, MINVAL
from newtonish.kernels.constraint.row import (
    clear_jacobian,
    impedance,
    is_sparse,
    limited_invweight,
    reference,
    regularization,
    row_room,
    write_row,
)
from newtonish.kernels.enums import ConstraintType
from newtonish.kernels.linalg.chains import common_dofs
from newtonish.kernels.linalg.contact_jacobian import contact_columns, contact_jacobian
from newtonish.kernels.math.world import block_scan, block_sum_int, per_world
from newtonish.kernels.structs.data import Com, Contact, Efc, State, Status
from newtonish.kernels.structs.field import vec6
from newtonish.kernels.structs.model import Body, Geom, Option, Tree

CONTACT_FRICTIONLESS = wp.constant(int(ConstraintType.CONTACT_FRICTIONLESS))


@wp.func
def contact_row_count(cone: int, dim: int) -> int:
    """Rows that a contact of dimension ``dim`` makes."""
    return wp.where(cone == ELLIPTIC or dim == 1, dim, 2 * (dim - 1))


@wp.func
def _write_jacobian(
    opt: Option, tree: Tree, body: Body, geom: Geom, state: State, com: Com, contact: Contact, efc: Efc,
    w: int, c: int, r: int, dim: int,
) -> vec6:  # fmt: skip
    """Jacobian of contact ``c`` in rows from ``r`` on; returns the velocity along the contact's axes."""
    pos = contact.pos[w, c]
    frame = contact.frame[w, c]
    geoms = contact.geom[w, c]
    common = common_dofs(tree, geom.bodyid[geoms[0]], geom.bodyid[geoms[1]])
    vel = vec6()
    friction = contact.friction[w, c]
    pyramid = wp.where(opt.cone == ELLIPTIC, 0, 1)
    stride = efc.J.shape[2]
    place = wp.int32(-1)
    if is_sparse(efc):
        stride = row_room(efc)
        place = 0
    sides = wp.int32(2)  # not a literal, or Warp unrolls the loop and the long call is compiled twice
    for side in range(sides):
        b = geom.bodyid[geoms[side]]
        begin = tree.chain_adr[b] + common
        end = tree.chain_adr[b + 1]
        offset = pos - com.subtree_com[w, body.rootid[b]]
        sign = wp.where(side == 0, -1.0, 1.0)
        vel += contact_jacobian(
            efc.J, com.cdof, state.qvel, tree.chain_dofid, begin, end, sign, offset, frame, friction, pyramid, dim,
            stride, place, r, w
        )
        if place >= 0:
            contact_columns(
                efc.J_colind, efc.J_rownnz, tree.chain_dofid, begin, end, stride, place, r,
                contact_row_count(opt.cone, dim), w
            )
            place += end - begin
    return vel


@wp.func
def _write_contact(
    opt: Option, tree: Tree, body: Body, geom: Geom, state: State, com: Com, contact: Contact, efc: Efc,
    w: int, c: int, r: int, dim: int, nrow: int,
):  # fmt: skip
    """All rows of contact ``c``, from row ``r`` on."""
    clear_jacobian(efc, w, r, nrow)
    vel = _write_jacobian(opt, tree, body, geom, state, com, contact, efc, w, c, r, dim)

    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    geoms = contact.geom[w, c]
    nth = per_world(body.invweight0.shape[0], w)
    invweight = body.invweight0[nth, geom.bodyid[geoms[0]]][0] + body.invweight0[nth, geom.bodyid[geoms[1]]][0]
    invweight = limited_invweight(invweight, opt.meaninertia[per_world(opt.meaninertia.shape[0], w)])
    solref = contact.solref[w, c]
    solimp = contact.solimp[w, c]
    dist = contact.dist[w, c]
    margin = contact.includemargin[w, c]
    kb = reference(solref, solimp, timestep, opt.disableflags)
    imp = impedance(solimp, dist - margin)
    spring = -kb[0] * imp * (dist - margin)

    if dim == 1:
        D = 1.0 / regularization(invweight, imp)
        write_row(efc, w, r, CONTACT_FRICTIONLESS, c, dist, margin, D, vel[0], spring - kb[1] * vel[0], 0.0)
        return

    friction = contact.friction[w, c]
    invsqrt = opt.impratio_invsqrt[per_world(opt.impratio_invsqrt.shape[0], w)]
    mu = friction[0] * invsqrt
    contact.mu[w, c] = mu
    if opt.cone == ELLIPTIC:
        R = regularization(invweight, imp)
        write_row(efc, w, r, CONTACT_ELLIPTIC, c, dist, margin, 1.0 / R, vel[0], spring - kb[1] * vel[0], 0.0)
        solreffriction = contact.solreffriction[w, c]
        b = kb[1]
        if solreffriction[0] != 0.0 or solreffriction[1] != 0.0:
            b = reference(solreffriction, solimp, timestep, opt.disableflags)[1]
        for k in range(dim - 1):
            ratio = friction[0] / friction[k]
            D = 1.0 / wp.max(MINVAL, R * invsqrt * invsqrt * ratio * ratio)
            write_row(efc, w, r + 1 + k, CONTACT_ELLIPTIC, c, 0.0, 0.0, D, vel[k + 1], -b * vel[k + 1], 0.0)
    else:
        R = regularization(invweight * (1.0 + friction[0] * friction[0]), imp)
        D = 1.0 / wp.max(MINVAL, 2.0 * mu * mu * R)
        for k in range(2 * (dim - 1)):
            slope = friction[k // 2] * vel[k // 2 + 1]
            edge = wp.where(k % 2 == 0, vel[0] + slope, vel[0] - slope)
            write_row(efc, w, r + k, CONTACT_PYRAMIDAL, c, dist, margin, D, edge, spring - kb[1] * edge, 0.0)


@wp.func
def contact_rows(
    opt: Option, tree: Tree, body: Body, geom: Geom, state: State, com: Com, contact: Contact, efc: Efc, status: Status,
    w: int, lane: int, start: int,
) -> wp.vec2i:  # fmt: skip
    """Write the contact rows from row ``start`` on, a contact whole or not at all, and ``contact.efc_address``.

    Returns the number of rows written and the number there would be with unlimited room.
    """
    room = efc.type.shape[1]
    written = wp.int32(0)
    count = wp.int32(0)
    last = wp.min(status.ncon[w], contact.dist.shape[1])
    for first in range(0, last, wp.block_dim()):
        c = first + lane
        dim = wp.int32(0)
        nrow = wp.int32(0)
        if c < last:
            dim = contact.dim[w, c]
            near = contact.dist[w, c] < contact.includemargin[w, c] or contact.adhesion[w, c] != 0.0
            geoms = contact.geom[w, c]
            movable = body.weldid[geom.bodyid[geoms[0]]] != body.weldid[geom.bodyid[geoms[1]]]  # a pair may be of one rigid part
            if near and movable and (opt.disableflags & DISABLED) == 0:
                nrow = contact_row_count(opt.cone, dim)
        r = start + count + block_scan(nrow)
        kept = wp.int32(0)
        if nrow > 0 and r + nrow <= room:
            kept = nrow
            _write_contact(opt, tree, body, geom, state, com, contact, efc, w, c, r, dim, nrow)
        if c < last:
            contact.efc_address[w, c] = wp.where(kept > 0, r, -1)
        count += block_sum_int(nrow)
        written += block_sum_int(kept)
    return wp.vec2i(written, count)
