"""Contacts of a capsule with a box: the closest point of the axis, and a second one where the capsule lies along the box.

The closest points of the axis (a segment) and the box are sought among the segment's ends against the box, and the
segment against the twelve edges. Where a face, edge or corner of the box is closest, the segment is followed from there
over the box; the point that is farthest along and still above the box becomes the second contact. Both are spheres
against the box. The choice of the points is that of MuJoCo's ``mjraw_CapsuleBox``.

All is done in the frame of the box: ``center`` and ``half`` (the axis times the half length) are the capsule's, and a
position on the axis is ``center + t half`` with t from -1 to 1.
"""

import warp as wp

from newtonish.kernels.collision.manifold import Manifold, single_point, two_points
from newtonish.kernels.collision.sphere_box import touch_sphere_box
from newtonish.kernels.math.component import along_axis, component

TIE = wp.constant(1.0 - 1.0e-5)  # a squared distance must be better by this factor: float32 cannot tell ties apart
TIE_ABSOLUTE = wp.constant(1.0e-13)  # [m^2]
TINY = wp.constant(1.0e-12)  # squared sine below which the capsule counts as parallel to an edge
NOWHERE = wp.constant(1.0e30)

INSIDE = wp.constant(0)
FACE = wp.constant(1)
EDGE = wp.constant(2)
CORNER = wp.constant(3)


@wp.struct
class Closest:
    """What of the box is closest to the axis of the capsule."""

    dist_sq: wp.float32
    t: wp.float32  # position on the axis, -1 to 1
    feature: wp.int32
    dim: wp.int32  # axis perpendicular to the face, or along the edge
    corner: wp.int32  # bit i: upper side of axis i; on an edge bit ``dim`` is not set
    x: wp.float32  # position on the edge, -1 to 1


@wp.func
def _closest_end(center: wp.vec3, half: wp.vec3, size: wp.vec3) -> Closest:
    """The end of the axis that is inside or above a face, if there is one; the negative one on a tie."""
    best = Closest()
    best.dist_sq = NOWHERE
    ends = wp.int32(2)  # a variable: not unrolled
    for k in range(ends):
        t = wp.where(k == 0, -1.0, 1.0)
        tip = center + t * half
        nearest = wp.max(-size, wp.min(size, tip))
        gap = tip - nearest
        outside = wp.int32(0)
        dim = wp.int32(-1)
        for i in range(3):
            if gap[i] != 0.0:
                outside += 1
                dim = i
        dist_sq = wp.length_sq(gap)
        if outside <= 1 and dist_sq < best.dist_sq * TIE - TIE_ABSOLUTE:
            best.dist_sq = dist_sq
            best.t = t
            best.feature = wp.where(outside == 0, INSIDE, FACE)
            best.dim = dim
    return best


@wp.func
def _closest_edge(center: wp.vec3, half: wp.vec3, size: wp.vec3, found: Closest) -> Closest:
    """``found``, or an edge or corner of the box if it is closer."""
    best = found
    length_sq = wp.length_sq(half)
    for e in range(24):
        corner = e // 3
        j = e % 3
        k = (j + 1) % 3
        l = (j + 2) % 3
        if (corner & (1 << j)) != 0:
            continue
        start = wp.vec3(
            wp.where((corner & 1) != 0, size[0], -size[0]),
            wp.where((corner & 2) != 0, size[1], -size[1]),
            wp.where((corner & 4) != 0, size[2], -size[2]),
        )
        start = start - along_axis(component(start, j), j)
        offset = start - center  # from the capsule's centre to the middle of the edge
        along = component(half, j)
        beside = component(offset, j)
        reach = component(size, j)
        across = component(half, k) * component(half, k) + component(half, l) * component(half, l)
        moment = component(half, k) * component(offset, l) - component(half, l) * component(offset, k)
        if across < TINY * length_sq or moment * moment >= best.dist_sq * across:  # parallel, or the lines are too far apart
            continue
        t = (component(half, k) * component(offset, k) + component(half, l) * component(offset, l)) / across
        x = (along * t - beside) / reach
        end = wp.int32(0)  # the end of the edge that was met; it stays even if ``t`` then moves ``x`` back, as in MuJoCo
        if wp.abs(x) > 1.0:
            x = wp.sign(x)
            end = int(x)
            t = (wp.dot(half, offset) + x * reach * along) / length_sq
        if wp.abs(t) > 1.0:
            t = wp.sign(t)
            x = (along * t - beside) / reach
            if wp.abs(x) > 1.0:
                x = wp.sign(x)
                end = int(x)
        gap = offset - t * half
        gap = gap + along_axis(x * reach, j)
        dist_sq = wp.length_sq(gap)
        if dist_sq < best.dist_sq * TIE - TIE_ABSOLUTE:
            best.dist_sq = dist_sq
            best.t = t
            best.x = x
            best.dim = j
            best.corner = wp.where(end == 1, corner | (1 << j), corner)
            best.feature = wp.where(end == 0, EDGE, CORNER)
    return best


@wp.func
def _ratio(a: float, b: float) -> float:
    """``a / |b|``, huge if ``b`` is zero."""
    return a / wp.max(wp.abs(b), 1.0e-20)


@wp.func
def _from_corner(half: wp.vec3, size: wp.vec3, best: Closest, heading: int) -> float:
    """How far the second point lies from ``best.t`` when a corner is closest, or ``NOWHERE``.

    ``heading``: bit i says that the axis rises along i. Relative to the corner, a heading towards or away from it has no
    second point; otherwise one coordinate runs against the other two, either along an edge or over a face.
    """
    against = heading ^ best.corner
    if against == 0 or against == 7:
        return NOWHERE
    forward = wp.float32(1.0)
    if against != 1 and against != 2 and against != 4:
        forward = -1.0
        against = 7 - against
    i = against // 2  # 1, 2, 4 -> 0, 1, 2
    if 2.0 * component(half, i) * component(half, i) > wp.length_sq(half):
        return forward * wp.min(1.0 - forward * best.t, 2.0 * _ratio(component(size, i), component(half, i)))
    j = (i + 1) % 3
    k = (i + 2) % 3
    over = 2.0 * wp.min(_ratio(component(size, j), component(half, j)), _ratio(component(size, k), component(half, k)))
    return -forward * wp.min(1.0 + forward * best.t, over)


@wp.func
def _from_edge(half: wp.vec3, size: wp.vec3, best: Closest, heading: int) -> float:
    """The same when an edge is closest: the capsule crosses it, or lies over one of the two faces beside it."""
    i = best.dim
    against = (heading ^ best.corner) & (7 - (1 << i))
    if against != 1 and against != 2 and against != 4:
        return NOWHERE
    j = (i + 1) % 3
    k = (i + 2) % 3
    if wp.abs(component(half, j)) > wp.abs(component(half, k)):
        k = j  # the axis along which the capsule runs over a face
    crossed = (against & (1 << k)) != 0
    forward = wp.where(crossed, 1.0, -1.0)
    far = wp.min(1.0 - forward * best.t, 2.0 * _ratio(component(size, k), component(half, k)))
    rest = wp.where(((heading & (1 << i)) != 0) == crossed, 1.0 - best.x, 1.0 + best.x)
    return forward * wp.min(far, _ratio(component(size, i) * rest, component(half, i)))


@wp.func
def _from_face(center: wp.vec3, half: wp.vec3, size: wp.vec3, best: Closest) -> float:
    """The same when an end above a face is closest: the other end, or where the axis leaves the face."""
    forward = -best.t
    tip = center + best.t * half
    far = wp.float32(2.0)
    for i in range(3):
        if i != best.dim and wp.abs(half[i]) > 1.0e-20:
            upper = forward * (size[i] - tip[i]) / half[i]
            lower = forward * (-size[i] - tip[i]) / half[i]
            if upper > 0.0:
                far = wp.min(far, upper)
            if lower > 0.0:
                far = wp.min(far, lower)
    return forward * far


@wp.func(inline=False)
def capsule_box(
    capsule: wp.vec3, axis: wp.vec3, radius: float, half_length: float, box: wp.vec3, mat: wp.mat33, size: wp.vec3,
    reach: float,
) -> Manifold:  # fmt: skip
    """One or two contacts; the one of the closest point first."""
    center = (capsule - box) * mat
    half = half_length * (axis * mat)
    beyond = wp.abs(center) - wp.abs(half) - size
    if wp.max(beyond) > radius + reach:
        return Manifold()
    best = _closest_edge(center, half, size, _closest_end(center, half, size))
    heading = wp.where(half[0] > 0.0, 1, 0) + wp.where(half[1] > 0.0, 2, 0) + wp.where(half[2] > 0.0, 4, 0)
    step = wp.float32(NOWHERE)
    if best.feature == CORNER:
        step = _from_corner(half, size, best, heading)
    elif best.feature == EDGE:
        step = _from_edge(half, size, best, heading)
    elif best.feature == FACE:
        step = _from_face(center, half, size, best)
    dist1, pos1, normal1 = touch_sphere_box(center + best.t * half, radius, size)
    if step == NOWHERE:
        return single_point(dist1, box + mat * pos1, mat * normal1, reach)
    dist2, pos2, normal2 = touch_sphere_box(center + (best.t + step) * half, radius, size)
    return two_points(dist1, box + mat * pos1, mat * normal1, dist2, box + mat * pos2, mat * normal2, reach)


@wp.func
def nearest_of_box(center: wp.vec3, half: wp.vec3, size: wp.vec3) -> Closest:
    """What ``capsule_box`` finds closest to the axis, in the frame of the box: for those who ask why a contact is where it is."""
    return _closest_edge(center, half, size, _closest_end(center, half, size))
