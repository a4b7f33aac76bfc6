"""Contacts of pairs of geoms of which some are fast: those there are, or else those there will be within the step.

The walk over the pairs is that of ``newtonish.kernels.collision.convex_driver``, one lane a pair, with the search for a meeting behind it.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.collision.boxes import boxes_apart
from newtonish.kernels.collision.canonical_order import comes_second, is_exchanged
from newtonish.kernels.collision.convex import end_search
from newtonish.kernels.collision.convex_driver import convex_narrowphase, write_patch
from newtonish.kernels.collision.feature import may_be_flat
from newtonish.kernels.collision.hfield import collide_hfield
from newtonish.kernels.collision.manifold import MAX_POINTS, Manifold
from newtonish.kernels.collision.narrow import narrowphase
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.patch import Patch, add_point, patch_pos
from newtonish.kernels.collision.search import Search, begin_search, search_alone
from newtonish.kernels.collision.sift import is_convex_pair
from newtonish.kernels.collision.write import write_manifold
from newtonish.kernels.constants import HFIELD, PLANE
from newtonish.kernels.math.team import ALONE
from newtonish.kernels.math.world import lanes, per_world, scan_lanes, sync
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


@wp.func
def _course(geom: Geom, kin: Kinematics, ahead: Ahead, w: int, g1: int, g2: int) -> Course:
    data_w = per_world(geom.dataid.shape[0], w)
    size_w = per_world(geom.size.shape[0], w)
    bound_w = per_world(geom.rbound.shape[0], w)
    course = Course()
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
    return course


@wp.func(inline=False)
def _meeting_points(hull: wp.ref[Hull], course: wp.ref[Course], at: wp.ref[Approach], reach: float, several: bool) -> Patch:
    """Contact points where two geoms meet, relative to the first one's centre then.

    Args:
        reach: how far apart further points may be [m].
        several: look for more than the closest points; of a geom over a plane that is always done.
    """
    shape2 = second_shape(hull, course, at.share)
    if course.kind1 == PLANE:
        return plane_points(hull, plane_normal(course, at.share), shape2, reach)
    patch = Patch()
    shape1 = first_shape(hull, course, at.share)
    if several and may_be_flat(shape1.kind, shape2.kind):
        turn = shape1.kind == shape2.kind and comes_second(shape2.pos, shape1.mat, shape2.mat, shape1.size, shape2.size)
        origin = wp.where(turn, shape2.pos, wp.vec3())
        shape1.pos = shape1.pos - origin
        shape2.pos = shape2.pos - origin
        search = Search()
        search.shape1 = shape1
        search.shape2 = shape2
        begin_search(hull, origin, reach, turn, search)
        if search.near == 1 and search.at.overlap == 0:
            end_search(hull, search, several, False)
            patch = search.patch
    if patch.count == 0:
        patch.normal = at.normal
        add_point(patch, at.dist, 0.5 * (at.point1 + at.point2))
    return patch


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
def _meeting(hull: wp.ref[Hull], course: wp.ref[Course], centre: wp.vec3, margin: float, travel1: float, travel2: float, several: bool) -> Meeting:
    """When and where two geoms meet.

    Args:
        centre: of the first geom.
        margin: distance at which they touch [m].
        travel1: how far a point of the first geom moves at most [m].
        travel2: the same of the second.
        several: look for more than the closest points.
    """
    found = Meeting()
    start = nearest(hull, course, 0.0)
    if start.apart == 0 or start.dist - margin >= travel1 + travel2:
        return found
    at = meet(hull, course, start, margin)
    if at.apart == 0 or at.share <= 0.0 or at.dist - margin > (1.0 - at.share) * (travel1 + travel2):
        return found
    found.closing = wp.max((start.dist - at.dist) / at.share, closing_speed(course, at))
    reach = 2.0 * wp.max(at.dist, 0.0) + (1.0 - at.share) * found.closing
    patch = _meeting_points(hull, course, at, reach, several)
    back1 = course.mat1 * wp.transpose(first_shape(hull, course, at.share).mat)
    shape2 = second_shape(hull, course, at.share)
    back2 = course.mat2 * wp.transpose(shape2.mat)
    weight = travel1 / (travel1 + travel2)
    for k in range(patch.count):
        half = 0.5 * (patch.dist[k] - reach) * patch.normal + 0.5 * reach * at.normal  # MuJoCo sweeps the geoms by half the reach
        one = centre + back1 * (patch.pos[k] - half)
        two = centre + course.offset + back2 * (patch.pos[k] + half - shape2.pos)
        patch.pos[k] = weight * one + (1.0 - weight) * two
        patch.dist[k] = margin - 1.0  # until the contact's gains are known; see distance.py
        found.span[k] = two - one
    patch.normal = at.normal
    found.patch = patch
    found.share = at.share
    return found


@wp.func
def _touches(found: Manifold, patch: Patch, margin: float) -> bool:
    """Whether one of the points that were found acts."""
    acts = bool(False)
    for k in range(wp.static(MAX_POINTS)):
        if k < found.count:
            acts = acts or found.dist[k] < margin
    for k in range(patch.count):
        acts = acts or patch.dist[k] < margin
    return acts


@wp.func
def _mark(ahead: Ahead, contact: Contact, met: Meeting, number: int, w: int, slot: int):
    """Write down of ``number`` contacts whether they are speculative."""
    for k in range(wp.min(number, contact.dist.shape[1] - slot)):
        ahead.share[w, slot + k] = met.share
        ahead.closing[w, slot + k] = met.closing
        if met.share > 0.0:
            ahead.span[w, slot + k] = met.span[k]


@wp.func
def _collide_some(
    opt: Option, geom: Geom, pair: Pair, collide: Collide, hull: Hull, kin: Kinematics, contact: Contact, thickness: Thickness, ahead: Ahead,
    w: int, slot: int, lane: int, begin: int, end: int, ncon: int,
) -> int:  # fmt: skip
    """Contacts of the candidates ``begin`` to ``end - 1`` from slot ``ncon`` on; returns their number with unlimited room."""
    count = ncon
    search = Search()
    several = (opt.disableflags & MULTICCD) == 0
    for first in range(begin, end, lanes()):
        g1 = wp.int32(0)
        g2 = wp.int32(0)
        pairid = wp.int32(-1)
        found = Manifold()
        patch = Patch()
        met = Meeting()
        symmetric = bool(False)
        exchanged = bool(False)
        search.near = 0
        search.patch.count = 0
        margin = wp.float32(0.0)
        if first + lane < end:
            p = contact.candidate[slot, first + lane]
            g1 = collide.geom1[p]
            g2 = collide.geom2[p]
            pairid = collide.pairid[p]
            width = pair_margin(opt, geom, pair, w, g1, g2, pairid)
            margin = width[0]
            reach = width[0] + width[1]
            one = wp.int32(g1)
            other = wp.int32(g2)
            if opt.symmetric_contacts != 0:
                exchanged = is_exchanged(geom, kin, w, g1, g2)
                if exchanged:
                    one = g2
                    other = g1
                symmetric = geom.type[one] == geom.type[other]
            if is_convex_pair(geom.type[one], geom.type[other]):
                if geom.type[one] == PLANE or not boxes_apart(geom, hull, kin, w, one, other, reach):
                    convex_narrowphase(geom, hull, kin, w, one, other, reach, search)
                    patch = search.patch
            else:
                found = narrowphase(geom, kin, w, one, other, reach)
            search_alone(hull, search, hull.iterations, ALONE, ALONE)
            if search.near == 1:
                end_search(hull, search, several, symmetric)
                patch = search.patch
            if exchanged:  # as seen from the geom that the model names first
                patch.normal = -patch.normal
                found.normal = -found.normal
                found.normal_second = -found.normal_second
            fast1 = is_fast(thickness, ahead, w, g1, g2)
            fast2 = is_fast(thickness, ahead, w, g2, g1)
            if (fast1 or fast2) and not _touches(found, patch, margin):
                course = _course(geom, kin, ahead, w, g1, g2)
                bound_w = per_world(geom.rbound.shape[0], w)
                bounds = geom.rbound[bound_w, g1] + geom.rbound[bound_w, g2] + reach
                if _spheres_meet(course, fast1, fast2, bounds):
                    met = _meeting(hull, course, kin.geom_xpos[w, g1], margin, ahead.travel[w, g1], ahead.travel[w, g2], several)
                if met.patch.count > 0:
                    found.count = 0
                    patch = met.patch
        number = found.count + patch.count
        place = scan_lanes(number)
        at = count + place[0]
        if found.count > 0:
            write_manifold(contact, found, w, at, g1, g2, pairid)
        if patch.count > 0:
            write_patch(contact, patch, w, at, g1, g2, pairid)
        _mark(ahead, contact, met, number, w, at)
        count += place[1]
    sync()
    return count


@wp.func
def collide_ahead(
    opt: Option, geom: Geom, pair: Pair, collide: Collide, hull: Hull, hfield: HeightField, kin: Kinematics, contact: Contact, thickness: Thickness, ahead: Ahead,
    w: int, slot: int, lane: int, ncandidate: int, ncon: int,
) -> int:  # fmt: skip
    """Contacts of the listed pairs from slot ``ncon`` on; returns the number of contacts with unlimited room."""
    count = ncon
    at = wp.int32(0)
    while at < ncandidate:
        p = contact.candidate[slot, at]
        g1 = collide.geom1[p]
        g2 = collide.geom2[p]
        if geom.type[g1] == HFIELD:
            pairid = collide.pairid[p]
            width = pair_margin(opt, geom, pair, w, g1, g2, pairid)
            before = wp.int32(count)
            count = collide_hfield(geom, hull, hfield, kin, contact, w, lane, g1, g2, pairid, width[0] + width[1], count)
            if lane == 0:
                _mark(ahead, contact, Meeting(), count - before, w, before)
            at += 1
        else:
            begin = at
            while at < ncandidate and geom.type[collide.geom1[contact.candidate[slot, at]]] != HFIELD:
                at += 1
            count = _collide_some(opt, geom, pair, collide, hull, kin, contact, thickness, ahead, w, slot, lane, begin, at, count)
    sync()
    return count
