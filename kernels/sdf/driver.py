"""Contacts of a world whose model has signed distance fields, in the order of the pairs.

The same walk over the pairs as ``newtonish.kernels.collision.hfield_driver``. The lanes of a world share the starts of a pair.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.constants import MINVAL
from newtonish.kernels.collision.batches import collect_batch
from newtonish.kernels.collision.broadphase import bound_listed
from newtonish.kernels.collision.convex_driver import write_patch
from newtonish.kernels.collision.hfield import collide_hfield
from newtonish.kernels.collision.hfield_driver import collide_alone
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.patch import Patch, shift_points
from newtonish.kernels.collision.plane_mesh import plane_mesh
from newtonish.kernels.collision.support import PRISM, make_shape
from newtonish.kernels.collision.walk import Walk, begin_walk
from newtonish.kernels.collision.write import finish_contacts, write_count, write_point
from newtonish.kernels.constants import MESH, PLANE, SDF
from newtonish.kernels.math.world import lanes, per_world, scan_lanes, sync
from newtonish.kernels.sdf.faces import face_search
from newtonish.kernels.sdf.fields import named
from newtonish.kernels.sdf.place import common_box, field_axes, field_origin, is_empty, meeting, rotation, start_point
from newtonish.kernels.sdf.search import Meeting, Search
from newtonish.kernels.structs.data import Contact, Kinematics, SdfState, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, HeightField, Hull, Option, Pair, Sdf, Size

NEARBY = wp.constant(wp.float64(MINVAL))  # points nearer to each other than that are one contact [m]
HALF = wp.constant(wp.float64(0.5))


@wp.func
def _is_new(state: wp.ref[SdfState], slot: int, number: int) -> bool:
    """Whether the search from a start ended where both fields are negative, and none before it ended there."""
    end = state.point[slot, number]
    new = end[3] <= wp.float64(0.0)
    if new:
        for k in range(number):
            other = state.point[slot, k]
            if other[3] <= wp.float64(0.0) and wp.length(wp.vec3d(end[0] - other[0], end[1] - other[1], end[2] - other[2])) < NEARBY:
                new = False
    return new


@wp.func(inline=False)
def collide_plane(
    opt: Option, geom: Geom, pair: Pair, hull: wp.ref[Hull], kin: Kinematics, contact: Contact, w: int, lane: int, g1: int, g2: int, pairid: int, ncon: int
) -> int:  # fmt: skip
    """Contacts of a plane and the hull of a field's mesh, as in MuJoCo, from slot ``ncon`` on; one lane writes them."""
    width = pair_margin(opt, geom, pair, w, g1, g2, pairid)
    pos1 = kin.geom_xpos[w, g1]
    mat1 = kin.geom_xmat[w, g1]
    mesh = geom.dataid[per_world(geom.dataid.shape[0], w), g2]
    size = geom.size[per_world(geom.size.shape[0], w), g2]
    shape = make_shape(hull, MESH, mesh, kin.geom_xpos[w, g2] - pos1, kin.geom_xmat[w, g2], size)
    found = Patch()
    plane_mesh(hull, wp.vec3(), wp.vec3(mat1[0, 2], mat1[1, 2], mat1[2, 2]), shape, width[0] + width[1], found)
    if lane == 0:
        shift_points(found, pos1)
        write_patch(contact, found, w, ncon, g1, g2, pairid)
    sync()
    return ncon + found.count


def driver(search: Search, name: str) -> Any:
    """The contacts of one world, by the fields of ``search``."""
    overlap, normal = search.overlap, search.normal
    search_faces = face_search(search.distance, search.gradient, name)

    def search_starts(geom: Geom, sdf: Sdf, kin: Kinematics, state: SdfState, pair: wp.ref[Meeting], w: int, slot: int, lane: int) -> int:
        """Where the searches for contacts of two fields end, in the order of their starts; returns how many there are."""
        box = common_box(geom, sdf, kin, w, pair.geom1, pair.geom2)
        if is_empty(box):
            return 0
        number = wp.min(sdf.initpoints, state.point.shape[1])
        for k in range(lane, number, lanes()):
            rest = overlap(sdf, pair, start_point(box, k))
            state.point[slot, k] = wp.vec4d(rest.x[0], rest.x[1], rest.x[2], rest.dist)
        sync()
        return number

    search_of_starts = wp.func(named(search_starts, f"search_starts_{name}"), inline=False)

    def collide_fields(
        geom: Geom, sdf: Sdf, kin: Kinematics, contact: Contact, state: SdfState, w: int, slot: int, lane: int, g1: int, g2: int, pairid: int, ncon: int
    ) -> int:
        """Contacts of geom ``g1`` and field ``g2`` from slot ``ncon`` on; returns the number of contacts with unlimited room."""
        pair = meeting(geom, sdf, kin, w, g1, g2)
        number = wp.int32(0)
        if pair.type1 == MESH:
            number = search_faces(sdf, pair, state, slot, lane)
        else:
            number = search_of_starts(geom, sdf, kin, state, pair, w, slot, lane)
        own = rotation(kin.geom_xmat[w, g2])
        axes = field_axes(geom, sdf, g2, own)
        origin = field_origin(geom, sdf, g2, wp.vec3d(kin.geom_xpos[w, g2]), own)
        count = wp.int32(ncon)
        for first in range(0, number, lanes()):
            k = first + lane
            found = wp.int32(0)
            if k < number:
                if _is_new(state, slot, k):
                    found = 1
            place = scan_lanes(found)
            at = count + place[0]
            if found == 1 and at < contact.dist.shape[1]:
                end = state.point[slot, k]
                x = wp.vec3d(end[0], end[1], end[2])
                out = axes * normal(sdf, pair, x)
                pos = origin + axes * x + HALF * end[3] * out
                write_point(contact, wp.float32(end[3]), wp.vec3(pos), wp.vec3(out), wp.vec3(), g1, g2, pairid, w, at)
            count += place[1]
        sync()
        return count

    collide_pair = wp.func(named(collide_fields, f"collide_fields_{name}"), inline=False)

    def collide_near(
        opt: Option, geom: Geom, pair: Pair, collide: Collide, hull: Hull, hfield: HeightField, sdf: Sdf, kin: Kinematics, contact: Contact,
        state: SdfState, walk: wp.ref[Walk],
    ):  # fmt: skip
        """Contacts of the listed pairs, behind the ``walk.count`` ones that there are."""
        at = wp.int32(0)
        while at < walk.listed:
            p = contact.candidate[walk.slot, at]
            g1 = collide.geom1[p]
            g2 = collide.geom2[p]
            pairid = collide.pairid[p]
            if geom.type[g1] == PLANE and geom.type[g2] == SDF:
                walk.count = collide_plane(opt, geom, pair, hull, kin, contact, walk.w, walk.lane, g1, g2, pairid, walk.count)
                at += 1
            elif geom.type[g2] == SDF:
                walk.count = collide_pair(geom, sdf, kin, contact, state, walk.w, walk.slot, walk.lane, g1, g2, pairid, walk.count)
                at += 1
            elif geom.type[g1] == PRISM:
                width = pair_margin(opt, geom, pair, walk.w, g1, g2, pairid)
                collide_hfield(geom, hull, hfield, kin, contact, walk, g1, g2, pairid, width[0] + width[1])
                at += 1
            else:
                begin = at
                listed = bool(True)
                while listed:
                    at += 1
                    listed = at < walk.listed
                    if listed:
                        p = contact.candidate[walk.slot, at]
                        listed = geom.type[collide.geom2[p]] != SDF and geom.type[collide.geom1[p]] != PRISM
                collide_alone(opt, geom, pair, collide, hull, kin, contact, walk, begin, at)
        sync()

    collide_listed = wp.func(named(collide_near, f"collide_near_{name}"))

    def collision_world(
        size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, hull: Hull, hfield: HeightField, sdf: Sdf,
        kin: Kinematics, contact: Contact, state: SdfState, status: Status, w: int, lane: int,
    ):  # fmt: skip
        """Contacts of one world."""
        walk = Walk()
        begin_walk(walk, w, lane)
        walk.last = bound_listed(size, opt, geom, pair, kin, contact, status, w, walk.slot, lane)
        walk.some = contact.candidate.shape[1]
        while walk.tested < walk.last:
            collect_batch(size, collide, contact, walk, 0)
            collide_listed(opt, geom, pair, collide, hull, hfield, sdf, kin, contact, state, walk)
        finish_contacts(opt, geom, pair, contact, 0, walk.count, w, lane)
        write_count(contact, status, walk.count, w, lane)
        sync()

    return wp.func(named(collision_world, f"collision_world_{name}"))
