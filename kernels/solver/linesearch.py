"""Exact line search: the root of the cost's derivative along the search direction.

The cost is convex, so its derivative rises; Newton's method on it, kept within the bracket of the signs seen so far,
ends after a few evaluations because the derivative is piecewise smooth. The first trial is alpha = 1, where the
minimum lies if no row changes its state. Method: MuJoCo's documentation, chapter Computation, "Algorithms" (exact
line search).
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.linalg.newton_sums import partial_gauss_line
from newtonish.kernels.linalg.rows import partial_derivatives
from newtonish.kernels.math.world import block_sum, scratch_slot
from newtonish.kernels.solver.cone import cones_derivatives
from newtonish.kernels.structs.data import Contact, Efc, Solve, Status
from newtonish.kernels.structs.model import Option

# slope that counts as zero, relative to the slope at the start: what it leaves is the square of it
RELATIVE = wp.constant(1.0e-4)
# share of the slope that the gradient of the whole cost may show after a search, if it has found the minimum and if not: more is rounding
LEFT = wp.constant(0.25)
UNMOVED = wp.constant(0.99)


@wp.func
def line_derivatives(
    opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, gauss: wp.vec2, alpha: float, nflat: int,
    w: int, lane: int,
) -> wp.vec2:  # fmt: skip
    """First and second derivative of the cost at ``x + alpha search``, the same in every lane."""
    d = partial_derivatives(sol.Jaref, sol.Jv, efc.D, efc.frictionloss, alpha, status.ne[w], nflat, w, scratch_slot(w))
    if opt.cone == ELLIPTIC:
        d += cones_derivatives(contact, efc, sol, status, alpha, w)
    return wp.vec2(block_sum(d[0]) + gauss[0] + alpha * gauss[1], block_sum(d[1]) + gauss[1])


@wp.func
def line_search(
    opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, slope: float, tolerance: float, nflat: int,
    w: int, lane: int,
) -> wp.vec2:  # fmt: skip
    """Step length along ``sol.search``, and 1 if it is the minimum, 0 if the iterations ran out before.

    ``slope`` is the derivative at the start, negative. Stops where the derivative is below ``tolerance`` or ``RELATIVE``
    times ``slope``.
    """
    partial = partial_gauss_line(sol.Mx, sol.smooth, sol.search, sol.Mv, scratch_slot(w))
    gauss = wp.vec2(block_sum(partial[0]), block_sum(partial[1]))
    small = wp.max(tolerance, -RELATIVE * slope)
    low = wp.float32(0.0)
    high = wp.float32(-1.0)  # unknown
    alpha = wp.float32(1.0)
    exact = wp.float32(1.0)
    searching = wp.int32(1)
    trial = wp.int32(0)
    while searching == 1:
        d = line_derivatives(opt, contact, efc, sol, status, gauss, alpha, nflat, w, lane)
        if d[0] < 0.0:
            low = alpha
        else:
            high = alpha
        trial += 1
        step = -d[0] / d[1]
        following = alpha + step
        if high >= 0.0 and (following <= low or following >= high):
            following = 0.5 * (low + high)
        if wp.abs(d[0]) <= small or wp.abs(following - alpha) <= 1.0e-6 * alpha or not (d[1] > 0.0):
            searching = 0  # found, or not a number
        elif trial >= opt.ls_iterations:
            searching = 0
            exact = 0.0
            alpha = wp.where(low > 0.0, low, following)  # below the minimum the cost has certainly fallen
        else:
            alpha = following
    return wp.vec2(alpha, exact)
