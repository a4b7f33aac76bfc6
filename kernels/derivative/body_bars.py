"""Derivatives of the cost by motions and places of bodies, each body's own and summed over subtrees.

After the adjoint's solves the cost is ``-lam r + mu (M x - (K - M) acc)`` (``cotangent.py``): a sum over bodies, contacts and bonds, each of which knows it by the
motions of its bodies and by where they are. What moves a body moves its subtree along, so that sums over subtrees serve dofs and frames alike.
"""

import warp as wp

from newtonish.kernels.constants import CONNECT, WELD
from newtonish.kernels.constraint.equality_bodies import OBJ_SITE
from newtonish.kernels.derivative.algebra import at_point, carried, carried_force, inertia_times, join, real, top, vec6d, vec10d, wide, wide6
from newtonish.kernels.derivative.cotangent import Cotangent
from newtonish.kernels.derivative.field_contacts import contact_count
from newtonish.kernels.derivative.loads import load_of
from newtonish.kernels.derivative.touch import about
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.math.world import assume_nonnegative, lanes, sync
from newtonish.kernels.structs.data import Com, Contact, Kinematics, State, Status
from newtonish.kernels.structs.model import Body, Equality, Geom, Option, Site, Size, Tree


@wp.func
def adjoint_motions(size: Size, tree: Tree, com: Com, linear: Linear, cotangent: Cotangent, w: int, lane: int):
    """Motions of bodies that both adjoints are; returns with a barrier."""
    for b in range(lane, size.nbody, lanes()):
        lam = vec6d()
        mu = vec6d()
        for at in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
            j = tree.chain_dofid[at]
            axis = wide6(com.cdof[w, j])
            lam += axis * linear.another[w, j, 0]
            mu += axis * linear.one[w, j, 0]
        cotangent.lam[w, b] = lam
        cotangent.mu[w, b] = mu
    sync()


@wp.func
def inertial_bars(com: Com, motion: LinearMotion, cotangent: Cotangent, w: int, b: int):
    """Begin the sums of body ``b`` with its own inertia, which turns along with its motions without a change."""
    inertia = vec10d()
    for k in range(10):
        inertia[k] = real(com.cinert[w, b][k])
    V = motion.V[w, b]
    A = motion.A[w, b]
    lam = cotangent.lam[w, b]
    momentum = inertia_times(inertia, V)
    by_A = -inertia_times(inertia, lam)
    cotangent.bar_lam[w, b] = -inertia_times(inertia, A) - carried_force(V, momentum)
    cotangent.bar_A[w, b] = by_A
    cotangent.bar_V[w, b] = carried_force(lam, momentum) + inertia_times(inertia, carried(V, lam))
    cotangent.bar_mu[w, b] = inertia_times(inertia, motion.X[w, b])
    cotangent.bar_X[w, b] = inertia_times(inertia, cotangent.mu[w, b])
    cotangent.bar_L[w, b] = vec6d()
    cotangent.bar_VA[w, b] = carried_force(V, by_A)
    cotangent.turned[w, b] = vec6d()


@wp.func
def add_load(opt: Option, body: Body, state: State, kin: Kinematics, com: Com, cotangent: Cotangent, w: int, b: int):
    """Force and torque at the centre of mass that keep their direction."""
    load = load_of(opt, body, state, kin, w, b)
    if wp.dot(load, load) != real(0.0):
        force = wp.vec3d(load[0], load[1], load[2])
        torque = wp.vec3d(load[3], load[4], load[5])
        arm = wide(kin.xipos[w, b]) - wide(com.subtree_com[w, body.rootid[b]])
        lam = cotangent.lam[w, b]
        cotangent.bar_lam[w, b] = cotangent.bar_lam[w, b] + about(join(force, torque), arm)
        against = wp.cross(at_point(lam, arm), force) + wp.cross(top(lam), torque)
        cotangent.turned[w, b] = cotangent.turned[w, b] + join(against, wp.vec3d())


@wp.func
def add_contact(
    motion: LinearMotion, cotangent: Cotangent, push: vec6d, push_L: vec6d, push_V: vec6d, place: vec6d, arm: wp.vec3d, sign: wp.float64, w: int, b: int,
):  # fmt: skip
    """One side of a contact, at ``arm`` from the centre of mass of the tree of body ``b``."""
    by_lam = sign * about(push, arm)
    by_L = sign * about(push_L, arm)
    by_V = sign * about(push_V, arm)
    cotangent.bar_lam[w, b] = cotangent.bar_lam[w, b] + by_lam
    cotangent.bar_L[w, b] = cotangent.bar_L[w, b] + by_L
    cotangent.bar_V[w, b] = cotangent.bar_V[w, b] + by_V
    along = carried_force(cotangent.lam[w, b], by_lam) + carried_force(motion.L[w, b], by_L) + carried_force(motion.V[w, b], by_V)
    cotangent.turned[w, b] = cotangent.turned[w, b] + place + along


@wp.func
def _add_end(motion: LinearMotion, cotangent: Cotangent, w: int, b: int, at: int):
    """One end of a bond."""
    by_lam = cotangent.end_lam[w, at]
    by_V = cotangent.end_V[w, at]
    by_A = cotangent.end_A[w, at]
    V = motion.V[w, b]
    cotangent.bar_lam[w, b] = cotangent.bar_lam[w, b] + by_lam
    cotangent.bar_V[w, b] = cotangent.bar_V[w, b] + by_V
    cotangent.bar_A[w, b] = cotangent.bar_A[w, b] + by_A
    cotangent.bar_VA[w, b] = cotangent.bar_VA[w, b] + carried_force(V, by_A)
    along = carried_force(cotangent.lam[w, b], by_lam) + carried_force(V, by_V) + carried_force(motion.A[w, b], by_A)
    cotangent.turned[w, b] = cotangent.turned[w, b] + cotangent.end[w, at] + along


@wp.func
def own_sums(
    size: Size, opt: Option, body: Body, geom: Geom, site: Site, eq: Equality, state: State, kin: Kinematics, com: Com, contact: Contact,
    status: Status, motion: LinearMotion, cotangent: Cotangent, w: int, lane: int,
):  # fmt: skip
    """Begin the sums of all bodies with what acts on each alone; ends with a barrier."""
    for b in range(lane, size.nbody, lanes()):
        inertial_bars(com, motion, cotangent, w, b)
        add_load(opt, body, state, kin, com, cotangent, w, b)
        for c in range(contact_count(contact, cotangent, status, w)):
            geoms = contact.geom[w, c]
            arm = wide(contact.pos[w, c]) - wide(com.subtree_com[w, body.rootid[b]])
            push = cotangent.push[w, c]
            push_L = cotangent.push_L[w, c]
            push_V = cotangent.push_V[w, c]
            if geom.bodyid[geoms[0]] == b:
                add_contact(motion, cotangent, push, push_L, push_V, cotangent.place1[w, c], arm, real(-1.0), w, b)
            if geom.bodyid[geoms[1]] == b:
                add_contact(motion, cotangent, push, push_L, push_V, cotangent.place2[w, c], arm, real(1.0), w, b)
        add_ends(size, site, eq, motion, cotangent, w, b)
    sync()


@wp.func
def add_ends(size: Size, site: Site, eq: Equality, motion: LinearMotion, cotangent: Cotangent, w: int, b: int):
    """All ends of connects and welds on body ``b``."""
    for at in range(2 * size.neq):
        e = at // 2
        if holds_body(site, eq, e, at - 2 * e, b):
            _add_end(motion, cotangent, w, b, at)


@wp.func
def holds_body(site: Site, eq: Equality, e: int, side: int, b: int) -> bool:
    """Whether an end of equality ``e``, a connect or weld, is on body ``b``."""
    held = wp.bool(False)
    if eq.type[e] == CONNECT or eq.type[e] == WELD:
        i = wp.where(side == 0, eq.obj1id[e], eq.obj2id[e])
        if eq.objtype[e] == OBJ_SITE:
            i = site.bodyid[i]
        held = i == b
    return held


@wp.func
def sum_subtrees(size: Size, tree: Tree, cotangent: Cotangent, w: int, lane: int):
    """Add up over subtrees, from the leaves on; ends with a barrier."""
    for back in range(1, size.nlevel - 1):
        level = size.nlevel - 1 - back
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            b = assume_nonnegative(tree.level_bodyid[k])
            for at in range(assume_nonnegative(tree.child_adr[b]), tree.child_adr[b + 1]):
                c = assume_nonnegative(tree.child_bodyid[at])
                cotangent.bar_lam[w, b] = cotangent.bar_lam[w, b] + cotangent.bar_lam[w, c]
                cotangent.bar_mu[w, b] = cotangent.bar_mu[w, b] + cotangent.bar_mu[w, c]
                cotangent.bar_V[w, b] = cotangent.bar_V[w, b] + cotangent.bar_V[w, c]
                cotangent.bar_A[w, b] = cotangent.bar_A[w, b] + cotangent.bar_A[w, c]
                cotangent.bar_L[w, b] = cotangent.bar_L[w, b] + cotangent.bar_L[w, c]
                cotangent.bar_X[w, b] = cotangent.bar_X[w, b] + cotangent.bar_X[w, c]
                cotangent.bar_VA[w, b] = cotangent.bar_VA[w, b] + cotangent.bar_VA[w, c]
                cotangent.turned[w, b] = cotangent.turned[w, b] + cotangent.turned[w, c]
        sync()
