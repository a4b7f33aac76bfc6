"""Where a geom lies on a face of another: points of an area that both share, each of which a corner, an edge or the borders of both hold.

The point may be a corner of the geom, or where an edge of it crosses a border of the face, or above a corner of the face: it then slides on its geom
as it stays on the borders. Faces are told by the point's position, since two faces that lean on each other by a few degrees still share an area
(``newtonish.kernels.collision.convex``); caps of cylinders have sixteen corners there.
"""

import warp as wp

from newtonish.kernels.collision.feature import PARALLEL_EDGE, PARALLEL_FACES
from newtonish.kernels.constants import BOX, CAPSULE, CYLINDER, ELLIPSOID, HFIELD, MESH, SPHERE
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.facing import faced
from newtonish.kernels.derivative.features import ALIGNED, LINE, POINT, UNKNOWN, Feature
from newtonish.kernels.derivative.polyhedra import CORNER, EDGE, FACE, NOWHERE, Body, corner_of, corners_of, place_on, side_normal, tolerance_of
from newtonish.kernels.structs.model import HeightField, Hull


@wp.func
def _with_borders(
    hull: Hull, hfield: HeightField, body: Body, w: int, face: int, normal: wp.vec3d, upright: wp.vec3d, at: wp.vec3d, near: wp.float64, found: Feature
) -> Feature:  # fmt: skip
    """``found`` with the borders of a face above which the point ``at`` of its frame is; ``slide`` is their number, along ``upright`` they stand."""
    count = corners_of(hull, body, face)
    start = corner_of(hull, hfield, body, w, face, count - 1)
    number = wp.int32(0)
    for k in range(count):
        end = corner_of(hull, hfield, body, w, face, k)
        across = side_normal(start, end, normal)
        if wp.abs(wp.dot(at - start, across)) < near:
            across = side_normal(start, end, upright)
            if number == 0:
                found.side1 = body.mat * across
            else:
                found.side2 = body.mat * across
            number += 1
        start = end
    found.slide = wp.min(number, 2)
    return found


@wp.func
def _held(found: Feature, along: int) -> Feature:
    """A point that the borders hold: one along its axis, two across it, none at a corner (``along`` = CORNER)."""
    found.kind = UNKNOWN
    if along == CORNER:
        found.kind = POINT
        found.slide = 0
    elif along == EDGE and found.slide > 0:
        if found.slide == 2 and wp.abs(wp.dot(found.side1, found.axis)) < wp.abs(wp.dot(found.side2, found.axis)):
            found.side1 = found.side2
        if wp.abs(wp.dot(found.side1, found.axis)) > ALIGNED:
            found.kind = POINT
            found.slide = 1
    elif along == FACE and found.slide == 2:
        if wp.length(wp.cross(found.side1, found.side2)) > ALIGNED:
            found.kind = POINT
    return found


@wp.func(inline=False)
def _borders_of_face(
    hull: wp.ref[Hull],
    hfield: wp.ref[HeightField],
    flat: wp.ref[Body],
    w: int,
    normal: wp.vec3d,
    upright: wp.vec3d,
    at: wp.vec3d,
    near: wp.float64,
    found: Feature,
) -> Feature:
    """``found`` with the borders of the face of ``flat`` that has the outward normal ``normal`` and the point ``at``, all in the world."""
    local = wp.transpose(flat.mat) * normal
    foot = wp.transpose(flat.mat) * (at - flat.center)
    under = place_on(hull, hfield, flat, w, foot, local, near)
    found.slide = 0
    if under.kind != NOWHERE:
        found = _with_borders(hull, hfield, flat, w, under.face, under.normal, wp.transpose(flat.mat) * upright, foot, near, found)
    return found


@wp.func
def _side_on_face(
    hull: Hull, hfield: HeightField, body: Body, flat: Body, w: int, outward: wp.vec3d, near: wp.float64, foot: wp.vec3d, found: Feature
) -> Feature:
    """An end of a line of the side of a capsule or a cylinder, or where it crosses a border; ``foot``: below its point, on the face."""
    along = wp.dot(found.at - body.center, found.axis)
    # along faces of hulls and caps it is a line of the side that is cut; on boxes a ball, and so is a capsule's end that alone is near
    if body.kind == CYLINDER or ((flat.kind == MESH or flat.kind == CYLINDER) and wp.abs(along) < body.size[1] + near):
        found.kind = wp.where(wp.abs(along) > body.size[1] - near, POINT, LINE)
        found = faced(hull, hfield, body, flat, w, outward, near, foot, found)
    if found.kind == LINE:
        found = _held(_borders_of_face(hull, hfield, flat, w, -outward, outward, foot, near, found), EDGE)
    return found


@wp.func
def _polyhedron_on_face(
    hull: Hull, hfield: HeightField, body: Body, flat: Body, w: int, outward: wp.vec3d, dist: wp.float64, near: wp.float64, foot: wp.vec3d, found: Feature
) -> Feature:
    """A corner, edge or face of a box, a hull or a cap on a face."""
    place = place_on(hull, hfield, body, w, wp.transpose(body.mat) * (found.at - body.center), wp.transpose(body.mat) * outward, near)
    if place.kind == NOWHERE:
        if body.kind == CYLINDER and wp.abs(wp.dot(found.axis, outward)) < real(PARALLEL_EDGE):
            found = _side_on_face(hull, hfield, body, flat, w, outward, near, foot, found)
        elif found.kind != POINT or found.astray == 1:
            found.kind = UNKNOWN
        return found
    found.axis = body.mat * wp.where(place.kind == EDGE, place.axis, place.normal)
    found.R = wp.mat33d()
    held = foot
    upright = outward
    if (body.kind != BOX or flat.kind != BOX) and place.alike > real(PARALLEL_FACES):
        # of two faces of convex shapes, the borders stand on the face that is cut by them
        normal = body.mat * place.normal
        held = found.at + dist / wp.dot(normal, outward) * normal
        found.lever = found.at - held
        upright = normal
    return _held(_borders_of_face(hull, hfield, flat, w, -outward, upright, held, near, found), place.kind)


@wp.func(inline=False)
def on_face(
    hull: wp.ref[Hull], hfield: wp.ref[HeightField], found: Feature, body: wp.ref[Body], flat: wp.ref[Body], w: int, outward: wp.vec3d, dist: wp.float64
) -> Feature:  # fmt: skip
    """The point of ``body`` on a face of ``flat``, which it leaves along ``outward``; of kind UNKNOWN where nothing holds it."""
    kind = body.kind
    sharp = kind == BOX or kind == MESH or kind == HFIELD
    if kind == SPHERE or kind == ELLIPSOID or (sharp and found.kind == POINT and found.astray == 0):
        return found
    if kind == HFIELD or (flat.kind == HFIELD and found.kind != POINT):
        found.kind = UNKNOWN  # a point of an area or a line, found by a search that ends anywhere
        return found
    near = tolerance_of(body.size, found.at) + tolerance_of(flat.size, found.at)
    foot = found.at + dist * outward
    if kind == CAPSULE:
        found = _side_on_face(hull, hfield, body, flat, w, outward, near, foot, found)
    else:
        found = _polyhedron_on_face(hull, hfield, body, flat, w, outward, dist, near, foot, found)
    return found
