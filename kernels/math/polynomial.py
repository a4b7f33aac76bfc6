"""Springs and dampers with quadratic and cubic terms: force = -x (k + k1 x + k2 x^2)."""

import warp as wp


@wp.func
def poly_coefficient(linear: float, poly: wp.vec2, x: float) -> float:
    """Force over displacement of a spring (over velocity of a damper, with |v|)."""
    return linear + x * (poly[0] + x * poly[1])


@wp.func
def poly_slope(linear: float, poly: wp.vec2, x: float) -> float:
    """Derivative of x times ``poly_coefficient`` by x."""
    return linear + x * (2.0 * poly[0] + 3.0 * x * poly[1])
