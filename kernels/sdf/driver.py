"""Contacts of a world whose model has signed distance fields, in the order of the pairs.

The same walk over the pairs as ``newtonish.kernels.collision.hfield_driver``. The lanes of a world share the starts of a pair.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.constants import MINVAL
from newtonish.kernels.collision.batches import collect_batch
from newtonish.kernels.collision.broadphase import bound_listed
from newtonish.kernels.collision.convex_driver import collide_alone
from newtonish.kernels.collision.hfield import collide_hfield
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.search import Search as PairSearch
from newtonish.kernels.collision.support import PRISM
from newtonish.kernels.collision.walk import Walk, begin_pairs, begin_walk
from newtonish.kernels.collision.write import finish_contacts, write_count, write_point
from newtonish.kernels.constants import MESH, PLANE, SDF
from newtonish.kernels.math.world import lanes, per_world, scan_lanes, sync
from newtonish.kernels.sdf.faces import face_search
from newtonish.kernels.sdf.fields import named
from newtonish.kernels.sdf.meeting import Meeting, keep_in_memory
from newtonish.kernels.sdf.place import common_box, is_empty, meet, start_point
from newtonish.kernels.sdf.search import Search
from newtonish.kernels.structs.data import Contact, Kinematics, SdfState, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, HeightField, Hull, Option, Pair, Sdf, Size

NEARBY = wp.constant(wp.float64(MINVAL))  # points nearer to each other than that are one contact [m]
HALF = wp.constant(wp.float64(0.5))


@wp.func
def _is_new(pair: wp.ref[Meeting], number: int) -> bool:
    """Whether the search from a start ended where both fields are negative, and none before it ended there."""
    end = pair.ends[number]
    new = end[3] <= wp.float64(0.0)
    if new:
        for k in range(number):
            other = pair.ends[k]
            if other[3] <= wp.float64(0.0) and wp.length(wp.vec3d(end[0] - other[0], end[1] - other[1], end[2] - other[2])) < NEARBY:
                new = False
    return new


@wp.func
def _is_shared(geom: wp.ref[Geom], collide: wp.ref[Collide], p: int) -> bool:
    """Whether all lanes work on a pair together: one with a heightfield, or with a field and no plane, which touches the hull of the field's mesh."""
    type1 = geom.type[collide.geom1[p]]
    return type1 == PRISM or (type1 != PLANE and geom.type[collide.geom2[p]] == SDF)


def fields_collided(search: Search, name: str) -> Any:
    """The contacts of a geom and a field, of those of ``search``."""
    begin, overlap, normal = search.begin, search.overlap, search.normal
    search_faces = face_search(search.distance, search.gradient, name)

    def search_starts(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], walk: wp.ref[Walk]):
        """Where the searches for contacts of two fields end, in the order of their starts, as ``walk.number`` points."""
        common_box(sdf, pair, pair.box)
        walk.number = 0
        if is_empty(pair.box):
            return
        walk.number = wp.min(sdf.initpoints, pair.ends.shape[0])
        pair.start = walk.lane
        while pair.start < walk.number:
            pair.descent.x = start_point(pair.box, pair.start)
            overlap(sdf, pair)
            x = pair.descent.x
            pair.ends[pair.start] = wp.vec4d(x[0], x[1], x[2], pair.descent.dist)
            pair.start += lanes()
        sync()

    search_of_starts = wp.func(named(search_starts, f"search_starts_{name}"), inline=False)

    def contact_at_end(sdf: wp.ref[Sdf], pair: wp.ref[Meeting], k: int):
        """The contact at the end of search ``k``, half of its depth along the normal from there."""
        end = pair.ends[k]
        pair.descent.x = wp.vec3d(end[0], end[1], end[2])
        pair.descent.dist = end[3]
        pair.out = pair.field2.axes * normal(sdf, pair)
        pair.pos = pair.field2.pos + pair.field2.axes * pair.descent.x + HALF * pair.descent.dist * pair.out

    at_end = wp.func(named(contact_at_end, f"contact_at_end_{name}"), inline=False)

    def collide_fields(
        geom: wp.ref[Geom], sdf: wp.ref[Sdf], kin: wp.ref[Kinematics], contact: wp.ref[Contact], state: wp.ref[SdfState], walk: wp.ref[Walk]
    ):  # fmt: skip
        """Contacts of a geom and a field behind the ``walk.count`` ones that there are, with unlimited room."""
        pair = Meeting()
        keep_in_memory(pair)
        meet(geom, sdf, kin, walk.w, walk.geoms[0], walk.geoms[1], pair)
        pair.ends = state.point[walk.slot]
        size_w = per_world(geom.size.shape[0], walk.w)
        begin(sdf, geom.type[walk.geoms[0]], geom.size[size_w, walk.geoms[0]], walk.geoms[0], pair.probe1)
        begin(sdf, geom.type[walk.geoms[1]], geom.size[size_w, walk.geoms[1]], walk.geoms[1], pair.probe2)
        if pair.probe1.type == MESH:
            search_faces(sdf, pair, walk)
        else:
            search_of_starts(sdf, pair, walk)
        walk.done = 0
        while walk.done < walk.number:
            k = walk.done + walk.lane
            found = wp.int32(0)
            if k < walk.number:
                if _is_new(pair, k):
                    found = 1
            place = scan_lanes(found)
            slot = walk.count + place[0]
            if found == 1 and slot < contact.dist.shape[1]:
                at_end(sdf, pair, walk.done + walk.lane)
                dist = wp.float32(pair.descent.dist)
                write_point(contact, dist, wp.vec3(pair.pos), wp.vec3(pair.out), wp.vec3(), walk.geoms[0], walk.geoms[1], walk.pairid, walk.w, slot)
            walk.count += place[1]
            walk.done += lanes()
        sync()

    return wp.func(named(collide_fields, f"collide_fields_{name}"))


def driver(search: Search, name: str) -> Any:
    """The contacts of one world, by the fields of ``search``."""
    collide_pair = fields_collided(search, name)

    def collide_near(
        opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], hfield: wp.ref[HeightField], sdf: wp.ref[Sdf],
        kin: wp.ref[Kinematics], contact: wp.ref[Contact], state: wp.ref[SdfState], walk: wp.ref[Walk],
    ):  # fmt: skip
        """Contacts of the listed pairs, behind the ``walk.count`` ones that there are."""
        search = PairSearch()
        walk.sifted = 0  # entries that are done
        while walk.sifted < walk.listed:
            p = contact.candidate[walk.slot, walk.sifted]
            if _is_shared(geom, collide, p):
                g1 = collide.geom1[p]
                g2 = collide.geom2[p]
                walk.geoms = wp.vec2i(g1, g2)
                walk.pairid = collide.pairid[p]
                walk.width = pair_margin(opt, geom, pair, walk.w, g1, g2, walk.pairid)
                if geom.type[g2] == SDF:
                    collide_pair(geom, sdf, kin, contact, state, walk)
                else:
                    collide_hfield(geom, hull, hfield, kin, contact, walk, g1, g2, walk.pairid, walk.width[0] + walk.width[1])
                walk.sifted += 1
            else:
                begin = wp.int32(walk.sifted)
                while walk.sifted < walk.listed and not _is_shared(geom, collide, contact.candidate[walk.slot, walk.sifted]):
                    walk.sifted += 1
                collide_alone(opt, geom, pair, collide, hull, kin, contact, walk, search, begin, walk.sifted)
        sync()

    collide_listed = wp.func(named(collide_near, f"collide_near_{name}"))

    def collision_world(
        size: Size, opt: Option, body: Body, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], hfield: wp.ref[HeightField],
        sdf: wp.ref[Sdf], kin: wp.ref[Kinematics], contact: wp.ref[Contact], state: wp.ref[SdfState], status: Status, w: int, lane: int,
    ):  # fmt: skip
        """Contacts of one world."""
        walk = Walk()
        begin_walk(walk, w, lane)
        begin_pairs(walk, bound_listed(size, opt, geom, pair, kin, contact, status, w, walk.slot, lane), contact.candidate.shape[1])
        while walk.tested < walk.last:
            collect_batch(size, collide, contact, walk, 0)
            collide_listed(opt, geom, pair, collide, hull, hfield, sdf, kin, contact, state, walk)
        finish_contacts(opt, geom, pair, contact, 0, walk.count, walk.w, walk.lane)
        write_count(contact, status, walk.count, walk.w, walk.lane)
        sync()

    return wp.func(named(collision_world, f"collision_world_{name}"))
