"""What contacts, connects and welds add to H alone, for an adjoint, which needs no other columns of them (``sweep.py``)."""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.derivative.algebra import bottom, join, top, vec6d, wide6
from newtonish.kernels.derivative.body_equalities import Bond, at_end, bond_of, rows_of, torque_by, turned
from newtonish.kernels.derivative.contacts import note_blind_contact
from newtonish.kernels.derivative.motion import body_velocities_world
from newtonish.kernels.derivative.solves import clear_matrix, copy_matrix
from newtonish.kernels.derivative.touch import Touch, about, along_axes, answer_of, at_contact, axes_of, moves, pushes, to_world, touch_of
from newtonish.kernels.derivative.witness import Witness
from newtonish.kernels.derivative.witnesses import contact_count, find_witnesses_world
from newtonish.kernels.derivative.work import resist_on
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.math.world import lane_index, lanes, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, Status
from newtonish.kernels.structs.model import Body, Dof, Equality, Geom, HeightField, Hull, Joint, Option, Site, Size, Tree


@wp.func
def _contact_column(tree: Tree, dof: Dof, com: Com, linear: Linear, touch: Touch, found: Witness, axes: wp.mat33d, w: int, k: int):
    """What a contact adds to column ``k``."""
    arm1 = found.pos - touch.center1
    arm2 = found.pos - touch.center2
    axis = wide6(com.cdof[w, k])
    seen = vec6d()
    if moves(dof, k, touch.last2):
        seen = at_contact(axis, arm2)
    if moves(dof, k, touch.last1):
        seen -= at_contact(axis, arm1)
    resisted = to_world(axes, answer_of(touch, along_axes(axes, seen)))
    resist_on(tree, com, linear, about(resisted, arm2), w, touch.body2, k)
    resist_on(tree, com, linear, -about(resisted, arm1), w, touch.body1, k)


@wp.func
def _resist_contact(tree: Tree, dof: Dof, com: Com, linear: Linear, touch: Touch, found: Witness, w: int, lane: int):
    """Add a contact to the columns of the dofs that move it; each lane has columns of its own."""
    axes = axes_of(found)
    for at in range(tree.chain_adr[touch.body2] + lane, tree.chain_adr[touch.body2 + 1], lanes()):
        _contact_column(tree, dof, com, linear, touch, found, axes, w, tree.chain_dofid[at])
    for at in range(tree.chain_adr[touch.body1] + lane, tree.chain_adr[touch.body1 + 1], lanes()):
        k = tree.chain_dofid[at]
        if not moves(dof, k, touch.last2):
            _contact_column(tree, dof, com, linear, touch, found, axes, w, k)


@wp.kernel
def _resist_contacts(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, geom: Geom, hull: Hull, hfield: HeightField, kin: Kinematics, com: Com,
    contact: Contact, efc: Efc, status: Status, linear: Linear, motion: LinearMotion, nworld: int,
):  # fmt: skip
    """Motions of bodies; begin H with mass matrix and contacts, the other matrices with zeros."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        copy_matrix(linear.H, linear.M, size.nv, w)
        clear_matrix(linear.Gq, size.nv, w)
        clear_matrix(linear.Gv, size.nv, w)
        clear_matrix(linear.Xq, size.nv, w)
        if lane == 0:
            linear.blind[w] = 0
        body_velocities_world(size, opt, tree, body, jnt, com, linear, motion, w, lane)
        find_witnesses_world(opt, geom, hull, hfield, kin, contact, status, motion, w, lane)
        for c in range(contact_count(motion, status, w)):
            if contact.efc_address[w, c] >= 0:
                found = motion.witness[w, c]
                touch = touch_of(opt, tree, body, geom, com, contact, efc, motion, found, w, c)
                if pushes(touch):
                    if lane == 0:
                        note_blind_contact(contact, linear, found, w, c)
                    _resist_contact(tree, dof, com, linear, touch, found, w, lane)


through_worlds(_resist_contacts)


@wp.func
def _bond_column(tree: Tree, dof: Dof, com: Com, linear: Linear, bond: Bond, w: int, k: int):
    """What a bond adds to column ``k``."""
    axis = wide6(com.cdof[w, k])
    seen = vec6d()
    if moves(dof, k, bond.last1):
        seen = at_end(axis, bond.arm1)
    if moves(dof, k, bond.last2):
        seen -= at_end(axis, bond.arm2)
    resisted = wp.cw_mul(bond.weight, join(top(seen), turned(bond, bottom(seen))))
    wrench = join(top(resisted), torque_by(bond, bottom(resisted)))
    resist_on(tree, com, linear, about(wrench, bond.arm1), w, bond.body1, k)
    resist_on(tree, com, linear, -about(wrench, bond.arm2), w, bond.body2, k)


@wp.kernel
def _resist_bonds(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, site: Site, eq: Equality, kin: Kinematics, com: Com, efc: Efc, status: Status,
    linear: Linear, nworld: int,
):  # fmt: skip
    """Add all connects and welds to H; each lane has columns of its own."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        r = wp.int32(0)
        last = wp.min(status.ne[w], efc.type.shape[1])
        while r < last:
            number = rows_of(eq, efc, w, r)
            if number > 1:
                bond = bond_of(opt, tree, body, site, eq, kin, com, efc, w, r)
                for k in range(lane, size.nv, lanes()):
                    if moves(dof, k, bond.last1) or moves(dof, k, bond.last2):
                        _bond_column(tree, dof, com, linear, bond, w, k)
            r += number
        sync()


through_worlds(_resist_bonds)


def resistance(m: Any, d: Any, work: Workspace) -> None:
    """Begin H with what bodies, contacts, connects and welds resist accelerations with, and Gq, Gv and Xq with zeros.

    Reads   m; d.kin, d.com, d.contact, d.efc, work.linear
    Writes  work.linear.H (its lower triangle), Gq, Gv, Xq, blind, pair; work.motion.V, A, L, X and those of dofs
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.geom, m.hull, m.hfield, d.kin, d.com, d.contact, d.efc, d.status]
    launch(_resist_contacts, d, [*groups, work.linear, work.motion])
    if m.size.neq > 0:
        groups = [m.size, m.opt, m.tree, m.body, m.dof, m.site, m.eq, d.kin, d.com, d.efc, d.status]
        launch(_resist_bonds, d, [*groups, work.linear])
