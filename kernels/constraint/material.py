"""Contacts that can pull (adhesion) and surfaces that move under them (surface velocity).

Adhesion translates the friction cone down the normal by a force: the contact may pull with up to that force, and resists
sliding with that much more. The pull is a passive force along the normal, and the normal row asks for as much more that
the row's force holds it up: aref + R adhesion, on a pyramid shared by its edges. Within the gap beyond the margin only
the normal row is made. A moving surface is subtracted from the velocity of the tangential and spinning rows, so that
friction pulls the other body along. Method: MuJoCo 4.0's documentation, chapter Computation, "Constraint solver",
"Adhesion", and the formula of the reference acceleration before it; chapter XML Reference, geom/surfacevel.

Kernels of their own: models without such geoms neither compile nor launch them. Three places of a step use them: after
collision, ahead of the smooth forces, and after the rows.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import ELLIPTIC, PASSIVE
from newtonish.kernels.constraint.contact import contact_row_count
from newtonish.kernels.constraint.row import reference
from newtonish.kernels.forces.wrench import accumulate_wrench_world, wrench_at, wrench_on_dof
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Contact, Efc, Force, Kinematics, Scratch, Status
from newtonish.kernels.structs.model import Body, Dof, Geom, Option, Pair, Size, Tree


@wp.func
def contact_count(contact: Contact, status: Status, w: int) -> int:
    """Contacts of world ``w`` that have a slot."""
    return wp.min(status.ncon[w], contact.dist.shape[1])


@wp.func
def pair_adhesion(geom: Geom, pair: Pair, w: int, geoms: wp.vec2i, pairid: int) -> float:
    """Adhesion of a contact: the explicit pair's, else that of the geom with the higher priority, else the sum [N]."""
    if pairid >= 0:
        return pair.adhesion[per_world(pair.adhesion.shape[0], w), pairid]
    if geoms[0] < 0 or geoms[1] < 0:  # not between two geoms
        return 0.0
    nth = per_world(geom.adhesion.shape[0], w)
    first = geom.adhesion[nth, geoms[0]]
    second = geom.adhesion[nth, geoms[1]]
    if geom.priority[geoms[0]] > geom.priority[geoms[1]]:
        return first
    if geom.priority[geoms[0]] < geom.priority[geoms[1]]:
        return second
    return first + second


@wp.func
def surface_motion(geom: Geom, kin: Kinematics, w: int, g: int, pos: wp.vec3) -> wp.spatial_vector:
    """Linear and angular velocity with which the surface of geom ``g`` moves at ``pos``, world frame."""
    if g < 0:
        return wp.spatial_vector()
    field = geom.surfacevel[per_world(geom.surfacevel.shape[0], w), g]
    turn = kin.geom_xmat[w, g]
    angular = turn * wp.vec3(field[3], field[4], field[5])
    linear = turn * wp.vec3(field[0], field[1], field[2]) + wp.cross(angular, pos - kin.geom_xpos[w, g])
    return wp.spatial_vector(linear, angular)


@wp.kernel
def contact_material_kernel(size: Size, geom: Geom, pair: Pair, kin: Kinematics, contact: Contact, status: Status):
    """Adhesion and surface velocity of each contact; contacts within the gap keep their normal row only."""
    w, lane = wp.tid()
    for c in range(lane, contact_count(contact, status, w), lanes()):
        geoms = contact.geom[w, c]
        if size.flg_adhesion != 0:
            adhesion = pair_adhesion(geom, pair, w, geoms, contact.pairid[w, c])
            contact.adhesion[w, c] = adhesion
            if adhesion != 0.0 and contact.dist[w, c] >= contact.includemargin[w, c]:
                contact.dim[w, c] = 1
        if size.flg_surfacevel != 0:
            pos = contact.pos[w, c]
            motion = surface_motion(geom, kin, w, geoms[1], pos) - surface_motion(geom, kin, w, geoms[0], pos)
            linear = contact.frame[w, c] * wp.spatial_top(motion)
            angular = contact.frame[w, c] * wp.spatial_bottom(motion)
            contact.surfacevel[w, c] = wp.vec3(linear[1], linear[2], angular[0])


@wp.kernel
def adhesion_force_kernel(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, geom: Geom, com: Com, contact: Contact, frc: Force,
    status: Status, scratch: Scratch,
):  # fmt: skip
    """Generalized force of all pulls, by the tree, as for other forces on bodies."""
    w, lane = wp.tid()
    count = contact_count(contact, status, w)
    if (opt.disableflags & PASSIVE) == PASSIVE:
        count = 0
    for i in range(lane, size.nbody, lanes()):
        total = wp.spatial_vector()
        centre = com.subtree_com[w, body.rootid[i]]
        for c in range(count):
            adhesion = contact.adhesion[w, c]
            geoms = contact.geom[w, c]
            if adhesion != 0.0 and geoms[0] >= 0 and geoms[1] >= 0:
                frame = contact.frame[w, c]
                pull = adhesion * wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
                wrench = wrench_at(pull, wp.vec3(), contact.pos[w, c] - centre)
                if geom.bodyid[geoms[0]] == i:
                    total += wrench
                if geom.bodyid[geoms[1]] == i:
                    total -= wrench
        scratch.wrench[w, i] = total
    sync()
    accumulate_wrench_world(size, tree, scratch.wrench, w, lane)
    for i in range(lane, size.nv, lanes()):
        frc.qfrc_adhesion[w, i] = wrench_on_dof(dof, com, scratch.wrench, w, i)


@wp.func
def row_surface_velocity(opt: Option, contact: Contact, w: int, c: int, k: int) -> float:
    """Velocity of the surfaces along the ``k``-th row of contact ``c`` [m/s or rad/s]."""
    dim = wp.min(contact.dim[w, c], 4)
    moving = contact.surfacevel[w, c]
    if opt.cone == ELLIPTIC:
        if k >= 1 and k < dim:
            return moving[k - 1]
    elif k // 2 < dim - 1:
        slope = contact.friction[w, c][k // 2] * moving[k // 2]
        return wp.where(k % 2 == 0, slope, -slope)
    return 0.0


@wp.func
def row_adhesion(opt: Option, contact: Contact, w: int, c: int, k: int) -> float:
    """Share of the adhesion of contact ``c`` that its ``k``-th row holds up [N]."""
    dim = contact.dim[w, c]
    if dim == 1 or opt.cone == ELLIPTIC:
        return wp.where(k == 0, contact.adhesion[w, c], 0.0)
    return contact.adhesion[w, c] / float(2 * (dim - 1))


@wp.func
def row_damping(opt: Option, contact: Contact, timestep: float, w: int, c: int, k: int) -> float:
    """Damping of the reference acceleration of the ``k``-th row of contact ``c`` [1/s]."""
    solref = contact.solref[w, c]
    own = contact.solreffriction[w, c]
    if opt.cone == ELLIPTIC and k > 0 and (own[0] != 0.0 or own[1] != 0.0):
        solref = own
    return reference(solref, contact.solimp[w, c], timestep, opt.disableflags)[1]


@wp.kernel
def material_rows_kernel(size: Size, opt: Option, contact: Contact, efc: Efc, status: Status):
    """Velocity and reference acceleration of the rows of contacts that stick or move."""
    w, lane = wp.tid()
    timestep = opt.timestep[per_world(opt.timestep.shape[0], w)]
    for c in range(lane, contact_count(contact, status, w), lanes()):
        r = contact.efc_address[w, c]
        if r >= 0:
            for k in range(contact_row_count(opt.cone, contact.dim[w, c])):
                bias = wp.float32(0.0)
                if size.flg_surfacevel != 0:
                    moving = row_surface_velocity(opt, contact, w, c, k)
                    if moving != 0.0:
                        efc.vel[w, r + k] = efc.vel[w, r + k] + moving
                        bias = -row_damping(opt, contact, timestep, w, c, k) * moving
                if size.flg_adhesion != 0:
                    bias += row_adhesion(opt, contact, w, c, k) / efc.D[w, r + k]
                efc.aref[w, r + k] = efc.aref[w, r + k] + bias


def contact_material(m: Any, d: Any) -> None:
    """Adhesion and surface velocity of contacts, after collision.

    Reads   m.geom, m.pair, d.kin, d.contact. Writes d.contact: adhesion, surfacevel, dim (1 within the gap).
    MuJoCo  the end of mj_collision.
    """
    launch(contact_material_kernel, d, [m.size, m.geom, m.pair, d.kin, d.contact, d.status])


def adhesion_force(m: Any, d: Any) -> None:
    """Pull of the contacts with adhesion, after collision and ``com_pos``.

    Reads   d.contact, d.com. Writes d.qfrc_adhesion [N, N m], d.scratch.wrench.
    MuJoCo  a part of mj_passive.
    """
    groups = [m.size, m.opt, m.tree, m.body, m.dof, m.geom, d.com, d.contact, d.frc, d.status, d.scratch]
    launch(adhesion_force_kernel, d, groups)


def material_rows(m: Any, d: Any) -> None:
    """What adhesion and moving surfaces change in the rows of contacts, once these are made.

    Reads   d.contact, d.efc.D. Changes d.efc: vel, aref.
    MuJoCo  a part of mj_referenceConstraint.
    """
    launch(material_rows_kernel, d, [m.size, m.opt, d.contact, d.efc, d.status])
