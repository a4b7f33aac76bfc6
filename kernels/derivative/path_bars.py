"""Derivatives of the cost by motions and places of the bodies that a spatial tendon leads over, in one visit of its path.

Where the cost has a tendon's moment times a vector y, it has the rate of the tendon's length at the velocity y: directions of its straight parts times
velocities of their ends, which are motions of bodies. A tendon is as short as it can be, so that second derivatives of its length are symmetric: the change of a
direction as the bodies move by y is at once the derivative by a displacement of its end. What lies on a geom moves as ``wrap_change.py`` says.
"""

import warp as wp

from newtonish.kernels.derivative.algebra import at_point, join, real, top, vec6d, wide
from newtonish.kernels.derivative.cotangent import Cotangent
from newtonish.kernels.derivative.path_parts import Part, Tip, axes_of_geom, part_between, touching_of, wrapped_parts
from newtonish.kernels.derivative.workspace import LinearMotion
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Com, Kinematics, TendonState
from newtonish.kernels.structs.model import Body, Geom, Site, Tendon
from newtonish.kernels.tendon.spatial import PULLEY, SITE


@wp.func
def _motion_of(motion: LinearMotion, cotangent: Cotangent, share: wp.vec3d, w: int, b: int) -> vec6d:
    """Motion of body ``b`` that y is: shares of the adjoint, of the velocity and of the acceleration."""
    found = share[0] * cotangent.lam[w, b]
    if share[1] != real(0.0):
        found += share[1] * motion.V[w, b]
    if share[2] != real(0.0):
        found += share[2] * motion.L[w, b]
    return found


@wp.func
def _tip_at(body: Body, com: Com, motion: LinearMotion, cotangent: Cotangent, share: wp.vec3d, point: wp.vec3d, w: int, b: int) -> Tip:
    """A point of body ``b``."""
    tip = Tip()
    tip.body = b
    tip.point = point
    tip.arm = point - wide(com.subtree_com[w, body.rootid[b]])
    tip.moved = at_point(_motion_of(motion, cotangent, share, w, b), tip.arm)
    return tip


@wp.func
def _hand_over(
    cotangent: Cotangent, share: wp.vec3d, arm: wp.vec3d, moved: wp.vec3d, pull: wp.vec3d, change: wp.vec3d, w: int, b: int,
):  # fmt: skip
    """Add the part of one point to the sums of body ``b``."""
    if b > 0:
        wrench = join(wp.cross(arm, pull), pull)
        cotangent.bar_lam[w, b] = cotangent.bar_lam[w, b] + share[0] * wrench
        if share[1] != real(0.0):
            cotangent.bar_V[w, b] = cotangent.bar_V[w, b] + share[1] * wrench
        if share[2] != real(0.0):
            cotangent.bar_L[w, b] = cotangent.bar_L[w, b] + share[2] * wrench
        # its place with the motion y held, and that motion as it turns along with the body
        cotangent.turned[w, b] = cotangent.turned[w, b] + join(wp.cross(arm, change) + wp.cross(moved, pull), change)


@wp.func
def add_path(
    body: Body, geom: Geom, site: Site, tendon: Tendon, kin: Kinematics, com: Com, ten: TendonState, motion: LinearMotion, cotangent: Cotangent,
    share: wp.vec3d, w: int, t: int,
):  # fmt: skip
    """Add the moment of tendon ``t`` times y, which is ``share`` of the adjoint, the velocity and the acceleration; one lane calls it."""
    at = ten.wrapadr[w, t]
    end = at + ten.wrapnum[w, t]
    on = wp.bool(False)  # whether there is a point before
    wrapped = wp.bool(False)  # whether the path comes from a geom
    before = Tip()
    last = Part()  # from there
    for i in range(tendon.adr[t], tendon.adr[t] + tendon.num[t]):
        kind = tendon.wrap_type[i]
        item = tendon.wrap_objid[i]
        scale = real(tendon.wrap_scale[per_world(tendon.wrap_scale.shape[0], w), i])
        if kind == PULLEY:
            if on:
                _hand_over(cotangent, share, before.arm, before.moved, before.pull, before.change, w, before.body)
            on = False
            at += 1
        elif kind == SITE:
            b = site.bodyid[item]
            here = _tip_at(body, com, motion, cotangent, share, wide(kin.site_xpos[w, item]), w, b)
            if wrapped:
                here.pull = last.along
                here.change = last.change
            elif on and before.body != b:
                part = part_between(here.point - before.point, here.moved - before.moved, scale)
                before.pull = before.pull - part.along
                before.change = before.change - part.change
                here.pull = part.along
                here.change = part.change
            if on:
                _hand_over(cotangent, share, before.arm, before.moved, before.pull, before.change, w, before.body)
            before = here
            on = True
            wrapped = False
            at += 1
        elif at < end:
            if ten.wrap_obj[w, at] == item:
                after = tendon.wrap_objid[i + 1]
                beyond = _tip_at(body, com, motion, cotangent, share, wide(kin.site_xpos[w, after]), w, site.bodyid[after])
                g = geom.bodyid[item]
                center = wide(com.subtree_com[w, body.rootid[g]])
                along = _motion_of(motion, cotangent, share, w, g)
                mat = axes_of_geom(kin, w, item)
                found = touching_of(geom, tendon, kin, ten, mat, before.point, beyond.point, w, i, at)
                moved0 = before.moved - at_point(along, before.point - center)
                moved1 = beyond.moved - at_point(along, beyond.point - center)
                parts = wrapped_parts(found, mat, moved0, moved1, scale)
                first = parts.first
                last = parts.last
                first.change = first.change + wp.cross(top(along), first.along)
                last.change = last.change + wp.cross(top(along), last.along)
                before.pull = before.pull + first.along
                before.change = before.change + first.change
                _hand_over(cotangent, share, before.point - center, before.moved, -first.along, -first.change, w, g)
                _hand_over(cotangent, share, beyond.point - center, beyond.moved, -last.along, -last.change, w, g)
                wrapped = True
                at += 2
    if on:
        _hand_over(cotangent, share, before.arm, before.moved, before.pull, before.change, w, before.body)
