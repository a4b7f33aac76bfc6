"""Signed distance to the surface of a convex volume, negative inside, and how far another convex shape juts out of it.

The shape juts out as far as its farthest point: the directed Hausdorff distance. The signed distance of a convex set is a
convex function, so corners are enough for boxes and hulls, ends for capsules, the centre for spheres, each plus the radius
(Rockafellar, Convex Analysis, section 32). For ellipsoids and cylinders the point is moved to the one that lies farthest along the
gradient until nothing is gained, from fourteen sides. The ellipsoid's nearest point is found by bisection of its Lagrange
multiplier (Eberly, Distance from a Point to an Ellipse, 2013).
"""

import warp as wp

from newtonish.kernels.collision.gjk import Nearest, gjk
from newtonish.kernels.collision.support import Shape, support
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, SPHERE
from newtonish.kernels.structs.model import Hull

FAR = wp.constant(1.0e10)
TINY = wp.constant(1.0e-12)


@wp.struct
class Depth:
    """Signed distance of a point, and the direction in which it grows."""

    dist: wp.float32
    normal: wp.vec3


@wp.func
def _round_depth(away: wp.vec3, radius: float) -> Depth:
    """Of a point that lies at ``away`` from the middle of a ball."""
    found = Depth()
    length = wp.length(away)
    found.dist = length - radius
    found.normal = wp.where(length > TINY, away / wp.max(length, TINY), wp.vec3(1.0, 0.0, 0.0))
    return found


@wp.func
def _box_depth(size: wp.vec3, p: wp.vec3) -> Depth:
    beyond = wp.vec3(wp.abs(p[0]) - size[0], wp.abs(p[1]) - size[1], wp.abs(p[2]) - size[2])
    sign = wp.vec3(wp.where(p[0] < 0.0, -1.0, 1.0), wp.where(p[1] < 0.0, -1.0, 1.0), wp.where(p[2] < 0.0, -1.0, 1.0))
    outside = wp.vec3(wp.max(beyond[0], 0.0), wp.max(beyond[1], 0.0), wp.max(beyond[2], 0.0))
    found = Depth()
    if wp.length_sq(outside) > 0.0:
        found.dist = wp.length(outside)
        found.normal = wp.cw_mul(sign, outside) / found.dist
    else:
        axis = wp.int32(0)
        for k in range(1, 3):
            if beyond[k] > beyond[axis]:
                axis = k
        found.dist = beyond[axis]
        found.normal[axis] = sign[axis]
    return found


@wp.func
def _cylinder_depth(size: wp.vec3, p: wp.vec3) -> Depth:
    """A rectangle in the plane of axis and point."""
    across = wp.sqrt(p[0] * p[0] + p[1] * p[1])
    flat = _box_depth(wp.vec3(size[0], size[1], FAR), wp.vec3(across, p[2], 0.0))
    side = wp.vec3(1.0, 0.0, 0.0)
    if across > TINY:
        side = wp.vec3(p[0] / across, p[1] / across, 0.0)
    found = Depth()
    found.dist = flat.dist
    found.normal = flat.normal[0] * side + wp.vec3(0.0, 0.0, flat.normal[1])
    return found


@wp.func(inline=False)
def _ellipsoid_depth(size: wp.vec3, p: wp.vec3) -> Depth:
    inside = wp.length_sq(wp.cw_div(p, size)) < 1.0
    least = wp.min(size)
    low = wp.float32(0.0)
    high = wp.max(size) * wp.length(p)
    if inside:
        low = -least * least
        high = wp.float32(0.0)
    for _k in range(60):
        t = 0.5 * (low + high)
        level = wp.float32(0.0)
        for i in range(3):
            x = size[i] * p[i] / wp.max(size[i] * size[i] + t, 1.0e-30)
            level += x * x
        if level > 1.0:
            low = t
        else:
            high = t
    near = wp.vec3()
    rest = wp.float32(1.0)
    thin = wp.int32(-1)
    for i in range(3):
        scale = size[i] * size[i]
        if inside and scale + high < 1.0e-4 * scale and thin < 0:
            thin = i  # the multiplier is at its bound: the surface closes this coordinate
        else:
            near[i] = scale * p[i] / (scale + high)
            rest -= near[i] * near[i] / scale
    if thin >= 0:
        near[thin] = wp.where(p[thin] < 0.0, -1.0, 1.0) * size[thin] * wp.sqrt(wp.max(rest, 0.0))
    found = Depth()
    found.normal = wp.normalize(wp.cw_div(wp.cw_div(near, size), size))
    gap = wp.length(p - near)
    found.dist = wp.where(inside, -gap, gap)
    return found


@wp.func(inline=False)
def hull_side(hull: Hull, adr: int, count: int, p: wp.vec3) -> Depth:
    """The highest point above the planes of a hull's faces: the signed distance, where that is negative."""
    found = Depth()
    found.dist = -FAR
    for i in range(adr, adr + count):
        for k in range(hull.aroundadr[i], hull.aroundadr[i] + hull.aroundnum[i]):
            normal = hull.normal[hull.around[k]]
            above = wp.dot(normal, p - hull.vert[i])
            if above > found.dist:
                found.dist = above
                found.normal = normal
    return found


@wp.func(inline=False)
def volume_depth(hull: Hull, volume: Shape, p: wp.vec3) -> Depth:
    """Of a point in the frame of the volume."""
    size = volume.size
    if volume.kind == SPHERE:
        return _round_depth(p, size[0])
    if volume.kind == CAPSULE:
        return _round_depth(p - wp.vec3(0.0, 0.0, wp.clamp(p[2], -size[1], size[1])), size[0])
    if volume.kind == ELLIPSOID:
        return _ellipsoid_depth(size, p)
    if volume.kind == CYLINDER:
        return _cylinder_depth(size, p)
    if volume.kind == BOX:
        return _box_depth(size, p)
    found = hull_side(hull, volume.vertadr, volume.vertnum, p)
    if found.dist > 0.0:
        point = Shape()
        point.kind = SPHERE
        point.pos = p
        point.mat = wp.identity(n=3, dtype=float)
        at = Nearest()
        gjk(hull, point, volume, FAR, wp.length(p) + 1.0, at)
        if at.overlap == 0:
            found.dist = at.dist
            found.normal = wp.normalize(p - at.point2)
    return found


@wp.func(inline=False)
def _climb(hull: Hull, volume: Shape, shape: Shape, direction: wp.vec3) -> float:
    """Signed distance of a point of ``shape`` from which no step along the gradient leads farther out."""
    at = volume_depth(hull, volume, support(hull, shape, direction).pos)
    best = at.dist
    for _k in range(40):
        at = volume_depth(hull, volume, support(hull, shape, at.normal).pos)
        if at.dist <= best + 1.0e-7:
            break
        best = at.dist
    return best


@wp.func(inline=False)
def juts_out(hull: Hull, volume: Shape, shape: Shape) -> float:
    """How far ``shape``, placed in the frame of the volume, juts out; negative: what is left between their surfaces."""
    most = wp.float32(-FAR)
    if shape.kind == MESH:
        for i in range(shape.vertadr, shape.vertadr + shape.vertnum):
            most = wp.max(most, volume_depth(hull, volume, shape.pos + shape.mat * hull.vert[i]).dist)
        return most
    count = wp.int32(8)
    for k in range(count):
        corner = wp.vec3(2.0 * float(k & 1) - 1.0, float(k & 2) - 1.0, 0.5 * float(k & 4) - 1.0)
        if shape.kind == BOX:
            p = shape.pos + shape.mat * wp.cw_mul(corner, shape.size)
            most = wp.max(most, volume_depth(hull, volume, p).dist)
        elif shape.kind == CAPSULE:
            p = shape.pos + shape.mat * wp.vec3(0.0, 0.0, corner[0] * shape.size[1])
            most = wp.max(most, volume_depth(hull, volume, p).dist + shape.size[0])
        elif shape.kind == SPHERE:
            most = wp.max(most, volume_depth(hull, volume, shape.pos).dist + shape.size[0])
        else:
            most = wp.max(most, _climb(hull, volume, shape, corner))
            if k < 6:
                side = wp.vec3()
                side[k // 2] = wp.where(k % 2 == 0, 1.0, -1.0)
                most = wp.max(most, _climb(hull, volume, shape, side))
    return most
