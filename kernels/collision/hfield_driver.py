"""Contacts of a world whose model has heightfields, in the order of the pairs.

The same walk over the pairs as ``newtonish.kernels.collision.convex_driver``. The lanes of a block share the prisms of a
heightfield and collide the pairs between two such pairs side by side. A kernel of its own, so that nobody else compiles it.
"""

import warp as wp

from newtonish.kernels.collision.batches import collect_batch
from newtonish.kernels.collision.broadphase import bound_listed
from newtonish.kernels.collision.convex_driver import collide_alone
from newtonish.kernels.collision.hfield import collide_hfield
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.search import Search
from newtonish.kernels.collision.support import PRISM
from newtonish.kernels.collision.walk import Walk, begin_pairs, begin_walk
from newtonish.kernels.collision.write import finish_contacts, write_count
from newtonish.kernels.math.world import sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, HeightField, Hull, Option, Pair, Size


@wp.func
def collide_candidates(
    opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics],
    contact: Contact, walk: wp.ref[Walk],
):  # fmt: skip
    """Contacts of the listed pairs, behind the ``walk.count`` ones that there are."""
    search = Search()
    walk.sifted = 0  # entries that are done
    while walk.sifted < walk.listed:
        p = contact.candidate[walk.slot, walk.sifted]
        if geom.type[collide.geom1[p]] == PRISM:
            g1 = collide.geom1[p]
            g2 = collide.geom2[p]
            pairid = collide.pairid[p]
            width = pair_margin(opt, geom, pair, walk.w, g1, g2, pairid)
            collide_hfield(geom, hull, hfield, kin, contact, walk, g1, g2, pairid, width[0] + width[1])
            walk.sifted += 1
        else:
            begin = wp.int32(walk.sifted)
            while walk.sifted < walk.listed and geom.type[collide.geom1[contact.candidate[walk.slot, walk.sifted]]] != PRISM:
                walk.sifted += 1
            collide_alone(opt, geom, pair, collide, hull, kin, contact, walk, search, begin, walk.sifted)
    sync()


@wp.func
def collision_hfield_world(
    size: Size, opt: Option, body: Body, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], hfield: wp.ref[HeightField],
    kin: wp.ref[Kinematics], contact: Contact, status: Status, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world."""
    walk = Walk()
    begin_walk(walk, w, lane)
    begin_pairs(walk, bound_listed(size, opt, geom, pair, kin, contact, status, w, walk.slot, lane), contact.candidate.shape[1])
    while walk.tested < walk.last:
        collect_batch(size, collide, contact, walk, 0)
        collide_candidates(opt, geom, pair, collide, hull, hfield, kin, contact, walk)
    finish_contacts(opt, geom, pair, contact, 0, walk.count, walk.w, walk.lane)
    write_count(contact, status, walk.count, walk.w, walk.lane)
    sync()
