"""How the force of a constraint row answers to its position: slopes of impedance, reference and weight.

A row's residual is s = J a + b J v + k d(x) x, with impedance d(x) at distance x, its force -D s while it acts, D = d / ((1 - d) weight).
So a change of x changes s by k (d + d' x), and the force, at equal s, by the factor d' / (d (1 - d)).
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.constraint.row import MAXIMP, MINIMP, impedance, reference
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.structs.field import vec5


@wp.struct
class Response:
    """Answer of a row to its position and velocity."""

    spring: wp.float64  # ds/dx
    stiffness: wp.float64  # k d, the part of it at constant impedance
    damper: wp.float64  # ds/d(J v)
    growth: wp.float64  # d(log D)/dx


@wp.func(inline=False)
def impedance_slope(solimp: vec5, pos: float) -> float:
    """Derivative of ``impedance`` by ``pos``."""
    dmin = wp.clamp(solimp[0], MINIMP, MAXIMP)
    dmax = wp.clamp(solimp[1], MINIMP, MAXIMP)
    width = solimp[2]
    midpoint = wp.clamp(solimp[3], MINIMP, MAXIMP)
    power = wp.max(1.0, solimp[4])
    slope = wp.float32(0.0)
    if dmin != dmax and width > MINVAL:
        x = wp.abs(pos) / width
        if x < 1.0:
            if power == 1.0:
                slope = 1.0
            elif x <= midpoint:
                slope = power * wp.pow(x / midpoint, power - 1.0)
            else:
                slope = power * wp.pow((1.0 - x) / (1.0 - midpoint), power - 1.0)
            slope = slope * wp.sign(pos) * (dmax - dmin) / width
    return slope


@wp.func
def response(solref: wp.vec2, solimp: vec5, x: float, timestep: float, disableflags: int) -> Response:
    """Slopes of a row at the distance ``x`` from its margin."""
    kb = reference(solref, solimp, timestep, disableflags)
    imp = impedance(solimp, x)
    slope = impedance_slope(solimp, x)
    found = Response()
    found.spring = real(kb[0]) * (real(imp) + real(slope) * real(x))
    found.stiffness = real(kb[0]) * real(imp)
    found.damper = real(kb[1])
    found.growth = real(slope) / (real(imp) * (real(1.0) - real(imp)))
    return found
