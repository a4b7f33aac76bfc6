"""What contacts that can pull and surfaces that move add to the derivative of a contact (``newtonish.kernels.constraint.material``).

The pull is a force of constant amount along the normal, and the rows hold it up by asking for pull / D more, which changes with their weight D. A moving
surface adds its velocity, which turns along with its geom, to that of the tangents and of the spin.
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC, PASSIVE
from newtonish.kernels.derivative.algebra import bottom, join, real, top, vec6d, wide, wide_matrix
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Contact, Efc, Kinematics
from newtonish.kernels.structs.model import Geom, Option


@wp.func
def pull_of(opt: Option, contact: Contact, w: int, c: int) -> wp.float64:
    """Force with which a contact pulls its bodies together [N]."""
    pull = real(contact.adhesion[w, c])
    if (opt.disableflags & PASSIVE) == PASSIVE:
        pull = real(0.0)
    return pull


@wp.func
def held_up(opt: Option, contact: Contact, efc: Efc, w: int, c: int, r: int) -> wp.float64:
    """What a contact's rows from ``r`` on ask for more to hold up its pull [m/s^2]."""
    share = real(contact.adhesion[w, c])
    if opt.cone != ELLIPTIC and contact.dim[w, c] > 1:
        share = share / real(2 * (contact.dim[w, c] - 1))
    return share / real(efc.D[w, r])


@wp.func
def surface_moves(geom: Geom, w: int, geoms: wp.vec2i) -> bool:
    """Whether a surface of two geoms moves."""
    nth = per_world(geom.surfacevel.shape[0], w)
    one = geom.surfacevel[nth, geoms[0]]
    two = geom.surfacevel[nth, geoms[1]]
    return wp.dot(one, one) + wp.dot(two, two) > 0.0


@wp.func
def _of_geom(geom: Geom, kin: Kinematics, w: int, g: int, pos: wp.vec3d) -> vec6d:
    """Velocity, then angular velocity, of the surface of a geom at a point."""
    field = geom.surfacevel[per_world(geom.surfacevel.shape[0], w), g]
    mat = wide_matrix(kin.geom_xmat[w, g])
    angular = mat * wp.vec3d(real(field[3]), real(field[4]), real(field[5]))
    linear = mat * wp.vec3d(real(field[0]), real(field[1]), real(field[2]))
    return join(linear + wp.cross(angular, pos - wide(kin.geom_xpos[w, g])), angular)


@wp.func
def _carried(field: vec6d, v: wp.vec3d, omega: wp.vec3d, shift: wp.vec3d) -> vec6d:
    """Change of ``_of_geom`` if the geom moves by ``v`` at the point and turns by ``omega``, and the point shifts."""
    return join(wp.cross(omega, top(field)) + wp.cross(bottom(field), shift - v), wp.cross(omega, bottom(field)))


@wp.func
def surface_change(
    geom: Geom, kin: Kinematics, w: int, geoms: wp.vec2i, pos: wp.vec3d, v1: wp.vec3d, omega1: wp.vec3d, v2: wp.vec3d, omega2: wp.vec3d,
    shift: wp.vec3d, turn: wp.vec3d,
) -> vec6d:  # fmt: skip
    """Change, as the contact's frame sees it, of the motion of surface 2 relative to surface 1.

    Args:
        v1: motion of the first geom at ``pos``; ``omega1``: its rotation; ``v2``, ``omega2``: those of the second.
        shift: motion of the contact's point.
        turn: rotation of its frame.
    """
    one = _of_geom(geom, kin, w, geoms[0], pos)
    two = _of_geom(geom, kin, w, geoms[1], pos)
    seen = two - one
    return _carried(two, v2, omega2, shift) - _carried(one, v1, omega1, shift) - join(wp.cross(turn, top(seen)), wp.cross(turn, bottom(seen)))
