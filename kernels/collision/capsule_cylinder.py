"""Contacts of a capsule with a cylinder: the capsule's axis (a segment) against a solid cylinder.

MuJoCo leaves this pair to its general convex solver. Here the problem is solved directly, in the cylinder's frame (z is
its axis), with the same result in generic poses:

- The axis is outside: its distance to the cylinder is a convex function of the position on the axis, with the slope in
  closed form; the minimum is found by a safeguarded Newton iteration.
- The axis runs through the cylinder: the capsule is pushed out along the direction of least depth. Depth along a unit
  vector u is ``R |u_xy| + H |u_z| - min over the axis of u . p``; the directions where it can be least are the caps, the
  radial directions of both ends, the common perpendicular of both axes, and the directions perpendicular to the capsule's
  axis that meet a rim (a one-dimensional search). See Ericson, Real-Time Collision Detection, 9.3, for depth as the
  distance from the origin to the boundary of the Minkowski difference.
- A capsule that lies on a cap, tilted by less than 5.1 degrees, gets two contacts: the ends of the stretch of its lowest
  line above the cap, which MuJoCo takes as a polygon with 16 sides.
"""

import math

import warp as wp

from newtonish.kernels.collision.manifold import Manifold, single_point, two_points
from newtonish.kernels.constants import MINVAL

CAP_TILT = wp.constant(math.sin(0.0889))  # MuJoCo's tolerance for a line that lies on a face
CAP_ANGLE = wp.constant(math.pi / 8.0)
CAP_INNER = wp.constant(math.cos(math.pi / 16.0))  # inner radius of the polygon of unit radius
TOUCHING = wp.constant(4.0e-6)  # distance [m] of the axis below which it counts as inside
UPRIGHT_SQ = wp.constant(1.0e-10)  # squared sine below which the capsule counts as parallel to the cylinder
NEWTON_STEPS = wp.constant(20)
GOLDEN_STEPS = wp.constant(24)
GOLDEN = wp.constant(0.6180339887498949)


@wp.struct
class Push:
    """Way out of the cylinder for the capsule's axis."""

    normal: wp.vec3  # outward
    point: wp.vec3  # deepest point of the axis
    depth: wp.float32  # [m]; negative: distance of the axis
    on_cap: wp.bool  # leaves by a cap or its rim


@wp.func
def _gap(p: wp.vec3, radius: float, half: float) -> wp.vec3:
    """Vector from the closest point of the cylinder to ``p``; zero inside."""
    apart = wp.sqrt(p[0] * p[0] + p[1] * p[1])
    beside = wp.max(apart - radius, 0.0) / wp.max(apart, MINVAL)
    above = p[2] - wp.clamp(p[2], -half, half)
    return wp.vec3(beside * p[0], beside * p[1], above)


@wp.func
def _closest_on_axis(center: wp.vec3, axis: wp.vec3, length: float, radius: float, half: float) -> float:
    """Position on the capsule's axis where its distance to the cylinder is least."""
    low = -length
    high = length
    flat_sq = axis[0] * axis[0] + axis[1] * axis[1]
    if flat_sq < UPRIGHT_SQ:  # any position beside the cylinder would do: take the middle of those
        low = wp.clamp((wp.sign(axis[2]) * -half - center[2]) / axis[2], -length, length)
        high = wp.clamp((wp.sign(axis[2]) * half - center[2]) / axis[2], -length, length)
        return 0.5 * (low + high)
    # start at the point that is closest to the cylinder's axis
    t = wp.clamp(-(axis[0] * center[0] + axis[1] * center[1]) / flat_sq, low, high)
    for _ in range(NEWTON_STEPS):
        p = center + t * axis
        gap = _gap(p, radius, half)
        slope = wp.dot(gap, axis)
        if slope > 0.0:
            high = t
        else:
            low = t
        apart = wp.max(wp.sqrt(p[0] * p[0] + p[1] * p[1]), MINVAL)
        curve = wp.where(gap[2] != 0.0, axis[2] * axis[2], 0.0)
        beside = apart - radius
        if beside > 0.0:
            rise = (p[0] * axis[0] + p[1] * axis[1]) / apart
            curve += rise * rise + beside / apart * (flat_sq - rise * rise)
        step = slope / wp.max(curve, 1.0e-12)
        aim = t - step
        if aim <= low or aim >= high:
            aim = 0.5 * (low + high)
        if wp.abs(aim - t) <= 1.0e-7 * length or slope == 0.0:
            break
        t = aim
    return t


@wp.func
def _depth(u: wp.vec3, center: wp.vec3, axis: wp.vec3, length: float, radius: float, half: float) -> float:
    """How far the capsule's axis must move along the unit vector ``u`` to leave the cylinder."""
    reach = radius * wp.sqrt(u[0] * u[0] + u[1] * u[1]) + half * wp.abs(u[2])
    return reach - wp.dot(u, center) + length * wp.abs(wp.dot(u, axis))


@wp.func
def _rim_direction(center: wp.vec3, axis: wp.vec3, length: float, radius: float, half: float, side: float) -> wp.vec3:
    """Direction of least depth among those perpendicular to the capsule's axis with z of the sign ``side``."""
    level = wp.normalize(wp.vec3(axis[1], -axis[0], 0.0))
    upward = side * wp.normalize(wp.vec3(0.0, 0.0, 1.0) - axis[2] * axis)
    low = wp.float32(0.0)
    high = wp.float32(wp.pi)
    for _ in range(GOLDEN_STEPS):
        a = high - GOLDEN * (high - low)
        b = low + GOLDEN * (high - low)
        ua = wp.cos(a) * level + wp.sin(a) * upward
        ub = wp.cos(b) * level + wp.sin(b) * upward
        if _depth(ua, center, axis, length, radius, half) < _depth(ub, center, axis, length, radius, half):
            high = b
        else:
            low = a
    angle = 0.5 * (low + high)
    return wp.cos(angle) * level + wp.sin(angle) * upward


@wp.func
def _better(best: wp.vec4, u: wp.vec3, center: wp.vec3, axis: wp.vec3, length: float, radius: float, half: float) -> wp.vec4:
    """``best`` (direction, depth) or ``u`` with its depth, if that is less."""
    depth = _depth(u, center, axis, length, radius, half)
    if depth < best[3]:
        return wp.vec4(u[0], u[1], u[2], depth)
    return best


@wp.func
def _push_out(center: wp.vec3, axis: wp.vec3, length: float, radius: float, half: float) -> Push:
    """Least way out for an axis that runs through the cylinder."""
    best = wp.vec4(0.0, 0.0, 1.0, _depth(wp.vec3(0.0, 0.0, 1.0), center, axis, length, radius, half))
    best = _better(best, wp.vec3(0.0, 0.0, -1.0), center, axis, length, radius, half)
    best = _better(best, wp.vec3(1.0, 0.0, 0.0), center, axis, length, radius, half)
    sides = wp.int32(2)  # a variable: not unrolled
    for k in range(sides):
        side = wp.where(k == 0, 1.0, -1.0)
        end = center + side * length * axis
        if end[0] != 0.0 or end[1] != 0.0:
            best = _better(best, wp.normalize(wp.vec3(end[0], end[1], 0.0)), center, axis, length, radius, half)
        if axis[0] * axis[0] + axis[1] * axis[1] > UPRIGHT_SQ:
            across = side * wp.normalize(wp.vec3(axis[1], -axis[0], 0.0))
            best = _better(best, across, center, axis, length, radius, half)
            rim = _rim_direction(center, axis, length, radius, half, side)
            best = _better(best, rim, center, axis, length, radius, half)
    push = Push()
    push.normal = wp.vec3(best[0], best[1], best[2])
    push.depth = best[3]
    push.on_cap = wp.abs(best[2]) > 1.0e-4
    push.point = _deepest(push.normal, push.depth, center, axis, length, radius, half)
    return push


@wp.func
def _deepest(u: wp.vec3, depth: float, center: wp.vec3, axis: wp.vec3, length: float, radius: float, half: float) -> wp.vec3:
    """Point of the axis that is deepest along ``u``; of several the one that leaves through the middle of the surface."""
    tilt = wp.dot(u, axis)
    if wp.abs(tilt) > 1.0e-4:
        return center - wp.sign(tilt) * length * axis
    flat_sq = axis[0] * axis[0] + axis[1] * axis[1]
    flat = wp.sqrt(u[0] * u[0] + u[1] * u[1])
    low = -length
    high = length
    if flat < 1.0e-4:  # the stretch above the cap
        middle = -(axis[0] * center[0] + axis[1] * center[1]) / wp.max(flat_sq, 1.0e-12)
        aside = wp.vec2(center[0] + middle * axis[0], center[1] + middle * axis[1])
        chord = wp.sqrt(wp.max(radius * radius - wp.dot(aside, aside), 0.0) / wp.max(flat_sq, 1.0e-12))
        low = wp.max(low, middle - chord)
        high = wp.min(high, middle + chord)
    elif wp.abs(u[2]) < 1.0e-4 and wp.abs(axis[2]) > 1.0e-4:  # the stretch beside the side
        bottom = (wp.sign(axis[2]) * -half - center[2]) / axis[2]
        top = (wp.sign(axis[2]) * half - center[2]) / axis[2]
        low = wp.clamp(bottom, low, high)
        high = wp.clamp(top, low, high)
    elif wp.abs(u[2]) >= 1.0e-4:  # a point of the rim
        rim = wp.vec3(radius * u[0] / flat, radius * u[1] / flat, wp.sign(u[2]) * half)
        t = wp.clamp(wp.dot(rim - depth * u - center, axis), low, high)
        return center + t * axis
    return center + (0.5 * (low + high)) * axis


@wp.func
def _over_cap(line: wp.vec3, along: wp.vec3, length: float, radius: float) -> wp.vec2:
    """Part of ``line + s along``, |s| <= length, over the cap's polygon; nothing if the first value exceeds the second."""
    low = -length
    high = length
    sides = wp.int32(16)  # a variable: not unrolled
    for k in range(sides):
        angle = (float(k) + 0.5) * CAP_ANGLE
        x = wp.cos(angle)
        y = wp.sin(angle)
        room = radius * CAP_INNER - x * line[0] - y * line[1]
        rate = x * along[0] + y * along[1]
        if rate > 1.0e-9:
            high = wp.min(high, room / rate)
        elif rate < -1.0e-9:
            low = wp.max(low, room / rate)
        elif room < 0.0:
            high = -2.0 * length
    return wp.vec2(low, high)


@wp.func
def _lying_on_cap(
    push: Push, center: wp.vec3, axis: wp.vec3, length: float, capsule_radius: float, radius: float, half: float,
    reach: float,
) -> Manifold:  # fmt: skip
    """Contacts of a capsule that lies on a cap, in the cylinder's frame; none if its lowest line is not on the cap.

    As in MuJoCo, the line is that of the capsule inflated by half of the detection distance, and so is the cap.
    """
    side = wp.where(push.normal[2] > 0.0, 1.0, -1.0)
    surface = push.point - (capsule_radius + 0.5 * reach) * push.normal
    line = surface - wp.dot(surface - center, axis) * axis
    span = _over_cap(line, axis, length, radius)
    if span[0] > span[1]:
        return Manifold()
    first = line + span[0] * axis
    second = line + span[1] * axis
    # heights above the inflated cap
    height1 = side * first[2] - half - 0.5 * reach
    height2 = side * second[2] - half - 0.5 * reach
    normal = wp.vec3(0.0, 0.0, -side)
    pos1 = wp.vec3(first[0], first[1], first[2] - 0.5 * side * height1)
    pos2 = wp.vec3(second[0], second[1], second[2] - 0.5 * side * height2)
    dist1 = wp.where(height1 <= 0.0, height1 + reach, 2.0 * reach + 1.0)
    dist2 = wp.where(height2 <= 0.0, height2 + reach, 2.0 * reach + 1.0)
    # as in MuJoCo 4.0, an end that the cap's border cut off counts twice if the other end lies above the cap
    if height1 <= 0.0 and height2 > 0.0 and span[0] > -length:
        dist2 = dist1
        pos2 = pos1
    elif height2 <= 0.0 and height1 > 0.0 and span[1] < length:
        dist1 = dist2
        pos1 = pos2
    return two_points(dist1, pos1, normal, dist2, pos2, normal, reach)


@wp.func(inline=False)
def capsule_cylinder(
    capsule: wp.vec3, capsule_axis: wp.vec3, capsule_radius: float, length: float,
    cylinder: wp.vec3, mat: wp.mat33, radius: float, half: float, reach: float, lies: bool,
) -> Manifold:  # fmt: skip
    """One contact, or two if the capsule lies on a cap.

    Args:
        length: half length of the capsule's axis.
        half: half length of the cylinder.
        reach: detection distance.
        lies: whether a capsule may lie on a cap. The ends of the stretch on which it does are not its closest points; without them there is
            one point, the distance between the surfaces.
    """
    center = (capsule - cylinder) * mat
    axis = capsule_axis * mat
    t = _closest_on_axis(center, axis, length, radius, half)
    point = center + t * axis
    gap = _gap(point, radius, half)
    apart = wp.length(gap)
    if apart - capsule_radius > reach:
        return Manifold()
    push = Push()
    if apart > TOUCHING:
        push.normal = gap / apart
        push.point = point
        push.depth = -apart
        push.on_cap = wp.abs(gap[2]) > 0.0
    else:
        push = _push_out(center, axis, length, radius, half)
    dist = -push.depth - capsule_radius
    found = Manifold()
    if lies and dist < reach and push.on_cap and wp.abs(axis[2]) < CAP_TILT:
        found = _lying_on_cap(push, center, axis, length, capsule_radius, radius, half, reach)
    if found.count == 0:
        pos = push.point + (0.5 * (push.depth - capsule_radius)) * push.normal
        found = single_point(dist, pos, -push.normal, reach)
    for k in range(2):
        found.pos[k] = cylinder + mat * found.pos[k]
    found.normal = mat * found.normal
    found.normal_second = mat * found.normal_second
    return found
