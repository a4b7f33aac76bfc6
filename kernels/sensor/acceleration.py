"""Sensors of accelerations and forces, contacts apart.

MuJoCo: mj_sensorAcc; documentation, chapter XML Reference, section ``sensor``.
"""

import warp as wp

from newtonish.common.enums import SensorType, TrnType
from newtonish.kernels.constraint.contact_force import contact_wrench
from newtonish.kernels.math.world import per_world
from newtonish.kernels.sensor.frame import frame_pos, lever, point_acceleration
from newtonish.kernels.sensor.position import limit_row
from newtonish.kernels.sensor.ray import ray_shape
from newtonish.kernels.sensor.write import put_scalar, put_vector
from newtonish.kernels.structs.data import Com, Contact, Drive, Efc, Force, Kinematics, Sense, Status, Velocity
from newtonish.kernels.structs.model import Actuator, Body, Geom, Joint, Option, Sensor, Site, Size
from newtonish.kernels.structs.optics import CamLight


@wp.func
def _touch(opt: Option, geom: Geom, site: Site, kin: Kinematics, contact: Contact, efc: Efc, status: Status, w: int, i: int) -> float:
    """Sum of the normal forces that act on the site's body along lines through the site's volume [N]."""
    total = wp.float32(0.0)
    carrier = site.bodyid[i]
    size = site.size[per_world(site.size.shape[0], w), i]
    to_site = wp.transpose(kin.site_xmat[w, i])
    for c in range(wp.min(status.ncon[w], contact.dist.shape[1])):
        geoms = contact.geom[w, c]
        body1 = geom.bodyid[geoms[0]]
        body2 = geom.bodyid[geoms[1]]
        if contact.efc_address[w, c] >= 0 and (body1 == carrier or body2 == carrier):
            normal_force = contact_wrench(opt, contact, efc, status, w, c)[0]
            if normal_force > 0.0:
                frame = contact.frame[w, c]
                normal = wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])
                if body2 == carrier:  # from the point of contact into the other body's side
                    normal = -normal
                p = to_site * (contact.pos[w, c] - kin.site_xpos[w, i])
                if ray_shape(site.type[i], size, p, to_site * normal)[3] >= 0.0:
                    total += normal_force
    return total


@wp.func
def _tendon_force(size: Size, actuator: Actuator, drive: Drive, w: int, t: int) -> float:
    """Sum of the forces of the actuators of tendon ``t`` [N]."""
    total = wp.float32(0.0)
    for a in range(size.nactuator):
        if actuator.trntype[a] == TrnType.TENDON and actuator.trnid[a][0] == t:
            total += drive.actuator_force[w, actuator.outadr[a]]
    return total


@wp.func
def acceleration_sensor(
    size: Size, opt: Option, body: Body, jnt: Joint, geom: Geom, site: Site, actuator: Actuator, sensor: Sensor,
    kin: Kinematics, eyes: CamLight, com: Com, vel: Velocity, frc: Force, drive: Drive, contact: Contact, efc: Efc,
    status: Status, sense: Sense, w: int, s: int,
):  # fmt: skip
    """Evaluate sensor ``s`` if it depends on accelerations or forces; contact sensors have a function of their own."""
    kind = sensor.type[s]
    i = sensor.objid[s]
    if kind == SensorType.TOUCH:
        put_scalar(sensor, sense, w, s, 0, _touch(opt, geom, site, kin, contact, efc, status, w, i))
    elif kind == SensorType.ACCELEROMETER:
        felt = point_acceleration(body, com, vel, w, site.bodyid[i], kin.site_xpos[w, i])
        put_vector(sensor, sense, w, s, 0, wp.transpose(kin.site_xmat[w, i]) * felt)
    elif kind == SensorType.FORCE:
        force = wp.spatial_bottom(sense.cfrc_int[w, site.bodyid[i]])
        put_vector(sensor, sense, w, s, 0, wp.transpose(kin.site_xmat[w, i]) * force)
    elif kind == SensorType.TORQUE:
        wrench = sense.cfrc_int[w, site.bodyid[i]]
        arm = lever(body, com, w, site.bodyid[i], kin.site_xpos[w, i])
        torque = wp.spatial_top(wrench) - wp.cross(arm, wp.spatial_bottom(wrench))
        put_vector(sensor, sense, w, s, 0, wp.transpose(kin.site_xmat[w, i]) * torque)
    elif kind == SensorType.ACTUATORFRC:
        for k in range(actuator.outnum[i]):
            put_scalar(sensor, sense, w, s, k, drive.actuator_force[w, actuator.outadr[i] + k])
    elif kind == SensorType.JOINTACTFRC:
        put_scalar(sensor, sense, w, s, 0, frc.qfrc_actuator[w, jnt.dofadr[i]])
    elif kind == SensorType.TENDONACTFRC:
        put_scalar(sensor, sense, w, s, 0, _tendon_force(size, actuator, drive, w, i))
    elif kind == SensorType.JOINTLIMITFRC or kind == SensorType.TENDONLIMITFRC:
        r = limit_row(efc, status, w, sensor.objtype[s], i)
        value = wp.float32(0.0)
        if r >= 0:
            value = efc.force[w, r]
        put_scalar(sensor, sense, w, s, 0, value)
    elif kind == SensorType.FRAMELINACC:
        carrier = sensor.bodyid[s]
        pos = frame_pos(kin, eyes, w, sensor.objtype[s], i)
        put_vector(sensor, sense, w, s, 0, point_acceleration(body, com, vel, w, carrier, pos))
    elif kind == SensorType.FRAMEANGACC:
        carrier = sensor.bodyid[s]
        put_vector(sensor, sense, w, s, 0, wp.spatial_top(vel.cacc[w, carrier]))
