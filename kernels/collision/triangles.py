"""Distances to triangles and to meshes of triangles, and the points at which a few shapes are tested against a mesh.

Closest points on a triangle and of two segments: Ericson, Real-Time Collision Detection, 5.1.5 and 5.1.9. The sign of a
distance to a mesh is that of the normal of the closest face, on edges and corners of the angle-weighted one (Baerentzen and
Aanaes 2005), which holds for open surfaces as well.
"""

import warp as wp

from newtonish.kernels.collision.support import PRISM
from newtonish.kernels.constants import BOX, CYLINDER, ELLIPSOID, MESH, PLANE

HFIELD = PRISM
RIM = wp.constant(8)  # points on each rim of a cylinder
FAR = wp.constant(1.0e9)
INSIDE = wp.constant(1.0e-3)  # least barycentric coordinate of a point that lies on one face alone


@wp.func
def is_meshed(kind: int) -> bool:
    """Whether a type of geom is given by triangles."""
    return kind == MESH or kind == HFIELD


@wp.func
def closest_on_triangle(a: wp.vec3, b: wp.vec3, c: wp.vec3, p: wp.vec3) -> wp.vec4:
    """Closest point of a triangle, and 1 if it lies inside of the face, 0 on an edge or corner."""
    ab = b - a
    ac = c - a
    ap = p - a
    d1 = wp.dot(ab, ap)
    d2 = wp.dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return wp.vec4(a[0], a[1], a[2], 0.0)
    bp = p - b
    d3 = wp.dot(ab, bp)
    d4 = wp.dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return wp.vec4(b[0], b[1], b[2], 0.0)
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        q = a + (d1 / (d1 - d3)) * ab
        return wp.vec4(q[0], q[1], q[2], 0.0)
    cp = p - c
    d5 = wp.dot(ab, cp)
    d6 = wp.dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        return wp.vec4(c[0], c[1], c[2], 0.0)
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        q = a + (d2 / (d2 - d6)) * ac
        return wp.vec4(q[0], q[1], q[2], 0.0)
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        q = b + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c - b)
        return wp.vec4(q[0], q[1], q[2], 0.0)
    share = 1.0 / (va + vb + vc)
    q = a + (vb * share) * ab + (vc * share) * ac
    return wp.vec4(q[0], q[1], q[2], 1.0)


@wp.func
def segment_parameter(p: wp.vec3, along: wp.vec3, a: wp.vec3, edge: wp.vec3) -> float:
    """Where, from 0 to 1, the segment from ``p`` along ``along`` comes closest to the one from ``a`` along ``edge``."""
    r = p - a
    l1 = wp.length_sq(along)
    l2 = wp.length_sq(edge)
    if l1 <= 0.0 or l2 <= 0.0:
        return 0.0
    f = wp.dot(edge, r)
    c = wp.dot(along, r)
    b = wp.dot(along, edge)
    slope = l1 * l2 - b * b
    s = wp.float32(0.5)  # parallel: the middle
    if slope > 1.0e-9 * l1 * l2:
        s = wp.clamp((b * f - c * l2) / slope, 0.0, 1.0)
    t = wp.clamp((b * s + f) / l2, 0.0, 1.0)
    return wp.clamp((b * t - c) / l1, 0.0, 1.0)


@wp.func
def mesh_distance(mesh: wp.uint64, p: wp.vec3, reach: float) -> wp.vec4:
    """Outward normal at the closest point of a mesh and signed distance; distance FAR if there is none within ``reach``."""
    query = wp.mesh_query_point_no_sign(mesh, p, reach)
    if not query.result:
        return wp.vec4(0.0, 0.0, 1.0, FAR)
    away = p - wp.mesh_eval_position(mesh, query.face, query.u, query.v)
    length = wp.length(away)
    normal = wp.mesh_eval_face_normal(mesh, query.face)
    sign = wp.where(wp.dot(away, normal) < 0.0, -1.0, 1.0)
    if wp.min(wp.min(query.u, query.v), 1.0 - query.u - query.v) < INSIDE:
        sign = wp.mesh_query_point_sign_normal(mesh, p, reach).sign
    if length > 1.0e-7:
        normal = (sign / length) * away
    return wp.vec4(normal[0], normal[1], normal[2], sign * length)


@wp.func
def box_distance(size: wp.vec3, p: wp.vec3) -> wp.vec4:
    """The same of a box."""
    outside = wp.vec3(0.0, 0.0, 0.0)
    nearest = wp.int32(0)
    for k in range(3):
        outside[k] = p[k] - wp.clamp(p[k], -size[k], size[k])
        if wp.abs(p[k]) - size[k] > wp.abs(p[nearest]) - size[nearest]:
            nearest = k
    length = wp.length(outside)
    if length > 0.0:
        normal = outside / length
        return wp.vec4(normal[0], normal[1], normal[2], length)
    found = wp.vec4(0.0, 0.0, 0.0, wp.abs(p[nearest]) - size[nearest])
    found[nearest] = wp.where(p[nearest] >= 0.0, 1.0, -1.0)
    return found


@wp.func
def cylinder_distance(size: wp.vec3, p: wp.vec3) -> wp.vec4:
    """The same of a cylinder along z."""
    radial = wp.vec3(p[0], p[1], 0.0)
    length = wp.length(radial)
    side = wp.vec3(1.0, 0.0, 0.0)
    if length > 0.0:
        side = radial / length
    flat = box_distance(wp.vec3(size[0], size[1], size[1]), wp.vec3(length, p[2], 0.0))
    if flat[0] < 0.0:
        flat[0] = 1.0  # on the axis
    return wp.vec4(flat[0] * side[0], flat[0] * side[1], flat[1], flat[3])


@wp.func
def ellipsoid_distance(size: wp.vec3, p: wp.vec3) -> wp.vec4:
    """The same of an ellipsoid, to first order in the distance: its level function over the length of the gradient."""
    scaled = wp.cw_div(p, size)
    level = wp.length(scaled)
    if level < 1.0e-6:
        return wp.vec4(0.0, 0.0, 1.0, -wp.min(wp.min(size[0], size[1]), size[2]))
    slope = wp.cw_div(scaled, size) / level
    steep = wp.length(slope)
    normal = slope / steep
    return wp.vec4(normal[0], normal[1], normal[2], (level - 1.0) / steep)


@wp.func
def shape_distance(kind: int, mesh: wp.uint64, size: wp.vec3, p: wp.vec3, reach: float) -> wp.vec4:
    """Outward normal and signed distance of a geom at ``p``, both in the geom's frame."""
    if kind == PLANE:
        return wp.vec4(0.0, 0.0, 1.0, p[2])
    if kind == BOX:
        return box_distance(size, p)
    if kind == CYLINDER:
        return cylinder_distance(size, p)
    if kind == ELLIPSOID:
        return ellipsoid_distance(size, p)
    if is_meshed(kind):
        return mesh_distance(mesh, p, reach)
    return wp.vec4(0.0, 0.0, 1.0, FAR)


@wp.func
def point_count(kind: int, mesh: wp.uint64) -> int:
    """Number of points at which a geom is tested against a mesh."""
    if kind == BOX:
        return 8
    if kind == CYLINDER:
        return 2 * RIM
    if kind == ELLIPSOID:
        return 14
    if is_meshed(kind):
        return wp.mesh_get(mesh).points.shape[0]
    return 0


@wp.func
def shape_point(kind: int, mesh: wp.uint64, size: wp.vec3, k: int) -> wp.vec3:
    """Point ``k``: corners of boxes and meshes, points of a cylinder's rims, ends and diagonals of an ellipsoid."""
    if is_meshed(kind):
        return wp.mesh_get(mesh).points[k]
    if kind == CYLINDER:
        angle = 2.0 * wp.pi * float(k % RIM) / float(RIM)
        z = wp.where(k < RIM, -size[1], size[1])
        return wp.vec3(size[0] * wp.cos(angle), size[0] * wp.sin(angle), z)
    if kind == ELLIPSOID and k >= 8:
        end = wp.vec3(0.0, 0.0, 0.0)
        axis = (k - 8) // 2
        end[axis] = wp.where(k % 2 == 0, -size[axis], size[axis])
        return end
    corner = wp.vec3(wp.where((k & 1) != 0, size[0], -size[0]), wp.where((k & 2) != 0, size[1], -size[1]), wp.where((k & 4) != 0, size[2], -size[2]))
    if kind == ELLIPSOID:
        return corner / wp.sqrt(3.0)
    return corner
