"""Which line of a round side lies on a face: the one that faces the face itself, or what is deepest beside it, an edge, a corner or the rim of the face.

The narrowphase takes the side's line in the direction of the deepest point, and cuts that line by the face (``newtonish.kernels.collision.convex``).
Where the deepest point is at a border of the face, the direction is across both lines, or from the axis to the corner, and turns as they do.
"""

import warp as wp

from newtonish.kernels.constants import CAPSULE, CYLINDER
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.features import PARALLEL, UNKNOWN, Feature
from newtonish.kernels.derivative.polyhedra import ROUNDING, Body, corner_of, corners_of, place_on
from newtonish.kernels.structs.model import HeightField, Hull

SEARCHED = wp.constant(wp.float64(1.0e-3))  # difference of two directions below which they are the same, if a search found one
TELLING = wp.constant(wp.float64(20.0))  # the same if it is exact, in roundings

TURNS = wp.constant(6)  # Newton steps


@wp.struct
class Facing:
    """What best explains the direction of a line so far."""

    apart: wp.float64  # difference from the direction that it would have
    edge: wp.vec3d  # direction of an edge; zero: none
    tip: wp.vec3d  # a corner or a point of a rim
    reach: wp.float64  # from the axis to that; zero: none
    bow: wp.vec3d  # motion of the tip on the rim as its normal turns across the axis [m]


@wp.func
def _across(axis: wp.vec3d, edge: wp.vec3d, out: wp.vec3d) -> wp.vec3d:
    """Direction across two lines, on the side of ``out``; zero if they are parallel."""
    normal = wp.cross(axis, edge)
    if wp.length_sq(normal) < PARALLEL:
        return wp.vec3d()
    return wp.sign(wp.dot(normal, out)) * wp.normalize(normal)


@wp.func
def _with_tip(best: Facing, body: Body, axis: wp.vec3d, out: wp.vec3d, tip: wp.vec3d, bow: wp.vec3d) -> Facing:
    """``best``, or a point that the line faces if that explains more."""
    beside = tip - body.center - wp.dot(tip - body.center, axis) * axis
    apart = wp.length(out - wp.normalize(beside))
    if apart < best.apart:
        best.apart = apart
        best.edge = wp.vec3d()
        best.tip = tip
        best.reach = wp.length(beside)
        best.bow = bow
    return best


@wp.func
def _with_rim(best: Facing, body: Body, flat: Body, axis: wp.vec3d, out: wp.vec3d, outward: wp.vec3d) -> Facing:
    """The rim of a cylinder's cap, where its tangent is across the direction to the axis; Newton's method, from where it is across ``out``."""
    local = wp.transpose(flat.mat) * -out
    lean = wp.sqrt(local[0] * local[0] + local[1] * local[1])
    if lean * lean > PARALLEL:
        x = local[0] / lean
        y = local[1] / lean
        height = wp.sign(-wp.dot(outward, flat.mat * wp.vec3d(real(0.0), real(0.0), real(1.0)))) * flat.size[1]
        tip = wp.vec3d()
        tangent = wp.vec3d()
        bow = wp.vec3d()
        turns = wp.int32(TURNS)  # a variable: not unrolled
        for _ in range(turns):
            tip = flat.center + flat.mat * wp.vec3d(flat.size[0] * x, flat.size[0] * y, height)
            tangent = flat.mat * wp.vec3d(-y, x, real(0.0))
            beside = tip - body.center - wp.dot(tip - body.center, axis) * axis
            level = tangent - wp.dot(tangent, axis) * axis
            lean = -wp.dot(beside, flat.mat * wp.vec3d(x, y, real(0.0)))
            bow = tangent * (wp.dot(tangent, wp.cross(beside, axis)) * flat.size[0] / lean)
            turn = -wp.dot(beside, tangent) / (flat.size[0] * wp.length_sq(level) + lean)
            x -= turn * y
            y += turn * x
            lean = wp.sqrt(x * x + y * y)
            x = x / lean
            y = y / lean
        best = _with_tip(best, body, axis, out, tip, bow)
    return best


@wp.func
def _with_borders(
    hull: Hull, hfield: HeightField, best: Facing, body: Body, flat: Body, w: int, face: int, axis: wp.vec3d, out: wp.vec3d
) -> Facing:  # fmt: skip
    """The edges and corners of a face."""
    count = corners_of(hull, flat, face)
    start = corner_of(hull, hfield, flat, w, face, count - 1)
    for k in range(count):
        end = corner_of(hull, hfield, flat, w, face, k)
        edge = flat.mat * wp.normalize(end - start)
        apart = wp.length(out - _across(axis, edge, out))
        if apart < best.apart:
            best.apart = apart
            best.edge = edge
            best.reach = real(0.0)
        best = _with_tip(best, body, axis, out, flat.center + flat.mat * end, wp.vec3d())
        start = end
    return best


@wp.func(inline=False)
def faced(
    hull: wp.ref[Hull],
    hfield: wp.ref[HeightField],
    body: wp.ref[Body],
    flat: wp.ref[Body],
    w: int,
    outward: wp.vec3d,
    near: wp.float64,
    foot: wp.vec3d,
    found: Feature,
) -> Feature:
    """``found``, a point on the side of a capsule or a cylinder, with how its line turns about the axis; UNKNOWN where something else has turned it.

    Args:
        outward: away from the face, out of ``body``.
        foot: below its point, on the face.
    """
    arm = found.at - body.center
    out = (arm - wp.dot(arm, found.axis) * found.axis) / body.size[0]
    rounding = ROUNDING * (wp.length(found.at) + wp.length(body.size) + wp.length(flat.size)) / body.size[0]
    most = TELLING * rounding
    toward = outward - wp.dot(outward, found.axis) * found.axis
    if body.kind == CAPSULE:
        found.R = body.size[0] * (wp.identity(n=3, dtype=wp.float64) - wp.outer(found.axis, found.axis))
    else:
        toward = wp.normalize(toward)
    if body.kind == CYLINDER or flat.kind == CYLINDER:
        most += SEARCHED
    best = Facing()
    best.apart = wp.length(out - toward) - real(2.0) * rounding  # of two that are alike it is the face
    if flat.kind == CYLINDER:
        best = _with_rim(best, body, flat, found.axis, out, outward)
    else:
        back = wp.transpose(flat.mat)
        face = place_on(hull, hfield, flat, w, back * (foot - flat.center), back * -outward, near).face
        best = _with_borders(hull, hfield, best, body, flat, w, face, found.axis, out)
    aside = wp.cross(out, found.axis)
    if best.reach > real(0.0):
        # the line and the tip as two features between which ``out`` is the normal (``witness.py``), seen from the body
        found.R = wp.mat33d()
        found.bend = (body.size[0] / (best.reach + wp.dot(best.bow, aside))) * aside
        found.drawn_by = aside
        found.bent_by = wp.cross(best.tip - found.at, aside) + wp.cross(out, best.bow)
    elif wp.length_sq(best.edge) > real(0.0):
        found.R = wp.mat33d()
        found.bend = aside * (body.size[0] / wp.dot(out, wp.cross(found.axis, best.edge)))
        found.bent_by = wp.cross(out, best.edge)
    if best.apart > most:
        found.kind = UNKNOWN
    return found
