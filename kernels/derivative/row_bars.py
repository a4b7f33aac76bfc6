"""Gradients by the parameters of a row: from those by stiffness k, damping b and impedance d to those by solref and solimp.

The reverse of ``reference`` and ``impedance`` in ``newtonish.kernels.constraint.row``, in float64.
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.constraint.row import MAXIMP, MINIMP, REFSAFE
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.cotangent import vec5d
from newtonish.kernels.structs.field import vec5


@wp.struct
class RowBar:
    """Gradients by what a row is made of."""

    k: wp.float64
    b: wp.float64
    d: wp.float64


@wp.struct
class ParameterBar:
    """Gradients by what a user sets."""

    solref: wp.vec2d
    solimp: vec5d


@wp.func
def _reference_bar(found: ParameterBar, bar: RowBar, solref: wp.vec2, solimp: vec5, timestep: float, disableflags: int) -> ParameterBar:
    """Add what follows from stiffness and damping."""
    timeconst = real(solref[0])
    dampratio = real(solref[1])
    own = real(1.0)  # 0: solref is not what counts
    if (solref[0] > 0.0) != (solref[1] > 0.0):
        timeconst = real(0.02)
        dampratio = real(1.0)
        own = real(0.0)
    direct = timeconst <= real(0.0)
    dmax = real(wp.clamp(solimp[1], MINIMP, MAXIMP))
    by_dmax = real(0.0)
    if direct:
        found.solref[0] = found.solref[0] - bar.k / (dmax * dmax)
        found.solref[1] = found.solref[1] - bar.b / dmax
        k = -timeconst / (dmax * dmax)
        b = -dampratio / dmax
        by_dmax = -(real(2.0) * bar.k * k + bar.b * b) / dmax
    else:
        least = real(2.0) * real(timestep)
        own_time = own
        if (disableflags & REFSAFE) == 0 and timeconst <= least:
            timeconst = least
            own_time = real(0.0)
        decay = dmax * timeconst
        k = real(1.0) / wp.max(real(MINVAL), decay * decay * dampratio * dampratio)
        b = real(2.0) / wp.max(real(MINVAL), decay)
        common = -(real(2.0) * bar.k * k + bar.b * b)
        found.solref[0] = found.solref[0] + own_time * common / timeconst
        found.solref[1] = found.solref[1] - own * real(2.0) * bar.k * k / dampratio
        by_dmax = common / dmax
    if solimp[1] > MINIMP and solimp[1] < MAXIMP:
        found.solimp[1] = found.solimp[1] + by_dmax
    return found


@wp.func
def _impedance_bar(found: ParameterBar, bar: wp.float64, solimp: vec5, pos: wp.float64) -> ParameterBar:
    """Add what follows from the impedance at the distance ``pos``."""
    dmin = real(wp.clamp(solimp[0], MINIMP, MAXIMP))
    dmax = real(wp.clamp(solimp[1], MINIMP, MAXIMP))
    width = real(solimp[2])
    middle = real(wp.clamp(solimp[3], MINIMP, MAXIMP))
    power = real(wp.max(1.0, solimp[4]))
    one = real(1.0)
    y = real(0.5)
    by_width = real(0.0)
    by_middle = real(0.0)
    by_power = real(0.0)
    if width > real(MINVAL):
        x = wp.abs(pos) / width
        y = one
        if x < one and x <= middle:
            q = x / middle
            part = real(0.0)
            if x > real(0.0):
                part = wp.pow(q, power)
                by_power = middle * part * wp.log(q)
                by_width = -power * middle * part / width
            y = middle * part
            by_middle = (one - power) * part
        elif x < one:
            q = (one - x) / (one - middle)
            part = wp.pow(q, power)
            y = one - (one - middle) * part
            by_middle = (one - power) * part
            by_power = -(one - middle) * part * wp.log(q)
            by_width = -power * wp.pow(q, power - one) * x / width
    if solimp[0] > MINIMP and solimp[0] < MAXIMP:
        found.solimp[0] = found.solimp[0] + bar * (one - y)
    if solimp[1] > MINIMP and solimp[1] < MAXIMP:
        found.solimp[1] = found.solimp[1] + bar * y
    rise = bar * (dmax - dmin)
    found.solimp[2] = found.solimp[2] + rise * by_width
    if solimp[3] > MINIMP and solimp[3] < MAXIMP:
        found.solimp[3] = found.solimp[3] + rise * by_middle
    if solimp[4] >= 1.0:
        found.solimp[4] = found.solimp[4] + rise * by_power
    return found


@wp.func
def parameter_bar(bar: RowBar, solref: wp.vec2, solimp: vec5, pos: wp.float64, timestep: float, disableflags: int) -> ParameterBar:
    """Gradients by solref and solimp of a row at the distance ``pos`` from its margin."""
    found = ParameterBar()
    found = _reference_bar(found, bar, solref, solimp, timestep, disableflags)
    return _impedance_bar(found, bar.d, solimp, pos)


@wp.func
def narrow2(v: wp.vec2d) -> wp.vec2:
    """``v`` in float32."""
    return wp.vec2(float(v[0]), float(v[1]))


@wp.func
def narrow3(v: wp.vec3d) -> wp.vec3:
    """``v`` in float32."""
    return wp.vec3(float(v[0]), float(v[1]), float(v[2]))


@wp.func
def narrow5(v: vec5d) -> vec5:
    """``v`` in float32."""
    return vec5(float(v[0]), float(v[1]), float(v[2]), float(v[3]), float(v[4]))
