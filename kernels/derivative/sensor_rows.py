"""Derivatives of sensors of joints, tendons, actuators and limits: of numbers that dofs have directly."""

import warp as wp

from newtonish.common.enums import JointType, SensorType, TrnType
from newtonish.kernels.constants import LIMIT_JOINT
from newtonish.kernels.constraint.row import jacobian_entry
from newtonish.kernels.derivative.algebra import real, rotation_change, rotation_vector
from newtonish.kernels.derivative.forces import moment_of
from newtonish.kernels.derivative.metric_bends import rescaling
from newtonish.kernels.derivative.quaternions import quaternion_product, wide4
from newtonish.kernels.derivative.scalar_rows import QUADRATIC, row_response
from newtonish.kernels.derivative.sensor_frames import BY_ACCELERATION, BY_POSITION, BY_VELOCITY
from newtonish.kernels.derivative.workspace import Linear
from newtonish.kernels.math.quat import quat_normalize
from newtonish.kernels.math.world import per_world
from newtonish.kernels.sensor.position import limit_row
from newtonish.kernels.structs.data import Drive, Efc, Solve, State, Status, TendonState
from newtonish.kernels.structs.model import Actuator, Dof, Equality, Joint, Option, Sensor, Size, Tendon


@wp.func
def _quat_at(state: State, w: int, q: int) -> wp.vec4:
    return quat_normalize(wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3]))


@wp.func
def _is(i: int, j: int) -> wp.float64:
    return wp.where(i == j, real(1.0), real(0.0))


@wp.func
def _unit(k: int) -> wp.vec3d:
    return wp.vec3d(_is(k, 0), _is(k, 1), _is(k, 2))


@wp.func
def tendon_entry(tendon: Tendon, ten: TendonState, w: int, t: int, k: int) -> wp.float64:
    """Entry of dof ``k`` in the Jacobian of tendon ``t``."""
    found = real(0.0)
    for n in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
        if tendon.J_colind[n] == k:
            found = real(ten.J[w, n])
    return found


@wp.func
def _turns(jnt: Joint, actuator: Actuator, a: int) -> bool:
    """Whether the moment of actuator ``a`` may change, or is no gradient of its length."""
    kind = actuator.trntype[a]
    result = kind == TrnType.SITE or kind == TrnType.SLIDERCRANK
    if kind == TrnType.JOINT or kind == TrnType.JOINTINPARENT:
        joint = jnt.type[actuator.trnid[a][0]]
        result = joint == JointType.BALL or joint == JointType.FREE
    return result


@wp.func
def _length_change(jnt: Joint, actuator: Actuator, state: State, drive: Drive, linear: Linear, w: int, a: int, k: int) -> wp.float64:
    """Derivative of the length of actuator ``a`` by the position of dof ``k``; that of a free joint is 0, that of a ball joint part of a rotation vector."""
    o = actuator.outadr[a]
    found = moment_of(drive, w, a, o, k)
    if _turns(jnt, actuator, a):
        j = actuator.trnid[a][0]
        if linear.out_length.shape[1] > 0:
            found = linear.out_length[w, o, k]
        elif jnt.type[j] == JointType.FREE:
            found = real(0.0)
        elif k >= jnt.dofadr[j] and k < jnt.dofadr[j] + 3:
            rotation = rotation_vector(wide4(_quat_at(state, w, jnt.qposadr[j])))
            v = jnt.dofadr[j]
            moment = wp.vec3d(moment_of(drive, w, a, o, v), moment_of(drive, w, a, o, v + 1), moment_of(drive, w, a, o, v + 2))
            found = wp.dot(moment, rotation_change(rotation, _unit(k - v)))
    return found


@wp.func
def _rate_change(jnt: Joint, actuator: Actuator, tendon: Tendon, linear: Linear, w: int, a: int, k: int) -> wp.float64:
    """Derivative of the velocity of actuator ``a`` by the position of dof ``k``, which turns its moment."""
    o = actuator.outadr[a]
    found = real(0.0)
    if actuator.trntype[a] == TrnType.TENDON:
        if linear.tendon_rate.shape[1] > 0:
            found = real(actuator.gear[per_world(actuator.gear.shape[0], w), o][0]) * linear.tendon_rate[w, actuator.trnid[a][0], k]
    elif _turns(jnt, actuator, a) and linear.out_rate.shape[1] > 0:
        found = linear.out_rate[w, o, k]
    return found


@wp.func
def _force_change(
    jnt: Joint, actuator: Actuator, tendon: Tendon, state: State, drive: Drive, linear: Linear, w: int, a: int, k: int, mode: int,
) -> wp.float64:  # fmt: skip
    """Derivative of the force of actuator ``a``."""
    found = real(0.0)
    if mode == BY_POSITION:
        found = linear.force_length[w, a] * _length_change(jnt, actuator, state, drive, linear, w, a, k)
        found += linear.force_velocity[w, a] * _rate_change(jnt, actuator, tendon, linear, w, a, k)
    elif mode == BY_VELOCITY:
        found = linear.force_velocity[w, a] * moment_of(drive, w, a, actuator.outadr[a], k)
    return found


@wp.func
def force_share(jnt: Joint, actuator: Actuator, sensor: Sensor, drive: Drive, linear: Linear, w: int, s: int, a: int) -> wp.float64:
    """How much of the force of actuator ``a`` sensor ``s`` measures."""
    kind = sensor.type[s]
    i = sensor.objid[s]
    share = real(0.0)
    if kind == SensorType.ACTUATORFRC:
        share = _is(a, i)
    elif kind == SensorType.TENDONACTFRC:
        if actuator.trntype[a] == TrnType.TENDON and actuator.trnid[a][0] == i:
            share = real(1.0)
    elif kind == SensorType.JOINTACTFRC:
        v = jnt.dofadr[i]
        if linear.left[w, v] != 0:
            share = moment_of(drive, w, a, actuator.outadr[a], v)
    return share


@wp.func
def _turning_entry(jnt: Joint, state: State, efc: Efc, w: int, r: int, k: int, rates: wp.vec3d) -> wp.float64:
    """Change of a ball joint's limit row times ``rates`` of its dofs, as dof ``k`` turns the axis."""
    found = real(0.0)
    j = efc.id[w, r]
    v = jnt.dofadr[j]
    if jnt.type[j] == JointType.BALL and k >= v and k < v + 3:
        rotation = rotation_vector(wide4(_quat_at(state, w, jnt.qposadr[j])))
        angle = wp.length(rotation)
        if angle > real(1.0e-12):
            axis = rotation / angle
            change = rotation_change(rotation, _unit(k - v))
            found = -wp.dot(change - wp.dot(change, axis) * axis, rates) / angle
    return found


@wp.func
def _tendon_side(tendon: Tendon, ten: TendonState, efc: Efc, w: int, r: int) -> wp.float64:
    """1 if the row of a tendon's limit has the tendon's Jacobian, -1 if it has the opposite."""
    t = efc.id[w, r]
    along = wp.float32(0.0)
    for n in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
        along += ten.J[w, n] * jacobian_entry(efc, w, r, tendon.J_colind[n])
    return wp.where(along >= 0.0, real(1.0), real(-1.0))


@wp.func
def _limit_change(
    size: Size, opt: Option, jnt: Joint, dof: Dof, tendon: Tendon, eq: Equality, state: State, ten: TendonState, efc: Efc, sol: Solve, linear: Linear, kind: int,
    w: int, r: int, k: int, mode: int,
) -> wp.float64:  # fmt: skip
    """Derivative of a limit's distance, velocity or force."""
    entry = real(jacobian_entry(efc, w, r, k))
    speeds = wp.vec3d()
    rates = wp.vec3d()
    if efc.type[w, r] == LIMIT_JOINT:
        j = efc.id[w, r]
        v = jnt.dofadr[j]
        if jnt.type[j] == JointType.BALL:
            speeds = wp.vec3d(real(state.qvel[w, v]), real(state.qvel[w, v + 1]), real(state.qvel[w, v + 2]))
            rates = wp.vec3d(real(sol.qacc[w, v]), real(sol.qacc[w, v + 1]), real(sol.qacc[w, v + 2]))
    found = real(0.0)
    if kind == SensorType.JOINTLIMITPOS or kind == SensorType.TENDONLIMITPOS:
        if mode == BY_POSITION:
            found = entry
    elif kind == SensorType.JOINTLIMITVEL or kind == SensorType.TENDONLIMITVEL:
        if mode == BY_VELOCITY:
            found = entry
        elif mode == BY_POSITION and efc.type[w, r] == LIMIT_JOINT:
            found = _turning_entry(jnt, state, efc, w, r, k, speeds)
        elif mode == BY_POSITION and linear.tendon_rate.shape[1] > 0:
            found = _tendon_side(tendon, ten, efc, w, r) * linear.tendon_rate[w, efc.id[w, r], k]
    elif efc.state[w, r] == QUADRATIC:
        slopes = row_response(opt, jnt, dof, tendon, eq, efc, w, r)
        weight = real(efc.D[w, r])
        if mode == BY_POSITION:
            found = (slopes.growth * real(efc.force[w, r]) - weight * slopes.spring) * entry
            if efc.type[w, r] == LIMIT_JOINT:
                found -= weight * _turning_entry(jnt, state, efc, w, r, k, rates + slopes.damper * speeds)
            elif linear.tendon_rate.shape[1] > 0:
                seen = linear.tendon_push[w, efc.id[w, r], k] + slopes.damper * linear.tendon_rate[w, efc.id[w, r], k]
                found -= weight * _tendon_side(tendon, ten, efc, w, r) * seen
            found += real(efc.force[w, r]) * rescaling(size, efc, linear, w, r, k)
        elif mode == BY_VELOCITY:
            found = -weight * slopes.damper * entry + real(efc.force[w, r]) * rescaling(size, efc, linear, w, r, size.nv + k)
        else:
            found = -weight * entry
    return found


@wp.func
def row_sensor_change(
    size: Size, opt: Option, jnt: Joint, dof: Dof, actuator: Actuator, tendon: Tendon, eq: Equality, sensor: Sensor, state: State, drive: Drive,
    ten: TendonState, efc: Efc, sol: Solve, status: Status, linear: Linear, w: int, s: int, k: int, mode: int,
) -> wp.vec4d:  # fmt: skip
    """Change of the numbers of sensor ``s``, of a type of this file."""
    kind = sensor.type[s]
    i = sensor.objid[s]
    found = wp.vec4d()
    if kind == SensorType.JOINTPOS or kind == SensorType.JOINTVEL:
        if mode == wp.where(kind == SensorType.JOINTPOS, BY_POSITION, BY_VELOCITY):
            found[0] = _is(k, jnt.dofadr[i])
    elif kind == SensorType.TENDONPOS or kind == SensorType.TENDONVEL:
        if mode == wp.where(kind == SensorType.TENDONPOS, BY_POSITION, BY_VELOCITY):
            found[0] = tendon_entry(tendon, ten, w, i, k)
        elif kind == SensorType.TENDONVEL and mode == BY_POSITION and linear.tendon_rate.shape[1] > 0:
            found[0] = linear.tendon_rate[w, i, k]
    elif kind == SensorType.ACTUATORPOS:
        if mode == BY_POSITION:
            found[0] = _length_change(jnt, actuator, state, drive, linear, w, i, k)
    elif kind == SensorType.ACTUATORVEL:
        if mode == BY_VELOCITY:
            found[0] = moment_of(drive, w, i, actuator.outadr[i], k)
        elif mode == BY_POSITION:
            found[0] = _rate_change(jnt, actuator, tendon, linear, w, i, k)
    elif kind == SensorType.BALLANGVEL:
        if mode == BY_VELOCITY:
            unit = _unit(k - jnt.dofadr[i])
            found = wp.vec4d(unit[0], unit[1], unit[2], real(0.0))
    elif kind == SensorType.BALLQUAT:
        if mode == BY_POSITION:
            unit = _unit(k - jnt.dofadr[i])
            found = real(0.5) * quaternion_product(wide4(_quat_at(state, w, jnt.qposadr[i])), wp.vec4d(real(0.0), unit[0], unit[1], unit[2]))
    elif kind == SensorType.ACTUATORFRC or kind == SensorType.JOINTACTFRC or kind == SensorType.TENDONACTFRC:
        if mode != BY_ACCELERATION:
            for a in range(size.nactuator):
                share = force_share(jnt, actuator, sensor, drive, linear, w, s, a)
                if share != real(0.0):
                    found[0] = found[0] + share * _force_change(jnt, actuator, tendon, state, drive, linear, w, a, k, mode)
    elif kind >= SensorType.JOINTLIMITPOS and kind <= SensorType.TENDONLIMITFRC:
        r = limit_row(efc, status, w, sensor.objtype[s], i)
        if r >= 0:
            found[0] = _limit_change(size, opt, jnt, dof, tendon, eq, state, ten, efc, sol, linear, kind, w, r, k, mode)
    return found
