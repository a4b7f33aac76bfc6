"""Distance of two convex cores: the algorithm of Gilbert, Johnson and Keerthi.

A simplex within the difference of the two sets moves towards the origin. It stops when no support point lies closer by
more than rounding, when the cores are known to be farther apart than asked, or when the simplex holds the origin.
Method: Gilbert, Johnson, Keerthi (1988); van den Bergen (2003), chapter 4.
"""

import warp as wp

from newtonish.kernels.collision.simplex import closest_weights, corners
from newtonish.kernels.collision.support import Shape, support
from newtonish.kernels.structs.model import Hull

TOUCHING = wp.constant(1.0e-5)  # distance over extent below which directions between the cores are rounding
ROUNDING = wp.constant(1.0e-7)
MOST = wp.constant(48)  # iterations


@wp.struct
class Nearest:
    """Where two cores are closest."""

    separated: wp.int32  # 1: farther apart than asked; only ``dist``, a lower bound, is filled
    overlap: wp.int32  # 1: the simplex holds the origin, or touches it
    dist: wp.float32
    point1: wp.vec3
    point2: wp.vec3
    count: wp.int32
    diff: corners  # simplex in the difference of the sets
    on1: corners  # the points of the first set that it was made of
    corner1: wp.vec4i  # the vertices of the two shapes that each corner of the simplex was made of
    corner2: wp.vec4i


@wp.func
def _is_corner(s: corners, count: int, w: wp.vec3) -> bool:
    """Whether ``w`` is one of the corners already."""
    found = bool(False)
    for i in range(count):
        if wp.length_sq(s[i] - w) <= 0.0:
            found = True
    return found


@wp.func
def _reduced(at: Nearest, weights: wp.vec4) -> Nearest:
    """The simplex without corners of no weight, and the points that the weights give."""
    kept = wp.int32(0)
    at.point1 = wp.vec3(0.0, 0.0, 0.0)
    closest = wp.vec3(0.0, 0.0, 0.0)
    for i in range(at.count):
        weight = weights[i]
        if weight > 0.0:
            at.point1 = at.point1 + weight * at.on1[i]
            closest = closest + weight * at.diff[i]
            at.diff[kept] = at.diff[i]
            at.on1[kept] = at.on1[i]
            at.corner1[kept] = at.corner1[i]
            at.corner2[kept] = at.corner2[i]
            kept += 1
    at.count = kept
    at.point2 = at.point1 - closest
    at.dist = wp.length(closest)
    return at


@wp.func(inline=False)
def gjk(hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], reach: float, extent: float) -> Nearest:
    """Closest points of two cores.

    Args:
        reach: distance beyond which the search stops.
        extent: size of the two shapes, the measure of rounding.
    """
    at = Nearest()
    x = shape1.pos - shape2.pos
    if wp.length_sq(x) <= 0.0:
        x = wp.vec3(1.0, 0.0, 0.0)
    at.dist = 3.0e38
    for _step in range(MOST):
        length = wp.length(x)
        a = support(hull, shape1, -x)
        b = support(hull, shape2, x)
        w = a.pos - b.pos
        lower = wp.dot(x, w) / length
        if lower > reach:
            at.separated = 1
            at.dist = lower
            break
        if at.count > 0:
            if length - lower <= ROUNDING * extent or _is_corner(at.diff, at.count, w):
                break
        before = at
        at.diff[at.count] = w
        at.on1[at.count] = a.pos
        at.corner1[at.count] = a.vertex
        at.corner2[at.count] = b.vertex
        at.count = at.count + 1
        weights = closest_weights(at.diff, at.count)
        inside = at.count == 4 and wp.min(weights) > 0.0
        at = _reduced(at, weights)
        if inside:
            at.overlap = 1
            break
        if at.dist <= TOUCHING * extent:
            at.overlap = 1
            break
        if before.count > 0 and at.dist >= before.dist:
            at = before
            if lower < 0.0:  # rounding ended the search, and nothing says that the cores are apart
                at.overlap = 1
            break
        x = at.point1 - at.point2
    return at
