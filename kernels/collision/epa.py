"""Depth of two convex cores that overlap: the expanding polytope algorithm.

A polytope within the difference of the two sets grows, by support points, at the face closest to the origin until that
face lies on the boundary. Its distance is the depth and its normal the direction of least separation. Distances of faces
are signed, so that cores which only touch, with the origin on the boundary or just outside, need no special treatment.
Method: van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game Objects (2001).

On a GPU a team of lanes searches for one depth together: one by itself would keep the others of its warp waiting.
"""

import warp as wp

from newtonish.kernels.collision.cores import Cores, Depth
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


@wp.func
def _first_tetrahedron(hull: wp.ref[Hull], cores: wp.ref[Cores], own: wp.ref[Shape], body: wp.ref[Polytope], made: wp.ref[Sources], team: int):
    """Corners of a tetrahedron with volume that holds the origin or has it on its boundary; fewer if there is none."""
    for i in range(cores.at.count):
        add_corner(body, made, cores.at.diff[i], cores.at.on1[i], cores.at.corner1[i], cores.at.corner2[i], team)
    tiny = 1.0e-6 * cores.extent
    tries = wp.int32(6)
    for k in range(tries):
        if body.ncorner == 1:
            d = wp.vec3(0.0, 0.0, 0.0)
            d[k // 2] = wp.where(k % 2 == 0, 1.0, -1.0)
            ends = supports(hull, cores.shape1, cores.shape2, own, d, team)
            if wp.length(ends.pos1 - ends.pos2 - corner_at(body, 0)) > tiny:
                add_corner(body, made, ends.pos1 - ends.pos2, ends.pos1, ends.vertex1, ends.vertex2, team)
    for k in range(tries):
        if body.ncorner == 2:
            along = wp.normalize(corner_at(body, 1) - corner_at(body, 0))
            d = _perpendicular(along, k)
            ends = supports(hull, cores.shape1, cores.shape2, own, d, team)
            if wp.length(wp.cross(along, ends.pos1 - ends.pos2 - corner_at(body, 0))) > tiny:
                add_corner(body, made, ends.pos1 - ends.pos2, ends.pos1, ends.vertex1, ends.vertex2, team)
    if body.ncorner == 3:
        d = wp.normalize(wp.cross(corner_at(body, 1) - corner_at(body, 0), corner_at(body, 2) - corner_at(body, 0)))
        highest = wp.float32(tiny)
        sides = wp.int32(2)
        for k in range(sides):
            e = wp.where(k == 0, d, -d)
            ends = supports(hull, cores.shape1, cores.shape2, own, e, team)
            height = wp.dot(e, ends.pos1 - ends.pos2 - corner_at(body, 0))
            if height > highest:
                highest = height
                keep_corners(body, 3, team)  # in place of the one on the other side
                add_corner(body, made, ends.pos1 - ends.pos2, ends.pos1, ends.vertex1, ends.vertex2, team)


@wp.func
def _find_between(body: wp.ref[Polytope], made: wp.ref[Sources], k: wp.vec3i, deep: wp.ref[Depth], team: int):
    """The points of the two shapes at the foot of the perpendicular to a triangle."""
    deep.found = 1
    w = weights(body, k, deep.depth * deep.normal, deep.normal)
    u = wp.clamp(w[0], 0.0, 1.0)
    v = wp.clamp(w[1], 0.0, 1.0 - u)
    point1 = u * on1_at(made, k[0], team) + v * on1_at(made, k[1], team) + (1.0 - u - v) * on1_at(made, k[2], team)
    diff = u * corner_at(body, k[0]) + v * corner_at(body, k[1]) + (1.0 - u - v) * corner_at(body, k[2])
    deep.point1 = point1
    deep.point2 = point1 - diff
    deep.corner1 = vertices1(made, k, team)
    deep.corner2 = vertices2(made, k, team)


@wp.func(inline=False)
def epa(hull: wp.ref[Hull], cores: wp.ref[Cores], own: wp.ref[Shape], body: wp.ref[Polytope], made: wp.ref[Sources], team: int):
    """Depth of two cores from the simplex with which ``gjk`` ended, as ``cores.deep``; what that, ``body`` and ``made`` hold before says nothing."""
    cores.deep.found = 0
    keep_corners(body, 0, team)
    _first_tetrahedron(hull, cores, own, body, made, team)
    if body.ncorner < 4:
        return
    begin_tetrahedron(body, team)
    closest = wp.int32(0)
    growing = bool(True)
    best = wp.int32(closest_face(body, team))
    while growing:
        closest = face_at(body, best)
        cores.deep.depth = dist_at(body, best)
        cores.deep.normal = normal_at(body, best)
        ends = supports(hull, cores.shape1, cores.shape2, own, cores.deep.normal, team)
        growing = wp.dot(cores.deep.normal, ends.pos1 - ends.pos2) - cores.deep.depth > ROUNDING * cores.extent
        cores.deep.exact = wp.where(growing, 0, 1)
        growing = growing and body.ncorner < wp.min(4 + hull.iterations, wp.static(CORNERS))
        if growing:
            best = join_corner(body, made, ends.pos1 - ends.pos2, ends.pos1, ends.vertex1, ends.vertex2, best, COPLANAR * cores.extent, team)
            growing = best >= 0
    _find_between(body, made, holding_foot(body, corners_of(closest), cores.deep.normal, cores.deep.depth, ROUNDING * cores.extent), cores.deep, team)
