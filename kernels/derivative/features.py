"""What the surface of a geom is near a contact: how its point moves on the geom as the contact's normal turns.

A smooth surface has two radii of curvature there, the inverse of its shape operator: those of a ball twice its own, of a vertex none, of an
edge none across it. Along the edge, along the side of a capsule or cylinder and on a face the surface is straight and the normal cannot turn: the
feature is then a line or a plane, and the other geom tells where on it the point is. The rim of a cylinder and an ellipsoid have what their support
points do. Told by the normal alone, which at a sharp feature is known to rounding; where a face meets an edge or a face, ``faces.py`` goes by the point.
"""

import warp as wp

from newtonish.kernels.collision.support import farthest_vertex
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, HFIELD, MESH, SDF, SPHERE
from newtonish.kernels.derivative.algebra import real, wide
from newtonish.kernels.derivative.hull_scans import next_vertex
from newtonish.kernels.derivative.polyhedra import CORNER, EDGE, NOWHERE, ROUNDING, Body, Place, place_on, tolerance_of, vertex_count, vertex_of
from newtonish.kernels.structs.model import HeightField, Hull

PLANE_GEOM = wp.constant(0)
UNKNOWN = wp.constant(0)
POINT = wp.constant(1)  # curved, or sharp, in both directions
LINE = wp.constant(2)
PLANE = wp.constant(3)
RULED = wp.constant(3)  # slide: neither along nor across borders, but as a rule of the narrowphase says
ALIGNED = wp.constant(wp.float64(1.0e-4))  # sine below which a normal belongs to a face or an edge
SEARCHED = wp.constant(wp.float64(2.0e-2))  # the same of a normal that a search found at a curved geom
GUESSES = wp.constant(3)  # a point that a search found at a curved geom is up to 1e-2 of a size away from where it should be
PARALLEL = wp.constant(wp.float64(1.0e-8))  # squared sine below which two lines have no closest points
UPRIGHT = wp.constant(wp.float64(1.0e-12))  # squared sine below which a cylinder has no lowest point


@wp.struct
class Feature:
    """What a geom is near its contact point, all in the world."""

    kind: int
    at: wp.vec3d  # the point of its surface
    axis: wp.vec3d  # of a line; of a plane its outward normal
    R: wp.mat33d  # motion of the point on its geom for a change of the outward normal [m]
    bend: wp.vec3d  # further motion of the point on its geom, as far as the other geom turns relative to it about ``bent_by``
    bent_by: wp.vec3d
    drawn_by: wp.vec3d  # or moves along this
    aligned: wp.float64  # of a plane: sine between its normal and the contact's
    astray: int  # 1: the point is not on the feature that the normal tells
    slide: int  # how a point slides on its geom as it stays on the borders of a face: 0 not, 1 along the axis, 2 across it; RULED
    side1: wp.vec3d  # normals of the borders; RULED: slide along the axis for a motion relative to the other geom, and for a rotation
    side2: wp.vec3d
    lever: wp.vec3d  # from what the borders hold, or the rule moves, to the point


@wp.func
def column_of(m: wp.mat33d, j: int) -> wp.vec3d:
    return wp.vec3d(m[0, j], m[1, j], m[2, j])


@wp.func
def round_in(radius: wp.float64, n: wp.vec3d) -> wp.mat33d:
    """Radii of a ball whose normal is ``n``."""
    return radius * (wp.identity(n=3, dtype=wp.float64) - wp.outer(n, n))


@wp.func
def _ellipsoid(found: Feature, body: Body, outward: wp.vec3d) -> Feature:
    """Support point of an ellipsoid and its derivative by the direction."""
    local = wp.transpose(body.mat) * outward
    squares = wp.cw_mul(body.size, body.size)
    scaled = wp.cw_mul(squares, local)
    length = wp.sqrt(wp.dot(scaled, local))
    found.at = body.center + body.mat * (scaled / length)
    found.R = body.mat * (wp.diag(squares) / length - wp.outer(scaled, scaled) / (length * length * length)) * wp.transpose(body.mat)
    return found


@wp.func
def _side(found: Feature, body: Body, outward: wp.vec3d) -> Feature:
    """The side of a capsule or a cylinder, where it was along its axis."""
    across = wp.cross(outward, found.axis)
    lean = wp.length(across)
    found.at = body.center + found.axis * wp.dot(found.at - body.center, found.axis) + (body.size[0] / lean) * wp.cross(found.axis, across)
    found.R = (body.size[0] / (lean * lean * lean)) * wp.outer(across, across)
    return found


@wp.func
def _rim(found: Feature, body: Body, outward: wp.vec3d) -> Feature:
    """The rim of a cylinder, on the side on which it was."""
    local = wp.transpose(body.mat) * outward
    lean = wp.sqrt(local[0] * local[0] + local[1] * local[1])
    beside = wp.vec3d(-local[1], local[0], real(0.0)) / lean
    height = wp.sign(wp.dot(found.at - body.center, found.axis)) * body.size[1]
    found.at = body.center + body.mat * wp.vec3d(body.size[0] * local[0] / lean, body.size[0] * local[1] / lean, height)
    found.R = body.mat * (wp.outer(beside, beside) * (body.size[0] / lean)) * wp.transpose(body.mat)
    return found


@wp.func(inline=False)
def surface_at(found: Feature, body: wp.ref[Body], outward: wp.vec3d) -> Feature:
    """The feature, where it is curved, at the point with the outward normal ``outward``."""
    kind = body.kind
    if kind == ELLIPSOID:
        found = _ellipsoid(found, body, outward)
    elif found.kind == LINE and (kind == CAPSULE or kind == CYLINDER):
        found = _side(found, body, outward)
    elif found.kind == POINT and kind == CYLINDER:
        found = _rim(found, body, outward)
    elif found.kind == POINT and (kind == SPHERE or kind == CAPSULE):
        center = body.center
        if kind == CAPSULE:
            center += wp.sign(wp.dot(found.at - body.center, found.axis)) * body.size[1] * found.axis
        found.at = center + body.size[0] * outward
        found.R = round_in(body.size[0], outward)
    return found


@wp.func
def _capsule_feature(found: Feature, body: Body, outward: wp.vec3d, on_plane: bool) -> Feature:
    """Side or end of a capsule; above a plane always an end."""
    along = wp.dot(found.at - body.size[0] * outward - body.center, found.axis)
    found.kind = POINT
    found.R = round_in(body.size[0], outward)
    if not on_plane and wp.abs(along) < body.size[1] - tolerance_of(body.size, found.at):
        found.kind = LINE
        across = wp.normalize(wp.cross(outward, found.axis))
        found.R = body.size[0] * wp.outer(across, across)
    return found


@wp.func
def _box_feature(found: Feature, body: Body, at: wp.vec3d, local: wp.vec3d) -> Feature:
    """Face, edge or corner of a box, by which of its axes the normal has a part along."""
    number = wp.int32(0)
    free = wp.int32(0)
    last = wp.int32(0)
    for k in range(3):
        if wp.abs(local[k]) > ALIGNED:
            number += 1
            last = k
            if wp.abs(at[k] - wp.sign(local[k]) * body.size[k]) > tolerance_of(body.size, found.at):
                found.astray = 1
        else:
            free = k
    found.kind = POINT
    if number == 1:
        found.kind = PLANE
        found.axis = wp.sign(local[last]) * column_of(body.mat, last)
        found.aligned = wp.length(wp.cross(found.axis, body.mat * local))
    elif number == 2:
        found.kind = LINE
        found.axis = column_of(body.mat, free)
    return found


@wp.func
def _cylinder_feature(found: Feature, body: Body, at: wp.vec3d, local: wp.vec3d, outward: wp.vec3d, on_plane: bool) -> Feature:
    """Cap, side or rim of a cylinder; of the points above a plane, all turn about its axis with the lowest one."""
    size = body.size
    near = real(10.0) * tolerance_of(size, found.at)  # where a search ends on a rim it is a chord
    lean = local[0] * local[0] + local[1] * local[1]
    surface = found.at
    within = wp.sqrt(at[0] * at[0] + at[1] * at[1]) < size[0] - near
    found.kind = POINT
    if on_plane:
        if lean >= UPRIGHT:
            turning = wp.vec3d(-local[1], local[0], real(0.0)) / lean
            found.R = body.mat * wp.outer(wp.vec3d(-at[1], at[0], real(0.0)), turning) * wp.transpose(body.mat)
    elif lean < ALIGNED * ALIGNED or (within and lean < SEARCHED * SEARCHED):
        found.kind = PLANE
        found.axis = wp.sign(local[2]) * found.axis
        found.aligned = wp.sqrt(lean)
    elif wp.abs(at[2]) < size[1] - near:
        found.kind = LINE
        found = _side(found, body, outward)
    else:
        found = _rim(found, body, outward)
    found.at = surface
    return found


@wp.struct
class Top:
    """The vertices of a polyhedron that are farthest along a direction, within a tolerance, in its frame."""

    number: int
    first: wp.vec3d
    second: wp.vec3d
    farthest: wp.float64
    lowest: wp.float64


@wp.func
def _with_vertex(found: Top, vertex: wp.vec3d, height: wp.float64) -> Top:
    found.lowest = wp.min(found.lowest, height)
    found.farthest = wp.max(found.farthest, height)
    if found.number == 0:
        found.first = vertex
    elif found.number == 1:
        found.second = vertex
    found.number += 1
    return found


@wp.func
def _top_of_prism(hull: Hull, hfield: HeightField, body: Body, w: int, local: wp.vec3d, tolerance: wp.float64) -> Top:
    """Of a heightfield's prism."""
    found = Top()
    found.farthest = wp.dot(vertex_of(hull, hfield, body, w, 0), local)
    for v in range(1, vertex_count(hull, body)):
        found.farthest = wp.max(found.farthest, wp.dot(vertex_of(hull, hfield, body, w, v), local))
    found.lowest = found.farthest
    reach = found.farthest - tolerance
    for v in range(vertex_count(hull, body)):
        vertex = vertex_of(hull, hfield, body, w, v)
        height = wp.dot(vertex, local)
        if height > reach:
            found = _with_vertex(found, vertex, height)
    return found


@wp.func
def _top_of_hull(hull: Hull, body: Body, local: wp.vec3d, tolerance: wp.float64) -> Top:
    """Of a mesh's hull."""
    found = Top()
    v = body.shape.vertadr + farthest_vertex(hull, body.data, body.shape.vertadr, wp.vec3(local), 1)
    found.farthest = wp.dot(wide(hull.vert[v]), local)
    found.lowest = found.farthest
    reach = found.farthest - tolerance
    within = wp.float32(reach - ROUNDING * (wp.length(body.size) + wp.abs(found.farthest)))
    end = body.shape.vertadr + hull.vertnum[body.data]
    v = next_vertex(hull, body.shape.vertadr, end, local, within)
    while v < end:
        vertex = wide(hull.vert[v])
        height = wp.dot(vertex, local)
        if height > reach:
            found = _with_vertex(found, vertex, height)
        v = next_vertex(hull, v + 1, end, local, within)
    return found


@wp.func
def _polytope_feature(hull: Hull, hfield: HeightField, found: Feature, body: Body, w: int, at: wp.vec3d, local: wp.vec3d) -> Feature:
    """Vertex, edge or face of a hull or a prism that is farthest along the normal; ``at``: the contact's point, in its frame."""
    size = wp.length(body.size)
    top = Top()
    if body.kind == MESH:
        top = _top_of_hull(hull, body, local, ALIGNED * size)
    else:
        top = _top_of_prism(hull, hfield, body, w, local, ALIGNED * size)
    found.kind = wp.where(top.number > 2, PLANE, wp.where(top.number == 2, LINE, POINT))
    found.aligned = (top.farthest - top.lowest) / size
    away = at - top.first
    if top.number == 2:
        along = wp.normalize(top.second - top.first)
        found.axis = body.mat * along
        away = away - wp.dot(away, along) * along
    if top.number > 2:
        found.axis = body.mat * local
    elif wp.length(away) > ALIGNED * size + ROUNDING * wp.length(found.at):
        found.astray = 1
    return found


@wp.func(inline=False)
def feature_at(hull: wp.ref[Hull], hfield: wp.ref[HeightField], body: wp.ref[Body], w: int, surface: wp.vec3d, outward: wp.vec3d, on_plane: bool) -> Feature:
    """Feature of a geom, not a plane, at a point of its surface where the contact's normal leaves it along ``outward``."""
    kind = body.kind
    local = wp.transpose(body.mat) * outward
    at = wp.transpose(body.mat) * (surface - body.center)
    found = Feature()
    found.at = surface
    found.axis = column_of(body.mat, 2)
    if kind == SPHERE:
        found.kind = POINT
        found.R = round_in(body.size[0], outward)
    elif kind == CAPSULE:
        found = _capsule_feature(found, body, outward, on_plane)
    elif kind == ELLIPSOID:
        found.kind = POINT
        found = _ellipsoid(found, body, outward)
        found.at = surface
    elif kind == CYLINDER:
        found = _cylinder_feature(found, body, at, local, outward, on_plane)
    elif on_plane and (kind == BOX or kind == MESH or kind == SDF):
        found.kind = POINT
    elif kind == BOX:
        found = _box_feature(found, body, at, local)
    elif kind == MESH or kind == HFIELD:
        found = _polytope_feature(hull, hfield, found, body, w, at, local)
    return found


@wp.func(inline=False)
def placed(hull: wp.ref[Hull], hfield: wp.ref[HeightField], found: Feature, body: wp.ref[Body], w: int, outward: wp.vec3d) -> Feature:
    """``found``, or of a polyhedron the feature that the point lies on, where the normal is not known well enough to tell it."""
    if body.kind == BOX or body.kind == MESH or body.kind == HFIELD:
        back = wp.transpose(body.mat)
        near = tolerance_of(body.size, found.at)
        place = Place()
        place.kind = NOWHERE
        for _ in range(GUESSES):
            if place.kind == NOWHERE:
                near = real(10.0) * near
                place = place_on(hull, hfield, body, w, back * (found.at - body.center), back * outward, near)
        if place.kind != NOWHERE:
            found.astray = 0
            found.kind = wp.where(place.kind == CORNER, POINT, wp.where(place.kind == EDGE, LINE, PLANE))
            found.axis = body.mat * wp.where(place.kind == EDGE, place.axis, place.normal)
    return found
