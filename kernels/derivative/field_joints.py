"""Gradients by anchors and axes of joints, from the sums over subtrees of ``field_bodies.py``.

Both displace all that comes after the joint like a rigid body, relative to the motion that the joint leaves, and change the axes of the joint itself, with which
motions after it change as with its velocity and acceleration.
"""

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.derivative.algebra import carried, carried_force, real, top, turned_by, vec6d, wide, wide6, wide_matrix
from newtonish.kernels.derivative.cotangent import Cotangent, FieldBars
from newtonish.kernels.derivative.row_bars import narrow3
from newtonish.kernels.derivative.workspace import Linear, LinearMotion
from newtonish.kernels.math.quat import quat_from_axis_angle, quat_mul, quat_normalize, quat_to_mat
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Com, Kinematics, Solve, State
from newtonish.kernels.structs.model import Body, Joint, Size


@wp.struct
class Motions:
    """Motions of what a joint carries, or of what carries it."""

    lam: vec6d
    mu: vec6d
    V: vec6d
    A: vec6d
    L: vec6d
    X: vec6d


@wp.func
def _dofs_of(jnt: Joint, j: int) -> int:
    """Dofs of a joint that is not free."""
    return wp.where(jnt.type[j] == JointType.BALL, 3, 1)


@wp.func
def _after(jnt: Joint, state: State, com: Com, sol: Solve, linear: Linear, before: Motions, w: int, j: int) -> Motions:
    """``before`` with what joint ``j`` adds."""
    found = before
    first = jnt.dofadr[j]
    for k in range(first, first + _dofs_of(jnt, j)):
        axis = wide6(com.cdof[w, k])
        speed = real(state.qvel[w, k])
        rate = real(sol.qacc[w, k])
        found.lam = found.lam + axis * linear.another[w, k, 0]
        found.mu = found.mu + axis * linear.one[w, k, 0]
        found.V = found.V + axis * speed
        found.A = found.A + axis * rate + carried(before.V, axis) * speed
        found.L = found.L + axis * rate
        found.X = found.X + axis * (rate - linear.acc[w, k])
    return found


@wp.func
def _turned(jnt: Joint, state: State, quat: wp.vec4, w: int, j: int) -> wp.vec4:
    """Orientation after joint ``j``, before which it was ``quat``."""
    result = quat
    q = jnt.qposadr[j]
    if jnt.type[j] == JointType.BALL:
        result = quat_mul(quat, quat_normalize(wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3])))
    elif jnt.type[j] == JointType.HINGE:
        moved = state.qpos[w, q] - jnt.qpos0[per_world(jnt.qpos0.shape[0], w), q]
        result = quat_mul(quat, quat_from_axis_angle(jnt.axis[per_world(jnt.axis.shape[0], w), j], moved))
    return result


@wp.func
def displacement_bar(cotangent: Cotangent, base: Motions, w: int, b: int) -> vec6d:
    """Gradient by a displacement of the subtree of body ``b`` relative to what moves with ``base``."""
    by = cotangent.turned[w, b] - carried_force(base.lam, cotangent.bar_lam[w, b]) - carried_force(base.mu, cotangent.bar_mu[w, b])
    by -= carried_force(base.L, cotangent.bar_L[w, b]) + carried_force(base.X, cotangent.bar_X[w, b])
    by -= carried_force(base.V, cotangent.bar_V[w, b]) + carried_force(base.A, cotangent.bar_A[w, b])
    return by - carried_force(base.V, cotangent.bar_VA[w, b] - carried_force(base.V, cotangent.bar_A[w, b]))


@wp.func
def _axis_bar(
    jnt: Joint, state: State, sol: Solve, linear: Linear, cotangent: Cotangent, before: Motions, after: Motions, w: int, b: int, k: int,
) -> vec6d:  # fmt: skip
    """Gradient by the spatial axis of dof ``k`` of body ``b``."""
    speed = real(state.qvel[w, k])
    rate = real(sol.qacc[w, k])
    by_A = cotangent.bar_A[w, b]
    by_speed = cotangent.bar_V[w, b] + cotangent.bar_VA[w, b] - carried_force(after.V, by_A) - carried_force(before.V, by_A)
    by = linear.another[w, k, 0] * cotangent.bar_lam[w, b] + linear.one[w, k, 0] * cotangent.bar_mu[w, b]
    by += rate * (cotangent.bar_L[w, b] + by_A) + (rate - linear.acc[w, k]) * cotangent.bar_X[w, b]
    return by + speed * by_speed


@wp.func
def _joint_bars(
    jnt: Joint, state: State, kin: Kinematics, com: Com, sol: Solve, linear: Linear, cotangent: Cotangent, bars: FieldBars, before: Motions,
    after: Motions, first: wp.mat33d, second: wp.mat33d, center: wp.vec3d, w: int, b: int, j: int,
):  # fmt: skip
    """Anchor and axis of joint ``j``, before which its body is turned by ``first`` and after which by ``second``."""
    kind = jnt.type[j]
    moved = displacement_bar(cotangent, after, w, b)
    v = jnt.dofadr[j]
    arm = wide(kin.xanchor[w, j]) - center
    by_pos = wp.vec3d()
    by_axis = wp.vec3d()
    if kind != JointType.SLIDE:
        by_place = wp.vec3d()
        for k in range(v, v + _dofs_of(jnt, j)):
            by = _axis_bar(jnt, state, sol, linear, cotangent, before, after, w, b, k)
            push = wp.vec3d(by[3], by[4], by[5])
            by_place += wp.cross(top(wide6(com.cdof[w, k])), push)
        push = wp.vec3d(moved[3], moved[4], moved[5])
        by_pos = wp.transpose(first) * (push + by_place) - wp.transpose(second) * push
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        by = _axis_bar(jnt, state, sol, linear, cotangent, before, after, w, b, v)
        axis = wide(jnt.axis[per_world(jnt.axis.shape[0], w), j])
        away = real(state.qpos[w, jnt.qposadr[j]] - jnt.qpos0[per_world(jnt.qpos0.shape[0], w), jnt.qposadr[j]])
        push = wp.vec3d(by[3], by[4], by[5])
        along = wp.vec3d(moved[3], moved[4], moved[5])
        if kind == JointType.SLIDE:
            by_axis = wp.transpose(first) * (push + away * along)
        else:
            by_axis = wp.transpose(first) * (top(by) - wp.cross(arm, push))
            torque = wp.transpose(second) * (top(moved) - wp.cross(arm, along))
            by_axis += away * turned_by(-away * axis, torque)  # the transpose of what a change of the rotation vector turns
        by_axis -= wp.dot(by_axis, axis) * axis
    bars.jnt_pos[w, j] = bars.jnt_pos[w, j] + narrow3(by_pos)
    bars.jnt_axis[w, j] = bars.jnt_axis[w, j] + narrow3(by_axis)


@wp.func
def joint_field_bars(
    size: Size, body: Body, jnt: Joint, state: State, kin: Kinematics, com: Com, sol: Solve, linear: Linear, motion: LinearMotion,
    cotangent: Cotangent, bars: FieldBars, w: int, lane: int,
):  # fmt: skip
    """Add what anchors and axes do, after ``sum_subtrees``; each lane has bodies of its own."""
    for b in range(1 + lane, size.nbody, lanes()):
        begin = body.jntadr[b]
        end = begin + body.jntnum[b]
        if end > begin:
            if jnt.type[begin] != JointType.FREE:
                p = body.parentid[b]
                before = Motions()
                before.lam = cotangent.lam[w, p]
                before.mu = cotangent.mu[w, p]
                before.V = motion.V[w, p]
                before.A = motion.A[w, p]
                before.L = motion.L[w, p]
                before.X = motion.X[w, p]
                quat = quat_mul(kin.xquat[w, p], body.quat[per_world(body.quat.shape[0], w), b])
                center = wide(com.subtree_com[w, body.rootid[b]])
                for j in range(begin, end):
                    after = _after(jnt, state, com, sol, linear, before, w, j)
                    turned = _turned(jnt, state, quat, w, j)
                    first = wide_matrix(quat_to_mat(quat))
                    second = wide_matrix(quat_to_mat(turned))
                    _joint_bars(jnt, state, kin, com, sol, linear, cotangent, bars, before, after, first, second, center, w, b, j)
                    before = after
                    quat = turned
