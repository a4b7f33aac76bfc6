"""Gradients by masses, inertias, gravity and frames of bodies, gathered from bodies, contacts and bonds.

A frame of a body that moves carries its subtree along like a rigid body, as a dof at its place would. Motions of the subtree turn along but for what they share with
the parent: a motion F of a body becomes ``F + s x (F - F of the parent)``, its acceleration also ``(V of the parent x s) x (V - V of the parent)``. So a
body needs sums over its subtree alone: of derivatives by each motion, and of those by a displacement that turns everything (Carpentier and Mansard 2018).
"""

import warp as wp

from newtonish.common.enums import DisableBit, JointType
from newtonish.kernels.constants import CONNECT, WELD
from newtonish.kernels.constraint.equality_bodies import OBJ_SITE
from newtonish.kernels.derivative.algebra import (
    at_point,
    bottom,
    carried,
    carried_force,
    inertia_times,
    join,
    real,
    top,
    vec6d,
    vec10d,
    wide,
    wide6,
    wide_matrix,
)
from newtonish.kernels.derivative.contacts import about
from newtonish.kernels.derivative.cotangent import Cotangent, FieldBars
from newtonish.kernels.derivative.field_contacts import contact_count
from newtonish.kernels.derivative.forces import load_of
from newtonish.kernels.derivative.quaternions import quaternion_bar
from newtonish.kernels.derivative.row_bars import narrow3
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.math.quat import quat_mul
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.structs.data import Com, Contact, Kinematics, State, Status
from newtonish.kernels.structs.model import Body, Equality, Geom, Joint, Option, Site, Size, Tree


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
def _inertial(com: Com, motion: LinearMotion, cotangent: Cotangent, w: int, b: int):
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
def _add_load(opt: Option, body: Body, state: State, kin: Kinematics, com: Com, cotangent: Cotangent, w: int, b: int):
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
def _add_contact(body: Body, com: Com, contact: Contact, motion: LinearMotion, cotangent: Cotangent, place: vec6d, sign: wp.float64, w: int, b: int, c: int):
    """One side of contact ``c``."""
    arm = wide(contact.pos[w, c]) - wide(com.subtree_com[w, body.rootid[b]])
    by_lam = sign * about(cotangent.push[w, c], arm)
    by_L = sign * about(cotangent.push_L[w, c], arm)
    by_V = sign * about(cotangent.push_V[w, c], arm)
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
        _inertial(com, motion, cotangent, w, b)
        _add_load(opt, body, state, kin, com, cotangent, w, b)
        for c in range(contact_count(contact, cotangent, status, w)):
            geoms = contact.geom[w, c]
            if geom.bodyid[geoms[0]] == b:
                _add_contact(body, com, contact, motion, cotangent, cotangent.place1[w, c], real(-1.0), w, b, c)
            if geom.bodyid[geoms[1]] == b:
                _add_contact(body, com, contact, motion, cotangent, cotangent.place2[w, c], real(1.0), w, b, c)
        for at in range(2 * size.neq):
            e = at // 2
            if holds_body(site, eq, e, at - 2 * e, b):
                _add_end(motion, cotangent, w, b, at)
    sync()


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


@wp.func
def _inertia_bars(
    opt: Option, body: Body, state: State, kin: Kinematics, com: Com, motion: LinearMotion, cotangent: Cotangent, bars: FieldBars, w: int, b: int
):
    """Mass, inertia, compensated weight and the inertial frame of body ``b``, from its motions at its centre of mass."""
    arm = wide(kin.xipos[w, b]) - wide(com.subtree_com[w, body.rootid[b]])
    mass = real(body.mass[per_world(body.mass.shape[0], w), b])
    moments = wide(body.inertia[per_world(body.inertia.shape[0], w), b])
    share = real(body.gravcomp[per_world(body.gravcomp.shape[0], w), b])
    gravity = wide(opt.gravity[per_world(opt.gravity.shape[0], w)])
    lam = cotangent.lam[w, b]
    mu = cotangent.mu[w, b]
    omega = top(motion.V[w, b])
    alpha = top(motion.A[w, b])
    lost = top(motion.X[w, b])
    push = at_point(motion.A[w, b], arm) + wp.cross(omega, at_point(motion.V[w, b], arm))
    lost_push = at_point(motion.X[w, b], arm)
    moved = at_point(lam, arm)
    passive = (opt.disableflags & (DisableBit.SPRING | DisableBit.DAMPER)) != (DisableBit.SPRING | DisableBit.DAMPER)
    lifted = real(0.0)
    if (opt.disableflags & DisableBit.GRAVITY) == 0 and passive:
        lifted = -wp.dot(moved, gravity)
    by_mass = wp.dot(at_point(mu, arm), lost_push) - wp.dot(moved, push) + share * lifted
    bars.body_mass[w, b] = bars.body_mass[w, b] + float(by_mass)
    bars.body_gravcomp[w, b] = bars.body_gravcomp[w, b] + float(mass * lifted)
    # along the principal axes
    axes = wp.transpose(wide_matrix(kin.ximat[w, b]))
    l = axes * top(lam)
    m = axes * top(mu)
    o = axes * omega
    a = axes * alpha
    x = axes * lost
    by_inertia = wp.cw_mul(m, x) - wp.cw_mul(l, a) - wp.cw_mul(wp.cross(l, o), o)
    bars.body_inertia[w, b] = bars.body_inertia[w, b] + narrow3(by_inertia)
    spin = wp.cw_mul(moments, o)
    by_l = -wp.cw_mul(moments, a) - wp.cross(o, spin)
    by_o = -wp.cross(spin, l) - wp.cw_mul(moments, wp.cross(l, o))
    turn = wp.cross(by_l, l) - wp.cross(a, -wp.cw_mul(moments, l)) + wp.cross(by_o, o)
    turn -= wp.cross(m, wp.cw_mul(moments, x)) + wp.cross(x, wp.cw_mul(moments, m))
    iquat = body.iquat[per_world(body.iquat.shape[0], w), b]
    bars.body_iquat[w, b] = bars.body_iquat[w, b] + quaternion_bar(iquat, turn)
    # a shift of the centre of mass changes the motion there
    load = load_of(opt, body, state, kin, w, b)
    force = wp.vec3d(load[0], load[1], load[2]) - mass * push
    shift = wp.cross(force, top(lam)) - mass * (wp.cross(moved, alpha) + wp.cross(wp.cross(moved, omega), omega))
    shift += mass * (wp.cross(lost_push, top(mu)) + wp.cross(at_point(mu, arm), lost))
    bars.body_ipos[w, b] = bars.body_ipos[w, b] + narrow3(wp.transpose(wide_matrix(kin.xmat[w, b])) * shift)


@wp.func
def _frame_bars(
    body: Body, jnt: Joint, kin: Kinematics, com: Com, motion: LinearMotion, cotangent: Cotangent, bars: FieldBars, w: int, b: int,
):  # fmt: skip
    """Place of body ``b`` in its parent; free and mocap bodies have theirs elsewhere."""
    own = body.mocapid[b] < 0
    if body.jntnum[b] > 0:
        own = own and jnt.type[body.jntadr[b]] != JointType.FREE
    if own:
        p = body.parentid[b]
        V = motion.V[w, p]
        by = cotangent.turned[w, b] - carried_force(cotangent.lam[w, p], cotangent.bar_lam[w, b])
        by -= carried_force(cotangent.mu[w, p], cotangent.bar_mu[w, b]) + carried_force(V, cotangent.bar_V[w, b])
        by -= carried_force(motion.L[w, p], cotangent.bar_L[w, b]) + carried_force(motion.X[w, p], cotangent.bar_X[w, b])
        by -= carried_force(motion.A[w, p], cotangent.bar_A[w, b])
        by -= carried_force(V, cotangent.bar_VA[w, b] - carried_force(V, cotangent.bar_A[w, b]))
        pos = body.pos[per_world(body.pos.shape[0], w), b]
        quat = body.quat[per_world(body.quat.shape[0], w), b]
        origin = wide(kin.xpos[w, p]) + wide_matrix(kin.xmat[w, p]) * wide(pos)
        arm = origin - wide(com.subtree_com[w, body.rootid[b]])
        bars.body_pos[w, b] = bars.body_pos[w, b] + narrow3(wp.transpose(wide_matrix(kin.xmat[w, p])) * bottom(by))
        torque = top(by) - wp.cross(arm, bottom(by))
        q = quat_mul(kin.xquat[w, p], quat)
        turn = wp.quat_rotate_inv(wp.normalize(wp.quatd(real(q[1]), real(q[2]), real(q[3]), real(q[0]))), torque)
        bars.body_quat[w, b] = bars.body_quat[w, b] + quaternion_bar(quat, turn)


@wp.func
def body_field_bars(
    size: Size, opt: Option, body: Body, jnt: Joint, state: State, kin: Kinematics, com: Com, motion: LinearMotion, cotangent: Cotangent, bars: FieldBars,
    w: int, lane: int,
):  # fmt: skip
    """Add what bodies and gravity do, after ``sum_subtrees``; each lane has bodies of its own."""
    for b in range(lane, size.nbody, lanes()):
        if b > 0:
            _inertia_bars(opt, body, state, kin, com, motion, cotangent, bars, w, b)
            _frame_bars(body, jnt, kin, com, motion, cotangent, bars, w, b)
    if lane == 0 and (opt.disableflags & DisableBit.GRAVITY) == 0:
        passive = (opt.disableflags & (DisableBit.SPRING | DisableBit.DAMPER)) != (DisableBit.SPRING | DisableBit.DAMPER)
        total = wp.vec3d()
        for b in range(1, size.nbody):
            arm = wide(kin.xipos[w, b]) - wide(com.subtree_com[w, body.rootid[b]])
            mass = real(body.mass[per_world(body.mass.shape[0], w), b])
            if passive:
                mass = mass * (real(1.0) - real(body.gravcomp[per_world(body.gravcomp.shape[0], w), b]))
            total += mass * at_point(cotangent.lam[w, b], arm)
        bars.gravity[w] = bars.gravity[w] + narrow3(total)
