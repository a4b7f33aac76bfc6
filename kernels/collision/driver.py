"""Contacts of all geom pairs of a world: bounding capsules, then the narrowphase of each pair that is near.

The pairs were filtered and ordered when the model was made (``newtonish.kernels.collision.filter``). They are treated in
batches: a batch's near pairs are collected first, then collided, each lane of a block taking one. Slots are given by
scans over the lanes, so contacts stand in the order of the pairs, whatever the number of lanes.
"""

from __future__ import annotations

import warp as wp

from newtonish.kernels.collision.broadphase import bound_listed, collect_near
from newtonish.kernels.collision.manifold import Manifold
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.write import finish_contacts, write_count, write_manifold
from newtonish.kernels.math.world import fresh, lanes, scan_lanes, scratch_slot, sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Option, Pair, Size


def listed(function: wp.Function) -> wp.Function:
    """Contacts of the pairs of a list by the narrowphase ``function``."""

    @wp.func
    def collide_listed(
        opt: Option, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact, w: int, slot: int, lane: int,
        ncandidate: int, ncon: int,
    ) -> int:  # fmt: skip
        """Contacts of the listed pairs from slot ``ncon`` on; returns the number of contacts with unlimited room."""
        count = ncon
        for first in range(0, ncandidate, lanes()):
            g1 = wp.int32(0)
            g2 = wp.int32(0)
            pairid = wp.int32(-1)
            found = Manifold()
            if first + lane < ncandidate:
                p = contact.candidate[slot, first + lane]
                g1 = collide.geom1[p]
                g2 = collide.geom2[p]
                pairid = collide.pairid[p]
                width = pair_margin(opt, geom, pair, w, g1, g2, pairid)
                found = function(geom, kin, w, g1, g2, width[0] + width[1])
            place = scan_lanes(found.count)
            at = count + place[0]
            if found.count > 0:
                write_manifold(contact, found, w, at, g1, g2, pairid)
            count += place[1]
        sync()
        return count

    return collide_listed


def walk(function: wp.Function) -> wp.Function:
    """The collision of one world by the narrowphase ``function``; the fewer types it knows, the sooner it is compiled."""
    collide_listed = listed(function)

    @wp.func
    def collision_world(
        size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, kin: Kinematics, contact: Contact,
        status: Status, w: int, lane: int,
    ):  # fmt: skip
        """Contacts of one world."""
        slot = scratch_slot(w)
        last = bound_listed(size, opt, geom, pair, kin, contact, status, w, slot, lane)
        batch = contact.candidate.shape[1]
        count = wp.int32(0)
        begin = wp.int32(0)
        while begin < last:
            near = collect_near(
                collide.geom1, collide.geom2, collide.pairid, contact.bound[slot], contact.bound_axis[slot],
                contact.candidate[slot], lane, begin, wp.min(begin + batch, last), size.npair, 0,
            )  # fmt: skip
            count = collide_listed(opt, geom, pair, collide, kin, contact, w, slot, lane, near, count)
            begin = fresh(begin) + batch
        finish_contacts(opt, geom, pair, contact, 0, count, w, lane)
        write_count(contact, status, count, w, lane)
        sync()

    return collision_world
