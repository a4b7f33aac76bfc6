"""Contacts of a world whose model has pairs of general convex shapes, in the order of the pairs.

The same walk over the pairs as ``newtonish.kernels.collision.driver``, with every narrowphase function there is. It is a
kernel of its own because the search for depths takes long to compile; models of simple shapes use the other one.
"""

import warp as wp

from newtonish.common.enums import DisableBit
from newtonish.kernels.collision.box_box import box_box
from newtonish.kernels.collision.boxes import boxes_apart
from newtonish.kernels.collision.broadphase import bound_listed, collect_near
from newtonish.kernels.collision.canonical_order import comes_second, is_exchanged
from newtonish.kernels.collision.convex import Search, begin_search, end_search, search_together
from newtonish.kernels.collision.manifold import Manifold
from newtonish.kernels.collision.narrow import narrowphase
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.patch import Patch
from newtonish.kernels.collision.plane_mesh import plane_mesh
from newtonish.kernels.collision.support import make_shape
from newtonish.kernels.collision.write import finish_contacts, write_count, write_manifold, write_point
from newtonish.kernels.constants import BOX, ELLIPSOID, MESH, PLANE, SPHERE
from newtonish.kernels.math.team import most_of, team_of
from newtonish.kernels.math.world import lanes, per_world, scan_lanes, scratch_slot, sync
from newtonish.kernels.structs.data import Contact, Kinematics, Status
from newtonish.kernels.structs.model import Body, Collide, Geom, Hull, Option, Pair, Size

MULTICCD = wp.constant(int(DisableBit.MULTICCD))


@wp.func
def is_convex_pair(type1: int, type2: int) -> bool:
    """Whether a pair, the lower type first, has no function of its own in ``narrow`` (see ``filter.CONVEX_TYPES``)."""
    return type2 == MESH or type1 >= ELLIPSOID or (type2 == ELLIPSOID and type1 >= SPHERE)


@wp.func(inline=False)
def convex_narrowphase(
    geom: wp.ref[Geom], hull: wp.ref[Hull], kin: wp.ref[Kinematics], w: int, g1: int, g2: int, reach: float, search: wp.ref[Search]
) -> Patch:
    """Contact points of two convex geoms, the one of the lower type first; of some pairs the search for them begins instead."""
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
    found = Patch()
    if type1 == BOX and type2 == BOX:
        found = box_box(zero, mat1, size1, to2, mat2, size2, reach)
    elif type1 == PLANE:
        shape2 = make_shape(hull, type2, geom.dataid[data_w, g2], to2, mat2, size2)
        found = plane_mesh(hull, zero, wp.vec3(mat1[0, 2], mat1[1, 2], mat1[2, 2]), shape2, reach)
    else:
        turn = type1 == type2 and comes_second(to2, mat1, mat2, size1, size2)
        origin = wp.where(turn, pos2, pos1)
        shape1 = make_shape(hull, type1, geom.dataid[data_w, g1], pos1 - origin, mat1, size1)
        shape2 = make_shape(hull, type2, geom.dataid[data_w, g2], pos2 - origin, mat2, size2)
        begin_search(hull, shape1, shape2, origin, reach, turn, search)
    for k in range(found.count):
        found.pos[k] = found.pos[k] + pos1
    return found


@wp.func
def write_patch(contact: Contact, found: Patch, w: int, slot: int, g1: int, g2: int, pairid: int):
    """Write the points of ``found`` from ``slot`` on, as far as there is room."""
    for k in range(wp.min(found.count, contact.dist.shape[1] - slot)):
        write_point(contact, found.dist[k], found.pos[k], found.normal, wp.vec3(), g1, g2, pairid, w, slot + k)


def listed(search_depth: wp.Function) -> wp.Function:
    """Contacts of the pairs of a list; ``search_depth`` finds how deep two shapes overlap."""

    @wp.func
    def collide_listed(
        opt: Option, geom: Geom, pair: Pair, collide: Collide, hull: Hull, kin: Kinematics, contact: Contact, w: int, slot: int,
        lane: int, begin: int, end: int, ncon: int, team: int,
    ) -> int:  # fmt: skip
        """Contacts of the candidates ``begin`` to ``end - 1`` from slot ``ncon`` on; returns their number with unlimited room.

        Args:
            team: lanes that search for depths together (``newtonish.kernels.math.team``), whatever their worlds.
        """
        count = ncon
        search = Search()
        rounds = most_of((end - begin + lanes() - 1) // lanes(), team)
        for first in range(begin, begin + rounds * lanes(), lanes()):
            g1 = wp.int32(0)
            g2 = wp.int32(0)
            pairid = wp.int32(-1)
            found = Manifold()
            patch = Patch()
            several = (opt.disableflags & MULTICCD) == 0
            symmetric = bool(False)
            exchanged = bool(False)
            search.near = 0
            if first + lane < end:
                p = contact.candidate[slot, first + lane]
                g1 = collide.geom1[p]
                g2 = collide.geom2[p]
                pairid = collide.pairid[p]
                width = pair_margin(opt, geom, pair, w, g1, g2, pairid)
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
                        patch = convex_narrowphase(geom, hull, kin, w, one, other, reach, search)
                else:
                    found = narrowphase(geom, kin, w, one, other, reach)
            search_depth(hull, search, hull.iterations, team)
            if search.near == 1:
                patch = end_search(hull, search, several, symmetric)
            if exchanged:  # as seen from the geom that the model names first
                patch.normal = -patch.normal
                found.normal = -found.normal
                found.normal_second = -found.normal_second
            number = found.count + patch.count
            place = scan_lanes(number)
            at = count + place[0]
            if found.count > 0:
                write_manifold(contact, found, w, at, g1, g2, pairid)
            if patch.count > 0:
                write_patch(contact, patch, w, at, g1, g2, pairid)
            count += place[1]
        sync()
        return count

    return collide_listed


collide_together = listed(search_together)


@wp.func
def _sift(
    opt: Option, geom: wp.ref[Geom], pair: Pair, collide: Collide, hull: wp.ref[Hull], kin: wp.ref[Kinematics],
    candidate: wp.array(dtype=wp.int32), w: int, lane: int, near: int,
) -> int:  # fmt: skip
    """Take the convex pairs whose boxes are apart out of a list of ``near`` pairs, on a GPU; returns how many are left, in the same order.

    Three of four such pairs go. Left in the list, they would have lanes that wait for the searches of those beside them. One lane by
    itself has nobody to wait for: on a CPU the list stays.
    """
    kept = wp.int32(near)
    if lanes() > 1:
        kept = wp.int32(0)
        for first in range(0, near, lanes()):
            p = wp.int32(0)
            stays = wp.int32(0)
            if first + lane < near:
                p = candidate[first + lane]
                g1 = collide.geom1[p]
                g2 = collide.geom2[p]
                stays = 1
                if geom.type[g1] != PLANE and is_convex_pair(geom.type[g1], geom.type[g2]):
                    width = pair_margin(opt, geom, pair, w, g1, g2, collide.pairid[p])
                    if boxes_apart(geom, hull, kin, w, g1, g2, width[0] + width[1]):
                        stays = 0
            place = scan_lanes(stays)
            sync()  # all have read what is written now
            if stays == 1:
                candidate[kept + place[0]] = p
            kept += place[1]
        sync()
    return kept


@wp.func
def collision_convex_world(
    size: Size, opt: Option, body: Body, geom: Geom, pair: Pair, collide: Collide, hull: Hull, kin: Kinematics,
    contact: Contact, status: Status, w: int, lane: int,
):  # fmt: skip
    """Contacts of one world."""
    slot = scratch_slot(w)
    last = bound_listed(size, opt, geom, pair, kin, contact, status, w, slot, lane)
    batch = contact.candidate.shape[1]
    team = team_of(contact.dist.shape[0])
    count = wp.int32(0)
    for begin in range(0, last, batch):
        near = collect_near(
            collide.geom1, collide.geom2, collide.pairid, contact.bound[slot], contact.bound_axis[slot],
            contact.candidate[slot], lane, begin, wp.min(begin + batch, last), size.npair,
        )  # fmt: skip
        near = _sift(opt, geom, pair, collide, hull, kin, contact.candidate[slot], w, lane, near)
        count = collide_together(opt, geom, pair, collide, hull, kin, contact, w, slot, lane, 0, near, count, team)
    finish_contacts(opt, geom, pair, contact, 0, count, w, lane)
    write_count(contact, status, count, w, lane)
    sync()
