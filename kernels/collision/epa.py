"""Depth of two convex cores that overlap: the expanding polytope algorithm.

A polytope within the difference of the two sets grows, by support points, at the face closest to the origin until that
face lies on the boundary. Its distance is the depth and its normal the direction of least separation. Distances of faces
are signed, so that cores which only touch, with the origin on the boundary or just outside, need no special treatment.
Method: van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game Objects (2001). The polytope lives
in arrays of fixed length on the thread's stack.
"""

import warp as wp

from newtonish.kernels.collision.gjk import Nearest
from newtonish.kernels.collision.support import Shape, support
from newtonish.kernels.structs.hull import MOST_ITERATIONS
from newtonish.kernels.structs.model import Hull

VERTICES = wp.constant(4 + MOST_ITERATIONS)
FACES = wp.constant(112)  # a polytope of v corners has 2 v - 4 triangles
EDGES = wp.constant(128)
GONE = wp.constant(3.0e38)
ROUNDING = wp.constant(1.0e-6)
COPLANAR = wp.constant(2.0e-7)
ONE_PLANE = wp.constant(0.999999)  # cosine between the normals of triangles that lie in one plane


@wp.struct
class Depth:
    """How deep two cores overlap."""

    found: wp.int32
    exact: wp.int32  # 0: the polytope stopped short of the boundary
    depth: wp.float32  # negative: they are apart by a rounding
    normal: wp.vec3  # moving the second core along it separates them
    point1: wp.vec3
    point2: wp.vec3
    corner1: wp.vec3i  # vertices of the two shapes that the corners of the face closest to the origin were made of
    corner2: wp.vec3i


@wp.func
def _pack(a: int, b: int, c: int) -> int:
    return a | (b << 8) | (c << 16)


@wp.func
def _set_face(
    diff: wp.array(dtype=wp.vec3), face: wp.array(dtype=wp.int32), normal: wp.array(dtype=wp.vec3),
    dist: wp.array(dtype=wp.float32), f: int, a: int, b: int, c: int, least: float,
):  # fmt: skip
    """Fill slot ``f`` with the triangle a b c, seen counter-clockwise from outside.

    A triangle without area, or nearer than ``least`` (the polytope only grows: it is a sliver whose normal is rounding),
    closes the polytope but is never looked at.
    """
    n = wp.cross(diff[b] - diff[a], diff[c] - diff[a])
    length = wp.length(n)
    face[f] = _pack(a, b, c)
    dist[f] = GONE
    normal[f] = wp.vec3(0.0, 0.0, 0.0)
    if length > 1.0e-18:
        n = n / length
        height = wp.dot(n, (diff[a] + diff[b] + diff[c]) / 3.0)
        if height >= least:
            normal[f] = n
            dist[f] = height


@wp.func
def _perpendicular(along: wp.vec3, turn: int) -> wp.vec3:
    """One of six directions across ``along``."""
    axis = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(along[1]) <= wp.abs(along[0]) and wp.abs(along[1]) <= wp.abs(along[2]):
        axis = wp.vec3(0.0, 1.0, 0.0)
    elif wp.abs(along[2]) <= wp.abs(along[0]):
        axis = wp.vec3(0.0, 0.0, 1.0)
    u = wp.normalize(wp.cross(along, axis))
    v = wp.normalize(wp.cross(along, u))
    angle = 1.0471976 * float(turn)
    return wp.cos(angle) * u + wp.sin(angle) * v


@wp.func(inline=False)
def _first_tetrahedron(
    hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], at: Nearest, extent: float, diff: wp.array(dtype=wp.vec3),
    on1: wp.array(dtype=wp.vec3), id1: wp.array(dtype=wp.int32), id2: wp.array(dtype=wp.int32),
) -> int:  # fmt: skip
    """Corners of a tetrahedron with volume that holds the origin or has it on its boundary; their number."""
    count = at.count
    for i in range(at.count):
        diff[i] = at.diff[i]
        on1[i] = at.on1[i]
        id1[i] = at.corner1[i]
        id2[i] = at.corner2[i]
    tiny = 1.0e-6 * extent
    tries = wp.int32(6)
    for k in range(tries):
        if count == 1:
            d = wp.vec3(0.0, 0.0, 0.0)
            d[k // 2] = wp.where(k % 2 == 0, 1.0, -1.0)
            a = support(hull, shape1, d)
            b = support(hull, shape2, -d)
            if wp.length(a.pos - b.pos - diff[0]) > tiny:
                diff[1] = a.pos - b.pos
                on1[1] = a.pos
                id1[1] = a.vertex
                id2[1] = b.vertex
                count = wp.int32(2)
    for k in range(tries):
        if count == 2:
            along = wp.normalize(diff[1] - diff[0])
            d = _perpendicular(along, k)
            a = support(hull, shape1, d)
            b = support(hull, shape2, -d)
            if wp.length(wp.cross(along, a.pos - b.pos - diff[0])) > tiny:
                diff[2] = a.pos - b.pos
                on1[2] = a.pos
                id1[2] = a.vertex
                id2[2] = b.vertex
                count = wp.int32(3)
    if count == 3:
        d = wp.normalize(wp.cross(diff[1] - diff[0], diff[2] - diff[0]))
        highest = wp.float32(tiny)
        sides = wp.int32(2)
        for k in range(sides):
            e = wp.where(k == 0, d, -d)
            a = support(hull, shape1, e)
            b = support(hull, shape2, -e)
            height = wp.dot(e, a.pos - b.pos - diff[0])
            if height > highest:
                highest = height
                diff[3] = a.pos - b.pos
                on1[3] = a.pos
                id1[3] = a.vertex
                id2[3] = b.vertex
                count = wp.int32(4)
    return count


@wp.func(inline=False)
def _insert(
    diff: wp.array(dtype=wp.vec3), face: wp.array(dtype=wp.int32), normal: wp.array(dtype=wp.vec3),
    dist: wp.array(dtype=wp.float32), edge: wp.array(dtype=wp.int32), nface: int, best: int, new: int, slack: float,
) -> int:  # fmt: skip
    """Replace the faces that see corner ``new`` by a cone to their rim; the number of faces, or -1 without room."""
    least = dist[best] - 100.0 * slack
    nedge = wp.int32(0)
    kept = wp.int32(0)
    for f in range(nface):
        seen = f == best
        if not seen and dist[f] < GONE:
            seen = wp.dot(normal[f], diff[new]) - dist[f] > slack
        if seen:
            corners = face[f]
            sides = wp.int32(3)
            for k in range(sides):
                a = (corners >> (8 * k)) & 255
                b = (corners >> (8 * ((k + 1) % 3))) & 255
                opposite = wp.int32(-1)
                for e in range(nedge):
                    if edge[e] == (b | (a << 8)):
                        opposite = e
                if opposite >= 0:  # between two of the faces: not on the rim
                    nedge -= 1
                    edge[opposite] = edge[nedge]
                elif nedge < EDGES:
                    edge[nedge] = a | (b << 8)
                    nedge += 1
        else:
            face[kept] = face[f]
            normal[kept] = normal[f]
            dist[kept] = dist[f]
            kept += 1
    if kept + nedge > FACES:
        return -1
    for e in range(nedge):
        _set_face(diff, face, normal, dist, kept + e, edge[e] & 255, edge[e] >> 8, new, least)
    return kept + nedge


@wp.func
def _weights(a: wp.vec3, b: wp.vec3, c: wp.vec3, foot: wp.vec3, n: wp.vec3) -> wp.vec3:
    """Weights of the corners of a triangle with normal ``n`` for a point of its plane."""
    area = wp.dot(wp.cross(b - a, c - a), n)
    u = wp.dot(wp.cross(b - foot, c - foot), n) / area
    v = wp.dot(wp.cross(c - foot, a - foot), n) / area
    return wp.vec3(u, v, 1.0 - u - v)


@wp.func(inline=False)
def _holding_foot(
    diff: wp.array(dtype=wp.vec3), face: wp.array(dtype=wp.int32), normal: wp.array(dtype=wp.vec3),
    dist: wp.array(dtype=wp.float32), nface: int, closest: int, n: wp.vec3, depth: float, slack: float,
) -> int:  # fmt: skip
    """Of the triangles that lie in one plane with the closest one, that which holds the foot of the perpendicular.

    A face of the difference of two polyhedra is made of several triangles at one distance: rounding says which is the
    closest, and the points of the shapes are those of the triangle around the foot.
    """
    found = closest
    foot = depth * n
    most = wp.min(_weights(diff[closest & 255], diff[(closest >> 8) & 255], diff[(closest >> 16) & 255], foot, n))
    for f in range(nface):
        if most < 0.0 and dist[f] <= depth + slack:
            if wp.dot(normal[f], n) > ONE_PLANE:
                other = face[f]
                least = wp.min(_weights(diff[other & 255], diff[(other >> 8) & 255], diff[(other >> 16) & 255], foot, n))
                if least > most:
                    most = least
                    found = other
    return found


@wp.func(inline=False)
def epa(hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], at: Nearest, extent: float, iterations: int) -> Depth:
    """Depth of two cores from the simplex with which ``gjk`` ended."""
    diff = wp.zeros(shape=(56,), dtype=wp.vec3)
    on1 = wp.zeros(shape=(56,), dtype=wp.vec3)
    id1 = wp.zeros(shape=(56,), dtype=wp.int32)
    id2 = wp.zeros(shape=(56,), dtype=wp.int32)
    face = wp.zeros(shape=(112,), dtype=wp.int32)
    normal = wp.zeros(shape=(112,), dtype=wp.vec3)
    dist = wp.zeros(shape=(112,), dtype=wp.float32)
    edge = wp.zeros(shape=(128,), dtype=wp.int32)
    result = Depth()
    nvert = _first_tetrahedron(hull, shape1, shape2, at, extent, diff, on1, id1, id2)
    nface = wp.int32(0)
    if nvert == 4:
        flip = wp.dot(wp.cross(diff[1] - diff[0], diff[2] - diff[0]), diff[3] - diff[0]) > 0.0
        i = wp.where(flip, 2, 1)
        j = wp.where(flip, 1, 2)
        _set_face(diff, face, normal, dist, 0, 0, i, j, -GONE)
        _set_face(diff, face, normal, dist, 1, 0, 3, i, -GONE)
        _set_face(diff, face, normal, dist, 2, i, 3, j, -GONE)
        _set_face(diff, face, normal, dist, 3, j, 3, 0, -GONE)
        nface = wp.int32(4)
    best = wp.int32(0)
    closest = wp.int32(0)
    last = wp.min(4 + iterations, VERTICES)
    growing = nface > 0
    while growing:
        best = wp.int32(0)
        for f in range(1, nface):
            if dist[f] < dist[best]:
                best = f
        n = normal[best]
        a = support(hull, shape1, n)
        b = support(hull, shape2, -n)
        w = a.pos - b.pos
        closest = face[best]
        result.found = 1
        result.depth = dist[best]
        result.normal = n
        growing = wp.dot(n, w) - dist[best] > ROUNDING * extent
        result.exact = wp.where(growing, 0, 1)
        growing = growing and nvert < last
        if growing:
            diff[nvert] = w
            on1[nvert] = a.pos
            id1[nvert] = a.vertex
            id2[nvert] = b.vertex
            nface = _insert(diff, face, normal, dist, edge, nface, best, nvert, COPLANAR * extent)
            nvert += 1
            growing = nface > 0
    if result.found == 1:
        closest = _holding_foot(diff, face, normal, dist, nface, closest, result.normal, result.depth, ROUNDING * extent)
        c0 = closest & 255
        c1 = (closest >> 8) & 255
        c2 = (closest >> 16) & 255
        w = _weights(diff[c0], diff[c1], diff[c2], result.depth * result.normal, result.normal)
        u = wp.clamp(w[0], 0.0, 1.0)
        v = wp.clamp(w[1], 0.0, 1.0 - u)
        result.point1 = u * on1[c0] + v * on1[c1] + (1.0 - u - v) * on1[c2]
        result.point2 = result.point1 - (u * diff[c0] + v * diff[c1] + (1.0 - u - v) * diff[c2])
        result.corner1 = wp.vec3i(id1[c0], id1[c1], id1[c2])
        result.corner2 = wp.vec3i(id2[c0], id2[c1], id2[c2])
    return result
