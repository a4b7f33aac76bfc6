"""Gradients by parameters and places of geoms and by explicit pairs, gathered from contacts in their order.

The reverse of ``newtonish.kernels.collision.params``: friction is the larger one's (half of each where both are equal), references and impedances are mixed.
"""

import warp as wp

from newtonish.kernels.collision.params import OVERRIDE, solver_mix
from newtonish.kernels.derivative.algebra import bottom, real, top, vec6d, wide, wide_matrix
from newtonish.kernels.derivative.cotangent import Cotangent, FieldBars, vec2d, vec5d
from newtonish.kernels.derivative.field_contacts import contact_count
from newtonish.kernels.derivative.quaternions import quaternion_bar
from newtonish.kernels.derivative.row_bars import narrow2, narrow3, narrow5
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Com, Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Geom, Option, Pair, Size


@wp.struct
class GeomBar:
    """Sums of a geom over its contacts."""

    friction: wp.vec3d
    solref: wp.vec2d
    solimp: vec5d
    margin: wp.float64
    place: vec6d


@wp.func
def _shared(geom: Geom, cotangent: Cotangent, found: GeomBar, w: int, c: int, g: int, other: int) -> GeomBar:
    """``found`` with the share of geom ``g`` in the parameters of contact ``c``."""
    found.margin = found.margin + cotangent.margin[w, c]
    mix = real(1.0)
    part = wp.vec3d(real(1.0), real(1.0), real(1.0))
    by_ref = vec2d(real(1.0), real(1.0))
    solref_w = per_world(geom.solref.shape[0], w)
    own = geom.solref[solref_w, g]
    against = geom.solref[solref_w, other]
    if geom.priority[g] < geom.priority[other]:
        mix = real(0.0)
        part = wp.vec3d()
    elif geom.priority[g] == geom.priority[other]:
        mix_w = per_world(geom.solmix.shape[0], w)
        mix = real(solver_mix(geom.solmix[mix_w, g], geom.solmix[mix_w, other]))
        friction_w = per_world(geom.friction.shape[0], w)
        for i in range(3):
            mine = geom.friction[friction_w, g][i]
            theirs = geom.friction[friction_w, other][i]
            part[i] = wp.where(mine > theirs, real(1.0), wp.where(mine < theirs, real(0.0), real(0.5)))
    by_ref = by_ref * mix
    if geom.priority[g] == geom.priority[other] and wp.min(own[0], against[0]) <= 0.0:
        for i in range(2):
            by_ref[i] = wp.where(own[i] < against[i], real(1.0), wp.where(own[i] > against[i], real(0.0), real(0.5)))
    by_friction = cotangent.friction[w, c]
    sums = wp.vec3d(by_friction[0] + by_friction[1], by_friction[2], by_friction[3] + by_friction[4])
    found.friction = found.friction + wp.cw_mul(part, sums)
    found.solref = found.solref + wp.cw_mul(by_ref, cotangent.solref[w, c])
    found.solimp = found.solimp + mix * cotangent.solimp[w, c]
    return found


@wp.func
def geom_field_bars(
    size: Size, opt: Option, body: Body, geom: Geom, kin: Kinematics, com: Com, contact: Contact, status: Status, cotangent: Cotangent,
    bars: FieldBars, w: int, lane: int,
):  # fmt: skip
    """Add what contacts do by their geoms; each lane has geoms of its own."""
    mixed = (opt.enableflags & OVERRIDE) == 0
    for g in range(lane, size.ngeom, lanes()):
        found = GeomBar()
        for c in range(contact_count(contact, cotangent, status, w)):
            geoms = contact.geom[w, c]
            if geoms[0] == g or geoms[1] == g:
                found.place = found.place + wp.where(geoms[0] == g, cotangent.place1[w, c], cotangent.place2[w, c])
                if mixed and contact.pairid[w, c] < 0:
                    found = _shared(geom, cotangent, found, w, c, g, wp.where(geoms[0] == g, geoms[1], geoms[0]))
        bars.geom_friction[w, g] = bars.geom_friction[w, g] + narrow3(found.friction)
        bars.geom_solref[w, g] = bars.geom_solref[w, g] + narrow2(found.solref)
        bars.geom_solimp[w, g] = bars.geom_solimp[w, g] + narrow5(found.solimp)
        bars.geom_margin[w, g] = bars.geom_margin[w, g] + float(found.margin)
        b = geom.bodyid[g]
        force = bottom(found.place)
        arm = wide(kin.geom_xpos[w, g]) - wide(com.subtree_com[w, body.rootid[b]])
        torque = top(found.place) - wp.cross(arm, force)
        bars.geom_pos[w, g] = bars.geom_pos[w, g] + narrow3(wp.transpose(wide_matrix(kin.xmat[w, b])) * force)
        turn = wp.transpose(wide_matrix(kin.geom_xmat[w, g])) * torque
        bars.geom_quat[w, g] = bars.geom_quat[w, g] + quaternion_bar(geom.quat[per_world(geom.quat.shape[0], w), g], turn)


@wp.func
def pair_field_bars(size: Size, opt: Option, pair: Pair, contact: Contact, status: Status, cotangent: Cotangent, bars: FieldBars, w: int, lane: int):
    """Add what contacts do by their explicit pairs; each lane has pairs of its own."""
    for p in range(lane, size.npair, lanes()):
        friction = vec5d()
        solref = vec2d()
        solreffriction = vec2d()
        solimp = vec5d()
        margin = real(0.0)
        if (opt.enableflags & OVERRIDE) == 0:
            for c in range(contact_count(contact, cotangent, status, w)):
                if contact.pairid[w, c] == p:
                    friction += cotangent.friction[w, c]
                    solref += cotangent.solref[w, c]
                    solreffriction += cotangent.solreffriction[w, c]
                    solimp += cotangent.solimp[w, c]
                    margin += cotangent.margin[w, c]
        bars.pair_friction[w, p] = bars.pair_friction[w, p] + narrow5(friction)
        bars.pair_solref[w, p] = bars.pair_solref[w, p] + narrow2(solref)
        bars.pair_solreffriction[w, p] = bars.pair_solreffriction[w, p] + narrow2(solreffriction)
        bars.pair_solimp[w, p] = bars.pair_solimp[w, p] + narrow5(solimp)
        bars.pair_margin[w, p] = bars.pair_margin[w, p] + float(margin)
