"""Refining a direction of least separation of round shapes, where the polytope stopped short.

The depth along a direction is the support function of the difference of the two sets; the part of the support point
across the direction is its gradient on the sphere. Descent with the steps of Barzilai and Borwein (1988), taken only as
long as the depth gets less, or stays as it is within rounding and the gradient gets less: the direction is then known a
thousand times as well as the depth alone tells it. From the polytope's direction it needs some ten steps where the
boundary is smooth.
"""

import warp as wp

from newtonish.kernels.collision.cores import Cores
from newtonish.kernels.collision.support import Shape, supports
from newtonish.kernels.structs.model import Hull

STEPS = wp.constant(40)
SETTLED = wp.constant(1.0e-3)  # sideways part of the support point over the sizes below which a direction is accepted
EXACT = wp.constant(3.0e-7)


@wp.func(inline=False)
def polish(hull: wp.ref[Hull], cores: wp.ref[Cores], own: wp.ref[Shape], team: int):
    """Descend from the direction of ``cores.deep``, which stays as it is if no other is accepted."""
    best = cores.deep.normal
    ends = supports(hull, cores.shape1, cores.shape2, own, best, team)
    point1 = ends.pos1
    point2 = ends.pos2
    least = wp.dot(ends.pos1 - ends.pos2, best)
    side = ends.pos1 - ends.pos2 - least * best
    step = 1.0 / cores.extent
    for _k in range(STEPS):
        aside = wp.length(side)
        if aside <= EXACT * cores.extent or step * aside <= EXACT:
            break
        trial = wp.normalize(best - step * side)
        ends = supports(hull, cores.shape1, cores.shape2, own, trial, team)
        depth = wp.dot(ends.pos1 - ends.pos2, trial)
        across = ends.pos1 - ends.pos2 - depth * trial
        if depth < least - EXACT * cores.extent or (depth <= least + EXACT * cores.extent and wp.length_sq(across) < wp.length_sq(side)):
            moved = trial - best
            bend = wp.dot(moved, across - side)
            step = wp.where(bend > 0.0, wp.length_sq(moved) / wp.max(bend, 1.0e-20), 2.0 * step)
            best = trial
            least = depth
            point1 = ends.pos1
            point2 = ends.pos2
            side = across
        else:
            step = 0.5 * step
    if wp.length(side) <= SETTLED * cores.extent:
        cores.deep.normal = best
        cores.deep.depth = least
        cores.deep.point1 = point1
        cores.deep.point2 = point2
