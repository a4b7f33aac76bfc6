"""Contacts of a world whose model has pairs of general convex shapes, in the order of the pairs.

The same walk over the pairs as ``newtonish.kernels.collision.driver``, with every narrowphase function there is. It is a
kernel of its own because the search for depths takes long to compile; models of simple shapes use the other one.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.collision.batches import collect_batch
from newtonish.kernels.collision.box_box import box_box
from newtonish.kernels.collision.boxes import boxes_apart
from newtonish.kernels.collision.broadphase import bound_listed
from newtonish.kernels.collision.canonical_order import comes_second, is_exchanged
from newtonish.kernels.collision.convex import end_search
from newtonish.kernels.collision.manifold import Manifold
from newtonish.kernels.collision.narrow import points_of
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.patch import Patch, point_at, point_dist, shift_points
from newtonish.kernels.collision.plane_mesh import plane_mesh
from newtonish.kernels.collision.search import Search, begin_search, search_in_turn, search_together
from newtonish.kernels.collision.sift import apart_by_boxes, is_convex_pair, sift
from newtonish.kernels.collision.support import Shape, make_shape
from newtonish.kernels.collision.walk import Walk, begin_entries, begin_pairs, begin_walk, next_entry, shares, shares_none
from newtonish.kernels.collision.write import finish_contacts, write_count, write_manifold, write_point
from newtonish.kernels.constants import BOX, MESH, PLANE, SDF
from newtonish.kernels.math.crowd import any_of_warp, meet_crowd, places
from newtonish.kernels.math.team import crowd_of, most_of, team_of
from newtonish.kernels.math.world import per_world, sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Hull, Option, Pair, Size

MULTICCD = wp.constant(int(DisableBit.MULTICCD))


@wp.func
def _place_shapes(geom: wp.ref[Geom], hull: wp.ref[Hull], kin: wp.ref[Kinematics], w: int, g1: int, g2: int, convex: bool, search: wp.ref[Search]):
    """The shapes of two geoms, the one of the lower type first, as ``search.cores``; of general convex ones relative to one of them."""
    type1 = geom.type[g1]
    type2 = wp.int32(geom.type[g2])
    pos1 = kin.geom_xpos[w, g1]
    mat1 = kin.geom_xmat[w, g1]
    pos2 = kin.geom_xpos[w, g2]
    mat2 = kin.geom_xmat[w, g2]
    size_w = per_world(geom.size.shape[0], w)
    data_w = per_world(geom.dataid.shape[0], w)
    size1 = geom.size[size_w, g1]
    size2 = geom.size[size_w, g2]
    search.turn = 0
    search.origin = wp.vec3()
    if convex:
        search.origin = pos1  # float32 is finest near zero
        if type1 == type2 and type1 != BOX:
            if comes_second(pos2 - pos1, mat1, mat2, size1, size2):
                search.turn = 1
                search.origin = pos2
    search.cores.shape1 = make_shape(hull, type1, geom.dataid[data_w, g1], pos1 - search.origin, mat1, size1)
    if type2 == SDF:
        type2 = MESH  # of which a plane touches the hull, as in MuJoCo
    search.cores.shape2 = make_shape(hull, type2, geom.dataid[data_w, g2], pos2 - search.origin, mat2, size2)


@wp.func(inline=False)
def convex_narrowphase(hull: wp.ref[Hull], search: wp.ref[Search]):
    """Contact points of the shapes of ``search``, as ``search.patch``, which comes empty; of some pairs the search for them begins instead."""
    if search.cores.shape1.kind == PLANE:
        mat = search.cores.shape1.mat
        plane_mesh(hull, wp.vec3(), wp.vec3(mat[0, 2], mat[1, 2], mat[2, 2]), search.cores.shape2, search.reach, search.patch)
        shift_points(search.patch, search.origin)
    elif search.cores.shape1.kind == BOX and search.cores.shape2.kind == BOX:
        box_box(search.cores.shape1, search.cores.shape2, search.reach, search.patch)
        shift_points(search.patch, search.origin)
    else:
        begin_search(hull, search)


@wp.func
def _simple_points(one: wp.ref[Shape], other: wp.ref[Shape], reach: float) -> Manifold:
    return points_of(one.kind, one.pos, one.mat, one.size, other.kind, other.pos, other.mat, other.size, reach, True)


@wp.func(inline=False)
def _simple_narrowphase(search: wp.ref[Search]):
    """Contact points of two shapes that have a function of their own, as ``search.points``."""
    search.points = _simple_points(search.cores.shape1, search.cores.shape2, search.reach)


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
        opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], kin: wp.ref[Kinematics], contact: Contact, walk: wp.ref[Walk],
        search: wp.ref[Search],
    ):  # fmt: skip
        """The points of this lane's entry of the list; of convex geoms the search for them begins. No entry, no points."""
        search.exchanged = 0
        search.symmetric = 0
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
            search.reach = walk.width[0] + walk.width[1]
            one = wp.int32(g1)
            other = wp.int32(g2)
            if opt.symmetric_contacts != 0:
                if is_exchanged(geom, kin, w, g1, g2):
                    search.exchanged = 1
                    one = g2
                    other = g1
                if geom.type[one] == geom.type[other]:
                    search.symmetric = 1
            convex = is_convex_pair(geom.type[one], geom.type[other])
            left = bool(True)
            if convex and geom.type[one] != PLANE:
                left = not apart(geom, hull, kin, w, one, other, search.reach)
            if left:
                _place_shapes(geom, hull, kin, w, one, other, convex, search)
                if convex:
                    convex_narrowphase(hull, search)
                else:
                    _simple_narrowphase(search)

    return begin_pair


@wp.func
def end_pair(opt: Option, hull: wp.ref[Hull], search: wp.ref[Search]):
    """The second half: contact points of convex geoms from the deepest point; all points as seen from the geom that the model names first."""
    end_search(hull, search, (opt.disableflags & MULTICCD) == 0)
    if search.exchanged == 1:
        search.points.normal = -search.points.normal
        search.points.normal_second = -search.points.normal_second


def colliding(search_depth: wp.Function, apart: wp.Function, crowd: wp.Function) -> wp.Function:
    """Contacts of the pairs that lanes have now.

    Args:
        search_depth: finds how deep two shapes overlap.
        apart: whether two geoms need no search.
        crowd: the lanes that share pairs.
    """
    begin_pair = search_begun(apart)

    @wp.func
    def collide_pairs(
        opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], kin: wp.ref[Kinematics], contact: Contact,
        walk: wp.ref[Walk], search: wp.ref[Search],
    ):  # fmt: skip
        """Contacts of the pairs of ``walk.item``, behind the ``walk.count`` ones that there are."""
        begin_pair(opt, geom, pair, collide, hull, kin, contact, walk, search)
        search_depth(hull, search, walk)
        end_pair(opt, hull, search)
        place = places(search.points.count + search.patch.count, walk.count, walk.item, crowd(walk))
        write_points(contact, walk, search, walk.w + walk.item[0], place[0])
        walk.count = place[1]

    return collide_pairs


collide_in_turn = colliding(search_in_turn, boxes_apart, shares_none)
collide_together = colliding(search_together, apart_by_boxes, shares)


@wp.func
def collide_alone(
    opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], kin: wp.ref[Kinematics], contact: Contact,
    walk: wp.ref[Walk], search: wp.ref[Search], begin: int, end: int,
):  # fmt: skip
    """Contacts of the entries ``begin`` to ``end - 1`` of a list, where worlds come by at different times."""
    begin_entries(walk, begin, end, shares_none(walk))
    while next_entry(walk, shares_none(walk)):
        collide_in_turn(opt, geom, pair, collide, hull, kin, contact, walk, search)
    meet_crowd(shares_none(walk))


@wp.func
def _is_due(walk: wp.ref[Walk]) -> bool:
    """Whether the list is to be worked off: no pairs are left, or one of a warp's worlds has listed more than ``walk.some``."""
    return walk.tested >= walk.last or most_of(walk.listed, walk.crowd) > walk.some


@wp.func
def _next_pairs(
    size: Size, opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], kin: wp.ref[Kinematics], contact: Contact,
    walk: wp.ref[Walk],
) -> bool:  # fmt: skip
    """Give each lane its next pair, as ``walk.item``; where a list is worked off, the near ones of the next pairs are listed first. False: none are left."""
    while walk.done >= walk.shared and walk.tested < walk.last:
        meet_crowd(walk.crowd)  # all have read the list
        collect_batch(size, collide, contact, walk, walk.listed)
        if _is_due(walk):
            sift(opt, geom, pair, collide, hull, kin, contact.candidate, walk)
            if _is_due(walk):
                begin_entries(walk, 0, walk.listed, walk.crowd)
                walk.listed = 0
                walk.sifted = 0
    return next_entry(walk, walk.crowd)


@wp.func
def collision_convex_world(
    size: Size, opt: Option, body: Body, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], kin: wp.ref[Kinematics],
    contact: Contact, status: Status, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world."""
    walk = Walk()
    begin_walk(walk, w, lane)
    walk.team = team_of(contact.dist.shape[0])
    walk.crowd = crowd_of(contact.dist.shape[0])
    last = bound_listed(size, opt, geom, pair, kin, contact, status, w, walk.slot, lane)
    begin_pairs(walk, last, contact.candidate.shape[1] // 2)  # those near of the pairs before have the other half
    search = Search()
    while any_of_warp(_next_pairs(size, opt, geom, pair, collide, hull, kin, contact, walk)):
        collide_together(opt, geom, pair, collide, hull, kin, contact, walk, search)
    meet_crowd(walk.crowd)
    finish_contacts(opt, geom, pair, contact, 0, walk.count, walk.w, walk.lane)
    write_count(contact, status, walk.count, walk.w, walk.lane)
    sync()
