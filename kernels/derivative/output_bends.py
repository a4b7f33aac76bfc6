"""What actuators add to the linearized dynamics whose moment turns, or is not the gradient of their length.

Those on sites, with or without a site of reference, slider-cranks, and gears of ball and free joints. The others, but for tendons, have constant moments.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import JointType, TrnType
from newtonish.kernels.derivative.algebra import (
    real,
    rotation_change,
    rotation_vector,
    wide,
    wide_matrix,
)
from newtonish.kernels.derivative.bends import add_bend, add_bent_product, add_to_activations, anchored, bend_by, clear_bend, fill_arm_of_output, rate_of
from newtonish.kernels.derivative.forces import add_force
from newtonish.kernels.derivative.held_slopes import slope_of_actuator
from newtonish.kernels.derivative.metric_bends import add_bent_hold
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forces.actuation import controls_are_bad
from newtonish.kernels.forces.transmission_points import site_quat
from newtonish.kernels.linalg.chains import common_dofs
from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_normalize
from newtonish.kernels.math.world import lane_index, lanes, per_world, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Drive, Force, Kinematics, State
from newtonish.kernels.structs.model import Actuator, Body, Dof, Joint, Option, Site, Size, Tree


@wp.func
def _wide4(q: wp.vec4) -> wp.vec4d:
    return wp.normalize(wp.vec4d(real(q[0]), real(q[1]), real(q[2]), real(q[3])))


@wp.func
def _unit(i: int) -> wp.vec3d:
    unit = wp.vec3d()
    unit[i] = real(1.0)
    return unit


@wp.func
def _joint_bend(jnt: Joint, actuator: Actuator, state: State, linear: Linear, in_parent: bool, w: int, o: int, j: int, k: int) -> wp.float64:
    """Output ``o`` on joint ``j``: change of its moment, and, returned, of its length, as dof ``k`` moves."""
    gear = actuator.gear[per_world(actuator.gear.shape[0], w), o]
    kind = jnt.type[j]
    first = jnt.dofadr[j]
    q = jnt.qposadr[j]
    axis = wide(wp.spatial_top(gear))
    if kind == JointType.FREE:
        axis = wide(wp.spatial_bottom(gear))
        first += 3
        q += 3
    by_length = real(0.0)
    if k >= first and (kind == JointType.FREE or kind == JointType.BALL):
        quat = _wide4(wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3]))
        unit = _unit(k - first)
        turned = wp.vec3d()
        if in_parent:
            axis = turned_into(quat, axis)
            turned = -wp.cross(unit, axis)
            for i in range(3):
                linear.bend[w, first + i, k] = turned[i]
        if kind == JointType.BALL:
            rotation = rotation_vector(quat)
            by_length = wp.dot(turned, rotation) + wp.dot(axis, rotation_change(rotation, unit))
    return by_length


@wp.func
def turned_into(quat: wp.vec4d, v: wp.vec3d) -> wp.vec3d:
    """``v`` in the frame that ``quat`` turns to."""
    u = -wp.vec3d(quat[1], quat[2], quat[3])
    t = real(2.0) * wp.cross(u, v)
    return v + quat[0] * t + wp.cross(u, t)


@wp.func
def _site_bend(
    tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, actuator: Actuator, kin: Kinematics, com: Com, linear: Linear,
    w: int, o: int, s: int, ref: int, k: int,
) -> wp.float64:  # fmt: skip
    """Output ``o``, a wrench on site ``s`` in its own axes or in those of site ``ref``."""
    gear = actuator.gear[per_world(actuator.gear.shape[0], w), o]
    at = anchored(tree, body, dof, com, wide(kin.site_xpos[w, s]), w, site.bodyid[s], k)
    base = at
    frame = wide_matrix(kin.site_xmat[w, s])
    common = wp.int32(0)
    if ref >= 0:
        base = anchored(tree, body, dof, com, wide(kin.site_xpos[w, ref]), w, site.bodyid[ref], k)
        frame = wide_matrix(kin.site_xmat[w, ref])
        common = common_dofs(tree, at.body, base.body)  # what moves both sites does not move the actuator
    force = frame * wide(wp.spatial_top(gear))
    torque = frame * wide(wp.spatial_bottom(gear))
    dforce = wp.cross(base.turn, force)
    dtorque = wp.cross(base.turn, torque)
    bend_by(tree, jnt, dof, com, linear, at, force, torque, dforce, dtorque, common, w, k)
    by_length = real(0.0)
    if ref >= 0:
        bend_by(tree, jnt, dof, com, linear, base, -force, -torque, -dforce, -dtorque, common, w, k)
        by_length = wp.dot(force, at.moved - base.moved - wp.cross(base.turn, at.point - base.point))
        turn = _wide4(quat_normalize(quat_mul(quat_conj(site_quat(site, kin, w, ref)), site_quat(site, kin, w, s))))
        change = wp.transpose(wide_matrix(kin.site_xmat[w, s])) * (at.turn - base.turn)
        by_length += wp.dot(wide(wp.spatial_bottom(gear)), rotation_change(rotation_vector(turn), change))
    return by_length


@wp.func
def _crank_bend(
    tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, actuator: Actuator, kin: Kinematics, com: Com, linear: Linear,
    w: int, a: int, o: int, k: int,
) -> wp.float64:  # fmt: skip
    """Output ``o`` on a slider with a rod to a crank: length = a.v - sqrt((a.v)^2 + r^2 - v.v)."""
    gear = real(actuator.gear[per_world(actuator.gear.shape[0], w), o][0])
    rod = real(actuator.cranklength[per_world(actuator.cranklength.shape[0], w), a])
    crank = actuator.trnid[a][0]
    slider = actuator.trnid[a][1]
    end = anchored(tree, body, dof, com, wide(kin.site_xpos[w, crank]), w, site.bodyid[crank], k)
    base = anchored(tree, body, dof, com, wide(kin.site_xpos[w, slider]), w, site.bodyid[slider], k)
    mat = wide_matrix(kin.site_xmat[w, slider])
    axis = wp.vec3d(mat[0, 2], mat[1, 2], mat[2, 2])
    daxis = wp.cross(base.turn, axis)
    v = end.point - base.point
    dv = end.moved - base.moved
    along = wp.dot(axis, v)
    dalong = wp.dot(daxis, v) + wp.dot(axis, dv)
    square = along * along + rod * rod - wp.dot(v, v)
    by_v = axis
    by_axis = v
    dby_v = daxis
    dby_axis = dv
    if square > real(0.0):
        root = wp.sqrt(square)
        droot = (along * dalong - wp.dot(v, dv)) / root
        share = real(1.0) - along / root
        dshare = -(dalong - along / root * droot) / root
        by_v = share * axis + v / root
        by_axis = share * v
        dby_v = dshare * axis + share * daxis + (dv - v * (droot / root)) / root
        dby_axis = dshare * v + share * dv
    force = gear * by_v
    dforce = gear * dby_v
    torque = gear * wp.cross(axis, by_axis)
    dtorque = gear * (wp.cross(daxis, by_axis) + wp.cross(axis, dby_axis))
    bend_by(tree, jnt, dof, com, linear, end, force, wp.vec3d(), dforce, wp.vec3d(), 0, w, k)
    bend_by(tree, jnt, dof, com, linear, base, -force, torque, -dforce, dtorque, 0, w, k)
    return wp.dot(force, dv) + gear * wp.dot(by_axis, daxis)


@wp.func
def _turns(jnt: Joint, actuator: Actuator, a: int) -> bool:
    """Whether the moment of actuator ``a`` may change, or is no gradient of its length."""
    kind = actuator.trntype[a]
    result = kind == TrnType.SITE or kind == TrnType.SLIDERCRANK
    if kind == TrnType.JOINT or kind == TrnType.JOINTINPARENT:
        joint = jnt.type[actuator.trnid[a][0]]
        result = joint == JointType.BALL or joint == JointType.FREE
    return result


@wp.kernel
def _output_bends(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, actuator: Actuator, state: State, kin: Kinematics,
    com: Com, frc: Force, drive: Drive, linear: Linear, nworld: int,
):  # fmt: skip
    """Add the changing moments of actuators to Gq; each lane has columns of its own."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        for a in range(size.nactuator):
            if _turns(jnt, actuator, a):
                kind = actuator.trntype[a]
                o = actuator.outadr[a]
                slope = slope_of_actuator(opt, jnt, actuator, state, frc, drive, zero_controls, w, a)
                fill_arm_of_output(size, linear, drive, w, o, lane)
                first = drive.moment_rowadr[w, o]
                for n in range(first + lane, first + drive.moment_rownnz[w, o], lanes()):
                    k = drive.moment_colind[w, n]
                    clear_bend(size, linear, w, k)
                    by_length = real(0.0)
                    if kind == TrnType.SITE:
                        trn = actuator.trnid[a]
                        by_length = _site_bend(tree, body, jnt, dof, site, actuator, kin, com, linear, w, o, trn[0], trn[1], k)
                    elif kind == TrnType.SLIDERCRANK:
                        by_length = _crank_bend(tree, body, jnt, dof, site, actuator, kin, com, linear, w, a, o, k)
                    else:
                        in_parent = kind == TrnType.JOINTINPARENT
                        by_length = _joint_bend(jnt, actuator, state, linear, in_parent, w, o, actuator.trnid[a][0], k)
                    add_bend(size, linear, linear.Gq, real(0.0), -real(drive.actuator_force[w, o]), w, k)
                    # what is not counted yet, as of a length whose gradient is the moment
                    farther = by_length - linear.arm[w, k]
                    faster = rate_of(size, linear, state.qvel, w, k)
                    if linear.out_rate.shape[1] > 0:
                        linear.out_length[w, o, k] = by_length
                        linear.out_rate[w, o, k] = faster
                    change = linear.force_velocity[w, a] * faster + linear.force_length[w, a] * farther
                    add_force(drive, linear, linear.Gq, -change, w, o, k)
                    add_to_activations(actuator, linear, farther, faster, w, a, k)
                    steeper = slope.by_velocity * faster + slope.by_length * farther
                    add_bent_product(size, opt, jnt, dof, linear, linear.Xq, linear.acc, dt * slope.value, dt * steeper, w, k)
                    if opt.integrator == DISCRETE:
                        add_bent_hold(size, linear, linear.act_firm[w, a], dt, farther, faster, w, k)


through_worlds(_output_bends)


def output_bends(m: Any, d: Any, state: State, work: Workspace) -> None:
    """Add the changing moments of actuators to the derivatives of the residual, after all slopes of forces are known.

    Reads   m; ``state`` (with the controls that act), d.kin, d.com, d.drive, work.linear (left, force_length, force_velocity, acc, speed, act_firm)
    Writes  work.linear.Gq, Xq, bend, arm, stiffer, out_length, out_rate
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.site, m.actuator, state, d.kin, d.com, d.frc, d.drive]
    launch(_output_bends, d, [*groups, work.linear])
