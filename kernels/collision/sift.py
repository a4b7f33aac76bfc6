"""Taking pairs whose geoms are apart along one axis out of a list, before the search for their contacts.

A lane of a GPU that finds so within a search waits for the searches beside it: of a humanoid robot's near pairs 27 of 33 go by their boxes, and two of
three of the rest by the line between their centres, which is where a search begins. One lane by itself has nobody to wait for: on a CPU
the list stays, and pairs are tested as they come (``apart_by_boxes``).
"""

import warp as wp

from newtonish.kernels.collision.boxes import SLACK, boxes_apart
from newtonish.kernels.collision.params import pair_margin
from newtonish.kernels.collision.support import PRISM, Shape, make_shape, support
from newtonish.kernels.collision.walk import Walk, begin_entries, next_entry
from newtonish.kernels.constants import ELLIPSOID, MESH, PLANE, SPHERE
from newtonish.kernels.math.crowd import meet_crowd, of_world, places_of_one
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.model import Collide, Geom, Hull, Option, Pair


@wp.func
def is_convex_pair(type1: int, type2: int) -> bool:
    """Whether a pair, the lower type first, has no function of its own in ``narrow`` (see ``filter.CONVEX_TYPES``), or is a plane and a field."""
    return type2 >= MESH or type1 >= ELLIPSOID or (type2 == ELLIPSOID and type1 >= SPHERE)


@wp.func(inline=False)
def _apart_along(hull: wp.ref[Hull], shape1: wp.ref[Shape], shape2: wp.ref[Shape], reach: float) -> bool:
    """Whether two shapes are farther apart than ``reach`` along the line between their centres."""
    between = shape2.pos - shape1.pos
    length = wp.length(between)
    if length <= 0.0:
        return False
    axis = between / length
    gap = wp.dot(axis, support(hull, shape2, -axis).pos - support(hull, shape1, axis).pos)
    slack = SLACK * (length + wp.length(shape1.size) + wp.length(shape2.size))
    return gap > reach + shape1.radius + shape2.radius + slack


@wp.func
def centers_apart(geom: wp.ref[Geom], hull: wp.ref[Hull], kin: wp.ref[Kinematics], w: int, g1: int, g2: int, reach: float) -> bool:
    """Whether two convex geoms are farther apart than ``reach`` along the line between their centres."""
    data_w = per_world(geom.dataid.shape[0], w)
    size_w = per_world(geom.size.shape[0], w)
    pos1 = kin.geom_xpos[w, g1]
    shape1 = make_shape(hull, geom.type[g1], geom.dataid[data_w, g1], wp.vec3(), kin.geom_xmat[w, g1], geom.size[size_w, g1])
    shape2 = make_shape(hull, geom.type[g2], geom.dataid[data_w, g2], kin.geom_xpos[w, g2] - pos1, kin.geom_xmat[w, g2], geom.size[size_w, g2])
    return _apart_along(hull, shape1, shape2, reach)


@wp.func
def apart_by_boxes(geom: wp.ref[Geom], hull: wp.ref[Hull], kin: wp.ref[Kinematics], w: int, g1: int, g2: int, reach: float) -> bool:
    """Of pairs on a list that was sifted: whether the boxes around two geoms are apart, where nobody has looked."""
    apart = bool(False)
    if lanes() == 1:
        apart = boxes_apart(geom, hull, kin, w, g1, g2, reach)
    return apart


def _sifted_by(apart: wp.Function) -> wp.Function:
    """A list without the convex pairs of which ``apart`` says that they are."""

    @wp.func
    def drop(
        opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], kin: wp.ref[Kinematics],
        candidate: wp.array2d(dtype=wp.int32), walk: wp.ref[Walk],
    ):  # fmt: skip
        """Drop such pairs of the entries from ``walk.sifted`` on. The order stays."""
        walk.kept = walk.sifted
        begin_entries(walk, walk.sifted, walk.listed, walk.crowd)
        while next_entry(walk, walk.crowd):
            begin = of_world(walk.begin, walk.item[0], walk.crowd)
            p = wp.int32(0)
            stays = wp.int32(0)
            if walk.item[1] >= 0:
                p = candidate[walk.slot + walk.item[0], begin + walk.item[1]]
                g1 = collide.geom1[p]
                g2 = collide.geom2[p]
                stays = 1
                type1 = geom.type[g1]
                if type1 != PLANE and type1 != PRISM and is_convex_pair(type1, geom.type[g2]):
                    w = walk.w + walk.item[0]
                    width = pair_margin(opt, geom, pair, w, g1, g2, collide.pairid[p])
                    if apart(geom, hull, kin, w, g1, g2, width[0] + width[1]):
                        stays = 0
            place = places_of_one(stays, walk.kept, walk.item, walk.crowd)
            meet_crowd(walk.crowd)  # all have read what is written now
            if stays == 1:
                candidate[walk.slot + walk.item[0], place[0]] = p
            walk.kept = place[1]
        meet_crowd(walk.crowd)
        walk.listed = walk.kept

    return drop


_drop_by_boxes = _sifted_by(boxes_apart)
_drop_by_centers = _sifted_by(centers_apart)


@wp.func
def sift(
    opt: Option, geom: wp.ref[Geom], pair: Pair, collide: wp.ref[Collide], hull: wp.ref[Hull], kin: wp.ref[Kinematics],
    candidate: wp.array2d(dtype=wp.int32), walk: wp.ref[Walk],
):  # fmt: skip
    """Take convex pairs that are apart out of the entries of a list that were not sifted yet, on a GPU. The order stays.

    The lanes of a crowd share the pairs of their worlds (``newtonish.kernels.math.crowd``).
    """
    if lanes() > 1:
        _drop_by_boxes(opt, geom, pair, collide, hull, kin, candidate, walk)
        _drop_by_centers(opt, geom, pair, collide, hull, kin, candidate, walk)
    walk.sifted = walk.listed
