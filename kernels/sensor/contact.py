"""Contact sensors: which contacts between two (kinds of) objects there are, and what acts in them.

The contacts that match are written in the order of their slots, or those with the smallest distance or the largest
force first, or reduced to one resultant force at the force-weighted centre. Everything points from the first object to
the second, whatever the order of the geoms. MuJoCo: documentation, chapter XML Reference, element ``sensor/contact``.
"""

import warp as wp

from newtonish.common.enums import ConDataField, ObjType
from newtonish.kernels.constants import BODY, GEOM, MINVAL, SITE, XBODY
from newtonish.kernels.constraint.contact_force import contact_wrench, to_world
from newtonish.kernels.math.world import per_world
from newtonish.kernels.sensor.frame import point_velocity
from newtonish.kernels.sensor.ray import inside_shape
from newtonish.kernels.sensor.write import put_raw
from newtonish.kernels.structs.data import Com, Contact, Efc, Kinematics, Sense, Status, Velocity
from newtonish.kernels.structs.model import Body, Geom, Option, Sensor, Site

UNKNOWN = wp.constant(int(ObjType.UNKNOWN))
MINDIST = wp.constant(1)
MAXFORCE = wp.constant(2)
NETFORCE = wp.constant(3)


@wp.func
def _is_part(body: Body, geom: Geom, kind: int, i: int, g: int) -> bool:
    """Whether geom ``g`` belongs to an object: itself, its body, its subtree, or anything."""
    if kind == GEOM:
        return g == i
    b = wp.int32(geom.bodyid[g])
    if kind == BODY:
        return b == i
    if kind == XBODY:
        while b > i:  # a parent's index is smaller
            b = body.parentid[b]
        return b == i
    return True


@wp.func
def contact_side(body: Body, geom: Geom, site: Site, sensor: Sensor, kin: Kinematics, contact: Contact, w: int, s: int, c: int) -> float:
    """Match of contact ``c`` with sensor ``s``: 1 in the order of its geoms, -1 in the other, 0 none."""
    objtype = sensor.objtype[s]
    obj = sensor.objid[s]
    reftype = sensor.reftype[s]
    ref = sensor.refid[s]
    if objtype == SITE:
        p = wp.transpose(kin.site_xmat[w, obj]) * (contact.pos[w, c] - kin.site_xpos[w, obj])
        if not inside_shape(site.type[obj], site.size[per_world(site.size.shape[0], w), obj], p):
            return 0.0
    geoms = contact.geom[w, c]
    forward = _is_part(body, geom, objtype, obj, geoms[0]) and _is_part(body, geom, reftype, ref, geoms[1])
    backward = _is_part(body, geom, objtype, obj, geoms[1]) and _is_part(body, geom, reftype, ref, geoms[0])
    return wp.where(forward, 1.0, wp.where(backward, -1.0, 0.0))


@wp.func
def _criterion(opt: Option, contact: Contact, efc: Efc, status: Status, w: int, c: int, reduce: int) -> float:
    """What the contacts of a sensor are sorted by, smallest first."""
    if reduce == MINDIST:
        return contact.dist[w, c]
    if reduce == MAXFORCE:
        wrench = contact_wrench(opt, contact, efc, status, w, c)
        return -(wrench[0] * wrench[0] + wrench[1] * wrench[1] + wrench[2] * wrench[2])
    return float(c)


@wp.func
def _write_slot(
    opt: Option, body: Body, geom: Geom, sensor: Sensor, com: Com, vel: Velocity, contact: Contact, efc: Efc,
    status: Status, sense: Sense, w: int, s: int, c: int, first: int, side: float, found: int,
) -> int:  # fmt: skip
    """Write contact ``c`` from entry ``first`` on; returns the entry after it."""
    fields = sensor.intprm[s][0]
    # turning the normal and the first tangent about leaves the second tangent where it is
    flip = wp.vec3(1.0, 1.0, side)
    frame = contact.frame[w, c]
    pos = contact.pos[w, c]
    wrench = contact_wrench(opt, contact, efc, status, w, c)
    adr = first
    if (fields & (1 << ConDataField.FOUND)) != 0:
        sense.sensordata[w, adr] = float(found)
        adr += 1
    if (fields & (1 << ConDataField.FORCE)) != 0:
        put_raw(sense, w, adr, wp.cw_mul(flip, wp.vec3(wrench[0], wrench[1], wrench[2])))
        adr += 3
    if (fields & (1 << ConDataField.TORQUE)) != 0:
        put_raw(sense, w, adr, wp.cw_mul(flip, wp.vec3(wrench[3], wrench[4], wrench[5])))
        adr += 3
    if (fields & (1 << ConDataField.DIST)) != 0:
        sense.sensordata[w, adr] = contact.dist[w, c]
        adr += 1
    if (fields & (1 << ConDataField.POS)) != 0:
        put_raw(sense, w, adr, pos)
        adr += 3
    if (fields & (1 << ConDataField.NORMAL)) != 0:
        put_raw(sense, w, adr, side * wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2]))
        adr += 3
    if (fields & (1 << ConDataField.TANGENT)) != 0:
        put_raw(sense, w, adr, side * wp.vec3(frame[1, 0], frame[1, 1], frame[1, 2]))
        adr += 3
    body1 = geom.bodyid[contact.geom[w, c][0]]
    body2 = geom.bodyid[contact.geom[w, c][1]]
    if (fields & (1 << ConDataField.LINVEL)) != 0:
        velocity = point_velocity(body, com, vel, w, body2, pos) - point_velocity(body, com, vel, w, body1, pos)
        put_raw(sense, w, adr, wp.cw_mul(flip, frame * velocity))
        adr += 3
    if (fields & (1 << ConDataField.ANGVEL)) != 0:
        omega = wp.spatial_top(vel.cvel[w, body2]) - wp.spatial_top(vel.cvel[w, body1])
        put_raw(sense, w, adr, wp.cw_mul(flip, frame * omega))
        adr += 3
    return adr


@wp.func
def _write_resultant(
    opt: Option, body: Body, geom: Geom, site: Site, sensor: Sensor, kin: Kinematics, contact: Contact, efc: Efc,
    status: Status, sense: Sense, w: int, s: int, found: int,
):  # fmt: skip
    """Write the resultant of all matching contacts in world axes, at the centre weighted with the force."""
    force = wp.vec3()
    moment = wp.vec3()  # about the world's origin
    centre = wp.vec3()
    weight = wp.float32(0.0)
    for c in range(wp.min(status.ncon[w], contact.dist.shape[1])):
        side = contact_side(body, geom, site, sensor, kin, contact, w, s, c)
        if side != 0.0:
            wrench = side * to_world(contact.frame[w, c], contact_wrench(opt, contact, efc, status, w, c))
            part = wp.vec3(wrench[0], wrench[1], wrench[2])
            force += part
            moment += wp.vec3(wrench[3], wrench[4], wrench[5]) + wp.cross(contact.pos[w, c], part)
            weight += wp.length(part)
            centre += wp.length(part) * contact.pos[w, c]
    centre = centre / wp.max(weight, MINVAL)
    fields = sensor.intprm[s][0]
    adr = sensor.adr[s]
    if (fields & (1 << ConDataField.FOUND)) != 0:
        sense.sensordata[w, adr] = float(found)
        adr += 1
    if (fields & (1 << ConDataField.FORCE)) != 0:
        put_raw(sense, w, adr, force)
        adr += 3
    if (fields & (1 << ConDataField.TORQUE)) != 0:
        put_raw(sense, w, adr, moment - wp.cross(centre, force))
        adr += 3
    if (fields & (1 << ConDataField.DIST)) != 0:
        sense.sensordata[w, adr] = 0.0
        adr += 1
    if (fields & (1 << ConDataField.POS)) != 0:
        put_raw(sense, w, adr, centre)
        adr += 3
    if (fields & (1 << ConDataField.NORMAL)) != 0:
        put_raw(sense, w, adr, wp.vec3(1.0, 0.0, 0.0))
        adr += 3
    if (fields & (1 << ConDataField.TANGENT)) != 0:
        put_raw(sense, w, adr, wp.vec3(0.0, 1.0, 0.0))


@wp.func
def contact_sensor(
    opt: Option, body: Body, geom: Geom, site: Site, sensor: Sensor, kin: Kinematics, com: Com, vel: Velocity,
    contact: Contact, efc: Efc, status: Status, sense: Sense, w: int, s: int,
):  # fmt: skip
    """Evaluate contact sensor ``s``; slots without a contact are zero."""
    ncon = wp.min(status.ncon[w], contact.dist.shape[1])
    reduce = sensor.intprm[s][1]
    found = wp.int32(0)
    for c in range(ncon):
        if contact_side(body, geom, site, sensor, kin, contact, w, s, c) != 0.0:
            found += 1
    adr = sensor.adr[s]
    for k in range(sensor.dim[s]):
        sense.sensordata[w, adr + k] = 0.0
    if reduce == NETFORCE:
        if found > 0:
            _write_resultant(opt, body, geom, site, sensor, kin, contact, efc, status, sense, w, s, found)
    else:
        # pick slot by slot the next contact in the order of (criterion, contact)
        last = wp.int32(-1)
        last_value = wp.float32(0.0)
        for _slot in range(wp.min(sensor.intprm[s][2], found)):
            best = wp.int32(-1)
            best_value = wp.float32(0.0)
            best_side = wp.float32(0.0)
            for c in range(ncon):
                side = contact_side(body, geom, site, sensor, kin, contact, w, s, c)
                if side != 0.0:
                    x = _criterion(opt, contact, efc, status, w, c, reduce)
                    later = last < 0 or x > last_value or (x == last_value and c > last)
                    if later and (best < 0 or x < best_value):
                        best = c
                        best_value = x
                        best_side = side
            if best >= 0:
                adr = _write_slot(opt, body, geom, sensor, com, vel, contact, efc, status, sense, w, s, best, adr, best_side, found)
                last = best
                last_value = best_value
