"""Contacts of pairs of geoms of which some are fast: those there are, or else those there will be within the step.

The walk over the pairs is that of ``newtonish.kernels.collision.convex_driver``, one lane a pair, with the search for a meeting behind it.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.collision.boxes import boxes_apart
from newtonish.kernels.collision.canonical_order import comes_second
from newtonish.kernels.collision.convex import end_search
from newtonish.kernels.collision.convex_driver import end_pair, search_begun, write_points
from newtonish.kernels.collision.feature import may_be_flat
from newtonish.kernels.collision.hfield import collide_hfield
from newtonish.kernels.collision.manifold import MAX_POINTS, Manifold
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.patch import Patch, add_point, copy_patch, move_point, patch_pos, point_at, point_dist, set_dist
from newtonish.kernels.collision.search import Search, begin_search, search_alone
from newtonish.kernels.collision.walk import Walk, begin_entries, next_entry, shares_none
from newtonish.kernels.constants import HFIELD, PLANE
from newtonish.kernels.math.world import per_world, scan_lanes, sync
from newtonish.kernels.speculative.advance import Approach, Course, closing_speed, first_shape, meet, nearest, plane_normal, second_shape
from newtonish.kernels.speculative.plane import plane_points
from newtonish.kernels.speculative.travel import is_fast
from newtonish.kernels.structs.data import Contact, Kinematics
from newtonish.kernels.structs.model import Collide, Geom, HeightField, Hull, Option, Pair
from newtonish.kernels.structs.speculative import Ahead, Thickness

MULTICCD = wp.constant(int(DisableBit.MULTICCD))
TINY = wp.constant(1.0e-20)


@wp.struct
class Meeting:
    """Contact points of two geoms that meet within the step; ``patch.count`` is 0 if they do not."""

    patch: Patch  # where the points are now
    span: patch_pos  # from the point of the first geom to that of the second, now
    share: wp.float32  # of the step
    closing: wp.float32  # [m a step]


@wp.func_native("for (int i = 0; i < 3; i++) met.span.data[k][i] = span[i];")
def _set_span(met: wp.ref[Meeting], k: int, span: wp.vec3): ...


@wp.func_native("return wp::vec3(met.span.data[k][0], met.span.data[k][1], met.span.data[k][2]);")
def _span_at(met: wp.ref[Meeting], k: int) -> wp.vec3: ...


@wp.func(inline=False)
def _take_course(geom: wp.ref[Geom], kin: wp.ref[Kinematics], ahead: wp.ref[Ahead], w: int, g1: int, g2: int, course: wp.ref[Course]):
    """How two geoms move within the step, as ``course``."""
    data_w = per_world(geom.dataid.shape[0], w)
    size_w = per_world(geom.size.shape[0], w)
    bound_w = per_world(geom.rbound.shape[0], w)
    course.kind1 = geom.type[g1]
    course.kind2 = geom.type[g2]
    course.mesh1 = geom.dataid[data_w, g1]
    course.mesh2 = geom.dataid[data_w, g2]
    course.size1 = geom.size[size_w, g1]
    course.size2 = geom.size[size_w, g2]
    course.mat1 = kin.geom_xmat[w, g1]
    course.mat2 = kin.geom_xmat[w, g2]
    course.offset = kin.geom_xpos[w, g2] - kin.geom_xpos[w, g1]
    course.shift1 = ahead.shift[w, g1]
    course.shift2 = ahead.shift[w, g2]
    course.turn1 = ahead.turn[w, g1]
    course.turn2 = ahead.turn[w, g2]
    course.turning = wp.length(course.turn1) * geom.rbound[bound_w, g1] + wp.length(course.turn2) * geom.rbound[bound_w, g2]


@wp.func(inline=False)
def _meeting_points(hull: wp.ref[Hull], course: wp.ref[Course], at: wp.ref[Approach], reach: float, several: bool, patch: wp.ref[Patch]):
    """Contact points where two geoms meet, relative to the first one's centre then, as ``patch``, which comes empty.

    Args:
        reach: how far apart further points may be [m].
        several: look for more than the closest points; of a geom over a plane that is always done.
    """
    search = Search()
    search.cores.shape2 = second_shape(hull, course, at.share)
    if course.kind1 == PLANE:
        plane_points(hull, plane_normal(course, at.share), search.cores.shape2, reach, patch)
        return
    search.cores.shape1 = first_shape(hull, course, at.share)
    if several and may_be_flat(search.cores.shape1.kind, search.cores.shape2.kind):
        turn = search.cores.shape1.kind == search.cores.shape2.kind and comes_second(
            search.cores.shape2.pos, search.cores.shape1.mat, search.cores.shape2.mat, search.cores.shape1.size, search.cores.shape2.size
        )
        search.turn = wp.where(turn, 1, 0)
        search.origin = wp.where(turn, search.cores.shape2.pos, wp.vec3())
        search.reach = reach
        search.cores.shape1.pos = search.cores.shape1.pos - search.origin
        search.cores.shape2.pos = search.cores.shape2.pos - search.origin
        begin_search(hull, search)
        if search.near == 1 and search.cores.at.overlap == 0:
            end_search(hull, search, several)
            copy_patch(patch, search.patch)
    if patch.count == 0:
        patch.normal = at.normal
        add_point(patch, at.dist, 0.5 * (at.point1 + at.point2))


@wp.func
def _spheres_meet(course: wp.ref[Course], fast1: bool, fast2: bool, reach: float) -> bool:
    """Whether the centres of two geoms come within ``reach`` of each other by the motion of what is fast; over a plane, whether the height does."""
    motion = wp.vec3()
    if fast1:
        motion -= course.shift1
    if fast2:
        motion += course.shift2
    if course.kind1 == PLANE:
        normal = plane_normal(course, 0.0)
        height = wp.dot(course.offset, normal)
        return wp.min(height, height + wp.dot(motion, normal)) <= reach
    share = wp.clamp(-wp.dot(course.offset, motion) / wp.max(wp.length_sq(motion), TINY), 0.0, 1.0)
    return wp.length(course.offset + share * motion) <= reach


@wp.func(inline=False)
def _find_meeting(
    hull: wp.ref[Hull], course: wp.ref[Course], centre: wp.vec3, margin: float, travel1: float, travel2: float, several: bool, found: wp.ref[Meeting]
):  # fmt: skip
    """When and where two geoms meet, as ``found``, which comes empty.

    Args:
        centre: of the first geom.
        margin: distance at which they touch [m].
        travel1: how far a point of the first geom moves at most [m].
        travel2: the same of the second.
        several: look for more than the closest points.
    """
    start = nearest(hull, course, 0.0)
    if start.apart == 0 or start.dist - margin >= travel1 + travel2:
        return
    at = meet(hull, course, start, margin)
    if at.apart == 0 or at.share <= 0.0 or at.dist - margin > (1.0 - at.share) * (travel1 + travel2):
        return
    found.closing = wp.max((start.dist - at.dist) / at.share, closing_speed(course, at))
    reach = 2.0 * wp.max(at.dist, 0.0) + (1.0 - at.share) * found.closing
    _meeting_points(hull, course, at, reach, several, found.patch)
    back1 = course.mat1 * wp.transpose(first_shape(hull, course, at.share).mat)
    shape2 = second_shape(hull, course, at.share)
    back2 = course.mat2 * wp.transpose(shape2.mat)
    weight = travel1 / (travel1 + travel2)
    for k in range(found.patch.count):
        # MuJoCo sweeps the geoms by half the reach
        half = 0.5 * (point_dist(found.patch, k) - reach) * found.patch.normal + 0.5 * reach * at.normal
        pos = point_at(found.patch, k)
        one = centre + back1 * (pos - half)
        two = centre + course.offset + back2 * (pos + half - shape2.pos)
        move_point(found.patch, k, weight * one + (1.0 - weight) * two)
        set_dist(found.patch, k, margin - 1.0)  # until the contact's gains are known; see distance.py
        _set_span(found, k, two - one)
    found.patch.normal = at.normal
    found.share = at.share


@wp.func
def _touches(points: wp.ref[Manifold], patch: wp.ref[Patch], margin: float) -> bool:
    """Whether one of the points that were found acts."""
    acts = bool(False)
    for k in range(wp.static(MAX_POINTS)):
        if k < points.count:
            acts = acts or points.dist[k] < margin
    for k in range(patch.count):
        acts = acts or point_dist(patch, k) < margin
    return acts


@wp.func
def _mark(ahead: Ahead, contact: Contact, met: wp.ref[Meeting], number: int, w: int, slot: int):
    """Write down of ``number`` contacts whether they are speculative."""
    for k in range(wp.min(number, contact.dist.shape[1] - slot)):
        ahead.share[w, slot + k] = met.share
        ahead.closing[w, slot + k] = met.closing
        if met.share > 0.0:
            ahead.span[w, slot + k] = _span_at(met, k)


@wp.func
def _look_ahead(
    opt: Option, geom: wp.ref[Geom], hull: wp.ref[Hull], kin: wp.ref[Kinematics], thickness: Thickness, ahead: wp.ref[Ahead], walk: wp.ref[Walk],
    search: wp.ref[Search], course: wp.ref[Course], met: wp.ref[Meeting],
):  # fmt: skip
    """Of a pair that does not touch and of which a geom is fast: contact points where they meet within the step, if they do, in place of those of now."""
    g1 = walk.geoms[0]
    g2 = walk.geoms[1]
    fast1 = is_fast(thickness, ahead, walk.w, g1, g2)
    fast2 = is_fast(thickness, ahead, walk.w, g2, g1)
    if (fast1 or fast2) and not _touches(search.points, search.patch, walk.width[0]):
        _take_course(geom, kin, ahead, walk.w, g1, g2, course)
        bound_w = per_world(geom.rbound.shape[0], walk.w)
        bounds = geom.rbound[bound_w, g1] + geom.rbound[bound_w, g2] + walk.width[0] + walk.width[1]
        if _spheres_meet(course, fast1, fast2, bounds):
            several = (opt.disableflags & MULTICCD) == 0
            _find_meeting(hull, course, kin.geom_xpos[walk.w, g1], walk.width[0], ahead.travel[walk.w, g1], ahead.travel[walk.w, g2], several, met)
        if met.patch.count > 0:
            search.points.count = 0
            copy_patch(search.patch, met.patch)


_begin_pair = search_begun(boxes_apart)


@wp.func
def _collide_some(
    opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], kin: wp.ref[Kinematics], contact: Contact,
    thickness: Thickness, ahead: wp.ref[Ahead], walk: wp.ref[Walk], begin: int, end: int,
):  # fmt: skip
    """Contacts of the entries ``begin`` to ``end - 1`` of the list, behind the ``walk.count`` ones that there are."""
    search = Search()
    course = Course()
    met = Meeting()
    begin_entries(walk, begin, end, shares_none(walk))
    while next_entry(walk, shares_none(walk)):
        met.patch.count = 0
        met.share = 0.0
        met.closing = 0.0
        _begin_pair(opt, geom, pair, collide, hull, kin, contact, walk, search)
        search_alone(hull, search)
        end_pair(opt, hull, search)
        if walk.item[1] >= 0:
            _look_ahead(opt, geom, hull, kin, thickness, ahead, walk, search, course, met)
        place = scan_lanes(search.points.count + search.patch.count)
        write_points(contact, walk, search, walk.w, walk.count + place[0])
        _mark(ahead, contact, met, search.points.count + search.patch.count, walk.w, walk.count + place[0])
        walk.count += place[1]
    sync()


@wp.func
def collide_ahead(
    opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], hfield: wp.ref[HeightField], kin: wp.ref[Kinematics],
    contact: Contact, thickness: Thickness, ahead: wp.ref[Ahead], walk: wp.ref[Walk],
):  # fmt: skip
    """Contacts of the listed pairs, behind the ``walk.count`` ones that there are."""
    walk.sifted = 0  # entries that are done
    while walk.sifted < walk.listed:
        p = contact.candidate[walk.slot, walk.sifted]
        g1 = collide.geom1[p]
        g2 = collide.geom2[p]
        if geom.type[g1] == HFIELD:
            pairid = collide.pairid[p]
            width = pair_margin(opt, geom, pair, walk.w, g1, g2, pairid)
            collide_hfield(geom, hull, hfield, kin, contact, walk, g1, g2, pairid, width[0] + width[1])
            if walk.lane == 0:
                none = Meeting()
                _mark(ahead, contact, none, walk.kept, walk.w, walk.count - walk.kept)
            walk.sifted += 1
        else:
            begin = wp.int32(walk.sifted)
            while walk.sifted < walk.listed and geom.type[collide.geom1[contact.candidate[walk.slot, walk.sifted]]] != HFIELD:
                walk.sifted += 1
            _collide_some(opt, geom, pair, collide, hull, kin, contact, thickness, ahead, walk, begin, walk.sifted)
    sync()
