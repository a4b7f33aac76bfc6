"""Polyhedra as the derivatives see them: boxes, hulls, caps of cylinders and prisms of heightfields by their faces, each a polygon, in float64.

Caps have sixteen corners, as where caps lie on faces (``newtonish.kernels.collision.flat``).
"""

import warp as wp

from newtonish.kernels.collision.feature import face_along_index
from newtonish.kernels.collision.flat import corner_count, face_corner
from newtonish.kernels.collision.support import Shape, make_shape
from newtonish.kernels.constants import BOX, CYLINDER, HFIELD, MESH
from newtonish.kernels.derivative.algebra import real, wide, wide_matrix
from newtonish.kernels.derivative.hull_scans import next_face
from newtonish.kernels.derivative.prisms import prism_at, prism_size, prism_vertex
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Geom, HeightField, Hull

NEAR = wp.constant(wp.float64(1.0e-5))  # of a size: distance below which a point lies on a border
ROUNDING = wp.constant(wp.float64(4.0e-7))  # of a position in the world: float32's rounding, and that of the search

NOWHERE = wp.constant(-1)
CORNER = wp.constant(0)
EDGE = wp.constant(1)
FACE = wp.constant(2)


@wp.struct
class Body:
    """A geom with its pose in float64, and as a shape in its own frame."""

    shape: Shape
    kind: int
    size: wp.vec3d  # of a hull and a prism the half lengths of its box
    mat: wp.mat33d
    center: wp.vec3d
    data: int  # mesh or heightfield
    prism: wp.vec3i  # of a heightfield: row and column of the cell, triangle


@wp.struct
class Place:
    """Where a point lies on a polyhedron, in its frame."""

    kind: int
    axis: wp.vec3d  # of an edge
    normal: wp.vec3d  # of the face that looks most along a direction
    alike: wp.float64  # cosine between the two; -2: the point is on no face
    face: int


@wp.func
def tolerance_of(size: wp.vec3d, at: wp.vec3d) -> wp.float64:
    """Distance below which two points of a geom near ``at`` in the world are one [m]."""
    return NEAR * wp.length(size) + ROUNDING * wp.length(at)


@wp.func(inline=False)
def body_of(
    geom: wp.ref[Geom], hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics], w: int, g: int, at: wp.vec3d, outward: wp.vec3d
) -> Body:
    """Geom ``g`` of a world; of a heightfield the prism with ``at`` on its surface, where a normal leaves it along ``outward``."""
    found = Body()
    found.kind = geom.type[g]
    size = geom.size[per_world(geom.size.shape[0], w), g]
    found.size = wide(size)
    found.mat = wide_matrix(kin.geom_xmat[w, g])
    found.center = wide(kin.geom_xpos[w, g])
    found.data = geom.dataid[per_world(geom.dataid.shape[0], w), g]
    found.shape = make_shape(hull, found.kind, found.data, wp.vec3(), wp.identity(n=3, dtype=wp.float32), size)
    if found.kind == MESH:
        found.size = wide(hull.half[found.data])
    elif found.kind == HFIELD:
        back = wp.transpose(found.mat)
        found.prism = prism_at(hfield, w, found.data, back * (at - found.center), back * outward, ROUNDING * wp.length(at))
        found.size = prism_size(hfield, w, found.data)
    return found


@wp.func
def vertex_count(hull: Hull, body: Body) -> int:
    """Vertices of a hull or a prism."""
    count = wp.int32(6)
    if body.kind == MESH:
        count = hull.vertnum[body.data]
    return count


@wp.func
def vertex_of(hull: Hull, hfield: HeightField, body: Body, w: int, v: int) -> wp.vec3d:
    """A vertex of a hull or a prism, in the geom's frame."""
    if body.kind == HFIELD:
        return prism_vertex(hfield, w, body.data, body.prism, v)
    return wide(hull.vert[body.shape.vertadr + v])


@wp.func
def corners_of(hull: Hull, body: Body, face: int) -> int:
    """Number of corners of a face; those of a prism are its top, its bottom and its sides."""
    count = wp.int32(3)
    if body.kind == HFIELD:
        if face >= 2:
            count = 4
    else:
        count = corner_count(hull, body.shape, face)
    return count


@wp.func
def corner_of(hull: Hull, hfield: HeightField, body: Body, w: int, face: int, nth: int) -> wp.vec3d:
    """A corner of a face, clockwise as seen from outside."""
    if body.kind != HFIELD:
        return wide(face_corner(hull, body.shape, face, nth))
    v = nth
    clockwise = body.prism[2] == 1  # from above, as ``prism_vertex`` counts them
    if face == 0 and not clockwise:
        v = 2 - nth
    elif face == 1:
        v = 3 + wp.where(clockwise, 2 - nth, nth)
    elif face >= 2:
        one = face - 2
        other = (one + 1) % 3
        if clockwise:
            one = other
            other = face - 2
        v = wp.where(nth == 0, one, wp.where(nth == 1, other, wp.where(nth == 2, other + 3, one + 3)))
    return prism_vertex(hfield, w, body.data, body.prism, v)


@wp.func
def face_normal(hull: Hull, hfield: HeightField, body: Body, w: int, face: int) -> wp.vec3d:
    """Outward normal of a face."""
    if body.kind != HFIELD:
        return wp.normalize(wide(face_along_index(hull, body.shape, face, wp.vec3(1.0, 0.0, 0.0)).normal))
    first = corner_of(hull, hfield, body, w, face, 0)
    along = corner_of(hull, hfield, body, w, face, 1) - first
    return wp.normalize(wp.cross(corner_of(hull, hfield, body, w, face, 2) - first, along))


@wp.func
def side_normal(start: wp.vec3d, end: wp.vec3d, normal: wp.vec3d) -> wp.vec3d:
    """Normal of the side of a face between two of its corners, which run clockwise."""
    return wp.normalize(wp.cross(normal, end - start))


@wp.func(inline=False)
def _with_face(
    hull: wp.ref[Hull], hfield: wp.ref[HeightField], body: wp.ref[Body], w: int, face: int, at: wp.vec3d, outward: wp.vec3d, near: wp.float64, found: Place
) -> Place:
    """``found``, or where a point is on another face."""
    normal = face_normal(hull, hfield, body, w, face)
    alike = wp.dot(normal, outward)
    if alike <= wp.where(body.kind == CYLINDER, real(0.9), real(0.0)):  # else it is the rim
        return found
    count = corners_of(hull, body, face)
    start = corner_of(hull, hfield, body, w, face, count - 1)
    if wp.abs(wp.dot(at - start, normal)) > near:
        return found
    place = wp.int32(FACE)
    axis = wp.vec3d()
    for k in range(count):
        end = corner_of(hull, hfield, body, w, face, k)
        if wp.length(at - end) < near and place != NOWHERE:
            place = CORNER
        beyond = wp.dot(at - start, side_normal(start, end, normal))
        if beyond > near:
            place = NOWHERE
        elif beyond > -near and place == FACE:
            place = EDGE
            axis = wp.normalize(end - start)
        start = end
    if place != NOWHERE:
        if alike > found.alike:
            found.alike = alike
            found.normal = normal
            found.face = face
        if found.kind == NOWHERE or place < found.kind:
            found.kind = place
            found.axis = axis
    return found


@wp.func(inline=False)
def place_on(hull: wp.ref[Hull], hfield: wp.ref[HeightField], body: wp.ref[Body], w: int, at: wp.vec3d, outward: wp.vec3d, near: wp.float64) -> Place:
    """Where the point ``at`` of a polyhedron's frame is on its surface; faces that look away from ``outward`` do not count."""
    found = Place()
    found.kind = NOWHERE
    found.alike = real(-2.0)
    if body.kind == MESH:
        end = hull.faceadr[body.data] + hull.facenum[body.data]
        within = wp.float32(near + ROUNDING * (wp.length(body.size) + wp.length(wide(hull.center[body.data]))))
        face = next_face(hull, hull.faceadr[body.data], end, at, outward, within)
        while face < end:
            found = _with_face(hull, hfield, body, w, face, at, outward, near, found)
            face = next_face(hull, face + 1, end, at, outward, within)
    else:
        for face in range(wp.where(body.kind == BOX, 6, wp.where(body.kind == CYLINDER, 2, 5))):
            found = _with_face(hull, hfield, body, w, face, at, outward, near, found)
    return found
