"""Inertia of spatial tendons: of the second derivative of the length where no coordinate accelerates, the bias, and its changes.

For a straight segment it is the relative acceleration of the ends along it, plus the square of their relative velocity across it over its length. Such tendons
do not wrap around geoms.
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.derivative.algebra import at_point, real, top, wide, wide6
from newtonish.kernels.derivative.body_equalities import Ends, end_change
from newtonish.kernels.derivative.touch import last_dof, moves
from newtonish.kernels.derivative.workspace import LinearMotion
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Com, Kinematics
from newtonish.kernels.structs.model import Body, Dof, Site, Tendon, Tree
from newtonish.kernels.tendon.spatial import PULLEY


@wp.struct
class Tip:
    """An end of a segment: where it is, how it moves, and the changes by a dof's position and velocity."""

    point: wp.vec3d
    velocity: wp.vec3d
    acceleration: wp.vec3d
    by_position: Ends
    by_velocity: Ends


@wp.func
def _tip(tree: Tree, body: Body, dof: Dof, site: Site, kin: Kinematics, com: Com, motion: LinearMotion, w: int, s: int, k: int) -> Tip:
    """Site ``s`` as dof ``k`` moves, with the accelerations that the solver found."""
    b = site.bodyid[s]
    tip = Tip()
    tip.point = wide(kin.site_xpos[w, s])
    arm = tip.point - wide(com.subtree_com[w, body.rootid[b]])
    V = motion.V[w, b]
    tip.velocity = at_point(V, arm)
    tip.acceleration = at_point(motion.A[w, b] - motion.A[w, 0], arm) + wp.cross(top(V), tip.velocity)
    if moves(dof, k, last_dof(tree, b)):
        axis = wide6(com.cdof[w, k])
        tip.by_position = end_change(motion, axis, arm, True, w, b, k)
        tip.by_velocity = end_change(motion, axis, arm, False, w, b, k)
    return tip


@wp.func
def _rate_change(apart: wp.vec3d, faster: wp.vec3d, gap: wp.vec3d, speed: wp.vec3d, acceleration: wp.vec3d, change: wp.vec3d) -> wp.float64:
    """Change of a segment's second derivative with those of gap, relative velocity and relative acceleration."""
    length = wp.length(gap)
    n = gap / length
    turned = (apart - wp.dot(n, apart) * n) / length
    across = speed - wp.dot(n, speed) * n
    bent = real(2.0) * (wp.dot(across, faster) - wp.dot(across, turned) * wp.dot(n, speed)) / length
    return wp.dot(turned, acceleration) + wp.dot(n, change) + bent - wp.dot(across, across) * wp.dot(n, apart) / (length * length)


@wp.func
def path_rate(
    tree: Tree, body: Body, dof: Dof, site: Site, tendon: Tendon, kin: Kinematics, com: Com, motion: LinearMotion, w: int, t: int, k: int,
) -> wp.vec3d:  # fmt: skip
    """Second derivative of the length of tendon ``t`` with the solver's accelerations, and its changes by position and velocity of dof ``k``."""
    total = wp.vec3d()
    for i in range(tendon.adr[t], tendon.adr[t] + tendon.num[t] - 1):
        if tendon.wrap_type[i] != PULLEY and tendon.wrap_type[i + 1] != PULLEY:
            s0 = tendon.wrap_objid[i]
            s1 = tendon.wrap_objid[i + 1]
            one = _tip(tree, body, dof, site, kin, com, motion, w, s0, k)
            two = _tip(tree, body, dof, site, kin, com, motion, w, s1, k)
            gap = two.point - one.point
            length = wp.length(gap)
            if site.bodyid[s0] != site.bodyid[s1] and length >= real(MINVAL):
                speed = two.velocity - one.velocity
                acceleration = two.acceleration - one.acceleration
                across = speed - wp.dot(gap, speed) / (length * length) * gap
                value = wp.dot(gap, acceleration) / length + wp.dot(across, across) / length
                moved = two.by_position.moved - one.by_position.moved
                faster = two.by_position.velocity - one.by_position.velocity
                change = two.by_position.acceleration - one.by_position.acceleration
                by_position = _rate_change(top(moved), top(faster), gap, speed, acceleration, top(change))
                faster = two.by_velocity.velocity - one.by_velocity.velocity
                change = two.by_velocity.acceleration - one.by_velocity.acceleration
                by_velocity = _rate_change(wp.vec3d(), top(faster), gap, speed, acceleration, top(change))
                scale = real(tendon.wrap_scale[per_world(tendon.wrap_scale.shape[0], w), i])
                total += scale * wp.vec3d(value, by_position, by_velocity)
    return total
