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
from newtonish.kernels.collision.search import Search, Touch, depth_alone, exchange_shapes, extent_of
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


@wp.func(inline=False)
def touch(hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], reach: float, found: wp.ref[Touch]):
    """Distance or depth, midpoint and normal."""
    at = Nearest()
    gjk(hull, shape1, shape2, reach + shape1.radius + shape2.radius, extent_of(shape1, shape2), at)
    deep = Depth()
    found.near = 0
    if at.separated == 0:
        if at.overlap == 1:
            depth_alone(hull, shape1, shape2, at, deep)
        _touch_of(shape1, shape2, at, deep, reach, found)


@wp.func
def _touch_of(shape1: wp.ref[Shape], shape2: wp.ref[Shape], at: wp.ref[Nearest], deep: wp.ref[Depth], reach: float, found: wp.ref[Touch]):
    """The deepest point, from the closest points of the cores or from the depth of their overlap, as ``found``."""
    found.near = 0
    if at.overlap == 1:
        if deep.found == 0:
            return
        found.normal = deep.normal
        found.corner1 = deep.corner1
        found.corner2 = deep.corner2
        found.dist = -deep.depth
        found.pos = deep.point1 + deep.point2
    else:
        second = wp.where(at.count > 1, 1, 0)
        third = wp.where(at.count > 2, 2, 0)
        found.corner1 = wp.vec3i(at.corner1[0], at.corner1[second], at.corner1[third])
        found.corner2 = wp.vec3i(at.corner2[0], at.corner2[second], at.corner2[third])
        found.normal = wp.normalize(at.point2 - at.point1)
        found.dist = at.dist
        found.pos = at.point1 + at.point2
    found.dist = found.dist - (shape1.radius + shape2.radius)
    found.pos = 0.5 * (found.pos + (shape1.radius - shape2.radius) * found.normal)
    if found.dist <= reach:
        found.near = 1


@wp.func
def _turn(found: wp.ref[Touch]):
    """The same point seen from the other shape."""
    corner1 = found.corner1
    found.normal = -found.normal
    found.corner1 = found.corner2
    found.corner2 = corner1


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
    hull: wp.ref[Hull], shape1: wp.ref[Shape], face1: wp.ref[Face], shape2: wp.ref[Shape], face2: wp.ref[Face], polygon: wp.array(dtype=wp.vec3), room: int,
    reach: float, patch: wp.ref[Patch],
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
    hull: wp.ref[Hull], flat: wp.ref[Shape], face: wp.ref[Face], sign: float, shift: wp.vec3, edge: wp.array(dtype=wp.vec3), reach: float, patch: wp.ref[Patch]
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


@wp.func_native("best = face;")
def _keep_face(best: wp.ref[Face], face: Face): ...


@wp.func(inline=False)
def _find_opposed_faces(
    hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], normal: wp.vec3, feature1: wp.ref[Feature], feature2: wp.ref[Feature],
    best1: wp.ref[Face], best2: wp.ref[Face],
):  # fmt: skip
    """The two faces at the features that are most parallel; ``alike`` -2 if none are within five degrees."""
    best1.alike = -2.0
    least = wp.float32(-PARALLEL_FACES)
    for k1 in range(face_count(hull, shape1, feature1.a)):
        face1 = face_at(hull, shape1, feature1, normal, k1)
        leans = face1.alike > PARALLEL_EDGE
        if leans:
            leans = holds(hull, shape1, face1.index, feature1)
        if leans:
            for k2 in range(face_count(hull, shape2, feature2.a)):
                face2 = face_at(hull, shape2, feature2, -normal, k2)
                cosine = wp.dot(face1.normal, face2.normal)
                if face2.alike > PARALLEL_EDGE and cosine < least:
                    if holds(hull, shape2, face2.index, feature2):
                        least = cosine
                        _keep_face(best1, face1)
                        _keep_face(best2, face2)


@wp.func(inline=False)
def _find_edge_along_face(
    hull: wp.ref[Hull], edged: wp.ref[Shape], edges: wp.ref[Feature], flat: wp.ref[Shape], faces: wp.ref[Feature], outward: wp.vec3, point: wp.vec3,
    ends: wp.array(dtype=wp.vec3), best: wp.ref[Face],
):  # fmt: skip
    """The first face of ``flat`` and edge of ``edged`` that are parallel within five degrees, the ends written to ``ends``.

    Args:
        outward: the normal of the contact, out of ``flat``.
        point: support point of ``edged``.
        best: the face; ``alike`` is -2 if there is none.
    """
    best.alike = -2.0
    for k in range(face_count(hull, flat, faces.a)):
        face = face_at(hull, flat, faces, outward, k)
        looks = best.alike <= -2.0 and face.alike > 0.0
        if looks:
            looks = holds(hull, flat, face.index, faces)
        if looks:
            for e in range(edge_count(hull, edged, edges.dim, edges.a)):
                if best.alike <= -2.0:
                    if write_edge(hull, edged, edges.dim, edges.a, edges.b, e, point, ends):
                        along = wp.normalize(ends[1] - ends[0])
                        if wp.abs(wp.dot(along, face.normal)) < PARALLEL_EDGE:
                            _keep_face(best, face)


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
def _edge_contacts(
    hull: wp.ref[Hull], edged: wp.ref[Shape], edges: wp.ref[Feature], flat: wp.ref[Shape], faces: wp.ref[Feature], sign: float, found: wp.ref[Touch],
    reach: float, patch: wp.ref[Patch],
) -> bool:  # fmt: skip
    """Contacts of an edge of ``edged`` along a face of ``flat``, as ``patch``; False if there is none. ``sign``: 1 if the edge is the first geom's."""
    ends = wp.zeros(shape=(wp.static(2 * EDGE_ROOM),), dtype=wp.vec3)
    face = Face()
    point = support(hull, edged, sign * found.normal).pos
    _find_edge_along_face(hull, edged, edges, flat, faces, -sign * found.normal, point, ends, face)
    if face.alike <= -2.0:
        return False
    shift = _out_of_core(edged, sign * found.normal, -face.normal, reach)
    _edge_on_face(hull, flat, face, -sign, shift, ends, reach, patch)
    return True


@wp.func(inline=False)
def _large_faces(
    hull: wp.ref[Hull], shape1: wp.ref[Shape], face1: wp.ref[Face], shape2: wp.ref[Shape], face2: wp.ref[Face], reach: float, patch: wp.ref[Patch]
):
    """``_face_on_face`` with room for all faces that hulls have."""
    polygon = wp.zeros(shape=(wp.static(2 * MOST_POLYGON),), dtype=wp.vec3)
    _face_on_face(hull, shape1, face1, shape2, face2, polygon, ROOM, reach, patch)


@wp.func(inline=False)
def _faces(hull: wp.ref[Hull], shape1: wp.ref[Shape], face1: wp.ref[Face], shape2: wp.ref[Shape], face2: wp.ref[Face], reach: float, patch: wp.ref[Patch]):
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
    feature1 = Feature()
    feature2 = Feature()
    face1 = Face()
    face2 = Face()
    feature_of(hull, shape1, found.corner1, found.normal, feature1)
    feature_of(hull, shape2, found.corner2, -found.normal, feature2)
    _find_opposed_faces(hull, shape1, shape2, found.normal, feature1, feature2, face1, face2)
    if face1.alike > -2.0:
        if symmetric and leads(face1.alike, face2.alike, found.normal):
            exchange_shapes(shape1, shape2)
            _faces(hull, shape1, face2, shape2, face1, reach, patch)
            exchange_shapes(shape1, shape2)
            patch.normal = -patch.normal
        else:
            _faces(hull, shape1, face1, shape2, face2, reach, patch)
    else:
        along = bool(False)
        if feature1.dim < 3 and feature2.faces != 0 and (feature1.dim <= feature2.dim or feature1.faces == 0):
            along = _edge_contacts(hull, shape1, feature1, shape2, feature2, 1.0, found, reach, patch)
        if feature2.dim < 3 and not along:
            _edge_contacts(hull, shape2, feature2, shape1, feature1, -1.0, found, reach, patch)


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
    _touch_of(search.shape1, search.shape2, search.at, search.deep, search.reach, search.found)
    if search.turn == 1:
        _turn(search.found)
        exchange_shapes(search.shape1, search.shape2)
    search.patch.count = 0
    if search.found.near == 0:
        return
    if several and may_be_flat(search.shape1.kind, search.shape2.kind):
        flat_contacts(hull, search.shape1, search.shape2, search.found, search.reach, symmetric, search.patch)
        if not _sound(search.patch, search.found, search.shape1, search.shape2, search.reach):
            search.patch.count = 0
    if search.patch.count == 0:
        search.patch.normal = search.found.normal
        add_point(search.patch, search.found.dist, search.found.pos)
    shift_points(search.patch, search.origin)
