"""Refining a direction of least separation of round shapes, where the polytope stopped short.

The depth along a direction is the support function of the difference of the two sets; the part of the support point
across the direction is its gradient on the sphere. Descent with the steps of Barzilai and Borwein (1988), taken only as
long as the depth gets less, or stays as it is within rounding and the gradient gets less: the direction is then known a
thousand times as well as the depth alone tells it. From the polytope's direction it needs some ten steps where the
boundary is smooth.
"""

import warp as wp

from newtonish.kernels.collision.support import Shape, support_by
from newtonish.kernels.structs.model import Hull

STEPS = wp.constant(40)
SETTLED = wp.constant(1.0e-3)  # sideways part of the support point over the sizes below which a direction is accepted
EXACT = wp.constant(3.0e-7)


@wp.struct
class Refined:
    """A direction at which the depth is stationary."""

    found: wp.int32
    depth: wp.float32
    normal: wp.vec3
    point1: wp.vec3
    point2: wp.vec3


@wp.func(inline=False)
def polish(hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], normal: wp.vec3, extent: float, team: int) -> Refined:
    """Descend from the unit vector ``normal``."""
    best = Refined()
    best.normal = normal
    a = support_by(hull, shape1, normal, team)
    b = support_by(hull, shape2, -normal, team)
    best.point1 = a.pos
    best.point2 = b.pos
    best.depth = wp.dot(a.pos - b.pos, normal)
    side = a.pos - b.pos - best.depth * normal
    step = 1.0 / extent
    for _k in range(STEPS):
        aside = wp.length(side)
        if aside <= EXACT * extent or step * aside <= EXACT:
            break
        trial = wp.normalize(best.normal - step * side)
        a = support_by(hull, shape1, trial, team)
        b = support_by(hull, shape2, -trial, team)
        depth = wp.dot(a.pos - b.pos, trial)
        across = a.pos - b.pos - depth * trial
        if depth < best.depth - EXACT * extent or (depth <= best.depth + EXACT * extent and wp.length_sq(across) < wp.length_sq(side)):
            moved = trial - best.normal
            bend = wp.dot(moved, across - side)
            step = wp.where(bend > 0.0, wp.length_sq(moved) / wp.max(bend, 1.0e-20), 2.0 * step)
            best.normal = trial
            best.depth = depth
            best.point1 = a.pos
            best.point2 = b.pos
            side = across
        else:
            step = 0.5 * step
    if wp.length(side) <= SETTLED * extent:
        best.found = 1
    return best
