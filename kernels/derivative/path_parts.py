"""Straight parts of a spatial tendon's path: their directions, and how these change as their ends move.

A point's pull is how the length grows as the point is moved. What lies on a geom stays on the shortest way (``wrap_change.py``).
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import real, wide, wide_matrix
from newtonish.kernels.derivative.wrap_change import Touching, slide, touching
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Kinematics, TendonState
from newtonish.kernels.structs.model import Geom, Tendon


@wp.struct
class Tip:
    """A point of a path: where it is, and how it moves; how the length grows as it is moved, and the change of that."""

    body: int
    point: wp.vec3d
    arm: wp.vec3d  # from the centre of mass of the body's tree
    moved: wp.vec3d
    pull: wp.vec3d
    change: wp.vec3d


@wp.struct
class Part:
    """Direction of a straight part, and its change."""

    along: wp.vec3d
    change: wp.vec3d


@wp.struct
class Wrapped:
    """The parts from both ends of a string to a geom."""

    first: Part
    last: Part


@wp.func
def part_between(gap: wp.vec3d, apart: wp.vec3d, scale: wp.float64) -> Part:
    """A straight part from its one end to its other, at ``gap`` and moved ``apart``."""
    found = Part()
    length = wp.length(gap)
    if length >= real(MINVAL):
        along = gap / length
        found.along = scale * along
        found.change = (scale / length) * (apart - wp.dot(along, apart) * along)
    return found


@wp.func
def touching_of(
    geom: Geom, tendon: Tendon, kin: Kinematics, ten: TendonState, mat: wp.mat33d, point0: wp.vec3d, point1: wp.vec3d, w: int, i: int, at: int,
) -> Touching:  # fmt: skip
    """The string of a path's part ``i`` on its geom, between two points of the world; ``at``: where its points are in ``ten``."""
    item = tendon.wrap_objid[i]
    radius = geom.size[per_world(geom.size.shape[0], w), item][0]
    side = tendon.wrap_sideid[i]
    inside = wp.bool(False)
    if side >= 0:
        inside = wp.length(kin.site_xpos[w, side] - kin.geom_xpos[w, item]) < radius
    back = wp.transpose(mat)
    pos = wide(kin.geom_xpos[w, item])
    first = back * (wide(ten.wrap_xpos[w, at]) - pos)
    second = back * (wide(ten.wrap_xpos[w, at + 1]) - pos)
    return touching(tendon.wrap_type[i], inside, back * (point0 - pos), back * (point1 - pos), first, second, real(radius))


@wp.func
def wrapped_parts(found: Touching, mat: wp.mat33d, apart0: wp.vec3d, apart1: wp.vec3d, scale: wp.float64) -> Wrapped:
    """In the world, as the ends move against the geom, whose axes are ``mat``; they turn along with the geom besides."""
    moved0 = wp.transpose(mat) * apart0
    moved1 = wp.transpose(mat) * apart1
    shift = slide(found, moved0, moved1)
    first = part_between(found.end0 - found.first, moved0 - shift.first, scale)
    last = part_between(found.end1 - found.second, moved1 - shift.second, scale)
    parts = Wrapped()
    parts.first.along = mat * first.along
    parts.first.change = mat * first.change
    parts.last.along = mat * last.along
    parts.last.change = mat * last.change
    return parts


@wp.func
def axes_of_geom(kin: Kinematics, w: int, g: int) -> wp.mat33d:
    return wide_matrix(kin.geom_xmat[w, g])
