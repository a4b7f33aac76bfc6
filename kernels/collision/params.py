"""Contact parameters of a pair of geoms: mixed from the two geoms, or those of an explicit pair, or the global override.

Margins and gaps of the geoms add up. ``margin`` inflates the geoms: a contact makes rows if its distance is below it.
``gap`` is a further distance within which contacts are listed but make no rows. Method: MuJoCo 4.0's documentation,
chapter Modeling, "Contact parameters" and "Contact override".
"""

import warp as wp

from newtonish.common.enums import EnableBit
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.math.finite import at_least, nothing
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.field import vec5
from newtonish.kernels.structs.model import Geom, Option, Pair

OVERRIDE = wp.constant(int(EnableBit.OVERRIDE))
MINMU = wp.constant(1.0e-5)  # least friction coefficient


@wp.struct
class ContactParams:
    """What all contacts of a pair share."""

    dim: wp.int32
    friction: vec5
    solref: wp.vec2
    solreffriction: wp.vec2
    solimp: vec5


@wp.func
def pair_margin(opt: Option, geom: Geom, pair: Pair, w: int, g1: int, g2: int, pairid: int) -> wp.vec2:
    """Margin and gap [m] of a pair of geoms."""
    margin = wp.float32(0.0)
    gap = wp.float32(0.0)
    if pairid >= 0:
        margin = pair.margin[per_world(pair.margin.shape[0], w), pairid]
        gap = pair.gap[per_world(pair.gap.shape[0], w), pairid]
    else:
        nth = per_world(geom.margin.shape[0], w)
        margin = geom.margin[nth, g1] + geom.margin[nth, g2]
        nth = per_world(geom.gap.shape[0], w)
        gap = geom.gap[nth, g1] + geom.gap[nth, g2]
    if (opt.enableflags & OVERRIDE) != 0:
        margin = opt.o_margin[per_world(opt.o_margin.shape[0], w)]
    return wp.vec2(margin, gap)


@wp.func
def solver_mix(solmix1: float, solmix2: float) -> float:
    """Weight of the first geom's solver parameters; half if both weights are practically zero."""
    if solmix1 < MINVAL and solmix2 < MINVAL:
        return 0.5
    if solmix1 < MINVAL:
        return 0.0
    if solmix2 < MINVAL:
        return 1.0
    return solmix1 / (solmix1 + solmix2)


@wp.func
def _mixed(geom: Geom, w: int, g1: int, g2: int) -> ContactParams:
    """Parameters from two geoms: those of the higher priority, else friction by maximum and the rest by ``solmix``."""
    found = ContactParams()
    friction_w = per_world(geom.friction.shape[0], w)
    slide = geom.friction[friction_w, g1]
    found.dim = geom.condim[g1]
    mix = wp.float32(1.0)
    if geom.priority[g1] == geom.priority[g2]:
        other = geom.friction[friction_w, g2]
        slide = wp.max(slide, other) + nothing(wp.dot(slide, other)) * wp.vec3(1.0)
        found.dim = wp.max(found.dim, geom.condim[g2])
        mix_w = per_world(geom.solmix.shape[0], w)
        mix = solver_mix(geom.solmix[mix_w, g1], geom.solmix[mix_w, g2])
    elif geom.priority[g1] < geom.priority[g2]:
        slide = geom.friction[friction_w, g2]
        found.dim = geom.condim[g2]
        mix = 0.0
    found.friction = vec5(slide[0], slide[0], slide[1], slide[2], slide[2])
    solref_w = per_world(geom.solref.shape[0], w)
    solref1 = geom.solref[solref_w, g1]
    solref2 = geom.solref[solref_w, g2]
    found.solref = mix * solref1 + (1.0 - mix) * solref2
    if geom.priority[g1] == geom.priority[g2] and wp.min(solref1[0], solref2[0]) <= 0.0:
        unknown = nothing(found.solref[0] + found.solref[1])
        found.solref = wp.min(solref1, solref2) + wp.vec2(unknown)  # stiffness and damping in at least one of them
    solimp_w = per_world(geom.solimp.shape[0], w)
    found.solimp = mix * geom.solimp[solimp_w, g1] + (1.0 - mix) * geom.solimp[solimp_w, g2]
    return found


@wp.func
def _explicit(pair: Pair, w: int, pairid: int) -> ContactParams:
    """Parameters of an explicit pair."""
    found = ContactParams()
    found.dim = pair.dim[pairid]
    found.friction = pair.friction[per_world(pair.friction.shape[0], w), pairid]
    found.solref = pair.solref[per_world(pair.solref.shape[0], w), pairid]
    found.solreffriction = pair.solreffriction[per_world(pair.solreffriction.shape[0], w), pairid]
    found.solimp = pair.solimp[per_world(pair.solimp.shape[0], w), pairid]
    return found


@wp.func
def contact_params(opt: Option, geom: Geom, pair: Pair, w: int, g1: int, g2: int, pairid: int) -> ContactParams:
    """Parameters of the contacts between two geoms; ``pairid``: explicit pair, or -1."""
    found = ContactParams()
    if pairid >= 0:
        found = _explicit(pair, w, pairid)
    else:
        found = _mixed(geom, w, g1, g2)
    if (opt.enableflags & OVERRIDE) != 0:
        found.friction = opt.o_friction[per_world(opt.o_friction.shape[0], w)]
        found.solref = opt.o_solref[per_world(opt.o_solref.shape[0], w)]
        found.solreffriction = found.solref
        found.solimp = opt.o_solimp[per_world(opt.o_solimp.shape[0], w)]
    for i in range(5):
        found.friction[i] = at_least(found.friction[i], MINMU)
    return found
