"""Refining a direction of least separation of round shapes, where the polytope stopped short.

The depth along a direction is the support function of the difference of the two sets; the part of the support point
across the direction is its gradient on the sphere. Descent with the steps of Barzilai and Borwein (1988), taken only as
long as the depth gets less, or stays as it is within rounding and the gradient gets less: the direction is then known a
thousand times as well as the depth alone tells it. From the polytope's direction it needs some ten steps where the
boundary is smooth.
"""

import warp as wp

from newtonish.kernels.collision.support import Shape, supports
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
def polish(
    hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], own: wp.ref[Shape], normal: wp.vec3, extent: float, team: int
) -> Refined:  # fmt: skip
    """Descend from the unit vector ``normal``."""
    best = Refined()
    best.normal = normal
    ends = supports(hull, shape1, shape2, own, normal, team)
    best.point1 = ends.pos1
    best.point2 = ends.pos2
    best.depth = wp.dot(ends.pos1 - ends.pos2, normal)
    side = ends.pos1 - ends.pos2 - best.depth * normal
    step = 1.0 / extent
    for _k in range(STEPS):
        aside = wp.length(side)
        if aside <= EXACT * extent or step * aside <= EXACT:
            break
        trial = wp.normalize(best.normal - step * side)
        ends = supports(hull, shape1, shape2, own, trial, team)
        depth = wp.dot(ends.pos1 - ends.pos2, trial)
        across = ends.pos1 - ends.pos2 - depth * trial
        if depth < best.depth - EXACT * extent or (depth <= best.depth + EXACT * extent and wp.length_sq(across) < wp.length_sq(side)):
            moved = trial - best.normal
            bend = wp.dot(moved, across - side)
            step = wp.where(bend > 0.0, wp.length_sq(moved) / wp.max(bend, 1.0e-20), 2.0 * step)
            best.normal = trial
            best.depth = depth
            best.point1 = ends.pos1
            best.point2 = ends.pos2
            side = across
        else:
            step = 0.5 * step
    if wp.length(side) <= SETTLED * extent:
        best.found = 1
    return best
