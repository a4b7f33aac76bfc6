"""Shortest path between two points around a sphere or a cylinder.

The problem is solved in a plane: that of the two points and the centre for a sphere, the cross-section for a cylinder. The
path either touches the circle along two tangents, or, if a side site lies inside the circle, runs through the inside and
touches it in one point only. A side site outside chooses the way around; without one it is the shorter way. Method: MuJoCo
documentation, chapter Computation, "Tendons"; tangents of a circle, and Newton's method for the angle at which the inner
path is reflected.
"""

import warp as wp

from newtonish.kernels.constants import MINVAL

INSIDE_ITERATIONS = wp.constant(20)
INSIDE_TOLERANCE = wp.constant(1.0e-6)
SPHERE = wp.constant(4)  # mjWRAP_SPHERE
CYLINDER = wp.constant(5)  # mjWRAP_CYLINDER


@wp.struct
class Arc:
    """Where a path touches a circle; ``length`` < 0: it does not."""

    length: float
    first: wp.vec2
    second: wp.vec2


@wp.struct
class Wrap:
    """Where a path touches a wrapping geom, world frame; ``length`` (on the geom) < 0: it goes straight."""

    length: float
    first: wp.vec3
    second: wp.vec3


@wp.func
def _cross(a: wp.vec2, b: wp.vec2) -> float:
    return a[0] * b[1] - a[1] * b[0]


@wp.func
def _turn(a: wp.vec2, b: wp.vec2) -> float:
    """Angle from ``a`` to ``b`` about the origin, counterclockwise positive."""
    return wp.atan2(_cross(a, b), wp.dot(a, b))


@wp.func
def _short_turn(a: wp.vec2, b: wp.vec2, direction: float) -> float:
    """Angle between 0 and pi from ``a`` to ``b`` in a known ``direction`` (counterclockwise 1): none where rounding turns it back."""
    angle = direction * _turn(a, b)
    if angle < -0.5 * wp.pi:  # half a turn
        angle += 2.0 * wp.pi
    return wp.max(angle, 0.0)


@wp.func
def _segments_cross(a0: wp.vec2, a1: wp.vec2, b0: wp.vec2, b1: wp.vec2) -> bool:
    """Whether the segments a0-a1 and b0-b1 intersect."""
    u = a1 - a0
    v = b1 - b0
    area = -_cross(v, u)
    crosses = wp.bool(False)
    if wp.abs(area) >= MINVAL:
        offset = a0 - b0
        along_a = _cross(v, offset) / area
        along_b = _cross(u, offset) / area
        crosses = along_a >= 0.0 and along_a <= 1.0 and along_b >= 0.0 and along_b <= 1.0
    return crosses


@wp.func
def _tangent_point(end: wp.vec2, radius: float, sign: float) -> wp.vec2:
    """Point of the circle whose tangent goes through ``end``; ``sign`` chooses one of the two."""
    square = wp.dot(end, end)
    tangent = wp.sqrt(wp.max(square - radius * radius, 0.0))
    return (radius / square) * (radius * end + (sign * tangent) * wp.vec2(end[1], -end[0]))


@wp.func
def wrap_outside(end0: wp.vec2, end1: wp.vec2, side: wp.vec2, has_side: bool, radius: float) -> Arc:
    """Path around a circle about the origin."""
    arc = Arc()
    arc.length = -1.0
    gap = end1 - end0
    square = wp.dot(gap, gap)
    possible = radius >= MINVAL and square >= MINVAL
    possible = possible and wp.dot(end0, end0) >= radius * radius and wp.dot(end1, end1) >= radius * radius
    winding = wp.float32(0.0)
    if possible:
        nearest = end0 + wp.clamp(-wp.dot(gap, end0) / square, 0.0, 1.0) * gap
        clear = wp.dot(nearest, nearest) > radius * radius
        if has_side:  # the path winds about the centre as the polyline over the side point does
            winding = _turn(end0, side) + _turn(side, end1)
            clear = clear and wp.abs(winding - _turn(end0, end1)) < wp.pi
        possible = not clear
    if possible:
        counterclockwise = winding > 0.0
        if not has_side:  # the shorter way, decided by the ends: two paths that hardly touch the circle differ by rounding only
            counterclockwise = _cross(end0, end1) >= 0.0
        sign = wp.where(counterclockwise, -1.0, 1.0)
        arc.first = _tangent_point(end0, radius, sign)
        arc.second = _tangent_point(end1, radius, -sign)
        if not has_side:
            arc.length = radius * _short_turn(arc.first, arc.second, -sign)
        elif not _segments_cross(end0, arc.first, end1, arc.second):
            arc.length = radius * wp.abs(winding - _turn(end0, arc.first) - _turn(arc.second, end1))
    return arc


@wp.func
def wrap_inside(end0: wp.vec2, end1: wp.vec2, radius: float) -> Arc:
    """Path through the inside of a circle about the origin, touching it in one point; its length on the circle is 0."""
    arc = Arc()
    arc.length = -1.0
    len0 = wp.length(end0)
    len1 = wp.length(end1)
    gap = end1 - end0
    square = wp.dot(gap, gap)
    possible = len0 > radius and len1 > radius and radius >= MINVAL
    if possible and square > MINVAL:
        along = -wp.dot(gap, end0) / square
        if along > 0.0 and along < 1.0:
            possible = wp.length(end0 + along * gap) > radius
    if possible:
        point = radius * wp.normalize(0.5 * (end0 + end1))  # stays if Newton's method finds nothing better
        apart = wp.abs(_turn(end0, end1))
        if apart > 0.0:
            ratio0 = radius / len0
            ratio1 = radius / len1
            phi = wp.float32(0.5 * wp.pi)
            asin0 = wp.asin(ratio0)
            asin1 = wp.asin(ratio1)
            f = wp.min(asin0 + asin1 - wp.pi + apart, 0.0)  # 0 where the straight line touches the circle; more is rounding
            good = wp.bool(True)
            count = wp.int32(0)
            while good and count < INSIDE_ITERATIONS and wp.abs(f) > INSIDE_TOLERANCE:
                z = wp.sin(phi)
                root0 = wp.max(wp.sqrt(wp.max(1.0 - z * z * ratio0 * ratio0, 0.0)), MINVAL)
                root1 = wp.max(wp.sqrt(wp.max(1.0 - z * z * ratio1 * ratio1, 0.0)), MINVAL)
                slope = wp.cos(phi) * (ratio0 / root0 + ratio1 / root1) - 2.0
                good = slope <= -MINVAL
                if good:
                    moved = phi - f / slope
                    good = moved <= phi
                    phi = moved
                    asin0 = wp.asin(ratio0 * wp.sin(phi))
                    asin1 = wp.asin(ratio1 * wp.sin(phi))
                    f = asin0 + asin1 - 2.0 * phi + apart
                    good = good and f <= INSIDE_TOLERANCE
                count += 1
            if good and count < INSIDE_ITERATIONS:
                start = wp.normalize(end1)
                angle = phi - asin1
                if _cross(end0, end1) > 0.0:
                    start = wp.normalize(end0)
                    angle = phi - asin0
                c = wp.cos(angle)
                s = wp.sin(angle)
                point = radius * wp.vec2(c * start[0] - s * start[1], s * start[0] + c * start[1])
        arc.length = 0.0
        arc.first = point
        arc.second = point
    return arc


@wp.func
def _second_axis(first: wp.vec3, other: wp.vec3) -> wp.vec3:
    """Unit vector at right angles to the unit vector ``first``, in the plane of both."""
    normal = wp.cross(first, other)
    if wp.length(normal) < MINVAL:  # parallel: any plane through them; MuJoCo's choice
        size = wp.vec3(wp.abs(first[0]), wp.abs(first[1]), wp.abs(first[2]))
        away = wp.vec3(0.0, 1.0, 1.0)
        if size[1] > size[0] and size[1] > size[2]:
            away = wp.vec3(1.0, 0.0, 1.0)
        if size[2] > size[0] and size[2] > size[1]:
            away = wp.vec3(1.0, 1.0, 0.0)
        normal = wp.cross(first, away)
    return wp.normalize(wp.cross(wp.normalize(normal), first))


@wp.func
def wrap_geom(x0: wp.vec3, x1: wp.vec3, pos: wp.vec3, mat: wp.mat33, radius: float, kind: int, side: wp.vec3, has_side: bool) -> Wrap:
    """Path from ``x0`` to ``x1`` around a sphere or cylinder; ``side``: position of the side site, if it has one."""
    result = Wrap()
    result.length = -1.0
    to_local = wp.transpose(mat)
    p0 = to_local * (x0 - pos)
    p1 = to_local * (x1 - pos)
    if wp.length(p0) >= MINVAL and wp.length(p1) >= MINVAL:
        axis0 = wp.vec3(1.0, 0.0, 0.0)
        axis1 = wp.vec3(0.0, 1.0, 0.0)
        if kind == SPHERE:
            axis0 = wp.normalize(p0)
            axis1 = _second_axis(axis0, p1)
        end0 = wp.vec2(wp.dot(p0, axis0), wp.dot(p0, axis1))
        end1 = wp.vec2(wp.dot(p1, axis0), wp.dot(p1, axis1))
        local_side = to_local * (side - pos)
        inside = has_side and wp.length(local_side) < radius
        arc = Arc()
        if inside:
            arc = wrap_inside(end0, end1, radius)
        else:
            flat_side = wp.vec2(wp.dot(local_side, axis0), wp.dot(local_side, axis1))
            if wp.length(flat_side) < MINVAL:
                flat_side = wp.vec2(1.0, 0.0)
            arc = wrap_outside(end0, end1, radius * wp.normalize(flat_side), has_side, radius)
        if arc.length >= 0.0:
            t0 = arc.first[0] * axis0 + arc.first[1] * axis1
            t1 = arc.second[0] * axis0 + arc.second[1] * axis1
            result.length = arc.length
            if kind == CYLINDER:  # a helix: height grows evenly along the flat path
                before = wp.length(end0 - arc.first)
                total = wp.max(before + arc.length + wp.length(end1 - arc.second), MINVAL)
                t0[2] = p0[2] + (p1[2] - p0[2]) * before / total
                t1[2] = p0[2] + (p1[2] - p0[2]) * (before + arc.length) / total
                rise = t1[2] - t0[2]
                result.length = wp.sqrt(arc.length * arc.length + rise * rise)
            result.first = pos + mat * t0
            result.second = pos + mat * t1
    return result
