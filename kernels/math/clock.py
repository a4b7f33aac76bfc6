"""Time as a number of steps: a sum of many time steps in float32 runs ahead or stands still.

The time of a world is a pair of floats, of which the first is what everybody reads. A step takes the pair for the number of steps that it
is nearest to, and goes to the next one; times that are no multiples of the step are added up in the pair.
"""

import warp as wp

# of a step, by which a time may be off its multiple
NEAR = wp.constant(wp.float64(1.0e-3))
# of a number, by which float32 rounds it, and a bit more: what is left of another time is not used
ROUNDING = wp.constant(wp.float64(6.1e-8))
# of a step, up to which the rounding of a time leaves no doubt which step it is
FEW = wp.constant(wp.float64(0.25))


@wp.func
def multiple(x: wp.float64, unit: wp.float64, slack: wp.float64) -> wp.float64:
    """``x``, or the multiple of ``unit`` that is no further than ``slack``."""
    nearest = wp.rint(x / unit) * unit
    return wp.where(wp.abs(nearest - x) <= slack, nearest, x)


@wp.func
def time_after(time: float, low: float, dt: float) -> wp.vec2:
    """Time and the rest that float32 leaves of it, one step later."""
    high = wp.float64(time)
    rounding = ROUNDING * wp.abs(high)
    rest = wp.float64(low)
    if not (wp.abs(rest) <= rounding):
        rest = wp.float64(0.0)
    step = wp.float64(dt)
    slack = NEAR * step
    if rest == wp.float64(0.0) or rounding < FEW * step:  # the rest, which a state does not hold, may be another time's
        slack += rounding
    after = multiple(high + rest, step, slack) + step
    shown = wp.float32(after)
    return wp.vec2(shown, wp.float32(after - wp.float64(shown)))


@wp.func
def later(time: float, period: float, phase: float) -> float:
    """A period after ``time``, which is a multiple of the period after ``phase`` or nearly so; no rounding adds up."""
    following = wp.float64(time) + wp.float64(period)
    origin = wp.float64(phase)
    unit = wp.float64(period)
    slack = NEAR * unit + wp.float64(2.0) * ROUNDING * wp.abs(following)
    return wp.float32(multiple(following - origin, unit, slack) + origin)
