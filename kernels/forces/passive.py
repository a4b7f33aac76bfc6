"""Passive forces: springs and dampers of joints, gravity compensation, and their sum with those of the medium.

Springs and dampers may have quadratic and cubic terms: force = -x (k + k1 x + k2 x^2) and -v (b + b1 |v| + b2 v^2).
A ball joint's spring acts along the rotation from its rest orientation, a free joint's on position and orientation
alike. Method: MuJoCo documentation, chapters Computation (passive forces) and XML reference (stiffness, damping).
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, JointType
from newtonish.kernels.constraint.stage import adhesion_force
from newtonish.kernels.forces.tendon import tendon_passive_world
from newtonish.kernels.forces.wrench import accumulate_wrench_world, wrench_at, wrench_on_dof
from newtonish.kernels.history.stage import springs
from newtonish.kernels.math.polynomial import poly_coefficient
from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_normalize, quat_to_rotation_vector
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sum_lanes_int, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.runtime.stage import call, has_passive_callback
from newtonish.kernels.structs.data import Com, Force, Kinematics, Scratch, State, TendonState
from newtonish.kernels.structs.model import Body, Dof, Joint, Option, Size, Tendon, Tree


@wp.func
def _spring_on_position(jnt: Joint, state: State, stiffness: float, poly: wp.vec2, w: int, q: int) -> wp.vec3:
    """Force of the translational spring of a free joint whose coordinates begin at ``q``."""
    rest_w = per_world(jnt.qpos_spring.shape[0], w)
    away = wp.vec3(
        state.qpos[w, q] - jnt.qpos_spring[rest_w, q],
        state.qpos[w, q + 1] - jnt.qpos_spring[rest_w, q + 1],
        state.qpos[w, q + 2] - jnt.qpos_spring[rest_w, q + 2],
    )
    return -poly_coefficient(stiffness, poly, wp.length(away)) * away


@wp.func
def _spring_on_rotation(jnt: Joint, state: State, stiffness: float, poly: wp.vec2, w: int, q: int) -> wp.vec3:
    """Torque of a rotational spring, in the moving frame, for the quaternion that begins at ``q``."""
    rest_w = per_world(jnt.qpos_spring.shape[0], w)
    quat = wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3])
    rest = wp.vec4(
        jnt.qpos_spring[rest_w, q],
        jnt.qpos_spring[rest_w, q + 1],
        jnt.qpos_spring[rest_w, q + 2],
        jnt.qpos_spring[rest_w, q + 3],
    )
    away = quat_to_rotation_vector(quat_mul(quat_conj(rest), quat_normalize(quat)))
    return -poly_coefficient(stiffness, poly, wp.length(away)) * away


@wp.func
def _store(target: wp.array2d(dtype=float), w: int, adr: int, x: wp.vec3):
    target[w, adr] = x[0]
    target[w, adr + 1] = x[1]
    target[w, adr + 2] = x[2]


@wp.func
def _joint_spring(jnt: Joint, state: State, frc: Force, enabled: bool, w: int, j: int):
    """Spring force of joint ``j``; zero if springs are disabled or the joint has none."""
    kind = jnt.type[j]
    q = assume_nonnegative(jnt.qposadr[j])
    adr = assume_nonnegative(jnt.dofadr[j])
    stiffness = jnt.stiffness[per_world(jnt.stiffness.shape[0], w), j]
    poly = jnt.stiffnesspoly[per_world(jnt.stiffnesspoly.shape[0], w), j]
    active = enabled and (stiffness != 0.0 or poly[0] != 0.0 or poly[1] != 0.0)
    if kind == JointType.SLIDE or kind == JointType.HINGE:
        force = wp.float32(0.0)
        if active:
            away = state.qpos[w, q] - jnt.qpos_spring[per_world(jnt.qpos_spring.shape[0], w), q]
            force = -away * poly_coefficient(stiffness, poly, away)
        frc.qfrc_spring[w, adr] = force
    else:
        if kind == JointType.FREE:
            linear = wp.vec3()
            if active:
                linear = _spring_on_position(jnt, state, stiffness, poly, w, q)
            _store(frc.qfrc_spring, w, adr, linear)
            adr = adr + 3
            q = q + 3
        angular = wp.vec3()
        if active:
            angular = _spring_on_rotation(jnt, state, stiffness, poly, w, q)
        _store(frc.qfrc_spring, w, adr, angular)


@wp.func
def _gravcomp_world(
    size: Size, opt: Option, tree: Tree, body: Body, dof: Dof, kin: Kinematics, com: Com, frc: Force,
    scratch: Scratch, enabled: bool, w: int, lane: int,
):  # fmt: skip
    """Generalized force that carries the compensated share of each body's weight."""
    active = wp.int32(0)
    share_w = per_world(body.gravcomp.shape[0], w)
    if enabled:
        for i in range(lane, size.nbody, lanes()):
            if body.gravcomp[share_w, i] != 0.0:
                active = 1
    if sum_lanes_int(active) > 0:
        gravity = opt.gravity[per_world(opt.gravity.shape[0], w)]
        mass_w = per_world(body.mass.shape[0], w)
        for i in range(lane, size.nbody, lanes()):
            force = -body.gravcomp[share_w, i] * body.mass[mass_w, i] * gravity
            offset = kin.xipos[w, i] - com.subtree_com[w, body.rootid[i]]
            scratch.wrench[w, i] = wrench_at(force, wp.vec3(), offset)
        sync()
        accumulate_wrench_world(size, tree, scratch.wrench, w, lane)
        for i in range(lane, size.nv, lanes()):
            frc.qfrc_gravcomp[w, i] = wrench_on_dof(dof, com, scratch.wrench, w, i)
    else:
        for i in range(lane, size.nv, lanes()):
            frc.qfrc_gravcomp[w, i] = 0.0


@wp.func
def passive_world(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, tendon: Tendon, state: State,
    kin: Kinematics, com: Com, frc: Force, ten: TendonState, scratch: Scratch, w: int, lane: int,
):  # fmt: skip
    """Passive forces of one world; returns with a barrier."""
    springs = (opt.disableflags & DisableBit.SPRING) == 0
    dampers = (opt.disableflags & DisableBit.DAMPER) == 0
    # MuJoCo leaves out all passive forces, gravity compensation too, when both are disabled
    compensated = (opt.disableflags & DisableBit.GRAVITY) == 0 and (springs or dampers)
    for j in range(lane, size.njnt, lanes()):
        _joint_spring(jnt, state, frc, springs, w, j)
    _gravcomp_world(size, opt, tree, body, dof, kin, com, frc, scratch, compensated, w, lane)
    sync()
    damping_w = per_world(dof.damping.shape[0], w)
    poly_w = per_world(dof.dampingpoly.shape[0], w)
    for i in range(lane, size.nv, lanes()):
        damper = wp.float32(0.0)
        if dampers:
            speed = state.qvel[w, i]
            damper = -speed * poly_coefficient(dof.damping[damping_w, i], dof.dampingpoly[poly_w, i], wp.abs(speed))
        frc.qfrc_damper[w, i] = damper
        passive = frc.qfrc_spring[w, i] + damper
        if jnt.actgravcomp[assume_nonnegative(dof.jntid[i])] == 0:
            passive += frc.qfrc_gravcomp[w, i]
        if size.nfluid > 0:
            passive += frc.qfrc_fluid[w, i]
        if size.flg_adhesion != 0:
            passive += frc.qfrc_adhesion[w, i]
        frc.qfrc_passive[w, i] = passive
    sync()
    tendon_passive_world(size, opt, tendon, ten, frc, w, lane)


@wp.kernel
def _passive(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, tendon: Tendon, state: State,
    kin: Kinematics, com: Com, frc: Force, ten: TendonState, scratch: Scratch,
):  # fmt: skip
    w, lane = wp.tid()
    passive_world(size, opt, tree, body, jnt, dof, tendon, state, kin, com, frc, ten, scratch, w, lane)


def passive(m: Any, d: Any) -> None:
    """Springs and dampers of joints and tendons, gravity compensation, the medium, the user's own, and their sum.

    Reads   m.opt, m.body, m.geom, m.jnt, m.dof, m.tree, m.tendon; d.state (qpos, qvel), d.kin, d.com, d.ten, and with a medium
            d.vel.cvel (after com_vel)
    Writes  d.frc.qfrc_spring, qfrc_damper, qfrc_gravcomp, qfrc_fluid, qfrc_adhesion, qfrc_passive [N, N m]; d.scratch.wrench
    MuJoCo  mj_passive, and its callback mjcb_passive. Gravity compensation that counts as actuator force is not in qfrc_passive.
    """
    if m.size.nfluid > 0:
        from newtonish.kernels.forces.fluid import fluid

        fluid(m, d)
    adhesion_force(m, d)
    jnt, tendon = springs(m, d)
    inputs = [m.size, m.opt, m.tree, m.body, jnt, m.dof, tendon, d.state, d.kin, d.com, d.frc, d.ten, d.scratch]
    launch(_passive, d, inputs)
    if has_passive_callback(m):
        call(m, d, m.callback.passive, 0.0)
