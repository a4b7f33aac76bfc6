"""Numbers with their derivatives by everything that a law of force takes: length, velocity, up to four inputs and five activations.

Sums and multiples are those of vectors; what is here is the rest.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import real

dual = wp.types.vector(length=12, dtype=wp.float64)
LENGTH = wp.constant(1)
VELOCITY = wp.constant(2)
INPUT = wp.constant(3)  # of the first of four
ACTIVATION = wp.constant(7)  # of the first of five


@wp.func
def fixed(value: wp.float64) -> dual:
    """A number that depends on nothing."""
    result = dual()
    result[0] = value
    return result


@wp.func
def variable(value: float, slot: int) -> dual:
    """What derivatives in ``slot`` are by."""
    result = fixed(real(value))
    result[slot] = real(1.0)
    return result


@wp.func
def times(a: dual, b: dual) -> dual:
    result = a * b[0] + b * a[0]
    result[0] = a[0] * b[0]
    return result


@wp.func
def through(a: dual, value: wp.float64, slope: wp.float64) -> dual:
    """A function of ``a`` with this value and slope."""
    result = a * slope
    result[0] = value
    return result


@wp.func
def over(a: dual, b: dual) -> dual:
    return times(a, through(b, real(1.0) / b[0], real(-1.0) / (b[0] * b[0])))


@wp.func
def between(a: dual, low: dual, high: dual) -> dual:
    """``a``, or the limit that it is beyond."""
    result = a
    if a[0] < low[0]:
        result = low
    if a[0] > high[0]:
        result = high
    return result


@wp.func
def shifted(a: dual, value: wp.float64) -> dual:
    """``a`` moved to another value by something constant."""
    result = a
    result[0] = value
    return result
