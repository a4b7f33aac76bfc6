"""Tactile sensors: how deep each vertex of a mesh lies in the geoms that touch its body, and how fast they slide there.

A vertex is a taxel. Of every geom with a contact with the sensor's body (bodies welded together are one) the signed
distance at the taxel is taken; the sensor shows the largest depth, and along each of the two tangents that the mesh has at
the vertex the sum of the speeds relative to the geoms in which the taxel lies. First all depths are put out, then
all speeds along the first tangent, then along the second.
MuJoCo: documentation, chapter XML Reference, element ``sensor/tactile``. Distances as in Quilez, Distance functions
(2008); that of an ellipsoid is its first-order approximation, zero on the surface, and depths in a box are measured
along a smooth field, as in MuJoCo: away from its faces they are larger than the distance of the nearest one.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import GeomType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sensor.frame import point_velocity
from newtonish.kernels.sensor.write import put_scalar
from newtonish.kernels.structs.data import Com, Contact, Kinematics, Sense, Status, Velocity
from newtonish.kernels.structs.geometric import Tactile
from newtonish.kernels.structs.model import Body, Geom, Sensor


@wp.func
def _ellipsoid(p: wp.vec3, size: wp.vec3) -> float:
    scaled = wp.cw_div(p, size)
    length = wp.length(scaled)
    slope = wp.length(wp.cw_div(scaled, size))
    return wp.where(slope > MINVAL, length * (length - 1.0) / wp.max(slope, MINVAL), -wp.min(size))


@wp.func
def _box(p: wp.vec3, size: wp.vec3) -> float:
    """Outside the distance; inside the length of the way out along a smooth field that turns towards the near walls."""
    beyond = wp.abs(p) - size
    if wp.max(beyond) >= 0.0:
        return wp.length(wp.vec3(wp.max(beyond[0], 0.0), wp.max(beyond[1], 0.0), wp.max(beyond[2], 0.0)))
    way = wp.normalize(wp.cw_div(size, -beyond))
    return wp.max(wp.cw_div(beyond, way))


@wp.func
def signed_distance(kind: int, size: wp.vec3, p: wp.vec3) -> float:
    """Distance [m] of point ``p`` from the surface of a geom, both in the geom's frame; negative inside, 0 for other geoms."""
    distance = wp.float32(0.0)
    if kind == GeomType.PLANE:
        distance = p[2]
    elif kind == GeomType.SPHERE:
        distance = wp.length(p) - size[0]
    elif kind == GeomType.CAPSULE:
        distance = wp.length(p - wp.vec3(0.0, 0.0, wp.clamp(p[2], -size[1], size[1]))) - size[0]
    elif kind == GeomType.ELLIPSOID:
        distance = _ellipsoid(p, size)
    elif kind == GeomType.CYLINDER:
        radial = wp.sqrt(p[0] * p[0] + p[1] * p[1]) - size[0]
        axial = wp.abs(p[2]) - size[1]
        corner = wp.length(wp.vec2(wp.max(radial, 0.0), wp.max(axial, 0.0)))
        distance = corner + wp.min(wp.max(radial, axial), 0.0)
    elif kind == GeomType.BOX:
        distance = _box(p, size)
    return distance


@wp.func
def _partner(body: Body, geom: Geom, contact: Contact, w: int, c: int, weld: int) -> int:
    """The geom that contact ``c`` brings against the bodies welded to ``weld``; -1: none."""
    geoms = contact.geom[w, c]
    if body.weldid[geom.bodyid[geoms[0]]] == weld:
        return geoms[1]
    return wp.where(body.weldid[geom.bodyid[geoms[1]]] == weld, geoms[0], -1)


@wp.func
def _taxel(
    body: Body, geom: Geom, sensor: Sensor, tactile: Tactile, kin: Kinematics, com: Com, vel: Velocity, contact: Contact,
    status: Status, sense: Sense, w: int, i: int,
):  # fmt: skip
    s = tactile.sensor[i]
    pad = sensor.refid[s]
    pad_body = geom.bodyid[pad]
    axes = kin.geom_xmat[w, pad]
    point = kin.geom_xpos[w, pad] + axes * tactile.pos[i]
    tangent1 = axes * tactile.tangent1[i]
    tangent2 = axes * tactile.tangent2[i]
    depth = wp.float32(0.0)
    slip1 = wp.float32(0.0)
    slip2 = wp.float32(0.0)
    last = wp.int32(-1)
    weld = wp.int32(body.weldid[pad_body])
    for c in range(wp.min(status.ncon[w], contact.dist.shape[1])):
        g = _partner(body, geom, contact, w, c, weld)
        if g >= 0 and g != last:  # the contacts of a pair lie side by side
            last = g
            fresh = g != pad
            for earlier in range(c):  # another geom of the welded bodies may have met it too
                if fresh and _partner(body, geom, contact, w, earlier, weld) == g:
                    fresh = False
            if fresh:
                size = geom.size[per_world(geom.size.shape[0], w), g]
                p = wp.transpose(kin.geom_xmat[w, g]) * (point - kin.geom_xpos[w, g])
                distance = signed_distance(geom.type[g], size, p)
                if distance < 0.0:
                    depth = wp.max(depth, -distance)
                    slip = point_velocity(body, com, vel, w, pad_body, point)
                    slip -= point_velocity(body, com, vel, w, geom.bodyid[g], point)
                    slip1 += wp.abs(wp.dot(slip, tangent1))
                    slip2 += wp.abs(wp.dot(slip, tangent2))
    k = tactile.vertex[i]
    count = tactile.count[i]
    put_scalar(sensor, sense, w, s, k, depth)
    put_scalar(sensor, sense, w, s, k + count, slip1)
    put_scalar(sensor, sense, w, s, k + 2 * count, slip2)


@wp.kernel
def _taxels(
    body: Body, geom: Geom, sensor: Sensor, tactile: Tactile, kin: Kinematics, com: Com, vel: Velocity, contact: Contact,
    status: Status, sense: Sense,
):  # fmt: skip
    w, lane = wp.tid()
    for i in range(lane, tactile.number, lanes()):
        _taxel(body, geom, sensor, tactile, kin, com, vel, contact, status, sense, w, i)


def taxels(m: Any, d: Any) -> None:
    """Sensors of what presses and slides on meshes, after ``com_vel``.

    Reads   d.kin, d.com, d.vel, d.contact. Writes d.sensordata.
    """
    launch(_taxels, d, [m.body, m.geom, m.sensor, m.tactile, d.kin, d.com, d.vel, d.contact, d.status, d.sense])
