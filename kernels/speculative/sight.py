"""Speculative contacts that something in between hides are left out.

A contact is hidden if the segment between its two points, as they are now, meets a geom that a fast one of the pair can collide with and does not
touch yet. A geom that moves along with one of the two hides nothing, nor do heightfields.
"""

import warp as wp

from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.sweep import may_collide
from newtonish.kernels.constants import HFIELD
from newtonish.kernels.math.world import lanes, scan_lanes, sync
from newtonish.kernels.sensor.ray_world import ray_geom
from newtonish.kernels.speculative.travel import is_fast
from newtonish.kernels.structs.collision import Sweep
from newtonish.kernels.structs.data import Contact, Kinematics
from newtonish.kernels.structs.geometric import Surface
from newtonish.kernels.structs.model import Body, Geom, HeightField, Option, Pair, Size
from newtonish.kernels.structs.speculative import Ahead, Thickness


@wp.func
def _touch(
    opt: wp.ref[Option], geom: wp.ref[Geom], pair: wp.ref[Pair], contact: wp.ref[Contact], ahead: wp.ref[Ahead], w: int, last: int, g1: int, g2: int
) -> bool:
    """Whether there is a contact of two geoms that acts and is not speculative."""
    for c in range(last):
        geoms = contact.geom[w, c]
        if ahead.share[w, c] == 0.0 and ((geoms[0] == g1 and geoms[1] == g2) or (geoms[0] == g2 and geoms[1] == g1)):
            if contact.dist[w, c] < pair_margin(opt, geom, pair, w, geoms[0], geoms[1], contact.pairid[w, c])[0]:
                return True
    return False


@wp.func
def _meets(opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], sweep: wp.ref[Sweep], g1: int, g2: int) -> bool:
    """Whether two geoms can collide."""
    return may_collide(opt, body, geom, sweep, wp.min(g1, g2), wp.max(g1, g2))


@wp.func
def _may_hide(
    opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], pair: wp.ref[Pair], sweep: wp.ref[Sweep], contact: wp.ref[Contact], thickness: wp.ref[Thickness],
    ahead: wp.ref[Ahead], w: int, last: int, g: int, geoms: wp.vec2i,
) -> bool:  # fmt: skip
    """Whether geom ``g`` can hide the geoms of a pair from each other."""
    if g == geoms[0] or g == geoms[1] or geom.type[g] == HFIELD or (geom.contype[g] | geom.conaffinity[g]) == 0:
        return False
    weld = body.weldid[geom.bodyid[g]]
    for k in range(2):
        if weld != 0 and weld == body.weldid[geom.bodyid[geoms[k]]]:
            return False
    meets = bool(False)
    for k in range(2):
        if is_fast(thickness, ahead, w, geoms[k], geoms[1 - k]) and _meets(opt, body, geom, sweep, geoms[k], g):
            meets = True
    if meets:
        for k in range(2):
            if is_fast(thickness, ahead, w, geoms[k], geoms[1 - k]) and _touch(opt, geom, pair, contact, ahead, w, last, geoms[k], g):
                meets = False
    return meets


@wp.func(inline=False)
def _is_hidden(
    size: wp.ref[Size], opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], pair: wp.ref[Pair], sweep: wp.ref[Sweep], surface: wp.ref[Surface],
    hfield: wp.ref[HeightField], kin: wp.ref[Kinematics], contact: wp.ref[Contact], thickness: wp.ref[Thickness], ahead: wp.ref[Ahead], w: int, last: int, c: int,
) -> bool:  # fmt: skip
    """Whether a geom lies between the points of speculative contact ``c``."""
    geoms = contact.geom[w, c]
    travel1 = ahead.travel[w, geoms[0]]
    travel2 = ahead.travel[w, geoms[1]]
    span = ahead.span[w, c]
    start = contact.pos[w, c] - travel2 / (travel1 + travel2) * span
    for g in range(size.ngeom):
        if _may_hide(opt, body, geom, pair, sweep, contact, thickness, ahead, w, last, g, geoms):
            if ray_geom(geom, surface, hfield, kin, w, g, start, span, 1.0).geom >= 0:
                return True
    return False


@wp.func
def drop_hidden(
    size: wp.ref[Size], opt: wp.ref[Option], body: wp.ref[Body], geom: wp.ref[Geom], pair: wp.ref[Pair], sweep: wp.ref[Sweep], surface: wp.ref[Surface],
    hfield: wp.ref[HeightField], kin: wp.ref[Kinematics], contact: wp.ref[Contact], thickness: wp.ref[Thickness], ahead: wp.ref[Ahead], w: int, lane: int, count: int,
) -> int:  # fmt: skip
    """Keep those of ``count`` contacts that are not hidden, in their order; returns how many with unlimited room. Ends with a barrier."""
    last = wp.min(count, contact.dist.shape[1])
    for c in range(lane, last, lanes()):
        contact.dim[w, c] = 1
        if ahead.share[w, c] > 0.0:
            if _is_hidden(size, opt, body, geom, pair, sweep, surface, hfield, kin, contact, thickness, ahead, w, last, c):
                contact.dim[w, c] = 0
    sync()
    kept = wp.int32(0)
    for first in range(0, last, lanes()):
        c = first + lane
        keep = wp.int32(0)
        if c < last:
            keep = contact.dim[w, c]
        place = scan_lanes(keep)
        to = kept + place[0]
        dist = wp.float32(0.0)
        pos = wp.vec3()
        frame = wp.mat33()
        geoms = wp.vec2i()
        pairid = wp.int32(-1)
        share = wp.float32(0.0)
        closing = wp.float32(0.0)
        if keep == 1:
            dist = contact.dist[w, c]
            pos = contact.pos[w, c]
            frame = contact.frame[w, c]
            geoms = contact.geom[w, c]
            pairid = contact.pairid[w, c]
            share = ahead.share[w, c]
            closing = ahead.closing[w, c]
        sync()
        if keep == 1 and to != c:
            contact.dist[w, to] = dist
            contact.pos[w, to] = pos
            contact.frame[w, to] = frame
            contact.geom[w, to] = geoms
            contact.pairid[w, to] = pairid
            ahead.share[w, to] = share
            ahead.closing[w, to] = closing
        kept += place[1]
        sync()
    return kept + count - last
