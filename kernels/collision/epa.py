"""Depth of two convex cores that overlap: the expanding polytope algorithm.

A polytope within the difference of the two sets grows, by support points, at the face closest to the origin until that
face lies on the boundary. Its distance is the depth and its normal the direction of least separation. Distances of faces
are signed, so that cores which only touch, with the origin on the boundary or just outside, need no special treatment.
Method: van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game Objects (2001).

On a GPU a team of lanes searches for one depth together: one by itself would keep the others of its warp waiting.
"""

import warp as wp

from newtonish.kernels.collision.gjk import Nearest
from newtonish.kernels.collision.polytope import (
    CORNERS,
    Polytope,
    Sources,
    add_corner,
    begin_tetrahedron,
    closest_face,
    corner_at,
    corners_of,
    dist_at,
    face_at,
    holding_foot,
    join_corner,
    keep_corners,
    normal_at,
    on1_at,
    vertices1,
    vertices2,
    weights,
)
from newtonish.kernels.collision.support import Shape, supports
from newtonish.kernels.structs.model import Hull

ROUNDING = wp.constant(1.0e-6)
COPLANAR = wp.constant(2.0e-7)


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
    hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], own: wp.ref[Shape], at: wp.ref[Nearest], extent: float,
    body: wp.ref[Polytope], made: wp.ref[Sources], team: int,
):  # fmt: skip
    """Corners of a tetrahedron with volume that holds the origin or has it on its boundary; fewer if there is none."""
    for i in range(at.count):
        add_corner(body, made, at.diff[i], at.on1[i], at.corner1[i], at.corner2[i], team)
    tiny = 1.0e-6 * extent
    tries = wp.int32(6)
    for k in range(tries):
        if body.ncorner == 1:
            d = wp.vec3(0.0, 0.0, 0.0)
            d[k // 2] = wp.where(k % 2 == 0, 1.0, -1.0)
            ends = supports(hull, shape1, shape2, own, d, team)
            if wp.length(ends.pos1 - ends.pos2 - corner_at(body, 0)) > tiny:
                add_corner(body, made, ends.pos1 - ends.pos2, ends.pos1, ends.vertex1, ends.vertex2, team)
    for k in range(tries):
        if body.ncorner == 2:
            along = wp.normalize(corner_at(body, 1) - corner_at(body, 0))
            d = _perpendicular(along, k)
            ends = supports(hull, shape1, shape2, own, d, team)
            if wp.length(wp.cross(along, ends.pos1 - ends.pos2 - corner_at(body, 0))) > tiny:
                add_corner(body, made, ends.pos1 - ends.pos2, ends.pos1, ends.vertex1, ends.vertex2, team)
    if body.ncorner == 3:
        d = wp.normalize(wp.cross(corner_at(body, 1) - corner_at(body, 0), corner_at(body, 2) - corner_at(body, 0)))
        highest = wp.float32(tiny)
        sides = wp.int32(2)
        for k in range(sides):
            e = wp.where(k == 0, d, -d)
            ends = supports(hull, shape1, shape2, own, e, team)
            height = wp.dot(e, ends.pos1 - ends.pos2 - corner_at(body, 0))
            if height > highest:
                highest = height
                keep_corners(body, 3, team)  # in place of the one on the other side
                add_corner(body, made, ends.pos1 - ends.pos2, ends.pos1, ends.vertex1, ends.vertex2, team)


@wp.func
def _find_between(body: wp.ref[Polytope], made: wp.ref[Sources], k: wp.vec3i, depth: float, normal: wp.vec3, deep: wp.ref[Depth], team: int):
    """The points of the two shapes at the foot of the perpendicular to a triangle."""
    deep.found = 1
    deep.depth = depth
    deep.normal = normal
    w = weights(body, k, depth * normal, normal)
    u = wp.clamp(w[0], 0.0, 1.0)
    v = wp.clamp(w[1], 0.0, 1.0 - u)
    point1 = u * on1_at(made, k[0], team) + v * on1_at(made, k[1], team) + (1.0 - u - v) * on1_at(made, k[2], team)
    diff = u * corner_at(body, k[0]) + v * corner_at(body, k[1]) + (1.0 - u - v) * corner_at(body, k[2])
    deep.point1 = point1
    deep.point2 = point1 - diff
    deep.corner1 = vertices1(made, k, team)
    deep.corner2 = vertices2(made, k, team)


@wp.func(inline=False)
def epa(
    hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], own: wp.ref[Shape], at: wp.ref[Nearest], extent: float, iterations: int,
    body: wp.ref[Polytope], made: wp.ref[Sources], deep: wp.ref[Depth], team: int,
):  # fmt: skip
    """Depth of two cores from the simplex with which ``gjk`` ended, as ``deep``; what that, ``body`` and ``made`` hold before says nothing."""
    deep.found = 0
    keep_corners(body, 0, team)
    _first_tetrahedron(hull, shape1, shape2, own, at, extent, body, made, team)
    if body.ncorner < 4:
        return
    begin_tetrahedron(body, team)
    last = wp.min(4 + iterations, wp.static(CORNERS))
    closest = wp.int32(0)
    depth = wp.float32(0.0)
    normal = wp.vec3(0.0, 0.0, 0.0)
    exact = wp.int32(0)
    growing = bool(True)
    best = wp.int32(closest_face(body, team))
    while growing:
        closest = face_at(body, best)
        depth = dist_at(body, best)
        normal = normal_at(body, best)
        ends = supports(hull, shape1, shape2, own, normal, team)
        growing = wp.dot(normal, ends.pos1 - ends.pos2) - depth > ROUNDING * extent
        exact = wp.where(growing, 0, 1)
        growing = growing and body.ncorner < last
        if growing:
            best = join_corner(body, made, ends.pos1 - ends.pos2, ends.pos1, ends.vertex1, ends.vertex2, best, COPLANAR * extent, team)
            growing = best >= 0
    _find_between(body, made, holding_foot(body, corners_of(closest), normal, depth, ROUNDING * extent), depth, normal, deep, team)
    deep.exact = exact
