"""Sensors of positions.

MuJoCo: mj_sensorPos; documentation, chapter XML Reference, section ``sensor``.
"""

import warp as wp

from newtonish.common.enums import ObjType, SensorType
from newtonish.kernels.constants import LIMIT_JOINT, LIMIT_TENDON, MESH
from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_normalize
from newtonish.kernels.math.world import per_world
from newtonish.kernels.sensor.frame import frame_mat, frame_pos, frame_quat
from newtonish.kernels.sensor.ray import inside_shape
from newtonish.kernels.sensor.write import put_quat, put_scalar, put_vector
from newtonish.kernels.structs.data import Com, Drive, Efc, Kinematics, Sense, State, Status, TendonState
from newtonish.kernels.structs.model import Actuator, Body, Geom, Joint, Option, Sensor, Site
from newtonish.kernels.structs.optics import Camera, CamLight

TENDON = wp.constant(int(ObjType.TENDON))


@wp.func
def limit_row(efc: Efc, status: Status, w: int, objtype: int, i: int) -> int:
    """First limit row of a joint, or of a tendon; -1: the limit is not active."""
    kind = LIMIT_JOINT
    if objtype == TENDON:
        kind = LIMIT_TENDON
    first = status.ne[w] + status.nf[w]
    last = wp.min(first + status.nl[w], efc.type.shape[1])
    found = wp.int32(-1)
    for r in range(first, last):
        if found < 0 and efc.type[w, r] == kind:
            if efc.id[w, r] == i:
                found = r
    return found


@wp.func
def _frame_sensor(
    body: Body, geom: Geom, site: Site, cam: Camera, sensor: Sensor, kin: Kinematics, eyes: CamLight, sense: Sense,
    w: int, s: int, kind: int, i: int,
):  # fmt: skip
    """Position, orientation or an axis of an object, in the world or relative to a frame of reference."""
    objtype = sensor.objtype[s]
    reftype = sensor.reftype[s]
    ref = sensor.refid[s]
    if kind == SensorType.FRAMEQUAT:
        quat = frame_quat(body, geom, site, cam, kin, w, objtype, i)
        if ref >= 0:
            quat = quat_mul(quat_conj(frame_quat(body, geom, site, cam, kin, w, reftype, ref)), quat)
        put_quat(sensor, sense, w, s, quat)
    else:
        value = wp.vec3()
        if kind == SensorType.FRAMEPOS:
            value = frame_pos(kin, eyes, w, objtype, i)
            if ref >= 0:
                value = value - frame_pos(kin, eyes, w, reftype, ref)
        else:
            axes = frame_mat(kin, eyes, w, objtype, i)
            axis = kind - SensorType.FRAMEXAXIS
            value = wp.vec3(axes[0, axis], axes[1, axis], axes[2, axis])
        if ref >= 0:
            value = wp.transpose(frame_mat(kin, eyes, w, reftype, ref)) * value
        put_vector(sensor, sense, w, s, 0, value)


@wp.func
def _inside_site(site: Site, sensor: Sensor, kin: Kinematics, eyes: CamLight, w: int, s: int, i: int) -> float:
    """1 if the object's origin lies in the volume of the site, else 0."""
    ref = sensor.refid[s]
    away = frame_pos(kin, eyes, w, sensor.objtype[s], i) - kin.site_xpos[w, ref]
    size = site.size[per_world(site.size.shape[0], w), ref]
    inside = inside_shape(site.type[ref], size, wp.transpose(kin.site_xmat[w, ref]) * away)
    return wp.where(inside, 1.0, 0.0)


@wp.func
def _ball_quat(state: State, w: int, q: int) -> wp.vec4:
    return quat_normalize(wp.vec4(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2], state.qpos[w, q + 3]))


@wp.func
def position_sensor(
    opt: Option, body: Body, jnt: Joint, geom: Geom, site: Site, cam: Camera, actuator: Actuator, sensor: Sensor,
    state: State, kin: Kinematics, eyes: CamLight, com: Com, drive: Drive, ten: TendonState, efc: Efc, status: Status,
    sense: Sense, w: int, s: int,
):  # fmt: skip
    """Evaluate sensor ``s`` if it depends on positions alone."""
    kind = sensor.type[s]
    i = sensor.objid[s]
    if kind == SensorType.MAGNETOMETER:
        flux = opt.magnetic[per_world(opt.magnetic.shape[0], w)]
        put_vector(sensor, sense, w, s, 0, wp.transpose(kin.site_xmat[w, i]) * flux)
    elif kind == SensorType.JOINTPOS:
        put_scalar(sensor, sense, w, s, 0, state.qpos[w, jnt.qposadr[i]])
    elif kind == SensorType.TENDONPOS:
        put_scalar(sensor, sense, w, s, 0, ten.length[w, i])
    elif kind == SensorType.ACTUATORPOS:
        for k in range(actuator.outnum[i]):
            put_scalar(sensor, sense, w, s, k, drive.actuator_length[w, actuator.outadr[i] + k])
    elif kind == SensorType.BALLQUAT:
        put_quat(sensor, sense, w, s, _ball_quat(state, w, jnt.qposadr[i]))
    elif kind == SensorType.JOINTLIMITPOS or kind == SensorType.TENDONLIMITPOS:
        r = limit_row(efc, status, w, sensor.objtype[s], i)
        value = wp.float32(0.0)
        if r >= 0:
            value = efc.pos[w, r] - efc.margin[w, r]
        put_scalar(sensor, sense, w, s, 0, value)
    elif kind >= SensorType.FRAMEPOS and kind <= SensorType.FRAMEZAXIS:
        _frame_sensor(body, geom, site, cam, sensor, kin, eyes, sense, w, s, kind, i)
    elif kind == SensorType.SUBTREECOM:
        put_vector(sensor, sense, w, s, 0, com.subtree_com[w, i])
    elif kind == SensorType.INSIDESITE and sensor.intprm[s][0] == 0 and site.type[sensor.refid[s]] != MESH:
        put_scalar(sensor, sense, w, s, 0, _inside_site(site, sensor, kin, eyes, w, s, i))
    elif kind == SensorType.E_POTENTIAL:
        put_scalar(sensor, sense, w, s, 0, sense.energy[w][0])
    elif kind == SensorType.E_KINETIC:
        put_scalar(sensor, sense, w, s, 0, sense.energy[w][1])
    elif kind == SensorType.CLOCK:
        put_scalar(sensor, sense, w, s, 0, state.time[w])
