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


# Simplices stay where they are, in memory: Warp loads the whole of a matrix to read one row of it, and gives structures back by value.
@wp.func_native(
    """
    for (int i = 0; i < at.count; i++) {
        const float x = at.diff.data[i][0] - w[0], y = at.diff.data[i][1] - w[1], z = at.diff.data[i][2] - w[2];
        if (wp::dot(wp::vec3(x, y, z), wp::vec3(x, y, z)) <= 0.0f) return true;
    }
    return false;
"""
)
def _is_corner(at: wp.ref[Nearest], w: wp.vec3) -> bool:
    """Whether ``w`` is one of the corners already."""
    ...


@wp.func_native(
    """
    const int k = at.count;
    for (int i = 0; i < 3; i++) {
        at.diff.data[k][i] = w[i];
        at.on1.data[k][i] = on1[i];
    }
    at.corner1.c[k] = vertex1;
    at.corner2.c[k] = vertex2;
    at.count = k + 1;
"""
)
def _add_corner(at: wp.ref[Nearest], w: wp.vec3, on1: wp.vec3, vertex1: int, vertex2: int): ...


@wp.func_native(
    """
    wp::vec3 point1(0.0f, 0.0f, 0.0f), closest(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < at.count; i++) {
        if (!(weights[i] > 0.0f)) continue;
        for (int k = 0; k < 3; k++) {
            point1[k] = point1[k] + weights[i] * at.on1.data[i][k];
            closest[k] = closest[k] + weights[i] * at.diff.data[i][k];
        }
    }
    const float dist = wp::length(closest);
    if (at.count > 1 && dist >= at.dist && !inside && !(dist <= touching)) {
        at.count = at.count - 1;
        return false;
    }
    int kept = 0;
    for (int i = 0; i < at.count; i++) {
        if (!(weights[i] > 0.0f)) continue;
        if (kept < i) {  // those before the first that goes stay where they are
            for (int k = 0; k < 3; k++) {
                at.diff.data[kept][k] = at.diff.data[i][k];
                at.on1.data[kept][k] = at.on1.data[i][k];
            }
            at.corner1.c[kept] = at.corner1.c[i];
            at.corner2.c[kept] = at.corner2.c[i];
        }
        kept++;
    }
    at.count = kept;
    at.point1 = point1;
    at.point2 = point1 - closest;
    at.dist = dist;
    return true;
"""
)
def _reduce(at: wp.ref[Nearest], weights: wp.vec4, inside: bool, touching: float) -> bool:
    """Take the points that weights give, and corners of no weight away; or take the last corner back, and say false, if that brings nothing.

    Args:
        inside: whether the simplex holds the origin.
        touching: distance at which it touches it.
    """
    ...


@wp.func(inline=False)
def gjk(hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], reach: float, extent: float, at: wp.ref[Nearest]):
    """Closest points of two cores.

    Args:
        reach: distance beyond which the search stops.
        extent: size of the two shapes, the measure of rounding.
        at: where they are closest; what it holds before says nothing.
    """
    at.separated = 0
    at.overlap = 0
    at.count = 0
    at.dist = 3.0e38
    x = shape1.pos - shape2.pos
    if wp.length_sq(x) <= 0.0:
        x = wp.vec3(1.0, 0.0, 0.0)
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
            if length - lower <= ROUNDING * extent or _is_corner(at, w):
                break
        _add_corner(at, w, a.pos, a.vertex, b.vertex)
        weights = closest_weights(at.diff, at.count)
        inside = at.count == 4 and wp.min(weights) > 0.0
        closer = _reduce(at, weights, inside, TOUCHING * extent)
        if inside:
            at.overlap = 1
            break
        if closer and at.dist <= TOUCHING * extent:
            at.overlap = 1
            break
        if not closer:
            if lower < 0.0:  # rounding ended the search, and nothing says that the cores are apart
                at.overlap = 1
            break
        x = at.point1 - at.point2
