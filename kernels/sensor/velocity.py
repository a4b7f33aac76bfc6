"""Sensors of velocities.

Frame sensors with a frame of reference give the velocity that an observer in that (moving) frame sees.
MuJoCo: mj_sensorVel; documentation, chapter XML Reference, section ``sensor``.
"""

import warp as wp

from newtonish.common.enums import SensorType
from newtonish.kernels.sensor.frame import frame_mat, frame_pos, point_velocity
from newtonish.kernels.sensor.position import limit_row
from newtonish.kernels.sensor.write import put_scalar, put_vector
from newtonish.kernels.structs.data import (
    Com,
    Drive,
    Efc,
    Kinematics,
    Sense,
    State,
    Status,
    TendonState,
    Velocity,
)  # fmt: skip
from newtonish.kernels.structs.model import Actuator, Body, Joint, Sensor, Site
from newtonish.kernels.structs.optics import CamLight


@wp.func
def _frame_sensor(body: Body, sensor: Sensor, kin: Kinematics, eyes: CamLight, com: Com, vel: Velocity, w: int, s: int, kind: int, i: int) -> wp.vec3:
    """Linear or angular velocity of an object, in the world or relative to a frame of reference."""
    objtype = sensor.objtype[s]
    carrier = sensor.bodyid[s]
    pos = frame_pos(kin, eyes, w, objtype, i)
    velocity = point_velocity(body, com, vel, w, carrier, pos)
    omega = wp.spatial_top(vel.cvel[w, carrier])
    ref = sensor.refid[s]
    if ref >= 0:
        reftype = sensor.reftype[s]
        ref_carrier = sensor.refbodyid[s]
        axes = wp.transpose(frame_mat(kin, eyes, w, reftype, ref))
        # the point of the reference's body that is at the object just now
        velocity = axes * (velocity - point_velocity(body, com, vel, w, ref_carrier, pos))
        omega = axes * (omega - wp.spatial_top(vel.cvel[w, ref_carrier]))
    if kind == SensorType.FRAMELINVEL:
        return velocity
    return omega


@wp.func
def velocity_sensor(
    body: Body, jnt: Joint, site: Site, actuator: Actuator, sensor: Sensor, state: State, kin: Kinematics,
    eyes: CamLight, com: Com, vel: Velocity, drive: Drive, ten: TendonState, efc: Efc, status: Status, sense: Sense,
    w: int, s: int,
):  # fmt: skip
    """Evaluate sensor ``s`` if it depends on positions and velocities."""
    kind = sensor.type[s]
    i = sensor.objid[s]
    if kind == SensorType.VELOCIMETER:
        velocity = point_velocity(body, com, vel, w, site.bodyid[i], kin.site_xpos[w, i])
        put_vector(sensor, sense, w, s, 0, wp.transpose(kin.site_xmat[w, i]) * velocity)
    elif kind == SensorType.GYRO:
        omega = wp.spatial_top(vel.cvel[w, site.bodyid[i]])
        put_vector(sensor, sense, w, s, 0, wp.transpose(kin.site_xmat[w, i]) * omega)
    elif kind == SensorType.JOINTVEL:
        put_scalar(sensor, sense, w, s, 0, state.qvel[w, jnt.dofadr[i]])
    elif kind == SensorType.TENDONVEL:
        put_scalar(sensor, sense, w, s, 0, ten.velocity[w, i])
    elif kind == SensorType.ACTUATORVEL:
        for k in range(actuator.outnum[i]):
            put_scalar(sensor, sense, w, s, k, drive.actuator_velocity[w, actuator.outadr[i] + k])
    elif kind == SensorType.BALLANGVEL:
        v = jnt.dofadr[i]
        put_vector(sensor, sense, w, s, 0, wp.vec3(state.qvel[w, v], state.qvel[w, v + 1], state.qvel[w, v + 2]))
    elif kind == SensorType.JOINTLIMITVEL or kind == SensorType.TENDONLIMITVEL:
        r = limit_row(efc, status, w, sensor.objtype[s], i)
        value = wp.float32(0.0)
        if r >= 0:
            value = efc.vel[w, r]
        put_scalar(sensor, sense, w, s, 0, value)
    elif kind == SensorType.FRAMELINVEL or kind == SensorType.FRAMEANGVEL:
        put_vector(sensor, sense, w, s, 0, _frame_sensor(body, sensor, kin, eyes, com, vel, w, s, kind, i))
    elif kind == SensorType.SUBTREELINVEL:
        put_vector(sensor, sense, w, s, 0, sense.subtree_linvel[w, i])
    elif kind == SensorType.SUBTREEANGMOM:
        put_vector(sensor, sense, w, s, 0, sense.subtree_angmom[w, i])
