"""Contacts of two convex geoms: closest points or depth, then more points where a face lies on a face or an edge.

One point comes from ``gjk`` (the cores are apart) or ``epa`` (they overlap). If two faces, or a face and an edge, are
parallel within five degrees, the face or edge of one is clipped by the sides of the other and at most four corners of the
rest are kept, as in MuJoCo 4.0 (flag multiccd).
"""

import warp as wp

from newtonish.kernels.collision.canonical_order import leads
from newtonish.kernels.collision.clip import clip_by_face
from newtonish.kernels.collision.cores import Cores, Depth, exchange_shapes
from newtonish.kernels.collision.feature import (
    PARALLEL_EDGE,
    PARALLEL_FACES,
    exchange_faces,
    exchange_features,
    face_at,
    feature_of,
    holds,
    keep_first,
    keep_second,
    may_be_flat,
)
from newtonish.kernels.collision.flat import corner_count, edge_count, face_corner, face_corners, face_count, write_edge
from newtonish.kernels.collision.gjk import Nearest
from newtonish.kernels.collision.patch import Patch, add_point, point_dist, shift_points, widest_four
from newtonish.kernels.collision.search import Search, Touch, depth_alone, find_nearest
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
def touch(hull: wp.ref[Hull], cores: wp.ref[Cores], reach: float, found: wp.ref[Touch]):
    """Distance or depth, midpoint and normal of the two shapes of ``cores``."""
    find_nearest(hull, cores, reach)
    cores.deep.found = 0
    found.near = 0
    if cores.at.separated == 0:
        if cores.at.overlap == 1:
            depth_alone(hull, cores)
        _touch_of(cores.shape1, cores.shape2, cores.at, cores.deep, reach, found)


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
def _face_on_face(hull: wp.ref[Hull], search: wp.ref[Search], polygon: wp.array(dtype=wp.vec3), room: int):
    """Points of the second face over the first, along the normal of the second; ``polygon`` has twice ``room``."""
    search.flat.base = face_corner(hull, search.cores.shape1, search.flat.face1.index, 0)
    count = face_corners(hull, search.cores.shape2, search.flat.face2.index, polygon)
    count = clip_by_face(hull, search.cores.shape1, search.flat.face1.index, search.flat.face1.normal, polygon, count, room)
    count = _kept(polygon, count, search.flat.base, search.flat.face1.normal, search.reach)
    search.patch.normal = -search.flat.sign * search.flat.face2.normal
    order = wp.vec4i(0, 1, 2, 3)
    number = wp.min(count, 4)
    if count > 4:
        order = widest_four(polygon, count)
    for k in range(number):
        p = polygon[order[k]]
        foot = p - wp.dot(p - search.flat.base, search.flat.face1.normal) * search.flat.face1.normal
        dist = wp.dot(foot - p, search.flat.face2.normal)
        add_point(search.patch, dist, foot - 0.5 * dist * search.flat.face2.normal)


@wp.func
def _edge_on_face(hull: wp.ref[Hull], search: wp.ref[Search]):
    """Points of an edge of the first shape over a face of the second.

    An end that a side of the face cut off counts twice if the other end lies above the face, as in MuJoCo 4.0.
    """
    search.patch.normal = -search.flat.sign * search.flat.face2.normal
    edge = wp.zeros(shape=(wp.static(2 * EDGE_ROOM),), dtype=wp.vec3)
    edge[0] = search.flat.edge.start
    edge[1] = search.flat.edge.end
    search.flat.base = face_corner(hull, search.cores.shape2, search.flat.face2.index, 0)
    count = clip_by_face(hull, search.cores.shape2, search.flat.face2.index, search.flat.face2.normal, edge, 2, EDGE_ROOM)
    count = _kept(edge, count, search.flat.base, search.flat.face2.normal, search.reach)
    times = wp.int32(1)
    if count == 1 and wp.length_sq(edge[0] - search.flat.edge.start) > 0.0 and wp.length_sq(edge[0] - search.flat.edge.end) > 0.0:
        times = wp.int32(2)
    for k in range(wp.min(count, 2) * times):
        p = edge[k // times]
        dist = wp.dot(p - search.flat.base, search.flat.face2.normal)
        add_point(search.patch, dist, p - 0.5 * dist * search.flat.face2.normal)


@wp.func(inline=False)
def _find_opposed_faces(hull: wp.ref[Hull], search: wp.ref[Search]):
    """The two faces at the features that are most parallel; ``alike`` of the first is -2 if none are within five degrees."""
    search.flat.face1.alike = -2.0
    least = wp.float32(-PARALLEL_FACES)
    for k1 in range(face_count(hull, search.cores.shape1, search.flat.feature1.a)):
        face1 = face_at(hull, search.cores.shape1, search.flat.feature1, search.found.normal, k1)
        leans = face1.alike > PARALLEL_EDGE
        if leans:
            leans = holds(hull, search.cores.shape1, face1.index, search.flat.feature1)
        if leans:
            for k2 in range(face_count(hull, search.cores.shape2, search.flat.feature2.a)):
                face2 = face_at(hull, search.cores.shape2, search.flat.feature2, -search.found.normal, k2)
                cosine = wp.dot(face1.normal, face2.normal)
                if face2.alike > PARALLEL_EDGE and cosine < least:
                    if holds(hull, search.cores.shape2, face2.index, search.flat.feature2):
                        least = cosine
                        keep_first(search.flat, face1)
                        keep_second(search.flat, face2)


@wp.func
def _find_edge_along_face(hull: wp.ref[Hull], search: wp.ref[Search]):
    """The first face of the second shape and edge of the first that are parallel within five degrees; ``search.flat.along``, which comes as 0, is 1 then."""
    search.flat.edge.point = support(hull, search.cores.shape1, search.flat.sign * search.found.normal).pos
    for k in range(face_count(hull, search.cores.shape2, search.flat.feature2.a)):
        if search.flat.along == 0:
            keep_second(search.flat, face_at(hull, search.cores.shape2, search.flat.feature2, -search.flat.sign * search.found.normal, k))
            looks = search.flat.face2.alike > 0.0
            if looks:
                looks = holds(hull, search.cores.shape2, search.flat.face2.index, search.flat.feature2)
            if looks:
                for e in range(edge_count(hull, search.cores.shape1, search.flat.feature1.dim, search.flat.feature1.a)):
                    if search.flat.along == 0:
                        if write_edge(hull, search.cores.shape1, search.flat.feature1.dim, search.flat.feature1.a, search.flat.feature1.b, e, search.flat.edge):
                            along = wp.normalize(search.flat.edge.end - search.flat.edge.start)
                            if wp.abs(wp.dot(along, search.flat.face2.normal)) < PARALLEL_EDGE:
                                search.flat.along = 1


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
def _edge_contacts(hull: wp.ref[Hull], search: wp.ref[Search]):
    """Contacts of an edge of the first shape along a face of the second, if there is one (``search.flat.along``)."""
    _find_edge_along_face(hull, search)
    if search.flat.along == 1:
        shift = _out_of_core(search.cores.shape1, search.flat.sign * search.found.normal, -search.flat.face2.normal, search.reach)
        search.flat.edge.start = search.flat.edge.start + shift
        search.flat.edge.end = search.flat.edge.end + shift
        _edge_on_face(hull, search)


@wp.func(inline=False)
def _large_faces(hull: wp.ref[Hull], search: wp.ref[Search]):
    """``_face_on_face`` with room for all faces that hulls have."""
    polygon = wp.zeros(shape=(wp.static(2 * MOST_POLYGON),), dtype=wp.vec3)
    _face_on_face(hull, search, polygon, ROOM)


@wp.func(inline=False)
def _faces(hull: wp.ref[Hull], search: wp.ref[Search]):
    """``_face_on_face`` with as much room as they need."""
    if corner_count(hull, search.cores.shape1, search.flat.face1.index) + corner_count(hull, search.cores.shape2, search.flat.face2.index) + SPARE > SMALL_ROOM:
        _large_faces(hull, search)
        return
    polygon = wp.zeros(shape=(wp.static(2 * FEW_CORNERS),), dtype=wp.vec3)
    _face_on_face(hull, search, polygon, SMALL_ROOM)


@wp.func(inline=False)
def flat_contacts(hull: wp.ref[Hull], search: wp.ref[Search]):
    """Contacts of two faces, or of a face and an edge, at the features of the deepest point, as ``search.patch``; none if nothing is parallel.

    The shapes may have been exchanged in the end. Of two faces the second shape's gives the patch its normal, as in MuJoCo, or that which ``leads``
    (``search.symmetric``).
    """
    search.patch.count = 0
    search.flat.sign = 1.0
    feature_of(hull, search.cores.shape1, search.found.corner1, search.found.normal, search.flat.feature1)
    feature_of(hull, search.cores.shape2, search.found.corner2, -search.found.normal, search.flat.feature2)
    _find_opposed_faces(hull, search)
    if search.flat.face1.alike > -2.0:
        if search.symmetric == 1 and leads(search.flat.face1.alike, search.flat.face2.alike, search.found.normal):
            search.flat.sign = -1.0
            exchange_shapes(search.cores)
            exchange_faces(search.flat)
        _faces(hull, search)
    else:
        search.flat.along = 0
        if (
            search.flat.feature1.dim < 3
            and search.flat.feature2.faces != 0
            and (search.flat.feature1.dim <= search.flat.feature2.dim or search.flat.feature1.faces == 0)
        ):
            _edge_contacts(hull, search)
        if search.flat.feature2.dim < 3 and search.flat.along == 0:
            search.flat.sign = -1.0
            exchange_shapes(search.cores)
            exchange_features(search.flat)
            _edge_contacts(hull, search)


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
def end_search(hull: wp.ref[Hull], search: wp.ref[Search], several: bool):
    """The contacts of two convex geoms that are near, as ``search.patch``; of others its points stay as they are.

    Args:
        several: look for more than one point.
    """
    if search.near == 1:
        _touch_of(search.cores.shape1, search.cores.shape2, search.cores.at, search.cores.deep, search.reach, search.found)
        if search.turn == 1:
            _turn(search.found)
            exchange_shapes(search.cores)
        search.patch.count = 0
        if search.found.near == 1:
            if several and may_be_flat(search.cores.shape1.kind, search.cores.shape2.kind):
                flat_contacts(hull, search)
                if not _sound(search.patch, search.found, search.cores.shape1, search.cores.shape2, search.reach):
                    search.patch.count = 0
            if search.patch.count == 0:
                search.patch.normal = search.found.normal
                add_point(search.patch, search.found.dist, search.found.pos)
            shift_points(search.patch, search.origin)
    search.patch.normal = wp.where(search.exchanged == 1, -1.0, 1.0) * search.patch.normal
