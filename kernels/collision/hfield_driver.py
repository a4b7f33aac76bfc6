"""Contacts of a world whose model has heightfields, in the order of the pairs.

The same walk over the pairs as ``newtonish.kernels.collision.convex_driver``. The lanes of a block share the prisms of a
heightfield and collide the pairs between two such pairs side by side. A kernel of its own, so that nobody else compiles it.
"""

import warp as wp

from newtonish.kernels.collision.boxes import boxes_apart
from newtonish.kernels.collision.broadphase import bound_listed, collect_near
from newtonish.kernels.collision.convex_driver import listed
from newtonish.kernels.collision.hfield import collide_hfield
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.search import search_alone
from newtonish.kernels.collision.support import PRISM
from newtonish.kernels.collision.write import finish_contacts, write_count
from newtonish.kernels.math.team import ALONE
from newtonish.kernels.math.world import scratch_slot, sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, HeightField, Hull, Option, Pair, Size

collide_alone = listed(search_alone, boxes_apart)  # worlds come by here at different times


@wp.func
def collide_candidates(
    opt: Option, geom: wp.ref[Geom], pair: Pair, collide: Collide, hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics],
    contact: Contact, w: int, slot: int, lane: int, ncandidate: int, ncon: int,
) -> int:  # fmt: skip
    """Contacts of the listed pairs from slot ``ncon`` on; returns the number of contacts with unlimited room."""
    count = ncon
    at = wp.int32(0)
    while at < ncandidate:
        p = contact.candidate[slot, at]
        if geom.type[collide.geom1[p]] == PRISM:
            g1 = collide.geom1[p]
            g2 = collide.geom2[p]
            pairid = collide.pairid[p]
            width = pair_margin(opt, geom, pair, w, g1, g2, pairid)
            count = collide_hfield(geom, hull, hfield, kin, contact, w, lane, g1, g2, pairid, width[0] + width[1], count)
            at += 1
        else:
            begin = at
            while at < ncandidate and geom.type[collide.geom1[contact.candidate[slot, at]]] != PRISM:
                at += 1
            count = collide_alone(opt, geom, pair, collide, hull, kin, contact, w, slot, begin, at, count, ALONE, ALONE)
    sync()
    return count


@wp.func
def collision_hfield_world(
    size: Size, opt: Option, body: Body, geom: wp.ref[Geom], pair: Pair, collide: Collide, hull: wp.ref[Hull], hfield: wp.ref[HeightField],
    kin: wp.ref[Kinematics], contact: Contact, status: Status, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world."""
    slot = scratch_slot(w)
    last = bound_listed(size, opt, geom, pair, kin, contact, status, w, slot, lane)
    batch = contact.candidate.shape[1]
    count = wp.int32(0)
    for begin in range(0, last, batch):
        near = collect_near(
            collide.geom1, collide.geom2, collide.pairid, contact.bound[slot], contact.bound_axis[slot],
            contact.candidate[slot], lane, begin, wp.min(begin + batch, last), size.npair, 0,
        )  # fmt: skip
        count = collide_candidates(opt, geom, pair, collide, hull, hfield, kin, contact, w, slot, lane, near, count)
    finish_contacts(opt, geom, pair, contact, 0, count, w, lane)
    write_count(contact, status, count, w, lane)
    sync()
