"""Gradients by masses, inertias, gravity and frames of bodies, gathered from bodies, contacts and bonds.

A frame of a body that moves carries its subtree along like a rigid body, as a dof at its place would. Motions of the subtree turn along but for what they share with
the parent: a motion F of a body becomes ``F + s x (F - F of the parent)``, its acceleration also ``(V of the parent x s) x (V - V of the parent)``. So a
body needs sums over its subtree alone: of derivatives by each motion, and of those by a displacement that turns everything (Carpentier and Mansard 2018).
"""

import warp as wp

from newtonish.common.enums import DisableBit, JointType
from newtonish.kernels.derivative.algebra import (
    at_point,
    bottom,
    real,
    top,
    wide,
    wide_matrix,
)
from newtonish.kernels.derivative.cotangent import Cotangent, FieldBars
from newtonish.kernels.derivative.field_joints import Motions, displacement_bar
from newtonish.kernels.derivative.loads import load_of
from newtonish.kernels.derivative.quaternions import quaternion_bar
from newtonish.kernels.derivative.row_bars import narrow3
from newtonish.kernels.derivative.workspace import LinearMotion
from newtonish.kernels.math.quat import quat_mul
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Com, Kinematics, State
from newtonish.kernels.structs.model import Body, Joint, Option, Size


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
        base = Motions()
        base.lam = cotangent.lam[w, p]
        base.mu = cotangent.mu[w, p]
        base.V = motion.V[w, p]
        base.A = motion.A[w, p]
        base.L = motion.L[w, p]
        base.X = motion.X[w, p]
        by = displacement_bar(cotangent, base, w, b)
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
