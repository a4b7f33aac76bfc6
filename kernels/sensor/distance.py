"""Sensors of the smallest signed distance between two geoms, or between the geoms of two bodies.

The same functions find it that find contacts: closed forms, closest points of convex shapes (GJK), depths (EPA); two
boxes count as general convex shapes here. Within the cutoff the distance comes with the segment from the first surface
to the second; if the geoms overlap the distance is negative and the segment points backwards. Beyond the cutoff the
distance is the cutoff and the segment zero. MuJoCo: mj_geomDistance; documentation, chapter XML Reference, section on
collision sensors.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import SensorType
from newtonish.kernels.collision.convex import touch
from newtonish.kernels.collision.cores import Cores
from newtonish.kernels.collision.narrow import simple_narrowphase
from newtonish.kernels.collision.search import Touch
from newtonish.kernels.collision.support import make_shape, support
from newtonish.kernels.constants import BODY, ELLIPSOID, MESH, PLANE, SPHERE
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sensor.write import put_raw
from newtonish.kernels.structs.data import Kinematics, Sense
from newtonish.kernels.structs.geometric import Measure
from newtonish.kernels.structs.model import Body, Geom, Hull, Sensor


@wp.struct
class Gap:
    """The smallest distance found so far."""

    dist: wp.float32
    start: wp.vec3  # on the first object's surface
    end: wp.vec3  # on the second's
    normal: wp.vec3  # away from the first: the segment of surfaces that hardly touch has no digits left to tell it


@wp.func
def _gap(gap: Gap, dist: float, middle: wp.vec3, normal: wp.vec3) -> Gap:
    """``gap``, or a smaller one given by its distance, midpoint and direction."""
    if dist < gap.dist:
        gap.dist = dist
        gap.start = middle - 0.5 * dist * normal
        gap.end = middle + 0.5 * dist * normal
        gap.normal = normal
    return gap


@wp.func
def _ordered_gap(geom: Geom, hull: Hull, kin: Kinematics, w: int, g1: int, g2: int, reach: float) -> Gap:
    """Gap of two geoms, the one of the lower type first; ``reach`` and zeros if they are farther apart."""
    gap = Gap()
    gap.dist = reach
    type1 = geom.type[g1]
    type2 = geom.type[g2]
    pos1 = kin.geom_xpos[w, g1]
    mat1 = kin.geom_xmat[w, g1]
    convex = type1 >= ELLIPSOID or (type1 >= SPHERE and (type2 == ELLIPSOID or type2 == MESH))
    if convex or (type1 == PLANE and type2 == MESH):
        size_w = per_world(geom.size.shape[0], w)
        data_w = per_world(geom.dataid.shape[0], w)
        zero = wp.vec3(0.0, 0.0, 0.0)  # relative positions: float32 is finest near zero
        mat2 = kin.geom_xmat[w, g2]
        cores = Cores()
        cores.shape2 = make_shape(hull, type2, geom.dataid[data_w, g2], kin.geom_xpos[w, g2] - pos1, mat2, geom.size[size_w, g2])
        if type1 == PLANE:
            normal = wp.vec3(mat1[0, 2], mat1[1, 2], mat1[2, 2])
            lowest = support(hull, cores.shape2, -normal)
            dist = wp.dot(lowest.pos, normal)
            gap = _gap(gap, dist, lowest.pos - 0.5 * dist * normal + pos1, normal)
        else:
            cores.shape1 = make_shape(hull, type1, geom.dataid[data_w, g1], zero, mat1, geom.size[size_w, g1])
            found = Touch()
            touch(hull, cores, reach, found)
            if found.near == 1:
                gap = _gap(gap, found.dist, found.pos + pos1, found.normal)
    elif type2 != PLANE:
        manifold = simple_narrowphase(geom, kin, w, g1, g2, reach, False)
        for k in range(manifold.count):
            normal = manifold.normal
            if k > 0 and wp.length_sq(manifold.normal_second) > 0.0:
                normal = manifold.normal_second
            gap = _gap(gap, manifold.dist[k], manifold.pos[k], normal)
    return gap


@wp.func
def geom_gap(geom: Geom, hull: Hull, kin: Kinematics, w: int, g1: int, g2: int, reach: float) -> Gap:
    """Gap of two geoms in either order."""
    swap = geom.type[g1] > geom.type[g2]
    gap = _ordered_gap(geom, hull, kin, w, wp.where(swap, g2, g1), wp.where(swap, g1, g2), reach)
    if swap:
        start = gap.start
        gap.start = gap.end
        gap.end = start
        gap.normal = -gap.normal
    return gap


@wp.func
def _first_geom(body: Body, kind: int, i: int) -> int:
    if kind == BODY:
        return body.geomadr[i]
    return i


@wp.func
def _geoms(body: Body, kind: int, i: int) -> int:
    if kind == BODY:
        return body.geomnum[i]
    return 1


@wp.func
def _object_gap(body: Body, geom: Geom, hull: Hull, sensor: Sensor, kin: Kinematics, w: int, s: int) -> Gap:
    """The smallest gap of the objects of sensor ``s``."""
    best = Gap()
    best.dist = sensor.cutoff[per_world(sensor.cutoff.shape[0], w), s]
    first1 = _first_geom(body, sensor.objtype[s], sensor.objid[s])
    first2 = _first_geom(body, sensor.reftype[s], sensor.refid[s])
    for g1 in range(first1, first1 + _geoms(body, sensor.objtype[s], sensor.objid[s])):
        for g2 in range(first2, first2 + _geoms(body, sensor.reftype[s], sensor.refid[s])):
            gap = geom_gap(geom, hull, kin, w, g1, g2, best.dist)
            if gap.dist < best.dist:
                best = gap
    return best


@wp.func
def _show(sensor: Sensor, sense: Sense, w: int, s: int, gap: Gap):
    """Write what sensor ``s`` shows of a gap."""
    adr = sensor.adr[s]
    if sensor.type[s] == SensorType.GEOMDIST:
        sense.sensordata[w, adr] = gap.dist
    elif sensor.type[s] == SensorType.GEOMNORMAL:
        put_raw(sense, w, adr, wp.where(gap.dist < 0.0, -1.0, 1.0) * gap.normal)  # the segment's direction
    else:
        put_raw(sense, w, adr, gap.start)
        put_raw(sense, w, adr + 3, gap.end)


@wp.kernel
def _geom_distances(body: Body, geom: Geom, hull: Hull, measure: Measure, sensor: Sensor, kin: Kinematics, sense: Sense):
    w, lane = wp.tid()
    for k in range(lane, measure.number, lanes()):
        first = measure.adr[k]
        gap = _object_gap(body, geom, hull, sensor, kin, w, measure.sensor[first])
        for e in range(first, first + measure.num[k]):
            _show(sensor, sense, w, measure.sensor[e], gap)


def geom_distances(m: Any, d: Any) -> None:
    """Sensors of distances, their directions and segments between geoms.

    Reads   m.geom, m.hull; d.kin. Writes d.sensordata.
    MuJoCo  the sensors distance, normal and fromto.
    """
    launch(_geom_distances, d, [m.body, m.geom, m.hull, m.measure, m.sensor, d.kin, d.sense])
