"""Signed distances of primitive shapes and their gradients, in float64, as the search for contacts of distance fields takes them.

Frames are those of the geoms. Distances of ellipsoids, and of boxes inside, are no exact ones: they are what MuJoCo takes, so that the same
points are found. Outlines after I. Quilez, "Distance functions" (https://iquilezles.org/articles/distfunctions/).
"""

from __future__ import annotations

import warp as wp

from newtonish.common.constants import MINVAL
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, SPHERE

f64 = wp.float64
TINY = wp.constant(wp.float64(MINVAL))
ZERO = wp.constant(wp.float64(0.0))


@wp.func
def _beyond(x: wp.vec3d, size: wp.vec3d) -> wp.vec3d:
    """How far a point is beyond each pair of a box's faces."""
    return wp.vec3d(wp.abs(x[0]) - size[0], wp.abs(x[1]) - size[1], wp.abs(x[2]) - size[2])


@wp.func
def _sign(x: wp.float64) -> wp.float64:
    return wp.where(x < ZERO, f64(-1.0), f64(1.0))


@wp.func
def _outward(x: wp.vec3d, beyond: wp.vec3d, size: wp.vec3d) -> wp.vec3d:
    """Unit vector towards the sides of a box from a point inside, the more the nearer a side is by its share of the half length."""
    way = wp.vec3d(-size[0] / beyond[0] * _sign(x[0]), -size[1] / beyond[1] * _sign(x[1]), -size[2] / beyond[2] * _sign(x[2]))
    return wp.normalize(way)


@wp.func
def _is_inside(beyond: wp.vec3d) -> bool:
    return beyond[0] < ZERO and beyond[1] < ZERO and beyond[2] < ZERO


@wp.func
def _box(x: wp.vec3d, size: wp.vec3d) -> wp.float64:
    beyond = _beyond(x, size)
    if not _is_inside(beyond):
        return wp.length(wp.vec3d(wp.max(beyond[0], ZERO), wp.max(beyond[1], ZERO), wp.max(beyond[2], ZERO)))
    way = _outward(x, beyond, size)
    nearest = -beyond[0] / wp.abs(way[0])
    for axis in range(1, 3):
        nearest = wp.min(nearest, -beyond[axis] / wp.abs(way[axis]))
    return -nearest


@wp.func
def _box_gradient(x: wp.vec3d, size: wp.vec3d) -> wp.vec3d:
    beyond = _beyond(x, size)
    if _is_inside(beyond):
        return _outward(x, beyond, size)
    out = wp.vec3d()
    for axis in range(3):
        out[axis] = _sign(x[axis]) * wp.max(beyond[axis], ZERO)
        if beyond[axis] == ZERO:
            out[axis] = _sign(x[axis]) * TINY
    return wp.normalize(out)


@wp.func
def _ellipsoid(x: wp.vec3d, size: wp.vec3d) -> wp.float64:
    once = wp.cw_div(x, size)
    twice = wp.length(wp.cw_div(once, size))
    if twice < TINY:
        return -wp.min(size)
    return wp.length(once) * (wp.length(once) - f64(1.0)) / twice


@wp.func
def _ellipsoid_gradient(x: wp.vec3d, size: wp.vec3d) -> wp.vec3d:
    once = wp.cw_div(x, size)
    slope = wp.cw_div(once, size)
    k0 = wp.length(once)
    k1 = wp.length(slope)
    if k0 < TINY or k1 < TINY:
        return wp.vec3d()
    turn = wp.cw_div(wp.cw_div(slope, size), size)
    return wp.normalize(slope * ((f64(2.0) * k0 - f64(1.0)) / (k0 * k1)) - turn * (k0 * (k0 - f64(1.0)) / (k1 * k1 * k1)))


@wp.func
def _from_segment(x: wp.vec3d, half: wp.float64) -> wp.vec3d:
    return wp.vec3d(x[0], x[1], x[2] - wp.clamp(x[2], -half, half))


@wp.func
def _cylinder(x: wp.vec3d, size: wp.vec3d) -> wp.float64:
    side = wp.sqrt(x[0] * x[0] + x[1] * x[1]) - size[0]
    end = wp.abs(x[2]) - size[1]
    return wp.min(wp.max(side, end), ZERO) + wp.length(wp.vec2d(wp.max(side, ZERO), wp.max(end, ZERO)))


@wp.func
def _cylinder_gradient(x: wp.vec3d, size: wp.vec3d) -> wp.vec3d:
    radius = wp.sqrt(x[0] * x[0] + x[1] * x[1])
    side = radius - size[0]
    end = wp.abs(x[2]) - size[1]
    weight = wp.vec2d()
    if side < ZERO and end < ZERO:
        weight = wp.where(side > end, wp.vec2d(f64(1.0), ZERO), wp.vec2d(ZERO, f64(1.0)))
    else:
        weight = wp.normalize(wp.vec2d(wp.max(side, ZERO), wp.max(end, ZERO)))
    radius = wp.max(radius, TINY)
    return wp.vec3d(weight[0] * x[0] / radius, weight[0] * x[1] / radius, weight[1] * x[2] / wp.max(wp.abs(x[2]), TINY))


@wp.func
def shape_distance(kind: int, x: wp.vec3d, size: wp.vec3d) -> wp.float64:
    """Signed distance of a point from a primitive of type ``kind``."""
    found = x[2]  # plane
    if kind == SPHERE:
        found = wp.length(x) - size[0]
    elif kind == CAPSULE:
        found = wp.length(_from_segment(x, size[1])) - size[0]
    elif kind == ELLIPSOID:
        found = _ellipsoid(x, size)
    elif kind == CYLINDER:
        found = _cylinder(x, size)
    elif kind == BOX:
        found = _box(x, size)
    return found


@wp.func
def shape_gradient(kind: int, x: wp.vec3d, size: wp.vec3d) -> wp.vec3d:
    """Gradient of that distance."""
    found = wp.vec3d(ZERO, ZERO, f64(1.0))
    if kind == SPHERE:
        found = wp.normalize(x)
    elif kind == CAPSULE:
        found = wp.normalize(_from_segment(x, size[1]))
    elif kind == ELLIPSOID:
        found = _ellipsoid_gradient(x, size)
    elif kind == CYLINDER:
        found = _cylinder_gradient(x, size)
    elif kind == BOX:
        found = _box_gradient(x, size)
    return found
