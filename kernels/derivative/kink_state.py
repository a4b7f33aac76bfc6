"""What the search for kinks keeps: the bits that it finds, and the detection distances with which it looks for contacts that have not begun."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.structs.field import group, value

SHARE = wp.constant(wp.float64(2.0**-17))
"""Of the terms of which a quantity is made: how near a kink it is called to be at it. It is 128 times float32's rounding."""

KINKS = group(
    "Kinks",
    "kinks",
    "",
    [
        value("bits", wp.int32, doc="Kink bits"),
        value("gap", wp.float32, "ngeom", doc="the geoms' gaps, with what they are widened by [m]"),
        value("pair_gap", wp.float32, "npair", doc="the same of explicit pairs"),
        value("ncon", wp.int32, doc="contacts that are found with them"),
        value("ncon_needed", wp.int32, doc="contacts wanted; nobody is told"),
        value("overflow", wp.int32, doc="all bits, so that nobody is told of contacts that find no room"),
    ],
)
Kinks = KINKS.struct


@wp.func
def note(kinks: Kinks, w: int, bit: int):
    """Set a bit; several lanes may do so at once."""
    wp.atomic_or(kinks.bits, w, bit)


@wp.func
def at(x: wp.float64, scale: wp.float64) -> bool:
    """Whether ``x`` is zero but for rounding of terms of the size ``scale``."""
    return wp.abs(x) <= SHARE * scale


@wp.func
def at_end(x: float, low: float, high: float) -> bool:
    """Whether ``x`` is at an end of a range."""
    size = wp.abs(real(x))
    return at(real(x) - real(low), size + wp.abs(real(low))) or at(real(x) - real(high), size + wp.abs(real(high)))
