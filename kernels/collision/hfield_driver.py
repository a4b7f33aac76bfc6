"""Contacts of a world whose model has heightfields, in the order of the pairs.

The same walk over the pairs as ``newtonish.kernels.collision.convex_driver``. The lanes of a block share the prisms of a
heightfield and collide the pairs between two such pairs side by side. A kernel of its own, so that nobody else compiles it.
"""

import warp as wp

from newtonish.kernels.collision.batches import collect_batch
from newtonish.kernels.collision.broadphase import bound_listed
from newtonish.kernels.collision.convex_driver import collide_in_turn
from newtonish.kernels.collision.hfield import Over, colliding_hfield, keep_over, place_over
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.search import Search
from newtonish.kernels.collision.support import PRISM
from newtonish.kernels.collision.walk import Walk, begin_entries, begin_pairs, begin_walk, next_entry, shares_none
from newtonish.kernels.collision.write import finish_contacts, write_count
from newtonish.kernels.math.crowd import any_alone, any_of_warp
from newtonish.kernels.math.world import sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, HeightField, Hull, Option, Pair, Size


@wp.func
def _next_run(geom: wp.ref[Geom], collide: wp.ref[Collide], contact: Contact, walk: wp.ref[Walk]) -> bool:
    """Take a pair with a heightfield from the list, as ``walk.field``, if it is the next one, and the others up to the next such pair; False: none are left."""
    left = walk.sifted < walk.listed
    walk.field = -1
    if left:
        p = contact.candidate[walk.slot, walk.sifted]
        if geom.type[collide.geom1[p]] == PRISM:
            walk.field = p
            walk.sifted += 1
    walk.begin = walk.sifted
    while walk.sifted < walk.listed and geom.type[collide.geom1[contact.candidate[walk.slot, walk.sifted]]] != PRISM:
        walk.sifted += 1
    return left


@wp.func
def _place_pair(
    opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics],
    walk: wp.ref[Walk], over: wp.ref[Over],
):  # fmt: skip
    """The geom of pair ``walk.field`` over its heightfield, as ``over``."""
    walk.geoms = wp.vec2i(collide.geom1[walk.field], collide.geom2[walk.field])
    walk.pairid = collide.pairid[walk.field]
    width = pair_margin(opt, geom, pair, walk.w, walk.geoms[0], walk.geoms[1], walk.pairid)
    place_over(geom, hull, hfield, kin, walk, width[0] + width[1], over)


def colliding_candidates(any_of: wp.Function) -> wp.Function:
    """Contacts of the listed pairs; ``any_of`` tells whether one of the lanes that come by together has more to do."""
    collide_hfield = colliding_hfield(any_of)

    @wp.func
    def collide_candidates(
        opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics],
        contact: Contact, walk: wp.ref[Walk],
    ):  # fmt: skip
        """Contacts of the listed pairs, behind the ``walk.count`` ones that there are."""
        over = Over()
        keep_over(over)
        search = Search()
        walk.sifted = 0  # entries that are taken
        while any_of(_next_run(geom, collide, contact, walk)):
            walk.number = 0
            if walk.field >= 0:
                _place_pair(opt, geom, pair, collide, hull, hfield, kin, walk, over)
            collide_hfield(hull, kin, contact, walk, over)
            begin_entries(walk, walk.begin, walk.sifted, shares_none(walk))
            while any_of(next_entry(walk, shares_none(walk))):
                collide_in_turn(opt, geom, pair, collide, hull, kin, contact, walk, search)
        sync()

    return collide_candidates


collide_candidates = colliding_candidates(any_of_warp)  # the worlds of a warp come by together
collide_candidates_alone = colliding_candidates(any_alone)


@wp.func
def collision_hfield_world(
    size: Size, opt: Option, body: Body, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], hfield: wp.ref[HeightField],
    kin: wp.ref[Kinematics], contact: Contact, status: Status, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world."""
    walk = Walk()
    begin_walk(walk, w, lane)
    begin_pairs(walk, bound_listed(size, opt, geom, pair, kin, contact, status, w, walk.slot, lane), contact.candidate.shape[1])
    while any_of_warp(walk.tested < walk.last):  # the same in all worlds
        collect_batch(size, collide, contact, walk, 0)
        collide_candidates(opt, geom, pair, collide, hull, hfield, kin, contact, walk)
    finish_contacts(opt, geom, pair, contact, 0, walk.count, walk.w, walk.lane)
    write_count(contact, status, walk.count, walk.w, walk.lane)
    sync()
