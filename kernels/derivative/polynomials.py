"""How stiffness and damping with quadratic and cubic terms change (``newtonish.kernels.math.polynomial``)."""

import warp as wp

from newtonish.kernels.derivative.algebra import real


@wp.func
def spring_bend(poly: wp.vec2, away: wp.float64) -> wp.float64:
    """Derivative of a stiffness by displacement."""
    return real(2.0) * real(poly[0]) + real(6.0) * away * real(poly[1])


@wp.func
def damper_bend(poly: wp.vec2, speed: wp.float64) -> wp.float64:
    """Derivative of a damping by velocity; at rest, where it has a kink, the mean of both sides."""
    bend = real(6.0) * speed * real(poly[1])
    if speed != real(0.0):
        bend += wp.sign(speed) * real(2.0) * real(poly[0])
    return bend
