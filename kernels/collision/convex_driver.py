"""Contacts of a world whose model has pairs of general convex shapes, in the order of the pairs.

The same walk over the pairs as ``newtonish.kernels.collision.driver``, with every narrowphase function there is. It is a
kernel of its own because the search for depths takes long to compile; models of simple shapes use the other one.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.collision.box_box import box_box
from newtonish.kernels.collision.broadphase import bound_listed, collect_near
from newtonish.kernels.collision.canonical_order import comes_second, is_exchanged
from newtonish.kernels.collision.convex import end_search
from newtonish.kernels.collision.narrow import narrowphase
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.patch import Patch, point_at, point_dist, shift_points
from newtonish.kernels.collision.plane_mesh import plane_mesh
from newtonish.kernels.collision.search import Search, begin_search, search_together
from newtonish.kernels.collision.sift import apart_by_boxes, is_convex_pair, sift
from newtonish.kernels.collision.support import make_shape
from newtonish.kernels.collision.write import finish_contacts, write_count, write_manifold, write_point
from newtonish.kernels.constants import BOX, PLANE
from newtonish.kernels.math.crowd import item_of, meet_crowd, places, rounds_of
from newtonish.kernels.math.team import crowd_of, most_of, team_of
from newtonish.kernels.math.world import per_world, scratch_slot, sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Hull, Option, Pair, Size

MULTICCD = wp.constant(int(DisableBit.MULTICCD))


@wp.func(inline=False)
def convex_narrowphase(geom: wp.ref[Geom], hull: wp.ref[Hull], kin: wp.ref[Kinematics], w: int, g1: int, g2: int, reach: float, search: wp.ref[Search]):
    """Contact points of two convex geoms, the one of the lower type first, as ``search.patch``, which comes empty; of some pairs the search for them begins instead."""
    type1 = geom.type[g1]
    type2 = geom.type[g2]
    pos1 = kin.geom_xpos[w, g1]
    mat1 = kin.geom_xmat[w, g1]
    pos2 = kin.geom_xpos[w, g2]
    to2 = pos2 - pos1  # relative positions: float32 is finest near zero
    mat2 = kin.geom_xmat[w, g2]
    size_w = per_world(geom.size.shape[0], w)
    data_w = per_world(geom.dataid.shape[0], w)
    size1 = geom.size[size_w, g1]
    size2 = geom.size[size_w, g2]
    zero = wp.vec3(0.0, 0.0, 0.0)
    if type1 == BOX and type2 == BOX:
        box_box(zero, mat1, size1, to2, mat2, size2, reach, search.patch)
        shift_points(search.patch, pos1)
    elif type1 == PLANE:
        shape2 = make_shape(hull, type2, geom.dataid[data_w, g2], to2, mat2, size2)
        plane_mesh(hull, zero, wp.vec3(mat1[0, 2], mat1[1, 2], mat1[2, 2]), shape2, reach, search.patch)
        shift_points(search.patch, pos1)
    else:
        turn = type1 == type2 and comes_second(to2, mat1, mat2, size1, size2)
        origin = wp.where(turn, pos2, pos1)
        search.shape1 = make_shape(hull, type1, geom.dataid[data_w, g1], pos1 - origin, mat1, size1)
        search.shape2 = make_shape(hull, type2, geom.dataid[data_w, g2], pos2 - origin, mat2, size2)
        begin_search(hull, origin, reach, turn, search)


@wp.func(inline=False)
def _simple_narrowphase(geom: wp.ref[Geom], kin: wp.ref[Kinematics], w: int, g1: int, g2: int, reach: float, search: wp.ref[Search]):
    """Contact points of two geoms that have a function of their own, as ``search.points``."""
    search.points = narrowphase(geom, kin, w, g1, g2, reach)


@wp.func
def write_patch(contact: Contact, found: wp.ref[Patch], w: int, slot: int, g1: int, g2: int, pairid: int):
    """Write the points of ``found`` from ``slot`` on, as far as there is room."""
    for k in range(wp.min(found.count, contact.dist.shape[1] - slot)):
        write_point(contact, point_dist(found, k), point_at(found, k), found.normal, wp.vec3(), g1, g2, pairid, w, slot + k)


def listed(search_depth: wp.Function, apart: wp.Function) -> wp.Function:
    """Contacts of the pairs of a list; ``search_depth`` finds how deep two shapes overlap, ``apart`` whether they need no search."""

    @wp.func
    def collide_listed(
        opt: Option, geom: wp.ref[Geom], pair: Pair, collide: Collide, hull: wp.ref[Hull], kin: wp.ref[Kinematics], contact: Contact, w: int, slot: int,
        begin: int, end: int, ncon: int, team: int, crowd: int,
    ) -> int:  # fmt: skip
        """Contacts of the candidates ``begin`` to ``end - 1`` from slot ``ncon`` on; returns their number with unlimited room.

        Args:
            team: lanes that search for a depth together (``newtonish.kernels.math.team``), whatever their worlds.
            crowd: lanes that share the pairs of their worlds (``newtonish.kernels.math.crowd``), all of which begin at the same candidate.
        """
        count = ncon
        search = Search()
        meet_crowd(crowd)
        for round in range(rounds_of(end - begin, crowd)):
            item = item_of(end - begin, round, crowd)
            of = w + item[0]
            g1 = wp.int32(0)
            g2 = wp.int32(0)
            pairid = wp.int32(-1)
            several = (opt.disableflags & MULTICCD) == 0
            symmetric = bool(False)
            exchanged = bool(False)
            search.near = 0
            search.patch.count = 0
            search.points.count = 0
            if item[1] >= 0:
                p = contact.candidate[slot + item[0], begin + item[1]]
                g1 = collide.geom1[p]
                g2 = collide.geom2[p]
                pairid = collide.pairid[p]
                width = pair_margin(opt, geom, pair, of, g1, g2, pairid)
                reach = width[0] + width[1]
                one = wp.int32(g1)
                other = wp.int32(g2)
                if opt.symmetric_contacts != 0:
                    exchanged = is_exchanged(geom, kin, of, g1, g2)
                    if exchanged:
                        one = g2
                        other = g1
                    symmetric = geom.type[one] == geom.type[other]
                if is_convex_pair(geom.type[one], geom.type[other]):
                    if geom.type[one] == PLANE or not apart(geom, hull, kin, of, one, other, reach):
                        convex_narrowphase(geom, hull, kin, of, one, other, reach, search)
                else:
                    _simple_narrowphase(geom, kin, of, one, other, reach, search)
            search_depth(hull, search, hull.iterations, team, crowd)
            if search.near == 1:
                end_search(hull, search, several, symmetric)
            if exchanged:  # as seen from the geom that the model names first
                search.patch.normal = -search.patch.normal
                search.points.normal = -search.points.normal
                search.points.normal_second = -search.points.normal_second
            place = places(search.points.count + search.patch.count, count, item, crowd)
            if search.points.count > 0:
                write_manifold(contact, search.points, of, place[0], g1, g2, pairid)
            if search.patch.count > 0:
                write_patch(contact, search.patch, of, place[0], g1, g2, pairid)
            count = place[1]
        sync()
        meet_crowd(crowd)
        return count

    return collide_listed


collide_together = listed(search_together, apart_by_boxes)


@wp.func
def collision_convex_world(
    size: Size, opt: Option, body: Body, geom: wp.ref[Geom], pair: Pair, collide: Collide, hull: wp.ref[Hull], kin: wp.ref[Kinematics],
    contact: Contact, status: Status, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world."""
    slot = scratch_slot(w)
    last = bound_listed(size, opt, geom, pair, kin, contact, status, w, slot, lane)
    some = contact.candidate.shape[1] // 2  # pairs at a time: those near of the ones before have the other half
    team = team_of(contact.dist.shape[0])
    crowd = crowd_of(contact.dist.shape[0])
    count = wp.int32(0)
    near = wp.int32(0)
    sifted = wp.int32(0)
    for begin in range(0, last, some):
        near = collect_near(
            collide.geom1, collide.geom2, collide.pairid, contact.bound[slot], contact.bound_axis[slot],
            contact.candidate[slot], lane, begin, wp.min(begin + some, last), size.npair, near,
        )  # fmt: skip
        ends = begin + some >= last
        if ends or most_of(near, crowd) > some:  # the worlds of a warp together
            near = sift(opt, geom, pair, collide, hull, kin, contact.candidate, w, slot, sifted, near, crowd)
            sifted = near
            if ends or most_of(near, crowd) > some:
                count = collide_together(opt, geom, pair, collide, hull, kin, contact, w, slot, 0, near, count, team, crowd)
                near = 0
                sifted = 0
    finish_contacts(opt, geom, pair, contact, 0, count, w, lane)
    write_count(contact, status, count, w, lane)
    sync()
