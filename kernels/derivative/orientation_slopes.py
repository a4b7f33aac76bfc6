"""What servos of orientations add to the linearized dynamics.

The force is P(kp e - kv w): e the rotation vector from the orientation q to its target, w the angular velocity, both in the turning frame, P the limit of the
norm. A rotation d of that frame changes e by minus the inverse of the left Jacobian of the rotation group, a change of the target by that of the right one
(Barfoot, State Estimation for Robotics, 2017, section 7.1). The three moments are the axes of the frame, so that d is what they make of a dof's motion.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.actuator_parameters import Affine
from newtonish.common.enums import CtrlChart, DisableBit, ForceLaw
from newtonish.kernels.derivative.algebra import real, rotation_change, rotation_vector, turned_by, wide, wide_matrix
from newtonish.kernels.derivative.bends import add_bend, add_bent_product, anchored, bend_by, clear_bend, fill_arm_of_output, rate_of
from newtonish.kernels.derivative.forces import RK4, add_force
from newtonish.kernels.derivative.held_slopes import slope_of_actuator
from newtonish.kernels.derivative.law_duals import counted
from newtonish.kernels.derivative.metric_bends import add_bent_hold
from newtonish.kernels.derivative.response import DISCRETE
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forces.actuation import actuator_disabled, clamped_control, controls_are_bad
from newtonish.kernels.forces.so3 import orientation
from newtonish.kernels.linalg.chains import common_dofs
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Com, Drive, Force, Kinematics, State
from newtonish.kernels.structs.model import Actuator, Body, Dof, Joint, Option, Site, Size, Tree

SO3 = wp.constant(int(ForceLaw.SO3))
QUAT = wp.constant(int(CtrlChart.QUAT))


@wp.struct
class Turning:
    """Force of a servo, and its derivatives by a rotation of its frame, by angular velocity, and by target and control."""

    force: wp.vec3d
    by_turn: wp.mat33d
    by_velocity: wp.mat33d
    by_act: wp.mat33d
    by_ctrl: wp.types.matrix(shape=(3, 4), dtype=wp.float64)
    act_act: wp.mat33d  # derivative of the next activations
    act_ctrl: wp.mat33d
    rate: wp.mat33d  # that of their rates by controls, which RK4 takes


@wp.func
def _unit(i: int) -> wp.vec3d:
    unit = wp.vec3d()
    unit[i] = real(1.0)
    return unit


@wp.func
def _product(a: wp.vec4d, b: wp.vec4d) -> wp.vec4d:
    u = wp.vec3d(a[1], a[2], a[3])
    v = wp.vec3d(b[1], b[2], b[3])
    rest = a[0] * v + b[0] * u + wp.cross(u, v)
    return wp.vec4d(a[0] * b[0] - wp.dot(u, v), rest[0], rest[1], rest[2])


@wp.func
def _conjugate(q: wp.vec4d) -> wp.vec4d:
    return wp.vec4d(q[0], -q[1], -q[2], -q[3])


@wp.func
def _turned(rotation: wp.vec3d) -> wp.vec4d:
    """Quaternion of a rotation vector."""
    angle = wp.length(rotation)
    quat = wp.vec4d(real(1.0), real(0.0), real(0.0), real(0.0))
    if angle > real(0.0):
        v = rotation * (wp.sin(real(0.5) * angle) / angle)
        quat = wp.vec4d(wp.cos(real(0.5) * angle), v[0], v[1], v[2])
    return quat


@wp.func
def _shortest(act: wp.vec3d, change: wp.vec3d) -> wp.vec3d:
    """Change of the rotation vector of the shortest rotation, with ``change`` of ``act``."""
    angle = wp.length(act)
    result = change
    if angle > real(wp.pi):
        turns = real(2.0 * wp.pi) * wp.round(angle / real(2.0 * wp.pi))
        result = change * (real(1.0) - turns / angle) + act * (turns * wp.dot(act, change) / (angle * angle * angle))
    return result


@wp.func
def _held_by_norm(force: wp.vec3d, most: wp.float64, change: wp.vec3d) -> wp.vec3d:
    """Change of a force beyond its largest norm."""
    norm = wp.length(force)
    result = change
    if norm >= most and norm > real(0.0):
        n = force / norm
        result = (change - wp.dot(n, change) * n) * (most / norm)
    return result


@wp.func
def _turning(
    opt: Option, jnt: Joint, site: Site, actuator: Actuator, state: State, kin: Kinematics, drive: Drive, zero_controls: bool, off: bool, w: int, a: int,
) -> Turning:  # fmt: skip
    """Force and derivatives of actuator ``a``."""
    u = actuator.ctrladr[a]
    o = actuator.outadr[a]
    adr = actuator.actadr[a]
    dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
    found = Turning()
    control = wp.vec4d()
    follows = wp.vec4d()
    for i in range(actuator.ctrlnum[a]):
        follows[i] = counted(opt, actuator, state, zero_controls, w, u + i)
        if not zero_controls:
            control[i] = real(clamped_control(opt, actuator, state, w, u + i))
    target = wp.vec3d(control[0], control[1], control[2])
    early = adr >= 0 and actuator.actearly[a] != 0
    for i in range(3):
        if adr >= 0:
            act = real(state.act[w, adr + i])
            after = act + dt * control[i]
            by_act = real(1.0)
            by_ctrl = dt * follows[i]
            if off:
                after = act
                by_ctrl = real(0.0)
            if actuator.actlimited[a] != 0:
                limits = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
                if after <= real(limits[0]) or after >= real(limits[1]):
                    by_act = real(0.0)
                    by_ctrl = real(0.0)
                after = wp.clamp(after, real(limits[0]), real(limits[1]))
            found.rate[i, i] = follows[i]
            found.act_act[i, i] = by_act
            found.act_ctrl[i, i] = by_ctrl
            target[i] = wp.where(early, after, act)
    quat = _turned(target)
    size = real(1.0)
    if actuator.ctrlspec[a] == QUAT:
        size = wp.max(wp.length(control), real(1.0e-12))
        quat = control / size
    seen = orientation(jnt, site, actuator, state, kin, w, a)
    here = wp.normalize(wp.vec4d(real(seen[0]), real(seen[1]), real(seen[2]), real(seen[3])))
    error = rotation_vector(_product(_conjugate(here), quat))
    gain = real(actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a][Affine.CONSTANT])
    bias = actuator.biasprm[per_world(actuator.biasprm.shape[0], w), a]
    constant = real(bias[Affine.CONSTANT])
    velocity = real(bias[Affine.VELOCITY])
    force = gain * error + wp.vec3d(constant, constant, constant)
    for i in range(3):
        force[i] = force[i] + velocity * real(drive.actuator_velocity[w, o + i])
    most = wp.length(force) + real(1.0)
    if actuator.forcelimited[a] != 0:
        most = real(actuator.forcerange[per_world(actuator.forcerange.shape[0], w), a][1])
    if off:
        return found
    for i in range(3):
        found.force[i] = real(drive.actuator_force[w, o + i])
        by_turn = _held_by_norm(force, most, -gain * rotation_change(-error, _unit(i)))
        by_velocity = _held_by_norm(force, most, velocity * _unit(i))
        by_target = _held_by_norm(force, most, gain * rotation_change(error, turned_by(target, _unit(i))))
        for j in range(3):
            found.by_turn[j, i] = by_turn[j]
            found.by_velocity[j, i] = by_velocity[j]
            if adr >= 0:
                found.by_act[j, i] = by_target[j] * wp.where(early, found.act_act[i, i], real(1.0))
                found.by_ctrl[j, i] = by_target[j] * wp.where(early, found.act_ctrl[i, i], real(0.0))
            else:
                found.by_ctrl[j, i] = by_target[j] * follows[i]
    if actuator.ctrlspec[a] == QUAT:
        for i in range(4):
            unit = wp.vec4d()
            unit[i] = real(1.0)
            turned = _product(_conjugate(quat), unit)
            rotation = real(2.0) * follows[i] / size * wp.vec3d(turned[1], turned[2], turned[3])
            by_quat = _held_by_norm(force, most, gain * rotation_change(error, rotation))
            for j in range(3):
                found.by_ctrl[j, i] = by_quat[j]
    if adr >= 0:  # the state keeps the shortest rotation
        moved = wp.vec3d()
        for i in range(3):
            moved[i] = real(state.act[w, adr + i]) + dt * control[i]
            if actuator.actlimited[a] != 0:
                limits = actuator.actrange[per_world(actuator.actrange.shape[0], w), a]
                moved[i] = wp.clamp(moved[i], real(limits[0]), real(limits[1]))
        for i in range(3):
            with_act = _shortest(moved, found.act_act[i, i] * _unit(i))
            with_ctrl = _shortest(moved, found.act_ctrl[i, i] * _unit(i))
            for j in range(3):
                found.act_act[j, i] = with_act[j]
                found.act_ctrl[j, i] = with_ctrl[j]
    return found


@wp.func
def _frame_bend(
    size: Size, tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, actuator: Actuator, kin: Kinematics, com: Com, linear: Linear,
    w: int, a: int, i: int, k: int,
):  # fmt: skip
    """Change of the moment of output ``i`` as dof ``k`` moves: of axis ``i`` of the frame that turns. That of a ball joint stays."""
    clear_bend(size, linear, w, k)
    trn = actuator.trnid[a]
    if trn[1] >= 0:
        mat = wide_matrix(kin.site_xmat[w, trn[0]])
        axis = wp.vec3d(mat[0, i], mat[1, i], mat[2, i])
        at = anchored(tree, body, dof, com, wide(kin.site_xpos[w, trn[0]]), w, site.bodyid[trn[0]], k)
        base = anchored(tree, body, dof, com, wide(kin.site_xpos[w, trn[1]]), w, site.bodyid[trn[1]], k)
        turned = wp.cross(at.turn, axis)
        common = common_dofs(tree, at.body, base.body)
        bend_by(tree, jnt, dof, com, linear, at, wp.vec3d(), axis, wp.vec3d(), turned, common, w, k)
        bend_by(tree, jnt, dof, com, linear, base, wp.vec3d(), -axis, wp.vec3d(), -turned, common, w, k)


@wp.func
def _add_forces(drive: Drive, linear: Linear, target: wp.array3d(dtype=wp.float64), change: wp.vec3d, w: int, o: int, k: int):
    """Add forces of three outputs to column ``k``."""
    for i in range(3):
        add_force(drive, linear, target, change[i], w, o + i, k)


@wp.func
def _write_inputs(size: Size, actuator: Actuator, drive: Drive, linear: Linear, found: Turning, stages: bool, w: int, a: int):
    """Slopes by activations and controls; one lane calls it."""
    o = actuator.outadr[a]
    u = actuator.ctrladr[a]
    adr = actuator.actadr[a]
    for i in range(actuator.ctrlnum[a]):
        _add_forces(drive, linear, linear.Gu, wp.vec3d(found.by_ctrl[0, i], found.by_ctrl[1, i], found.by_ctrl[2, i]), w, o, size.na + u + i)
    if adr >= 0:
        for i in range(3):
            _add_forces(drive, linear, linear.Gu, wp.vec3d(found.by_act[0, i], found.by_act[1, i], found.by_act[2, i]), w, o, adr + i)
            for j in range(3):
                if stages:  # the rate of an activation is its control
                    linear.Az[w, adr + j, 2 * size.nv + size.na + u + i] = found.rate[j, i]
                    linear.Ez[w, adr + j, 2 * size.nv + adr + i] = found.act_act[j, i]
                    linear.Ez[w, adr + j, 2 * size.nv + size.na + u + i] = found.act_ctrl[j, i]
                else:
                    linear.Az[w, adr + j, 2 * size.nv + adr + i] = found.act_act[j, i]
                    linear.Az[w, adr + j, 2 * size.nv + size.na + u + i] = found.act_ctrl[j, i]


@wp.kernel
def _orientation_slopes(
    size: Size, opt: Option, tree: Tree, body: Body, jnt: Joint, dof: Dof, site: Site, actuator: Actuator, state: State, kin: Kinematics,
    com: Com, frc: Force, drive: Drive, linear: Linear, nworld: int,
):  # fmt: skip
    """Add servos of orientations to Gq, Gv, Gu, Az and Ez, and to Xq of implicitfast."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        dt = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        zero_controls = controls_are_bad(size, opt, actuator, state, w, lane)
        acts = (opt.disableflags & DisableBit.ACTUATION) == 0
        for a in range(size.nactuator):
            if actuator.law[a] == SO3:
                o = actuator.outadr[a]
                found = Turning()
                if acts:
                    found = _turning(opt, jnt, site, actuator, state, kin, drive, zero_controls, actuator_disabled(opt, actuator, a), w, a)
                elif actuator.actadr[a] >= 0 and opt.integrator != RK4:
                    found.act_act = wp.identity(n=3, dtype=wp.float64)
                if lane == 0:
                    _write_inputs(size, actuator, drive, linear, found, opt.integrator == RK4, w, a)
                slope = slope_of_actuator(opt, jnt, actuator, state, frc, drive, zero_controls, w, a)
                for i in range(3):
                    fill_arm_of_output(size, linear, drive, w, o + i, lane)
                    first = drive.moment_rowadr[w, o + i]
                    for n in range(first + lane, first + drive.moment_rownnz[w, o + i], lanes()):
                        k = drive.moment_colind[w, n]
                        _frame_bend(size, tree, body, jnt, dof, site, actuator, kin, com, linear, w, a, i, k)
                        add_bend(size, linear, linear.Gq, real(0.0), -found.force[i], w, k)
                        add_bent_product(size, opt, jnt, dof, linear, linear.Xq, linear.acc, dt * slope.value, real(0.0), w, k)
                        if opt.integrator == DISCRETE:
                            add_bent_hold(size, linear, linear.act_firm[w, a], dt, real(0.0), real(0.0), w, k)
                        at = linear.arm[w, k] * _unit(i)
                        faster = rate_of(size, linear, state.qvel, w, k) * _unit(i)
                        _add_forces(drive, linear, linear.Gq, -(found.by_turn * at + found.by_velocity * faster), w, o, k)
                        _add_forces(drive, linear, linear.Gv, -(found.by_velocity * at), w, o, k)
        sync()


through_worlds(_orientation_slopes)


def orientation_slopes(m: Any, d: Any, state: State, work: Workspace) -> None:
    """Slopes of servos of orientations, after ``law_slopes``, which clears what both fill.

    Reads   m; ``state`` (with the controls that act), d.kin, d.com, d.frc, d.drive, work.linear (left, acc, speed, act_firm)
    Writes  work.linear.Gq, Gv, Gu, Az, Xq, bend, arm, stiffer
    """
    groups = [m.size, m.opt, m.tree, m.body, m.jnt, m.dof, m.site, m.actuator, state, d.kin, d.com, d.frc, d.drive]
    launch(_orientation_slopes, d, [*groups, work.linear])
