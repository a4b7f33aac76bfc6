"""How the force of a constraint row answers to its position: slopes of impedance, reference and weight.

A row's residual is s = J a + b J v + k d(x) x, with impedance d(x) at distance x, its force -D s while it acts, D = d / ((1 - d) weight).
So a change of x changes s by k (d + d' x), and the force, at equal s, by the factor d' / (d (1 - d)).
"""

import warp as wp

from newtonish.common.enums import IntegratorType
from newtonish.kernels.constants import FRICTION_DOF, FRICTION_TENDON, MINVAL
from newtonish.kernels.constraint.row import MAXIMP, MINIMP, REFSAFE, impedance, reference
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.integrate.discrete.rows import Softness, spring_and_damper
from newtonish.kernels.structs.field import vec5
from newtonish.kernels.structs.model import Option

DISCRETE = wp.constant(int(IntegratorType.DISCRETE))
LARGEST = wp.constant(wp.float64(MAXIMP))


@wp.struct
class Response:
    """Answer of a row to its position and velocity."""

    spring: wp.float64  # ds/dx
    stiffness: wp.float64  # k d, the part of it at constant impedance
    damper: wp.float64  # ds/d(J v)
    growth: wp.float64  # d(log D)/dx
    sliding: wp.float64  # what the row's velocity adds to ds/dx, of integrator discrete alone


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


@wp.func
def implicit_response(opt: Option, solref: wp.vec2, solimp: vec5, x: float, kind: int, timestep: float) -> Response:
    """The same of integrator discrete, whose rows take spring and damper at the end of the step.

    s = J a + (K x + (B + h K) v) / F with F = 1 + h B + h^2 K; the weight is multiplied by F, unless the impedance in effect would be above the largest.
    Where the step cannot resolve the spring, K is 1/h^2 and B is lessened with it.
    """
    h = real(timestep)
    soft = Softness()
    soft.solref = solref
    soft.solimp = solimp
    soft.distance = x
    kept = spring_and_damper(opt, soft, kind, timestep)
    kb = reference(solref, solimp, timestep, opt.disableflags | REFSAFE)
    imp = real(impedance(solimp, x))
    slope = real(impedance_slope(solimp, x))
    K = real(kept[0])
    B = real(kept[1])
    dK = real(kb[0]) * slope
    dB = real(0.0)
    if kept[2] != 0.0:
        excess = h * h * real(kb[0]) * imp
        lessened = real(kb[1]) / wp.sqrt(excess)
        most = LARGEST * (real(1.0) - imp) / (imp * (real(1.0) - LARGEST))
        if lessened * h <= most - real(2.0):
            dB = real(-0.5) * lessened * slope / imp
        elif most > real(2.0):
            dB = -LARGEST / (real(1.0) - LARGEST) * slope / (imp * imp * h)
        dK = real(0.0)
    elif kind == FRICTION_DOF or kind == FRICTION_TENDON:
        dK = real(0.0)
    F = real(1.0) + h * B + h * h * K
    dF = h * dB + h * h * dK
    least = imp * (real(1.0) - LARGEST) / ((real(1.0) - imp) * LARGEST)
    found = Response()
    found.damper = (B + h * K) / F
    found.stiffness = K / F
    found.spring = (K + dK * real(x)) / F - K * real(x) * dF / (F * F)
    found.sliding = (dB + h * dK) / F - (B + h * K) * dF / (F * F)
    if real(1.0) / F >= least:
        found.growth = slope / (imp * (real(1.0) - imp)) + dF / F
    return found


@wp.func
def response_of(opt: Option, solref: wp.vec2, solimp: vec5, x: float, kind: int, timestep: float) -> Response:
    """Slopes of a row of type ``kind`` with the model's integrator."""
    if opt.integrator == DISCRETE:
        return implicit_response(opt, solref, solimp, x, kind, timestep)
    return response(solref, solimp, x, timestep, opt.disableflags)


@wp.func
def slide_damper_of(opt: Option, solref: wp.vec2, solimp: vec5, timestep: float) -> wp.float64:
    """ds/d(J v) of friction rows of an elliptic cone with parameters of their own."""
    if opt.integrator == DISCRETE:
        b = real(reference(solref, solimp, timestep, opt.disableflags | REFSAFE)[1])
        return b / (real(1.0) + real(timestep) * b)
    return real(reference(solref, solimp, timestep, opt.disableflags)[1])
