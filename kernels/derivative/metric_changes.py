"""How the metric of integrator discrete changes where springs, dampers, muscles and motors do not follow motion at a constant rate.

Moments count as constant here; ``metric_bends.py`` adds how others change, and ``row_scales.py`` the weights of rows where the mass matrix alone changes.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DisableBit, ForceLaw, JointType
from newtonish.kernels.constants import EQUALITY
from newtonish.kernels.derivative.algebra import real, rotation_vector
from newtonish.kernels.derivative.bends import fill_arm, fill_arm_of_output
from newtonish.kernels.derivative.firmness import is_curved_firmness
from newtonish.kernels.derivative.metric_bends import Hold, add_hold, hold_of, note_rescaling
from newtonish.kernels.derivative.polynomials import damper_bend, spring_bend
from newtonish.kernels.derivative.row_scales import QUADRATIC, prepare_scale_world
from newtonish.kernels.derivative.workspace import Linear, Workspace
from newtonish.kernels.forces.dcmotor import motor_slots
from newtonish.kernels.integrate.discrete.rows import CONTACT
from newtonish.kernels.integrate.discrete.slopes import joint_stiffness
from newtonish.kernels.integrate.euler import damping_slope
from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_normalize
from newtonish.kernels.math.world import lane_index, lanes, per_world, sync, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.structs.data import Contact, Drive, Efc, State, Status, TendonState
from newtonish.kernels.structs.metric import Metric
from newtonish.kernels.structs.model import Actuator, Dof, Joint, Option, Size, Tendon

REST = wp.constant(wp.float64(1.0e-6))  # displacement in three directions below which float32 does not tell which it has; stiffness has a kink there


@wp.func
def _away(jnt: Joint, state: State, turning: bool, w: int, j: int) -> wp.vec3d:
    """Displacement of the spring of a ball or free joint: of its translations, or the rotation vector."""
    rest_w = per_world(jnt.qpos_spring.shape[0], w)
    q = jnt.qposadr[j]
    result = wp.vec3d()
    if turning:
        if jnt.type[j] == JointType.FREE:
            q += 3
        now = wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3])
        rest = wp.vec4(jnt.qpos_spring[rest_w, q], jnt.qpos_spring[rest_w, q + 1], jnt.qpos_spring[rest_w, q + 2], jnt.qpos_spring[rest_w, q + 3])
        turned = quat_mul(quat_conj(rest), quat_normalize(now))
        result = rotation_vector(wp.vec4d(real(turned[0]), real(turned[1]), real(turned[2]), real(turned[3])))
    else:
        for i in range(3):
            result[i] = real(state.qpos[w, q + i]) - real(jnt.qpos_spring[rest_w, q + i])
    return result


@wp.func
def _add_to_dof(linear: Linear, target: wp.array3d(dtype=wp.float64), pull: wp.float64, weight: wp.float64, w: int, i: int, column: int, line: int):
    """Of a force on dof ``i`` alone."""
    target[w, i, column] = target[w, i, column] + pull
    linear.stiffer[w, i, line] = linear.stiffer[w, i, line] + weight


@wp.func
def _joint_changes(size: Size, opt: Option, jnt: Joint, dof: Dof, state: State, linear: Linear, h: wp.float64, w: int, i: int):
    """Spring and damper on dof ``i``."""
    j = dof.jntid[i]
    kind = jnt.type[j]
    first = jnt.dofadr[j]
    poly = jnt.stiffnesspoly[per_world(jnt.stiffnesspoly.shape[0], w), j]
    if (opt.disableflags & DisableBit.SPRING) == 0 and (poly[0] != 0.0 or poly[1] != 0.0):
        turning = kind == JointType.BALL or (kind == JointType.FREE and i >= first + 3)
        both = joint_stiffness(jnt, state, w, j)
        if wp.where(turning, both[1], both[0]) > 0.0:
            pull = h * linear.speed[w, i]
            if kind == JointType.SLIDE or kind == JointType.HINGE:
                q = jnt.qposadr[j]
                stretch = real(state.qpos[w, q]) - real(jnt.qpos_spring[per_world(jnt.qpos_spring.shape[0], w), q])
                bend = spring_bend(poly, stretch)
                _add_to_dof(linear, linear.Gq, pull * bend, h * h * bend, w, i, i, i)
            else:
                away = _away(jnt, state, turning, w, j)
                length = wp.length(away)
                if turning and kind == JointType.FREE:
                    first += 3
                if length > REST:
                    for k in range(3):
                        bend = spring_bend(poly, length) * away[k] / length
                        _add_to_dof(linear, linear.Gq, pull * bend, h * h * bend, w, i, first + k, first + k)
    poly = dof.dampingpoly[per_world(dof.dampingpoly.shape[0], w), i]
    if (opt.disableflags & DisableBit.DAMPER) == 0 and (poly[0] != 0.0 or poly[1] != 0.0):
        if damping_slope(dof, state, w, i) > 0.0:
            bend = damper_bend(poly, real(state.qvel[w, i]))
            _add_to_dof(linear, linear.Gv, h * bend * linear.acc[w, i], h * bend, w, i, i, size.nv + i)


@wp.func
def _motion_changes(size: Size, linear: Linear, hold: Hold, w: int, lane: int):
    """By length and velocity of the moment in ``linear.arm``; each lane has columns of its own."""
    for k in range(lane, size.nv, lanes()):
        at = linear.arm[w, k]
        if at != real(0.0):
            add_hold(size, linear, hold, linear.Gq, wp.vec3d(at, real(0.0), real(0.0)), w, k, k)
            add_hold(size, linear, hold, linear.Gv, wp.vec3d(real(0.0), at, real(0.0)), w, k, size.nv + k)


@wp.func
def _input_change(size: Size, linear: Linear, hold: Hold, slope: wp.float64, w: int, column: int):
    """By an activation or control that the input follows with a ``slope``; one lane calls it."""
    if slope != real(0.0):
        for i in range(size.nv):
            at = linear.arm[w, i]
            linear.Gu[w, i, column] = linear.Gu[w, i, column] - slope * hold.pull_slopes[2] * at
            linear.stiffer[w, i, 2 * size.nv + column] = linear.stiffer[w, i, 2 * size.nv + column] + slope * hold.weight_slopes[2] * at * at


@wp.func
def _tendon_changes(size: Size, tendon: Tendon, ten: TendonState, linear: Linear, h: wp.float64, w: int, lane: int):
    """Springs and dampers of tendons, whatever their moments do; ends with a barrier."""
    for t in range(size.ntendon):
        firm = linear.ten_firm[w, t]
        if is_curved_firmness(firm):
            first = tendon.J_rowadr[t]
            fill_arm(size, linear, tendon.J_colind, ten.J, first, first + tendon.J_rownnz[t], w, lane)
            _motion_changes(size, linear, hold_of(size, linear, firm, h, w), w, lane)
            sync()


@wp.func
def _actuator_changes(size: Size, actuator: Actuator, drive: Drive, linear: Linear, h: wp.float64, w: int, lane: int):
    """The same of actuators, and by their inputs."""
    for a in range(size.nactuator):
        firm = linear.act_firm[w, a]
        if is_curved_firmness(firm):
            fill_arm_of_output(size, linear, drive, w, actuator.outadr[a], lane)
            hold = hold_of(size, linear, firm, h, w)
            _motion_changes(size, linear, hold, w, lane)
            if lane == 0 and actuator.law[a] == ForceLaw.DCMOTOR:
                dyn = actuator.dynprm[per_world(actuator.dynprm.shape[0], w), a]
                gain = actuator.gainprm[per_world(actuator.gainprm.shape[0], w), a]
                slots = motor_slots(dyn, gain, actuator.actadr[a])
                if slots.temperature >= 0:
                    _input_change(size, linear, hold, real(1.0), w, slots.temperature)
            elif lane == 0:
                if actuator.actadr[a] >= 0:
                    _input_change(size, linear, hold, linear.input_act[w, a], w, actuator.actadr[a] + actuator.actnum[a] - 1)
                if actuator.ctrlnum[a] > 0:
                    _input_change(size, linear, hold, linear.input_ctrl[w, a], w, size.na + actuator.ctrladr[a])
            sync()


@wp.func
def _rescale(size: Size, linear: Linear, w: int, line: int) -> wp.float64:
    """Change of the logarithm of a constraint's weight with the metric's diagonal by input ``line``."""
    total = real(0.0)
    for i in range(size.nv):
        if linear.bar_v[w, i, 0] != real(0.0):
            total += linear.bar_v[w, i, 0] * linear.stiffer[w, i, line]
            if line < linear.heavier.shape[1]:
                total += linear.bar_q[w, i, 0] * linear.heavier[w, i, line]
    return total


@wp.func
def _weights_world(
    size: Size, opt: Option, contact: Contact, efc: Efc, efm: Metric, status: Status, linear: Linear, w: int, lane: int,
):  # fmt: skip
    """What the changing diagonal does to all constraints, at equal residuals."""
    last = wp.min(status.nefc[w], efc.type.shape[1])
    first = wp.int32(0)
    while first < last:
        end = first + 1
        acts = efc.type[w, first] == EQUALITY or efc.state[w, first] == QUADRATIC
        if efc.type[w, first] >= CONTACT:  # all rows of a contact have the weight of its first
            acts = wp.bool(True)
            while end < last:
                if efc.type[w, end] < CONTACT or efc.id[w, end] != efc.id[w, first]:
                    break
                end += 1
        if acts:
            if prepare_scale_world(size, opt, contact, efc, efm, linear, first, end, w, lane):
                for line in range(lane, linear.stiffer.shape[2], lanes()):
                    change = _rescale(size, linear, w, line)
                    if change != real(0.0):
                        note_rescaling(size, efc, linear, change, w, first, line)
                        for j in range(size.nv):
                            answer = linear.one[w, j, 0] * change
                            if line < size.nv:
                                linear.Gq[w, j, line] = linear.Gq[w, j, line] - answer
                            elif line < 2 * size.nv:
                                linear.Gv[w, j, line - size.nv] = linear.Gv[w, j, line - size.nv] - answer
                            else:
                                linear.Gu[w, j, line - 2 * size.nv] = linear.Gu[w, j, line - 2 * size.nv] + answer
            sync()
        first = end


@wp.kernel
def _metric_changes(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, state: State, drive: Drive, ten: TendonState, contact: Contact,
    efc: Efc, efm: Metric, status: Status, linear: Linear, nworld: int,
):  # fmt: skip
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        h = real(opt.timestep[per_world(opt.timestep.shape[0], w)])
        if size.nlaw == 0:  # else they have their slopes already
            for i in range(size.nv):
                for line in range(lane, size.na + size.nu, lanes()):
                    linear.Gu[w, i, line] = real(0.0)
        sync()
        for i in range(lane, size.nv, lanes()):
            _joint_changes(size, opt, jnt, dof, state, linear, h, w, i)
        sync()
        _tendon_changes(size, tendon, ten, linear, h, w, lane)
        _actuator_changes(size, actuator, drive, linear, h, w, lane)
        sync()
        _weights_world(size, opt, contact, efc, efm, status, linear, w, lane)


through_worlds(_metric_changes)


def metric_changes(m: Any, d: Any, jnt: Joint, tendon: Tendon, state: State, work: Workspace) -> None:
    """Add the changes of the metric to Gq, Gv and Gu, after those of moments that turn and once all slopes of inputs are known.

    Reads   m; ``jnt`` and ``tendon`` (with springs as they are), ``state``, d.drive, d.ten, d.contact, d.efc, d.efm, work.linear (M, speed, acc, ten_firm, act_firm, input_act, input_ctrl)
    Writes  work.linear: Gq, Gv, Gu, stiffer, arm, one, another, bar_q, bar_v
    """
    groups = [m.size, m.opt, jnt, m.dof, m.actuator, tendon, state, d.drive, d.ten, d.contact, d.efc, d.efm, d.status]
    launch(_metric_changes, d, [*groups, work.linear])
