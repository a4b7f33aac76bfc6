"""When two geoms meet within the step: conservative advancement.

They are advanced by what they can at most come nearer along the normal between their closest points, again and again, until they are almost
at their margin: a fiftieth of their first distance from it, or less than a hundredth beyond that. Where rotation makes that slow, the last step
is one of Newton's method with the speed of the closest points. Positions are relative to the first geom's centre.
"""

import warp as wp

from newtonish.kernels.collision.gjk import Nearest, gjk
from newtonish.kernels.collision.support import Shape, make_shape, support
from newtonish.kernels.constants import PLANE
from newtonish.kernels.structs.model import Hull

STANDOFF = wp.constant(0.02)  # of the first distance, left over where the geoms are said to meet
CLOSE = wp.constant(0.01)  # of the first distance, by which they may still be farther apart
MOST = wp.constant(16)  # conservative steps
FAR = wp.constant(1.0e10)


@wp.struct
class Course:
    """Two geoms that move uniformly within the step, the one of the lower type first."""

    kind1: wp.int32
    kind2: wp.int32
    mesh1: wp.int32
    mesh2: wp.int32
    size1: wp.vec3
    size2: wp.vec3
    mat1: wp.mat33
    mat2: wp.mat33
    offset: wp.vec3  # of the second centre from the first
    shift1: wp.vec3
    shift2: wp.vec3
    turn1: wp.vec3
    turn2: wp.vec3
    turning: wp.float32  # how much nearer rotations may bring the surfaces at most, in the whole step [m]


@wp.struct
class Approach:
    """The closest points of two geoms on their course."""

    apart: wp.int32  # 1: there is a distance
    share: wp.float32  # of the step
    dist: wp.float32
    normal: wp.vec3  # from the first to the second
    point1: wp.vec3
    point2: wp.vec3


@wp.func
def turned(mat: wp.mat33, turn: wp.vec3, share: float) -> wp.mat33:
    """Axes after a share of a rotation about axes of the world."""
    angle = wp.length(turn)
    if angle <= 0.0:
        return mat
    return wp.quat_to_matrix(wp.quat_from_axis_angle(turn / angle, share * angle)) * mat


@wp.func
def first_shape(hull: wp.ref[Hull], course: wp.ref[Course], share: float) -> Shape:
    return make_shape(hull, course.kind1, course.mesh1, wp.vec3(), turned(course.mat1, course.turn1, share), course.size1)


@wp.func
def second_shape(hull: wp.ref[Hull], course: wp.ref[Course], share: float) -> Shape:
    pos = course.offset + share * (course.shift2 - course.shift1)
    return make_shape(hull, course.kind2, course.mesh2, pos, turned(course.mat2, course.turn2, share), course.size2)


@wp.func
def plane_normal(course: wp.ref[Course], share: float) -> wp.vec3:
    mat = turned(course.mat1, course.turn1, share)
    return wp.vec3(mat[0, 2], mat[1, 2], mat[2, 2])


@wp.func(inline=False)
def nearest(hull: wp.ref[Hull], course: wp.ref[Course], share: float) -> Approach:
    """The closest points after a share of the step."""
    found = Approach()
    found.share = share
    shape2 = second_shape(hull, course, share)
    if course.kind1 == PLANE:
        normal = plane_normal(course, share)
        found.normal = normal
        found.point2 = support(hull, shape2, -normal).pos - shape2.radius * normal
        found.dist = wp.dot(found.point2, normal)
        found.point1 = found.point2 - found.dist * normal
        found.apart = 1
        return found
    shape1 = first_shape(hull, course, share)
    extent = wp.length(shape1.size) + wp.length(shape2.size)
    at = Nearest()
    gjk(hull, shape1, shape2, FAR, extent, at)
    point1 = at.point1
    point2 = at.point2
    if at.overlap == 1:  # in one of some hundred poses because a flat simplex seems to hold the origin in float32: sought from the other shape
        gjk(hull, shape2, shape1, FAR, extent, at)
        point1 = at.point2
        point2 = at.point1
    if at.overlap == 0:
        found.apart = 1
        found.normal = wp.normalize(point2 - point1)
        found.dist = at.dist - shape1.radius - shape2.radius
        found.point1 = point1 + shape1.radius * found.normal
        found.point2 = point2 - shape2.radius * found.normal
    return found


@wp.func
def closing_speed(course: wp.ref[Course], at: wp.ref[Approach]) -> float:
    """How fast the closest points come nearer [m a step]."""
    centre2 = course.offset + at.share * (course.shift2 - course.shift1)
    one = course.shift1 + wp.cross(course.turn1, at.point1)
    two = course.shift2 + wp.cross(course.turn2, at.point2 - centre2)
    return wp.dot(at.normal, one - two)


@wp.func(inline=False)
def meet(hull: wp.ref[Hull], course: wp.ref[Course], start: wp.ref[Approach], margin: float) -> Approach:
    """Where two geoms meet that are apart at ``start``; ``apart`` is 0 if they do not within the step."""
    at = Approach()
    at.share = start.share
    at.dist = start.dist
    at.normal = start.normal
    at.point1 = start.point1
    at.point2 = start.point2
    room = start.dist - margin
    target = margin + STANDOFF * room
    searching = start.apart == 1
    k = wp.int32(0)
    while searching:
        over = at.dist - target
        speed = wp.dot(at.normal, course.shift1 - course.shift2) + course.turning
        if over <= CLOSE * room:
            at.apart = 1
            return at
        if k == MOST:
            speed = closing_speed(course, at)
        share = wp.float32(1.0)
        if speed > 0.0:
            share = at.share + over / speed
        searching = share < 1.0
        if searching:
            at = nearest(hull, course, share)
            searching = at.apart == 1 and k < MOST
            if k == MOST:
                return at
        k += 1
    at.apart = 0
    return at
