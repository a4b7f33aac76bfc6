"""Adjoints of position and velocity through bodies, contacts, connects, welds, tendons and actuators, in one sweep over the tree and without their columns.

A dof that moves displaces its subtree: with the derivatives of the cost by motions and places of bodies, summed over subtrees (``body_bars.py``), its adjoint is
a few products of what ``motion.py`` has for it. Bodies and contacts are visited once, whatever the number of dofs (Featherstone, Rigid Body Dynamics Algorithms, 2008,
gone through backwards; Carpentier and Mansard 2018).
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import IntegratorType, JointType
from newtonish.kernels.derivative.algebra import carried, real, vec6d, wide6
from newtonish.kernels.derivative.body_bars import add_contact, add_ends, add_load, adjoint_motions, inertial_bars, sum_subtrees
from newtonish.kernels.derivative.contact_bars import contact_bar
from newtonish.kernels.derivative.cotangent import Cotangent
from newtonish.kernels.derivative.field_bonds import clear_ends, end_bars
from newtonish.kernels.derivative.pull_bars import pull_bars
from newtonish.kernels.derivative.touch import pushes, touch_of
from newtonish.kernels.derivative.witnesses import contact_count
from newtonish.kernels.derivative.workspace import Linear, LinearMotion, Workspace
from newtonish.kernels.history.stage import springs
from newtonish.kernels.math.world import lane_index, lanes, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, State, Status
from newtonish.kernels.structs.model import Body, Equality, Geom, Joint, Option, Site, Size, Tree


def is_swept(m: Any, work: Workspace) -> bool:
    """Whether the adjoint of a model's step takes no columns of bodies and contacts: none of its matrices is made of them."""
    return not (work.needs.spins or work.needs.medium or m.opt.integrator == IntegratorType.DISCRETE)


@wp.kernel
def _gather(
    size: Size, opt: Option, tree: Tree, body: Body, geom: Geom, state: State, kin: Kinematics, com: Com, contact: Contact, efc: Efc, status: Status,
    linear: Linear, motion: LinearMotion, cotangent: Cotangent, nworld: int,
):  # fmt: skip
    """Derivatives of the cost by each body alone: of its inertia, of forces on it and of its contacts."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        adjoint_motions(size, tree, com, linear, cotangent, w, lane)
        for b in range(lane, size.nbody, lanes()):
            inertial_bars(com, motion, cotangent, w, b)
            add_load(opt, body, state, kin, com, cotangent, w, b)
        sync()
        count = wp.where(lane == 0, contact_count(motion, status, w), 0)
        for c in range(count):
            if contact.efc_address[w, c] >= 0:
                found = motion.witness[w, c]
                touch = touch_of(opt, tree, body, geom, com, contact, efc, motion, found, w, c)
                if pushes(touch):
                    bar = contact_bar(geom, kin, motion, cotangent, touch, found, False, w)
                    arm1 = found.pos - touch.center1
                    arm2 = found.pos - touch.center2
                    add_contact(motion, cotangent, bar.push, bar.push_L, bar.push_V, bar.place1, arm1, real(-1.0), w, touch.body1)
                    add_contact(motion, cotangent, bar.push, bar.push_L, bar.push_V, bar.place2, arm2, real(1.0), w, touch.body2)


through_worlds(_gather)


@wp.kernel
def _gather_bonds(
    size: Size, opt: Option, tree: Tree, body: Body, site: Site, eq: Equality, kin: Kinematics, com: Com, efc: Efc, status: Status,
    motion: LinearMotion, cotangent: Cotangent, nworld: int,
):  # fmt: skip
    """Add connects and welds."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        clear_ends(size, cotangent, w, lane)
        sync()
        end_bars(size, opt, tree, body, site, eq, kin, com, efc, status, motion, cotangent, w, lane)
        sync()
        for b in range(lane, size.nbody, lanes()):
            add_ends(size, site, eq, motion, cotangent, w, b)


through_worlds(_gather_bonds)


@wp.func
def _dof_adjoint(com: Com, linear: Linear, motion: LinearMotion, cotangent: Cotangent, lam: vec6d, mu: vec6d, w: int, b: int, k: int):
    """Add the adjoint of position and velocity of dof ``k`` of body ``b``; ``lam`` and ``mu``: what it does not turn."""
    axis = wide6(com.cdof[w, k])
    by_V = cotangent.bar_V[w, b] + cotangent.bar_VA[w, b]
    by_A = cotangent.bar_A[w, b]
    by_position = wp.dot(axis, cotangent.turned[w, b]) + wp.dot(motion.u[w, k], by_V) + wp.dot(motion.c[w, k], by_A)
    by_position += wp.dot(carried(lam, axis), cotangent.bar_lam[w, b]) + wp.dot(carried(mu, axis), cotangent.bar_mu[w, b])
    by_position += wp.dot(carried(motion.base_L[w, k], axis), cotangent.bar_L[w, b]) + wp.dot(motion.cx[w, k], cotangent.bar_X[w, b])
    linear.bar_q[w, k, 0] = linear.bar_q[w, k, 0] + by_position
    linear.bar_v[w, k, 0] = linear.bar_v[w, k, 0] + wp.dot(axis, by_V) + wp.dot(motion.e[w, k], by_A)


@wp.func
def _body_adjoint(body: Body, jnt: Joint, com: Com, linear: Linear, motion: LinearMotion, cotangent: Cotangent, w: int, b: int):
    """Add the adjoints of all dofs of body ``b``."""
    parent = body.parentid[b]
    lam = cotangent.lam[w, parent]
    mu = cotangent.mu[w, parent]
    adr = body.jntadr[b]
    for j in range(adr, adr + body.jntnum[b]):
        kind = jnt.type[j]
        first = jnt.dofadr[j]
        if kind == JointType.FREE:
            for k in range(first, first + 3):
                _dof_adjoint(com, linear, motion, cotangent, lam, mu, w, b, k)
                lam += wide6(com.cdof[w, k]) * linear.another[w, k, 0]
                mu += wide6(com.cdof[w, k]) * linear.one[w, k, 0]
            first += 3
        number = wp.where(kind == JointType.FREE or kind == JointType.BALL, 3, 1)
        for k in range(first, first + number):
            _dof_adjoint(com, linear, motion, cotangent, lam, mu, w, b, k)
        for k in range(first, first + number):
            lam += wide6(com.cdof[w, k]) * linear.another[w, k, 0]
            mu += wide6(com.cdof[w, k]) * linear.one[w, k, 0]


@wp.kernel
def _hand_to_dofs(
    size: Size, tree: Tree, body: Body, jnt: Joint, com: Com, linear: Linear, motion: LinearMotion, cotangent: Cotangent, nworld: int,
):  # fmt: skip
    """Sum over subtrees, and add what comes of it to the adjoints of dofs."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        sum_subtrees(size, tree, cotangent, w, lane)
        for b in range(lane, size.nbody, lanes()):
            if b > 0:
                _body_adjoint(body, jnt, com, linear, motion, cotangent, w, b)


through_worlds(_hand_to_dofs)


def sweep(m: Any, d: Any, work: Workspace) -> None:
    """Add to the adjoints of position and velocity what bodies, contacts, connects, welds, tendons and actuators do.

    Reads   m; d.state, d.kin, d.com, d.contact, d.efc, work (``another`` and ``one`` of work.linear among it)
    Writes  work.linear.bar_q, bar_v; work.cotangent
    """
    groups = [m.size, m.opt, m.tree, m.body, m.geom, d.state, d.kin, d.com, d.contact, d.efc, d.status]
    launch(_gather, d, [*groups, work.linear, work.motion, work.cotangent])
    if m.size.neq > 0:
        groups = [m.size, m.opt, m.tree, m.body, m.site, m.eq, d.kin, d.com, d.efc, d.status]
        launch(_gather_bonds, d, [*groups, work.motion, work.cotangent])
    if m.size.ntendon > 0 or m.size.nactuator > 0:
        pull_bars(m, d, springs(m, d)[1], work)
    launch(_hand_to_dofs, d, [m.size, m.tree, m.body, m.jnt, d.com, work.linear, work.motion, work.cotangent])
