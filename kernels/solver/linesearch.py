"""Exact line search: the root of the cost's derivative along the search direction.

The cost is convex, so its derivative rises; Newton's method on it, kept within the bracket of the signs seen so far,
ends after a few evaluations because the derivative is piecewise smooth. The first trial is alpha = 1, where the
minimum lies if no row changes its state. Residuals of very stiff rows move by whole roundings, so that the derivative
goes up in stairs, whose treads Newton's steps would go along for ever: a step that has changed neither derivative ends the search. Method: MuJoCo's
documentation, chapter Computation, "Algorithms" (exact line search).
"""

import functools

import warp as wp

from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.solver.stopping import INFINITE
from newtonish.kernels.structs.data import Contact, Efc, Solve

# slope that counts as zero, relative to the slope at the start: what it leaves is the square of it
RELATIVE = wp.constant(1.0e-4)
# relative changes of slope and curvature by a step of Newton's, under which it goes along a tread
TREAD = wp.constant(0.05)
BENT = wp.constant(1.0e-5)


@functools.cache
def line_search(op: Operations) -> wp.Function:
    """Search along ``sol.search``, for problems with the operations ``op``."""

    @wp.func
    def search(p: op.problem, contact: Contact, efc: Efc, sol: Solve, slope: float, tolerance: float) -> wp.vec2:
        """Step length along ``sol.search``, and 1 if it is the minimum, 0 if the iterations ran out before.

        ``slope`` is the derivative at the start, negative. Stops where the derivative is below ``tolerance`` or ``RELATIVE``
        times ``slope``.
        """
        partial = op.gauss_line(sol.Mx, sol.smooth, sol.search, sol.Mv, p.slot)
        gauss = wp.vec2(op.sum(partial[0]), op.sum(partial[1]))
        small = wp.max(tolerance, -RELATIVE * slope)
        low = wp.float32(0.0)
        high = wp.float32(-1.0)  # unknown
        alpha = wp.float32(1.0)
        exact = wp.float32(1.0)
        searching = wp.int32(1)
        trial = wp.int32(0)
        before = wp.vec2(INFINITE, 0.0)  # first and second derivative in front of a step of Newton's
        while searching == 1:
            d = op.rows_line(op.rows(p), contact, efc, sol.Jaref, sol.Jv, alpha, p.slot)
            d = wp.vec2(d[0] + gauss[0] + alpha * gauss[1], d[1] + gauss[1])
            if d[0] < 0.0:
                low = alpha
            else:
                high = alpha
            trial += 1
            step = -d[0] / d[1]
            following = alpha + step
            rounded = wp.abs(d[0] - before[0]) <= TREAD * wp.abs(d[0]) and wp.abs(d[1] - before[1]) <= BENT * d[1]
            before = d
            if high >= 0.0 and (following <= low or following >= high):
                following = 0.5 * (low + high)
                before = wp.vec2(INFINITE, 0.0)
            if wp.abs(d[0]) <= small or wp.abs(following - alpha) <= 1.0e-6 * alpha or rounded or not (d[1] > 0.0):
                searching = 0  # found, or not a number
            elif trial >= p.ls_iterations:
                searching = 0
                exact = 0.0
                alpha = wp.where(low > 0.0, low, following)  # below the minimum the cost has certainly fallen
            else:
                alpha = following
        return wp.vec2(alpha, exact)

    return search


@functools.cache
def step_along_search(op: Operations) -> wp.Function:
    """A step along ``sol.search``, for problems with the operations ``op``."""
    search = line_search(op)

    @wp.func
    def step(p: op.problem, contact: Contact, efc: Efc, sol: Solve, decrement: float, tolerance: float) -> wp.vec2:
        """Move ``sol.x`` along ``sol.search`` to the minimum of the cost; returns what the line search does."""
        op.multiply_mass(p, sol, sol.search, sol.Mv)
        op.multiply_jacobian(p, efc, sol.search, 0.0, sol.Jv)
        found = search(p, contact, efc, sol, -decrement, tolerance)
        op.add_scaled(sol.x, sol.search, found[0], p.n, p.slot)
        op.add_scaled(sol.Mx, sol.Mv, found[0], p.n, p.slot)
        op.add_scaled(sol.Jaref, sol.Jv, found[0], op.nrow(p), p.slot)
        return found

    return step
