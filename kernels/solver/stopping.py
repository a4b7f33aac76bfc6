"""When an iteration ends, by one rule for Newton's method and for conjugate gradients.

The cost itself is never subtracted: a whole step of Newton's method is expected to lower it by half the decrement
-grad . search, which keeps its digits. An iteration ends where gradient or decrease are within the tolerance, after the
number of iterations allowed, or where float32 has nothing more to say: where the decrement is within the rounding of
the terms that cancel in it, or a step has not done what it does but for rounding. Beyond that point steps are noise.
"""

import warp as wp

from newtonish.kernels.constants import IMMOVABLE
from newtonish.kernels.math.finite import tolerance_of
from newtonish.kernels.math.world import lanes, per_world, sum_lanes
from newtonish.kernels.structs.data import Mass
from newtonish.kernels.structs.model import Dof, Option

# how an iteration stands
GOING = wp.constant(0)
ENOUGH = wp.constant(1)  # within the tolerance, or out of iterations
ROUNDED = wp.constant(2)  # float32 ended it

INFINITE = wp.constant(3.0e38)
# rounding of a sum of products, relative to the sum of the absolute products (float32 resolution is 1.2e-7)
ROUNDING = wp.constant(4.0e-7)
# decrement, relative to that of the step before, above which a step on the same quadratic piece has gained nothing
STUCK = wp.constant(0.25)
# step lengths below the resolution of float32 move nothing
SHORTEST = wp.constant(1.0e-7)
# share of the slope that the gradient of the whole cost may show after a search, if it has found the minimum and if not: more is rounding
LEFT = wp.constant(0.25)
UNMOVED = wp.constant(0.99)


@wp.func
def world_inertia(dof: Dof, mass: Mass, nv: int, w: int, lane: int) -> float:
    """Trace of the mass matrix of world ``w`` without dofs that are held, by all of its lanes."""
    inertia = wp.float32(0.0)
    for i in range(lane, nv, lanes()):
        inertia += free_inertia(dof, mass, w, i)
    return sum_lanes(inertia)


@wp.func
def free_inertia(dof: Dof, mass: Mass, w: int, i: int) -> float:
    """Inertia of dof ``i``; 0 if it is held: beside kinematic bodies or an infinite armature nothing else would ever count as unfinished."""
    diagonal = mass.M[w, dof.M_rowadr[i] + dof.M_rownnz[i] - 1]
    return wp.where(diagonal < IMMOVABLE, diagonal, 0.0)


@wp.func
def tolerances(opt: Option, inertia: float, w: int) -> wp.vec2:
    """Tolerances of gradient and decrease, and of the line search, in the units of cost and gradient.

    Args:
        inertia: trace of the mass matrix as it is now, of the world or, as in MuJoCo 4.0, of the island alone: light bodies are
            not done where heavy ones would be.
    """
    small = tolerance_of(opt.tolerance[per_world(opt.tolerance.shape[0], w)] * inertia)
    return wp.vec2(small, opt.ls_tolerance[per_world(opt.ls_tolerance.shape[0], w)] * small)


@wp.func
def by_gradient(square: float, small: float, niter: int, iterations: int) -> int:
    """How an iteration stands with a gradient of squared length ``square`` after ``niter`` steps."""
    return wp.where(niter >= iterations or not (wp.sqrt(square) > small), ENOUGH, GOING)


@wp.func
def by_gap(gap: float, square: float, small: float) -> int:
    """How conjugate gradients stand before their first step, which by the mass matrix alone can lower the cost by ``gap``.

    As in MuJoCo 4.0 the gradient ends nothing there: a start that is as good as the tolerance asks for stays as it is.

    Args:
        square: squared length of the gradient where that has to be within the tolerance too, 0 where it has not.
    """
    return wp.where(gap > small or wp.sqrt(square) > small, GOING, ENOUGH)


@wp.func
def by_decrement(decrement: float, terms: float, least: float, niter: int, stuck: bool) -> int:
    """How it stands with a new direction.

    As in MuJoCo, the tolerance of the decrease ends no iteration of Newton's method before its first step: a warm start costs
    hardly more than the minimum and has forces of stiff rows that are off by a share of a percent.

    Args:
        decrement: -grad . search.
        terms: the absolute terms that cancel in it.
        least: decrement within the tolerance; -INFINITE where it does not tell how far the minimum is.
        niter: number of steps taken.
        stuck: a whole step within one quadratic piece ends at its minimum; this is what was left after one.
    """
    ended = wp.where(decrement > least, ROUNDED, ENOUGH)
    needed = wp.where(niter == 0, ROUNDING * terms, wp.max(least, ROUNDING * terms))
    return wp.where(stuck or not (decrement > needed), ended, GOING)


@wp.func
def by_length(alpha: float) -> int:
    """How it stands after a step of ``alpha`` times a direction that is downhill but for rounding."""
    return wp.where(alpha > SHORTEST, GOING, ROUNDED)


@wp.func
def by_decrease(alpha: float, decrease: float, small: float) -> int:
    """How it stands after a step of ``alpha`` times a direction, by which the cost fell by ``decrease``."""
    ended = wp.where(alpha > SHORTEST, ENOUGH, ROUNDED)
    return wp.where(decrease > small, GOING, ended)


@wp.func
def allowed_slope(exact: float, decrement: float, enough: float) -> float:
    """Slope along the last direction that is not rounding, after a search that found the minimum to ``enough``, or did not (``exact`` 0)."""
    return wp.where(exact > 0.0, LEFT, UNMOVED) * decrement + enough
