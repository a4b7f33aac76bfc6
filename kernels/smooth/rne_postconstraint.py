"""Accelerations of bodies, and the forces between them, once the constraint forces are known.

The recursive Newton-Euler algorithm of ``rne`` with the accelerations of the solver; what acts on a body from outside
(applied force, contacts, connect and weld equalities, spatial tendons) is taken out of the force that its parent has to exert.
MuJoCo: mj_rnePostConstraint.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import CONNECT, WELD
from newtonish.kernels.constraint.contact_force import contact_wrench, to_world
from newtonish.kernels.constraint.equality_bodies import end_of
from newtonish.kernels.math.quat import quat_conj, quat_mul
from newtonish.kernels.math.world import assume_nonnegative, fresh, lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.smooth.acceleration import body_accelerations_world
from newtonish.kernels.smooth.rne import needed_force
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, Sense, Solve, State, Status, Velocity
from newtonish.kernels.structs.model import Body, Equality, Geom, Option, Site, Size, Tree
from newtonish.kernels.tendon.reaction import tendon_reaction


@wp.func
def force_about(wrench: wp.spatial_vector, arm: wp.vec3) -> wp.spatial_vector:
    """Torque about a point and force, of a force (first) and torque that act at ``arm`` from it."""
    force = wp.vec3(wrench[0], wrench[1], wrench[2])
    torque = wp.vec3(wrench[3], wrench[4], wrench[5])
    return wp.spatial_vector(torque + wp.cross(arm, force), force)


@wp.func
def _equality_force(body: Body, site: Site, eq: Equality, kin: Kinematics, com: Com, efc: Efc, status: Status, w: int, i: int) -> wp.spatial_vector:
    """Force of all connect and weld equalities on body ``i``, about its tree's centre of mass, torque first."""
    total = wp.spatial_vector()
    centre = com.subtree_com[w, body.rootid[i]]
    last = wp.min(status.ne[w], efc.type.shape[1])
    r = wp.int32(0)
    while r < last:
        e = efc.id[w, r]
        kind = eq.type[e]
        if kind != CONNECT and kind != WELD:
            r += 1
        else:
            one = end_of(body, site, eq, kin, w, e, kind == WELD, False)
            two = end_of(body, site, eq, kin, w, e, kind == WELD, True)
            wrench = wp.spatial_vector(efc.force[w, r], efc.force[w, r + 1], efc.force[w, r + 2], 0.0, 0.0, 0.0)
            r += 3
            if kind == WELD:
                # adjoint of how the rows see a rotation, half the scale times the vector part of conj(q2) (0, a) q1
                pull = wp.vec4(0.0, efc.force[w, r], efc.force[w, r + 1], efc.force[w, r + 2])
                turned = quat_mul(quat_mul(two.quat, pull), quat_conj(one.quat))
                scale = 0.5 * eq.data[per_world(eq.data.shape[0], w), e][10]
                for k in range(3):
                    wrench[3 + k] = scale * turned[1 + k]
                r += 3
            if one.body == i:
                total += force_about(wrench, one.pos - centre)
            if two.body == i:
                total -= force_about(wrench, two.pos - centre)
    return total


@wp.func
def _add_contact(body: Body, geom: Geom, com: Com, contact: Contact, sense: Sense, wrench: wp.spatial_vector, w: int, c: int):
    """Add the force of contact ``c`` to the second body, and the opposite to the first."""
    geoms = contact.geom[w, c]
    sides = wp.int32(2)  # a variable: not unrolled
    for side in range(sides):
        i = assume_nonnegative(geom.bodyid[wp.where(side == 0, geoms[1], geoms[0])])
        if i > 0:
            force = force_about(wrench, contact.pos[w, c] - com.subtree_com[w, assume_nonnegative(body.rootid[i])])
            sense.cfrc_ext[w, i] = sense.cfrc_ext[w, i] + wp.where(side == 0, 1.0, -1.0) * force


@wp.func
def _add_contacts(
    opt: Option, body: Body, geom: Geom, com: Com, contact: Contact, efc: Efc, status: Status, sense: Sense, w: int,
    lane: int,
):  # fmt: skip
    """Add the forces of all contacts to those on their bodies; returns with a barrier.

    Each lane has the force of one contact, and they add them in turn, since contacts share bodies.
    """
    last = wp.min(status.ncon[w], contact.dist.shape[1])
    for first in range(0, last, lanes()):
        c = first + lane
        wrench = wp.spatial_vector()
        if c < last:
            wrench = to_world(contact.frame[w, c], contact_wrench(opt, contact, efc, status, w, c))
        for turn in range(wp.min(last - first, lanes())):
            if turn == lane:
                _add_contact(body, geom, com, contact, sense, wrench, fresh(w), c)
            sync()


@wp.func
def _external_forces_world(
    size: Size, opt: Option, body: Body, geom: Geom, site: Site, eq: Equality, state: State, kin: Kinematics, com: Com,
    contact: Contact, efc: Efc, status: Status, sense: Sense, w: int, lane: int,
):  # fmt: skip
    """Applied, contact, equality and tendon forces on the bodies, about their tree's centre of mass, torque first; returns with a barrier."""
    for i in range(lane, size.nbody, lanes()):
        applied = wp.spatial_vector()
        if i > 0:
            applied = force_about(state.xfrc_applied[w, i], kin.xipos[w, i] - com.subtree_com[w, body.rootid[i]])
        sense.cfrc_ext[w, i] = applied
    sync()
    _add_contacts(opt, body, geom, com, contact, efc, status, sense, w, lane)
    if status.ne[w] > 0 or sense.cfrc_tendon.shape[1] > 0:
        for i in range(lane + 1, size.nbody, lanes()):
            external = sense.cfrc_ext[w, i]
            if status.ne[w] > 0:
                external += _equality_force(body, site, eq, kin, com, efc, status, w, i)
            if sense.cfrc_tendon.shape[1] > 0:
                external += sense.cfrc_tendon[w, i]
            sense.cfrc_ext[w, i] = external
        sync()


@wp.func
def rne_postconstraint_world(
    size: Size, opt: Option, tree: Tree, body: Body, geom: Geom, site: Site, eq: Equality, state: State,
    kin: Kinematics, com: Com, vel: Velocity, contact: Contact, efc: Efc, sol: Solve, status: Status, sense: Sense,
    w: int, lane: int,
):  # fmt: skip
    """Accelerations and forces of the bodies of one world; returns with a barrier."""
    _external_forces_world(size, opt, body, geom, site, eq, state, kin, com, contact, efc, status, sense, w, lane)
    body_accelerations_world(size, opt, tree, body, state, com, vel, sol, w, lane)
    for i in range(lane, size.nbody, lanes()):
        force = wp.spatial_vector()
        if i > 0:
            force = needed_force(com, vel, w, i) - sense.cfrc_ext[w, i]
        sense.cfrc_int[w, i] = force
    sync()
    for back in range(size.nlevel):
        level = size.nlevel - 1 - back
        for k in range(tree.level_adr[level] + lane, tree.level_adr[level + 1], lanes()):
            i = assume_nonnegative(tree.level_bodyid[k])
            force = sense.cfrc_int[w, i]
            for c in range(tree.child_adr[i], tree.child_adr[i + 1]):
                force += sense.cfrc_int[w, assume_nonnegative(tree.child_bodyid[c])]
            sense.cfrc_int[w, i] = force
        sync()


@wp.kernel
def _rne_postconstraint(
    size: Size, opt: Option, tree: Tree, body: Body, geom: Geom, site: Site, eq: Equality, state: State,
    kin: Kinematics, com: Com, vel: Velocity, contact: Contact, efc: Efc, sol: Solve, status: Status, sense: Sense,
):  # fmt: skip
    w, lane = wp.tid()
    rne_postconstraint_world(size, opt, tree, body, geom, site, eq, state, kin, com, vel, contact, efc, sol, status, sense, w, lane)


def rne_postconstraint(m: Any, d: Any) -> None:
    """Accelerations of bodies, and the forces on and between them, after ``solve``.

    Reads   m.opt, m.body, m.tree; d.state (qvel, xfrc_applied), d.kin, d.com, d.vel, d.contact, d.efc, d.ten, d.sol.qacc
    Writes  d.cacc, d.cfrc_int, d.cfrc_ext, about each tree's centre of mass, rotation first
    MuJoCo  mj_rnePostConstraint.
    """
    if m.ntenspatial > 0:
        tendon_reaction(m, d)
    groups = [m.size, m.opt, m.tree, m.body, m.geom, m.site, m.eq, d.state, d.kin, d.com, d.vel, d.contact, d.efc]
    launch(_rne_postconstraint, d, [*groups, d.sol, d.status, d.sense])
