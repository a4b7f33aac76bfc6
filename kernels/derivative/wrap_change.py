"""How the points at which a string touches a sphere or a cylinder move with the ends of the string.

In the frame of the geom the string lies in a plane through its centre, that of the ends and the centre for a sphere, and the cross-section of a cylinder.
Within the plane the points follow from the tangents, or, of a string inside, from equal angles; what the plane turns takes them along. Along a cylinder
the height grows evenly with the length of the flat path.
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.tendon.wrap import CYLINDER

POLISH = wp.constant(4)  # iterations from float32's point


@wp.struct
class Touching:
    """Where a string touches a geom, in the geom's frame."""

    inside: bool
    round: bool  # a cylinder's
    end0: wp.vec3d
    end1: wp.vec3d
    first: wp.vec3d
    second: wp.vec3d
    normal: wp.vec3d  # of the plane of the flat path
    arc: wp.float64  # length of the flat path on the geom


@wp.struct
class Slide:
    """Changes of both points."""

    first: wp.vec3d
    second: wp.vec3d


@wp.func
def _flat(round: bool, p: wp.vec3d) -> wp.vec3d:
    """``p`` without its height along a cylinder."""
    return wp.where(round, wp.vec3d(p[0], p[1], real(0.0)), p)


@wp.func
def _unit(p: wp.vec3d) -> wp.vec3d:
    return p / wp.max(wp.length(p), real(MINVAL))


@wp.func
def _arc(first: wp.vec3d, second: wp.vec3d, end: wp.vec3d) -> wp.float64:
    """Length of the way on a cylinder from ``first`` on, away from ``end``, to ``second``; all without height."""
    ahead = first - end
    side = wp.sign(first[0] * ahead[1] - first[1] * ahead[0])
    angle = side * wp.atan2(first[0] * second[1] - first[1] * second[0], wp.dot(first, second))
    if angle < real(-1.0e-3):  # less is rounding of a way that hardly touches
        angle += real(2.0 * wp.pi)
    return wp.length(first) * wp.max(angle, real(0.0))


@wp.func
def _along_tangent(point: wp.vec3d, end: wp.vec3d, dend: wp.vec3d) -> wp.float64:
    """How far the point of a tangent moves towards its end."""
    return -wp.dot(point, dend) / wp.max(wp.length(end - point), real(MINVAL))


@wp.func
def _across(point: wp.vec3d, end: wp.vec3d, forward: wp.vec3d) -> wp.vec3d:
    """Gradient by ``end`` of the cosine between ``forward`` and the direction from the point to the end."""
    length = wp.max(wp.length(end - point), real(MINVAL))
    u = (end - point) / length
    return (forward - wp.dot(forward, u) * u) / length


@wp.func
def _stiffness(point: wp.vec3d, end0: wp.vec3d, end1: wp.vec3d, forward: wp.vec3d) -> wp.float64:
    """How fast the angles of both parts of a string with the circle become unequal as its point moves ``forward``."""
    bent = wp.dot(point, _unit(end0 - point) + _unit(end1 - point)) / wp.dot(point, point)
    return bent + wp.dot(_across(point, end0, forward) + _across(point, end1, forward), forward)


@wp.func
def _along_circle(point: wp.vec3d, end0: wp.vec3d, end1: wp.vec3d, dend0: wp.vec3d, dend1: wp.vec3d, forward: wp.vec3d) -> wp.float64:
    """How far along ``forward`` the point moves at which both parts of a string meet the circle under the same angle."""
    moved = wp.dot(_across(point, end0, forward), dend0) + wp.dot(_across(point, end1, forward), dend1)
    return moved / _stiffness(point, end0, end1, forward)


@wp.func
def _tangent_point(end: wp.vec3d, near: wp.vec3d, normal: wp.vec3d, radius: wp.float64) -> wp.vec3d:
    """Of the two points with a tangent through ``end`` that which is on the side of ``near``."""
    square = wp.dot(end, end)
    across = wp.cross(normal, end)
    side = wp.sign(wp.dot(across, near))
    tangent = wp.sqrt(wp.max(square - radius * radius, real(0.0)))
    return (radius / square) * (radius * end + side * tangent * across)


@wp.func
def _inner_point(end0: wp.vec3d, end1: wp.vec3d, near: wp.vec3d, normal: wp.vec3d, radius: wp.float64) -> wp.vec3d:
    """The point of equal angles near another one: Newton's method."""
    point = radius * _unit(near - wp.dot(near, normal) * normal)
    for _i in range(POLISH):
        forward = _unit(wp.cross(normal, point))
        unequal = wp.dot(forward, _unit(end0 - point) + _unit(end1 - point))
        point = radius * _unit(point + forward * (unequal / _stiffness(point, end0, end1, forward)))
    return point


@wp.func
def touching(kind: int, inside: bool, end0: wp.vec3d, end1: wp.vec3d, first: wp.vec3d, second: wp.vec3d, radius: wp.float64) -> Touching:
    """The string from ``end0`` to ``end1`` that touches a sphere or cylinder at two points, or ``inside`` at one.

    The points are found again, close to those of float32: their answer to the ends can be strong, where a string hardly touches.
    """
    found = Touching()
    found.inside = inside
    found.round = kind == CYLINDER
    found.end0 = end0
    found.end1 = end1
    found.normal = wp.vec3d(real(0.0), real(0.0), real(1.0))
    if not found.round:
        found.normal = _unit(wp.cross(end0, end1))
    flat0 = _flat(found.round, end0)
    flat1 = _flat(found.round, end1)
    if inside:
        found.first = _inner_point(flat0, flat1, _flat(found.round, first), found.normal, radius)
        found.second = found.first
    else:
        found.first = _tangent_point(flat0, _flat(found.round, first), found.normal, radius)
        found.second = _tangent_point(flat1, _flat(found.round, second), found.normal, radius)
    if found.round:
        if not inside:
            found.arc = _arc(found.first, found.second, flat0)
        before = wp.length(flat0 - found.first)
        total = wp.max(before + found.arc + wp.length(flat1 - found.second), real(MINVAL))
        rise = end1[2] - end0[2]
        found.first[2] = end0[2] + rise * before / total
        found.second[2] = end0[2] + rise * (before + found.arc) / total
    return found


@wp.func
def slide(found: Touching, dend0: wp.vec3d, dend1: wp.vec3d) -> Slide:
    """Changes of the points as the ends move, in the geom's frame."""
    end0 = _flat(found.round, found.end0)
    end1 = _flat(found.round, found.end1)
    first = _flat(found.round, found.first)
    second = _flat(found.round, found.second)
    d0 = _flat(found.round, dend0)
    d1 = _flat(found.round, dend1)
    # in the plane
    change = Slide()
    back0 = _unit(end0 - first)  # from the points to the ends
    back1 = _unit(end1 - second)
    normal = found.normal
    shift0 = _along_tangent(first, end0, d0)
    shift1 = _along_tangent(second, end1, d1)
    change.first = shift0 * back0
    change.second = shift1 * back1
    if found.inside:
        forward = _unit(wp.cross(normal, first))
        change.first = _along_circle(first, end0, end1, d0, d1, forward) * forward
        change.second = change.first
    if found.round:  # the flat path grows by what the ends do to it
        after = wp.length(end1 - second)
        total = wp.max(wp.length(end0 - first) + found.arc + after, real(MINVAL))
        dtotal = wp.dot(back0, d0) + wp.dot(back1, d1)
        dafter = wp.dot(back1, d1 - change.second)
        dbefore = wp.dot(back0, d0 - change.first)
        rise = found.end1[2] - found.end0[2]
        drise = dend1[2] - dend0[2]
        share0 = (total - after - found.arc) / total
        share1 = (total - after) / total
        change.first[2] = dend0[2] + drise * share0 + rise * (dbefore - share0 * dtotal) / total
        change.second[2] = dend0[2] + drise * share1 + rise * (dtotal - dafter - share1 * dtotal) / total
    else:  # the plane turns about the centre
        area = wp.max(wp.length(wp.cross(end0, end1)), real(MINVAL))
        turned = (wp.cross(d0, end1) + wp.cross(end0, d1)) / area
        change.first = change.first - normal * wp.dot(first, turned)
        change.second = change.second - normal * wp.dot(second, turned)
    return change
