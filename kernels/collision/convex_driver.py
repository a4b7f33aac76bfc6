"""Contacts of a world whose model has pairs of general convex shapes, in the order of the pairs.

The same walk over the pairs as ``newtonish.kernels.collision.driver``, with every narrowphase function there is. It is a
kernel of its own because the search for depths takes long to compile; models of simple shapes use the other one.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.collision.batches import collect_batch
from newtonish.kernels.collision.box_box import box_box
from newtonish.kernels.collision.broadphase import bound_listed
from newtonish.kernels.collision.canonical_order import comes_second, is_exchanged
from newtonish.kernels.collision.convex import end_search
from newtonish.kernels.collision.narrow import narrowphase
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.patch import Patch, point_at, point_dist, shift_points
from newtonish.kernels.collision.plane_mesh import plane_mesh
from newtonish.kernels.collision.search import Search, begin_search, search_together
from newtonish.kernels.collision.sift import apart_by_boxes, is_convex_pair, sift
from newtonish.kernels.collision.support import make_shape
from newtonish.kernels.collision.walk import Walk, begin_entries, begin_walk, next_entry, shares
from newtonish.kernels.collision.write import finish_contacts, write_count, write_manifold, write_point
from newtonish.kernels.constants import BOX, PLANE
from newtonish.kernels.math.crowd import meet_crowd, places
from newtonish.kernels.math.team import crowd_of, most_of, team_of
from newtonish.kernels.math.world import per_world, sync
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
    boxes = type1 == BOX and type2 == BOX
    turn = type1 == type2 and not boxes and comes_second(to2, mat1, mat2, size1, size2)
    origin = wp.where(turn, pos2, pos1)
    search.cores.shape2 = make_shape(hull, type2, geom.dataid[data_w, g2], pos2 - origin, mat2, size2)
    if type1 == PLANE:
        plane_mesh(hull, wp.vec3(), wp.vec3(mat1[0, 2], mat1[1, 2], mat1[2, 2]), search.cores.shape2, reach, search.patch)
        shift_points(search.patch, pos1)
    else:
        search.cores.shape1 = make_shape(hull, type1, geom.dataid[data_w, g1], pos1 - origin, mat1, size1)
        if boxes:
            box_box(search.cores.shape1, search.cores.shape2, reach, search.patch)
            shift_points(search.patch, pos1)
        else:
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


@wp.func
def write_points(contact: Contact, walk: wp.ref[Walk], search: wp.ref[Search], w: int, slot: int):
    """Write the points of a pair from ``slot`` on, as far as there is room."""
    if search.points.count > 0:
        write_manifold(contact, search.points, w, slot, walk.geoms[0], walk.geoms[1], walk.pairid)
    if search.patch.count > 0:
        write_patch(contact, search.patch, w, slot, walk.geoms[0], walk.geoms[1], walk.pairid)


def search_begun(apart: wp.Function) -> wp.Function:
    """The first half of a search for the contact points of a pair; ``apart`` tells whether two geoms need none."""

    @wp.func
    def begin_pair(
        opt: Option, geom: wp.ref[Geom], pair: Pair, collide: Collide, hull: wp.ref[Hull], kin: wp.ref[Kinematics], contact: Contact, walk: wp.ref[Walk],
        search: wp.ref[Search],
    ):  # fmt: skip
        """The points of this lane's entry of the list; of convex geoms the search for them begins. No entry, no points."""
        walk.exchanged = 0
        walk.symmetric = 0
        search.near = 0
        search.patch.count = 0
        search.points.count = 0
        if walk.item[1] >= 0:
            w = walk.w + walk.item[0]
            p = contact.candidate[walk.slot + walk.item[0], walk.begin + walk.item[1]]
            g1 = collide.geom1[p]
            g2 = collide.geom2[p]
            walk.geoms = wp.vec2i(g1, g2)
            walk.pairid = collide.pairid[p]
            walk.width = pair_margin(opt, geom, pair, w, g1, g2, walk.pairid)
            reach = walk.width[0] + walk.width[1]
            one = wp.int32(g1)
            other = wp.int32(g2)
            if opt.symmetric_contacts != 0:
                if is_exchanged(geom, kin, w, g1, g2):
                    walk.exchanged = 1
                    one = g2
                    other = g1
                if geom.type[one] == geom.type[other]:
                    walk.symmetric = 1
            if is_convex_pair(geom.type[one], geom.type[other]):
                if geom.type[one] == PLANE or not apart(geom, hull, kin, w, one, other, reach):
                    convex_narrowphase(geom, hull, kin, w, one, other, reach, search)
            else:
                _simple_narrowphase(geom, kin, w, one, other, reach, search)

    return begin_pair


@wp.func
def end_pair(opt: Option, hull: wp.ref[Hull], walk: wp.ref[Walk], search: wp.ref[Search]):
    """The second half: contact points of convex geoms from the deepest point; all points as seen from the geom that the model names first."""
    if search.near == 1:
        end_search(hull, search, (opt.disableflags & MULTICCD) == 0, walk.symmetric == 1)
    if walk.exchanged == 1:
        search.patch.normal = -search.patch.normal
        search.points.normal = -search.points.normal
        search.points.normal_second = -search.points.normal_second


def listed(search_depth: wp.Function, apart: wp.Function, crowd: wp.Function) -> wp.Function:
    """Contacts of the pairs of a list.

    Args:
        search_depth: finds how deep two shapes overlap.
        apart: whether two geoms need no search.
        crowd: the lanes that share pairs, all of which begin at the same entry.
    """
    begin_pair = search_begun(apart)

    @wp.func
    def collide_listed(
        opt: Option, geom: wp.ref[Geom], pair: Pair, collide: Collide, hull: wp.ref[Hull], kin: wp.ref[Kinematics], contact: Contact,
        walk: wp.ref[Walk], begin: int, end: int,
    ):  # fmt: skip
        """Contacts of the entries ``begin`` to ``end - 1``, behind the ``walk.count`` ones that there are."""
        search = Search()
        begin_entries(walk, begin, end, crowd(walk))
        while next_entry(walk, crowd(walk)):
            begin_pair(opt, geom, pair, collide, hull, kin, contact, walk, search)
            search_depth(hull, search, walk)
            end_pair(opt, hull, walk, search)
            place = places(search.points.count + search.patch.count, walk.count, walk.item, crowd(walk))
            write_points(contact, walk, search, walk.w + walk.item[0], place[0])
            walk.count = place[1]
        meet_crowd(crowd(walk))

    return collide_listed


collide_together = listed(search_together, apart_by_boxes, shares)


@wp.func
def _is_due(walk: wp.ref[Walk]) -> bool:
    """Whether the list is to be worked off: no pairs are left, or one of a warp's worlds has listed more than ``walk.some``."""
    return walk.tested >= walk.last or most_of(walk.listed, walk.crowd) > walk.some


@wp.func
def collision_convex_world(
    size: Size, opt: Option, body: Body, geom: wp.ref[Geom], pair: Pair, collide: Collide, hull: wp.ref[Hull], kin: wp.ref[Kinematics],
    contact: Contact, status: Status, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world."""
    walk = Walk()
    begin_walk(walk, w, lane)
    walk.team = team_of(contact.dist.shape[0])
    walk.crowd = crowd_of(contact.dist.shape[0])
    walk.last = bound_listed(size, opt, geom, pair, kin, contact, status, w, walk.slot, lane)
    walk.some = contact.candidate.shape[1] // 2  # pairs at a time: those near of the ones before have the other half
    while walk.tested < walk.last:
        collect_batch(size, collide, contact, walk, walk.listed)
        if _is_due(walk):
            sift(opt, geom, pair, collide, hull, kin, contact.candidate, walk)
            if _is_due(walk):
                collide_together(opt, geom, pair, collide, hull, kin, contact, walk, 0, walk.listed)
                walk.listed = 0
                walk.sifted = 0
    finish_contacts(opt, geom, pair, contact, 0, walk.count, walk.w, walk.lane)
    write_count(contact, status, walk.count, walk.w, walk.lane)
    sync()
