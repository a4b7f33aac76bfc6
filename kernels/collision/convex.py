"""Contacts of two convex geoms: closest points or depth, then more points where a face lies on a face or an edge.

One point comes from ``gjk`` (the cores are apart) or ``epa`` (they overlap). If two faces, or a face and an edge, are
parallel within five degrees, the face or edge of one is clipped by the sides of the other and at most four corners of the
rest are kept, as in MuJoCo 4.0 (flag multiccd).
"""

import warp as wp

from newtonish.kernels.collision.canonical_order import leads
from newtonish.kernels.collision.clip import clip_by_face
from newtonish.kernels.collision.epa import Depth
from newtonish.kernels.collision.feature import (
    PARALLEL_EDGE,
    PARALLEL_FACES,
    Feature,
    face_at,
    feature_of,
    holds,
    may_be_flat,
)
from newtonish.kernels.collision.flat import Face, corner_count, edge_count, face_corner, face_corners, face_count, write_edge
from newtonish.kernels.collision.gjk import Nearest, gjk
from newtonish.kernels.collision.patch import Patch, add_point, point_dist, shift_points, widest_four
from newtonish.kernels.collision.search import Search, depth_alone, exchange_shapes, extent_of
from newtonish.kernels.collision.support import Shape, support
from newtonish.kernels.constants import CAPSULE
from newtonish.kernels.structs.collision import MOST_CORNERS
from newtonish.kernels.structs.model import Hull

SAME = wp.constant(0.01)  # relative difference of two depths that are the same
ON_FACE = wp.constant(1.0e-4)  # distance from a face over the sizes below which a point lies on it
SHALLOWER = wp.constant(0.05)  # share of the depth that a patch may miss if it looks another way
SLACK = wp.constant(1.0e-4)  # a patch this much deeper than the geoms still counts as deep as they are [m]
LEANING = wp.constant(0.9)  # least cosine between the normals of a patch and of the depth, if the patch is shallower
SPARE_CORNERS = 8  # of a clipped polygon, beyond those of the two faces
SPARE = wp.constant(SPARE_CORNERS)
MOST_POLYGON = 2 * MOST_CORNERS + SPARE_CORNERS  # corners of a face that is clipped by another
ROOM = wp.constant(MOST_POLYGON)
FEW_CORNERS = 28  # of the faces of boxes, of those and caps, and of most hulls: their room takes 0.7 KB
SMALL_ROOM = wp.constant(FEW_CORNERS)
EDGE_ROOM = wp.constant(4)  # a segment that is clipped stays one


@wp.struct
class Touch:
    """The deepest point of a pair."""

    near: wp.int32
    dist: wp.float32
    pos: wp.vec3
    normal: wp.vec3
    corner1: wp.vec3i  # vertices of the two shapes between which it lies
    corner2: wp.vec3i


@wp.func(inline=False)
def touch(hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], reach: float) -> Touch:
    """Distance or depth, midpoint and normal."""
    at = Nearest()
    gjk(hull, shape1, shape2, reach + shape1.radius + shape2.radius, extent_of(shape1, shape2), at)
    deep = Depth()
    if at.separated == 1:
        return Touch()
    if at.overlap == 1:
        depth_alone(hull, shape1, shape2, at, deep)
    return _touch_of(shape1, shape2, at, deep, reach)


@wp.func
def _touch_of(shape1: wp.ref[Shape], shape2: wp.ref[Shape], at: wp.ref[Nearest], deep: wp.ref[Depth], reach: float) -> Touch:
    """The deepest point, from the closest points of the cores or from the depth of their overlap."""
    found = Touch()
    radii = shape1.radius + shape2.radius
    point1 = at.point1
    point2 = at.point2
    core = at.dist
    second = wp.where(at.count > 1, 1, 0)
    third = wp.where(at.count > 2, 2, 0)
    found.corner1 = wp.vec3i(at.corner1[0], at.corner1[second], at.corner1[third])
    found.corner2 = wp.vec3i(at.corner2[0], at.corner2[second], at.corner2[third])
    if at.overlap == 1:
        if deep.found == 0:
            return found
        found.normal = deep.normal
        found.corner1 = deep.corner1
        found.corner2 = deep.corner2
        core = -deep.depth
        point1 = deep.point1
        point2 = deep.point2
    else:
        found.normal = wp.normalize(at.point2 - at.point1)
    found.dist = core - radii
    if found.dist <= reach:
        found.near = 1
    found.pos = 0.5 * (point1 + point2 + (shape1.radius - shape2.radius) * found.normal)
    return found


@wp.func
def _turned(found: Touch) -> Touch:
    """The same point seen from the other shape."""
    corner1 = found.corner1
    found.normal = -found.normal
    found.corner1 = found.corner2
    found.corner2 = corner1
    return found


@wp.func
def _kept(polygon: wp.array(dtype=wp.vec3), count: int, origin: wp.vec3, normal: wp.vec3, reach: float) -> int:
    """Keep the corners of a polygon that are at most ``reach`` above a plane."""
    kept = wp.int32(0)
    for k in range(count):
        p = polygon[k]
        if wp.dot(p - origin, normal) <= reach:
            polygon[kept] = p
            kept += 1
    return kept


@wp.func(inline=False)
def _face_on_face(
    hull: wp.ref[Hull], shape1: wp.ref[Shape], face1: Face, shape2: wp.ref[Shape], face2: Face, polygon: wp.array(dtype=wp.vec3), room: int, reach: float,
    patch: wp.ref[Patch],
):  # fmt: skip
    """Points of the second face over the first, along the normal of the second, as ``patch``; ``polygon`` has twice ``room``."""
    normal1 = face1.normal
    normal2 = face2.normal
    origin = face_corner(hull, shape1, face1.index, 0)
    count = face_corners(hull, shape2, face2.index, polygon)
    count = clip_by_face(hull, shape1, face1.index, normal1, polygon, count, room)
    count = _kept(polygon, count, origin, normal1, reach)
    patch.normal = -normal2
    order = wp.vec4i(0, 1, 2, 3)
    number = wp.min(count, 4)
    if count > 4:
        order = widest_four(polygon, count)
    for k in range(number):
        p = polygon[order[k]]
        foot = p - wp.dot(p - origin, normal1) * normal1
        dist = wp.dot(foot - p, normal2)
        add_point(patch, dist, foot - 0.5 * dist * normal2)


@wp.func
def _edge_on_face(
    hull: wp.ref[Hull], flat: wp.ref[Shape], face: Face, sign: float, shift: wp.vec3, edge: wp.array(dtype=wp.vec3), reach: float, patch: wp.ref[Patch]
):  # fmt: skip
    """Points of an edge over a face of ``flat``, as ``patch``.

    An end that a side of the face cut off counts twice if the other end lies above the face, as in MuJoCo 4.0.

    Args:
        sign: 1 if the face is the first geom's.
        shift: from the edge of a core to the surface [m].
    """
    patch.normal = sign * face.normal
    edge[0] = edge[0] + shift
    edge[1] = edge[1] + shift
    start = edge[0]
    end = edge[1]
    origin = face_corner(hull, flat, face.index, 0)
    count = clip_by_face(hull, flat, face.index, face.normal, edge, 2, EDGE_ROOM)
    count = _kept(edge, count, origin, face.normal, reach)
    times = wp.int32(1)
    if count == 1 and wp.length_sq(edge[0] - start) > 0.0 and wp.length_sq(edge[0] - end) > 0.0:
        times = wp.int32(2)
    for k in range(wp.min(count, 2) * times):
        p = edge[k // times]
        dist = wp.dot(p - origin, face.normal)
        add_point(patch, dist, p - 0.5 * dist * face.normal)


@wp.func(inline=False)
def _opposed_faces(
    hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], normal: wp.vec3, feature1: Feature, feature2: Feature
) -> tuple[Face, Face]:
    """The two faces at the features that are most parallel; ``alike`` -2 if none are within five degrees."""
    best1 = Face()
    best2 = Face()
    best1.alike = -2.0
    least = wp.float32(-PARALLEL_FACES)
    for k1 in range(face_count(hull, shape1, feature1.a)):
        face1 = face_at(hull, shape1, feature1, normal, k1)
        leans = face1.alike > PARALLEL_EDGE
        if leans:
            leans = holds(hull, shape1, face1, feature1)
        if leans:
            for k2 in range(face_count(hull, shape2, feature2.a)):
                face2 = face_at(hull, shape2, feature2, -normal, k2)
                cosine = wp.dot(face1.normal, face2.normal)
                if face2.alike > PARALLEL_EDGE and cosine < least:
                    if holds(hull, shape2, face2, feature2):
                        least = cosine
                        best1 = face1
                        best2 = face2
    return best1, best2


@wp.func(inline=False)
def _edge_along_face(
    hull: wp.ref[Hull], edged: wp.ref[Shape], edges: Feature, flat: wp.ref[Shape], faces: Feature, outward: wp.vec3, point: wp.vec3,
    ends: wp.array(dtype=wp.vec3),
) -> Face:  # fmt: skip
    """The first face of ``flat`` and edge of ``edged`` that are parallel within five degrees, the ends written to ``ends``.

    Args:
        outward: the normal of the contact, out of ``flat``.
        point: support point of ``edged``.

    Returns:
        The face; ``alike`` is -2 if there is none.
    """
    best = Face()
    best.alike = -2.0
    for k in range(face_count(hull, flat, faces.a)):
        face = face_at(hull, flat, faces, outward, k)
        looks = best.alike <= -2.0 and face.alike > 0.0
        if looks:
            looks = holds(hull, flat, face, faces)
        if looks:
            for e in range(edge_count(hull, edged, edges.dim, edges.a)):
                if best.alike <= -2.0:
                    if write_edge(hull, edged, edges.dim, edges.a, edges.b, e, point, ends):
                        along = wp.normalize(ends[1] - ends[0])
                        if wp.abs(wp.dot(along, face.normal)) < PARALLEL_EDGE:
                            best = face
    return best


@wp.func
def _out_of_core(shape: wp.ref[Shape], outward: wp.vec3, into_face: wp.vec3, reach: float) -> wp.vec3:
    """From the ends of a capsule's segment to the side that lies on a face; nothing for other shapes, which have no core.

    MuJoCo sweeps the geoms by half the detection distance and then takes it back along the normal of the patch.

    Args:
        outward: the normal of the deepest point, out of the shape.
        into_face: the normal of the patch, out of the shape.
    """
    shift = wp.vec3(0.0, 0.0, 0.0)
    if shape.kind == CAPSULE:
        axis = wp.vec3(shape.mat[0, 2], shape.mat[1, 2], shape.mat[2, 2])
        shift = (shape.radius + 0.5 * reach) * (outward - wp.dot(outward, axis) * axis) - 0.5 * reach * into_face
    return shift


@wp.func(inline=False)
def _large_faces(hull: wp.ref[Hull], shape1: wp.ref[Shape], face1: Face, shape2: wp.ref[Shape], face2: Face, reach: float, patch: wp.ref[Patch]):
    """``_face_on_face`` with room for all faces that hulls have."""
    polygon = wp.zeros(shape=(wp.static(2 * MOST_POLYGON),), dtype=wp.vec3)
    _face_on_face(hull, shape1, face1, shape2, face2, polygon, ROOM, reach, patch)


@wp.func(inline=False)
def _faces(hull: wp.ref[Hull], shape1: wp.ref[Shape], face1: Face, shape2: wp.ref[Shape], face2: Face, reach: float, patch: wp.ref[Patch]):
    """``_face_on_face`` with as much room as they need."""
    if corner_count(hull, shape1, face1.index) + corner_count(hull, shape2, face2.index) + SPARE > SMALL_ROOM:
        _large_faces(hull, shape1, face1, shape2, face2, reach, patch)
        return
    polygon = wp.zeros(shape=(wp.static(2 * FEW_CORNERS),), dtype=wp.vec3)
    _face_on_face(hull, shape1, face1, shape2, face2, polygon, SMALL_ROOM, reach, patch)


@wp.func(inline=False)
def flat_contacts(
    hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], found: wp.ref[Touch], reach: float, symmetric: bool, patch: wp.ref[Patch]
):  # fmt: skip
    """Contacts of two faces, or of a face and an edge, at the features of the deepest point, as ``patch``; none if nothing is parallel.

    Args:
        symmetric: which of two faces gives the patch its normal follows from how they lie (``leads``); otherwise it is
            always the second shape's, as in MuJoCo.
    """
    patch.count = 0
    ends = wp.zeros(shape=(wp.static(2 * EDGE_ROOM),), dtype=wp.vec3)
    n = found.normal
    feature1 = feature_of(hull, shape1, found.corner1, n)
    feature2 = feature_of(hull, shape2, found.corner2, -n)
    face1, face2 = _opposed_faces(hull, shape1, shape2, n, feature1, feature2)
    if face1.alike > -2.0:
        exchanged = symmetric and leads(face1.alike, face2.alike, n)
        other = face2
        if exchanged:
            other = face1
            face1 = face2
            exchange_shapes(shape1, shape2)
        _faces(hull, shape1, face1, shape2, other, reach, patch)
        if exchanged:
            exchange_shapes(shape1, shape2)
            patch.normal = -patch.normal
    else:
        face = Face()
        face.alike = -2.0
        if feature1.dim < 3 and feature2.faces != 0 and (feature1.dim <= feature2.dim or feature1.faces == 0):
            point = support(hull, shape1, n).pos
            face = _edge_along_face(hull, shape1, feature1, shape2, feature2, -n, point, ends)
            if face.alike > -2.0:
                shift = _out_of_core(shape1, n, -face.normal, reach)
                _edge_on_face(hull, shape2, face, -1.0, shift, ends, reach, patch)
        if face.alike <= -2.0 and feature2.dim < 3:
            point = support(hull, shape2, -n).pos
            face = _edge_along_face(hull, shape2, feature2, shape1, feature1, n, point, ends)
            if face.alike > -2.0:
                shift = _out_of_core(shape2, -n, -face.normal, reach)
                _edge_on_face(hull, shape1, face, 1.0, shift, ends, reach, patch)


@wp.func
def _sound(patch: wp.ref[Patch], found: wp.ref[Touch], shape1: wp.ref[Shape], shape2: wp.ref[Shape], reach: float) -> bool:
    """Whether a patch is as deep as the geoms are, or up to a twentieth shallower, or shallower and looks much the same way.

    A face that only leans on the other, or four corners of many, may miss the deepest point. MuJoCo uses every patch, also
    those of an edge along a face that looks another way and whose depth says nothing of the way out. A capsule's may be a
    hundredth of the detection distance too deep (see ``_out_of_core``).
    """
    deepest = wp.float32(1.0e10)
    for k in range(patch.count):
        deepest = wp.min(deepest, point_dist(patch, k))
    share = SAME * wp.abs(found.dist)
    if wp.dot(patch.normal, found.normal) > LEANING:
        return deepest >= found.dist - wp.max(share, SLACK) - SAME * reach
    tiny = wp.max(share, ON_FACE * (wp.length(shape1.size) + wp.length(shape2.size)))
    return deepest >= found.dist - tiny and deepest <= found.dist + wp.max(SHALLOWER * wp.abs(found.dist), tiny)


@wp.func(inline=False)
def end_search(hull: wp.ref[Hull], search: wp.ref[Search], several: bool, symmetric: bool):
    """The contacts of two convex geoms, as ``search.patch``.

    Args:
        several: look for more than one point.
        symmetric: choose which faces carry the points by how they lie; otherwise by the order of the geoms, as MuJoCo.
    """
    found = _touch_of(search.shape1, search.shape2, search.at, search.deep, search.reach)
    if search.turn == 1:
        found = _turned(found)
        exchange_shapes(search.shape1, search.shape2)
    search.patch.count = 0
    if found.near == 0:
        return
    if several and may_be_flat(search.shape1.kind, search.shape2.kind):
        flat_contacts(hull, search.shape1, search.shape2, found, search.reach, symmetric, search.patch)
        if not _sound(search.patch, found, search.shape1, search.shape2, search.reach):
            search.patch.count = 0
    if search.patch.count == 0:
        search.patch.normal = found.normal
        add_point(search.patch, found.dist, found.pos)
    shift_points(search.patch, search.origin)
