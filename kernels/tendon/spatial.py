"""Spatial tendons: strings over sites, around spheres and cylinders, divided by pulleys.

A tendon is a run of straight segments between points on bodies; its length is their sum, divided by the pulley's divisor
of the branch, plus what lies on wrapping geoms. The gradient of a segment's length by a dof is the segment's direction
times the relative motion of its ends; the part on a geom moves with the geom. Method: MuJoCo documentation, chapter
Computation ("Tendons").
"""

import warp as wp

from newtonish.kernels.constants import MINVAL
from newtonish.kernels.linalg.chains import common_dofs
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Com, Kinematics, TendonState
from newtonish.kernels.structs.model import Body, Geom, Site, Tendon, Tree
from newtonish.kernels.tendon.wrap import CYLINDER, SPHERE, Wrap, wrap_geom

PULLEY = wp.constant(2)  # mjWRAP_PULLEY
SITE = wp.constant(3)  # mjWRAP_SITE
SITE_POINT = wp.constant(-1)  # what MuJoCo writes into wrap_obj for a site, and for the end of a branch
PULLEY_POINT = wp.constant(-2)


@wp.func
def _add_chain(
    tree: Tree, body: Body, tendon: Tendon, com: Com, ten: TendonState, w: int, t: int, b: int, point: wp.vec3,
    direction: wp.vec3, common: int,
):  # fmt: skip
    """Add ``direction`` times the Jacobian of ``point`` on body ``b`` to the row of tendon ``t``, from dof ``common`` of its chain on."""
    offset = point - com.subtree_com[w, body.rootid[b]]
    moment = wp.cross(offset, direction)
    k = tendon.J_rowadr[t]
    end = k + tendon.J_rownnz[t]
    for c in range(tree.chain_adr[b] + common, tree.chain_adr[b + 1]):
        i = tree.chain_dofid[c]
        while k < end and tendon.J_colind[k] < i:  # both ascend
            k += 1
        if k < end and tendon.J_colind[k] == i:  # dofs that move all of a tendon's bodies are not in its row
            axis = com.cdof[w, i]
            moved = wp.dot(moment, wp.spatial_top(axis)) + wp.dot(direction, wp.spatial_bottom(axis))
            ten.J[w, k] = ten.J[w, k] + moved


@wp.func
def _add_segment(
    tree: Tree, body: Body, tendon: Tendon, com: Com, ten: TendonState, w: int, t: int, b0: int, x0: wp.vec3, b1: int,
    x1: wp.vec3, scale: float,
) -> float:  # fmt: skip
    """Length of a straight segment; its gradient is added to the Jacobian."""
    gap = x1 - x0
    length = wp.length(gap)
    direction = wp.vec3(1.0, 0.0, 0.0)
    if length >= MINVAL:
        direction = gap / length
    if b0 != b1:
        common = common_dofs(tree, b0, b1)  # what moves both ends changes no length, to the last digit
        _add_chain(tree, body, tendon, com, ten, w, t, b0, x0, -scale * direction, common)
        _add_chain(tree, body, tendon, com, ten, w, t, b1, x1, scale * direction, common)
    return length


@wp.func
def _put_point(ten: TendonState, w: int, at: int, x: wp.vec3, obj: int):
    ten.wrap_xpos[w, at] = x
    ten.wrap_obj[w, at] = obj


@wp.func
def wrap_at(tendon: Tendon, geom: Geom, kin: Kinematics, w: int, k: int) -> Wrap:
    """Path around the geom of wrap ``k``, between the sites before and after it."""
    g = tendon.wrap_objid[k]
    side_id = tendon.wrap_sideid[k]
    side = wp.vec3(0.0, 0.0, 0.0)
    if side_id >= 0:
        side = kin.site_xpos[w, side_id]
    radius = geom.size[per_world(geom.size.shape[0], w), g][0]
    x0 = kin.site_xpos[w, tendon.wrap_objid[k - 1]]
    x1 = kin.site_xpos[w, tendon.wrap_objid[k + 1]]
    return wrap_geom(x0, x1, kin.geom_xpos[w, g], kin.geom_xmat[w, g], radius, tendon.wrap_type[k], side, side_id >= 0)


@wp.func
def spatial_tendon(
    tree: Tree, body: Body, geom: Geom, site: Site, tendon: Tendon, kin: Kinematics, com: Com, ten: TendonState, w: int,
    t: int,
):  # fmt: skip
    """Length, Jacobian and path of spatial tendon ``t`` of one world."""
    for k in range(tendon.J_rowadr[t], tendon.J_rowadr[t] + tendon.J_rownnz[t]):
        ten.J[w, k] = 0.0
    begin = tendon.adr[t]
    last = begin + tendon.num[t] - 1
    at = 2 * begin
    length = wp.float32(0.0)
    k = begin
    while k <= last:
        kind = tendon.wrap_type[k]
        obj = tendon.wrap_objid[k]
        follower = int(PULLEY)
        if k < last:
            follower = tendon.wrap_type[k + 1]
        step = int(1)
        if kind == PULLEY:
            _put_point(ten, w, at, wp.vec3(0.0, 0.0, 0.0), PULLEY_POINT)
            at += 1
        else:
            x0 = kin.site_xpos[w, obj]
            b0 = site.bodyid[obj]
            _put_point(ten, w, at, x0, SITE_POINT)
            at += 1
            if follower != PULLEY:
                scale = tendon.wrap_scale[per_world(tendon.wrap_scale.shape[0], w), k]
                straight = wp.bool(True)
                after = k + 1
                if follower == SPHERE or follower == CYLINDER:
                    after = k + 2
                    step = 2
                    g = tendon.wrap_objid[k + 1]
                    path = wrap_at(tendon, geom, kin, w, k + 1)
                    if path.length >= 0.0:
                        straight = False
                        s1 = tendon.wrap_objid[after]
                        bg = geom.bodyid[g]
                        part = _add_segment(tree, body, tendon, com, ten, w, t, b0, x0, bg, path.first, scale)
                        part += path.length
                        part += _add_segment(
                            tree,
                            body,
                            tendon,
                            com,
                            ten,
                            w,
                            t,
                            bg,
                            path.second,
                            site.bodyid[s1],
                            kin.site_xpos[w, s1],
                            scale,
                        )
                        length += scale * part
                        _put_point(ten, w, at, path.first, g)
                        _put_point(ten, w, at + 1, path.second, g)
                        at += 2
                if straight:
                    s2 = tendon.wrap_objid[after]
                    length += scale * _add_segment(tree, body, tendon, com, ten, w, t, b0, x0, site.bodyid[s2], kin.site_xpos[w, s2], scale)
        k += step
    ten.length[w, t] = length
    ten.wrapadr[w, t] = 2 * begin
    ten.wrapnum[w, t] = at - 2 * begin
