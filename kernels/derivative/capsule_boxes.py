"""Where on its axis a capsule touches a box, and how that place moves: it is the narrowphase's choice, not always the closest or the deepest point.

A contact is that of a ball whose centre is chosen on the axis (``newtonish.kernels.collision.capsule_box``): an end, the place closest to an edge or a
corner of the box, also where the axis runs into the box there, or as much farther along as the box is wide, or where the axis leaves the face over
which it runs. Each is a condition on the axis in the frame of the box, whose derivative is the slide of the centre. Which it is, the narrowphase's own
search tells, with the same numbers.
"""

import warp as wp

from newtonish.kernels.collision.capsule_box import CORNER, EDGE, FACE, nearest_of_box
from newtonish.kernels.derivative.algebra import real
from newtonish.kernels.derivative.features import POINT, RULED, Feature, round_in
from newtonish.kernels.derivative.polyhedra import Body, tolerance_of
from newtonish.kernels.structs.data import Kinematics


@wp.struct
class Way:
    """Along the axis from the closest place to the second contact."""

    forward: wp.float64  # +1 or -1; 0: there is no second contact
    across: int  # bit i: ends as far on as the box is wide along its axis i
    borders: int  # bit i: ends where the axis reaches the box's side along i


@wp.struct
class Spot:
    """A place on the axis, in the frame of the box."""

    along: wp.float64  # from the capsule's centre [m]
    by_move: wp.vec3d  # slide for a motion of the place with the capsule [m / m]
    by_turn: wp.vec3d  # and for a rotation [m / rad]


@wp.func
def _unit(i: int) -> wp.vec3d:
    axis = wp.vec3d()
    axis[i] = real(1.0)
    return axis


@wp.func
def _way_from_corner(axis: wp.vec3d, corner: int, heading: int) -> Way:
    """Over the box from a corner; none where the axis heads straight to it or away."""
    way = Way()
    against = heading ^ corner
    if against != 0 and against != 7:
        way.forward = real(1.0)
        if against != 1 and against != 2 and against != 4:
            way.forward = real(-1.0)
            against = 7 - against
        way.across = against
        i = against // 2
        if real(2.0) * axis[i] * axis[i] <= real(1.0):
            way.forward = -way.forward
            way.across = 7 - against
    return way


@wp.func
def _way_from_edge(axis: wp.vec3d, dim: int, corner: int, heading: int) -> Way:
    """Across one of the faces beside an edge, which is along ``dim``."""
    way = Way()
    against = (heading ^ corner) & (7 - (1 << dim))
    if against == 1 or against == 2 or against == 4:
        k = (dim + 2) % 3
        if wp.abs(axis[(dim + 1) % 3]) > wp.abs(axis[k]):
            k = (dim + 1) % 3
        way.forward = wp.where((against & (1 << k)) != 0, real(1.0), real(-1.0))
        way.across = 1 << k
        way.borders = 1 << dim
    return way


@wp.func
def _second(first: Spot, way: Way, center: wp.vec3d, axis: wp.vec3d, half_length: wp.float64, size: wp.vec3d) -> Spot:
    """The end of a way: that of the capsule's axis, or what comes before."""
    start = center + first.along * axis
    far = half_length - way.forward * first.along
    spot = Spot()
    axes = wp.int32(3)  # a variable: not unrolled
    for i in range(axes):
        speed = wp.max(wp.abs(axis[i]), real(1.0e-20))
        toward = way.forward * wp.sign(axis[i])
        if (way.across & (1 << i)) != 0 and real(2.0) * size[i] / speed < far:
            far = real(2.0) * size[i] / speed
            spot.by_move = first.by_move
            shorter = way.forward * wp.sign(axis[i]) * far / speed
            spot.by_turn = first.by_turn - far * way.forward * wp.cross(axis, first.by_move) - shorter * wp.cross(axis, _unit(i))
        if (way.borders & (1 << i)) != 0 and (size[i] - toward * start[i]) / speed < far:
            far = (size[i] - toward * start[i]) / speed
            spot.by_move = -_unit(i) / axis[i]
            spot.by_turn = wp.vec3d()
    spot.along = first.along + way.forward * far
    return spot


@wp.func(inline=False)
def on_box(
    found: Feature, body: wp.ref[Body], flat: wp.ref[Body], on_side: bool, kin: wp.ref[Kinematics], w: int, g: int, b: int, outward: wp.vec3d
) -> Feature:
    """A capsule at its contact with a box as a ball that slides along the axis.

    ``found`` itself if its contact is not one of the narrowphase's, or that of the closest points of a line with an edge or a corner: so close to the
    axis that a ball hardly tells a normal, lines still do.

    Args:
        on_side: whether it is a face of the box that is touched.
        g, b: geoms of the capsule and the box.
        outward: of the capsule.
    """
    # with the narrowphase's numbers, bit for bit
    mat32 = kin.geom_xmat[w, b]
    axis32 = kin.geom_xmat[w, g] * wp.vec3(0.0, 0.0, 1.0)
    center32 = (kin.geom_xpos[w, g] - kin.geom_xpos[w, b]) * mat32
    half32 = float(body.size[1]) * (axis32 * mat32)
    best = nearest_of_box(center32, half32, wp.vec3(flat.size))
    heading = wp.where(half32[0] > 0.0, 1, 0) + wp.where(half32[1] > 0.0, 2, 0) + wp.where(half32[2] > 0.0, 4, 0)

    back = wp.transpose(flat.mat)
    center = back * (body.center - flat.center)
    axis = back * found.axis
    first = Spot()
    first.along = real(best.t) * body.size[1]
    way = Way()
    if best.feature == FACE:
        way.forward = real(-best.t)
        way.borders = 7 - (1 << best.dim)
    elif best.feature == EDGE or best.feature == CORNER:
        corner = wp.vec3d()
        for i in range(3):
            corner[i] = wp.where((best.corner & (1 << i)) != 0, flat.size[i], -flat.size[i])
        side = axis
        gap = corner - center - first.along * axis
        if best.feature == EDGE:
            way = _way_from_edge(axis, best.dim, best.corner, heading)
            side[best.dim] = real(0.0)
            gap[best.dim] = real(0.0)
        else:
            way = _way_from_corner(axis, best.corner, heading)
        if wp.abs(best.t) < 1.0:
            spread = wp.length_sq(side)
            ahead = wp.dot(gap, side) / spread  # what float32 left
            first.along += ahead
            first.by_move = -side / spread
            first.by_turn = wp.cross(axis, gap - ahead * side) / spread
    here = wp.dot(found.at - body.size[0] * outward - body.center, found.axis)
    spot = first
    if way.forward != real(0.0):
        other = _second(first, way, center, axis, body.size[1], flat.size)
        if wp.abs(other.along - here) < wp.abs(first.along - here):
            spot = other
    closest = wp.length_sq(spot.by_move - first.by_move) + wp.length_sq(spot.by_turn - first.by_turn) == real(0.0) and not on_side
    near = real(4.0) * (tolerance_of(body.size, found.at) + tolerance_of(flat.size, found.at))
    if not closest and wp.abs(spot.along - here) <= near:
        found.kind = POINT
        found.R = round_in(body.size[0], outward)
        found.slide = 0
        if wp.length_sq(spot.by_move) + wp.length_sq(spot.by_turn) > real(0.0):
            found.slide = RULED
            found.side1 = flat.mat * spot.by_move
            found.side2 = flat.mat * spot.by_turn
            found.lever = body.size[0] * outward
    return found
