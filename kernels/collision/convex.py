"""Contacts of two convex geoms: closest points or depth, then more points where a face lies on a face or an edge.

One point comes from ``gjk`` (the cores are apart) or ``epa`` (they overlap). If two faces, or a face and an edge, are
parallel within five degrees, the face or edge of one is clipped by the sides of the other and at most four corners of the
rest are kept, as in MuJoCo 4.0 (flag multiccd).
"""

import warp as wp

from newtonish.kernels.collision.clip import clip_by_sides
from newtonish.kernels.collision.epa import epa
from newtonish.kernels.collision.flat import Face, edge_across, face_along, face_corners, face_count, nth_face
from newtonish.kernels.collision.gjk import gjk
from newtonish.kernels.collision.patch import Patch, widest_four, with_point
from newtonish.kernels.collision.polish import polish
from newtonish.kernels.collision.support import Shape, Support, support
from newtonish.kernels.structs.model import Hull

PARALLEL_FACES = wp.constant(0.9960509)  # cosine of 5.1 degrees
PARALLEL_EDGE = wp.constant(0.0887829)  # and its sine
LEANING = wp.constant(0.97)  # least cosine between the deepest point's normal and that of a face under an edge
ON_FACE = wp.constant(1.0e-4)  # distance from a face over the sizes below which a point lies on it
MISSED = wp.constant(0.01)  # largest difference of a patch's depth from the depth of the geoms, relative
ROOM = wp.constant(56)


@wp.struct
class Touch:
    """The deepest point of a pair."""

    near: wp.int32
    dist: wp.float32
    pos: wp.vec3
    normal: wp.vec3


@wp.func(inline=False)
def touch(hull: Hull, shape1: Shape, shape2: Shape, reach: float, iterations: int) -> Touch:
    """Distance or depth, midpoint and normal."""
    found = Touch()
    radii = shape1.radius + shape2.radius
    extent = wp.length(shape1.size) + wp.length(shape2.size)
    at = gjk(hull, shape1, shape2, reach + radii, extent)
    if at.separated == 1:
        return found
    point1 = at.point1
    point2 = at.point2
    core = at.dist
    if at.overlap == 1:
        deep = epa(hull, shape1, shape2, at, extent, iterations)
        if deep.found == 0:
            return found
        found.normal = deep.normal
        core = -deep.depth
        point1 = deep.point1
        point2 = deep.point2
        if deep.exact == 0:
            better = polish(hull, shape1, shape2, deep.normal, extent)
            if better.found == 1:
                found.normal = better.normal
                core = -better.depth
                point1 = better.point1
                point2 = better.point2
    else:
        found.normal = wp.normalize(at.point2 - at.point1)
    found.dist = core - radii
    if found.dist <= reach:
        found.near = 1
    found.pos = 0.5 * (point1 + point2 + (shape1.radius - shape2.radius) * found.normal)
    return found


@wp.func
def _kept(polygon: wp.array(dtype=wp.vec3), count: int, origin: wp.vec3, normal: wp.vec3, margin: float) -> int:
    """Keep the corners of a polygon that are at most ``margin`` above a plane."""
    kept = wp.int32(0)
    for k in range(count):
        p = polygon[k]
        if wp.dot(p - origin, normal) <= margin:
            polygon[kept] = p
            kept += 1
    return kept


@wp.func
def _two_faces(
    polygon: wp.array(dtype=wp.vec3), count: int, origin: wp.vec3, normal1: wp.vec3, normal2: wp.vec3
) -> Patch:
    """Points of the second face over the first, along the normal of the second."""
    patch = Patch()
    patch.normal = -normal2
    order = wp.vec4i(0, 1, 2, 3)
    number = wp.min(count, 4)
    if count > 4:
        order = widest_four(polygon, count, -1)
    for k in range(number):
        p = polygon[order[k]]
        foot = p - wp.dot(p - origin, normal1) * normal1
        dist = wp.dot(foot - p, normal2)
        patch = with_point(patch, dist, foot - 0.5 * dist * normal2)
    return patch


@wp.func
def _face_and_edge(
    polygon: wp.array(dtype=wp.vec3), count: int, origin: wp.vec3, normal: wp.vec3, sign: float
) -> Patch:
    """Points of an edge over a face with normal ``normal``; ``sign``: 1 if the face is the first geom's."""
    patch = Patch()
    patch.normal = sign * normal
    for k in range(wp.min(count, 2)):
        p = polygon[k]
        dist = wp.dot(p - origin, normal)
        patch = with_point(patch, dist, p - 0.5 * dist * normal)
    return patch


@wp.func(inline=False)
def _opposed_faces(hull: Hull, shape1: Shape, shape2: Shape, found: Touch, a: Support, b: Support) -> tuple[Face, Face]:
    """The two faces through the deepest points that are most parallel; ``alike`` -2 if none are within five degrees."""
    tiny = ON_FACE * (wp.length(shape1.size) + wp.length(shape2.size))
    half = 0.5 * found.dist * found.normal
    best1 = Face()
    best2 = Face()
    best1.alike = -2.0
    least = wp.float32(-PARALLEL_FACES)
    for k1 in range(face_count(hull, shape1, a.vertex)):
        face1 = nth_face(hull, shape1, found.normal, a.vertex, k1)
        through = wp.abs(wp.dot(found.pos - half - a.pos, face1.normal)) < tiny
        if through and wp.dot(face1.normal, found.normal) > PARALLEL_EDGE:
            for k2 in range(face_count(hull, shape2, b.vertex)):
                face2 = nth_face(hull, shape2, -found.normal, b.vertex, k2)
                through = wp.abs(wp.dot(found.pos + half - b.pos, face2.normal)) < tiny
                cosine = wp.dot(face1.normal, face2.normal)
                if through and cosine < least and wp.dot(face2.normal, found.normal) < -PARALLEL_EDGE:
                    least = cosine
                    best1 = face1
                    best2 = face2
    return best1, best2


@wp.func(inline=False)
def flat_contacts(hull: Hull, shape1: Shape, shape2: Shape, found: Touch, margin: float) -> Patch:
    """Contacts of two faces, or of a face and an edge, near the deepest point; none if nothing is parallel."""
    patch = Patch()
    corners = wp.zeros(shape=(24,), dtype=wp.vec3)
    polygon = wp.zeros(shape=(56,), dtype=wp.vec3)
    spare = wp.zeros(shape=(56,), dtype=wp.vec3)
    n = found.normal
    a = support(hull, shape1, n, 0)
    b = support(hull, shape2, -n, 0)
    face1 = face_along(hull, shape1, n, a.vertex)
    face2 = face_along(hull, shape2, -n, b.vertex)
    if face1.alike > PARALLEL_EDGE and face2.alike > PARALLEL_EDGE:
        other1, other2 = _opposed_faces(hull, shape1, shape2, found, a, b)
        if other1.alike > -2.0:
            nface = face_corners(hull, shape1, other1.index, corners)
            count = face_corners(hull, shape2, other2.index, polygon)
            count = clip_by_sides(corners, nface, other1.normal, polygon, count, ROOM, spare)
            count = _kept(polygon, count, corners[0], other1.normal, margin)
            return _two_faces(polygon, count, corners[0], other1.normal, other2.normal)
    if face2.alike > LEANING and face2.alike >= face1.alike:
        if edge_across(hull, shape1, face2.normal, a.pos, a.vertex, polygon) < PARALLEL_EDGE:
            polygon[0] = polygon[0] + shape1.radius * n
            polygon[1] = polygon[1] + shape1.radius * n
            nface = face_corners(hull, shape2, face2.index, corners)
            count = clip_by_sides(corners, nface, face2.normal, polygon, 2, ROOM, spare)
            count = _kept(polygon, count, corners[0], face2.normal, margin)
            patch = _face_and_edge(polygon, count, corners[0], face2.normal, -1.0)
    elif face1.alike > LEANING:
        if edge_across(hull, shape2, face1.normal, b.pos, b.vertex, polygon) < PARALLEL_EDGE:
            polygon[0] = polygon[0] - shape2.radius * n
            polygon[1] = polygon[1] - shape2.radius * n
            nface = face_corners(hull, shape1, face1.index, corners)
            count = clip_by_sides(corners, nface, face1.normal, polygon, 2, ROOM, spare)
            count = _kept(polygon, count, corners[0], face1.normal, margin)
            patch = _face_and_edge(polygon, count, corners[0], face1.normal, 1.0)
    return patch


@wp.func
def _as_deep(patch: Patch, found: Touch, shape1: Shape, shape2: Shape) -> bool:
    """Whether the deepest point of a patch is as deep as the geoms are: a face that only leans on the other may miss it."""
    deepest = wp.float32(1.0e10)
    for k in range(patch.count):
        deepest = wp.min(deepest, patch.dist[k])
    slack = wp.max(MISSED * wp.abs(found.dist), ON_FACE * (wp.length(shape1.size) + wp.length(shape2.size)))
    return wp.abs(deepest - found.dist) <= slack


@wp.func(inline=False)
def convex_convex(
    hull: Hull, shape1: Shape, shape2: Shape, reach: float, margin: float, iterations: int, several: bool
) -> Patch:
    """Contacts of two convex geoms, relative to the origin of the shapes.

    Args:
        reach: detection distance [m].
        margin: distance below which contacts make rows [m]; only such contacts have several points.
        several: look for more than one point.
    """
    found = touch(hull, shape1, shape2, reach, iterations)
    patch = Patch()
    if found.near == 0:
        return patch
    if several and found.dist <= margin:
        patch = flat_contacts(hull, shape1, shape2, found, margin)
        if not _as_deep(patch, found, shape1, shape2):
            patch.count = 0
    if patch.count == 0:
        patch.normal = found.normal
        patch = with_point(patch, found.dist, found.pos)
    return patch
