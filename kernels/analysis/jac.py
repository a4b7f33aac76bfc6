"""Jacobians of points of bodies by the generalized velocities, and their rates of change.

A column is the velocity of the point, or of the body's rotation, that a unit speed of one dof gives. Method: Featherstone
2008, ch. 2 and 5; MuJoCo documentation, chapter Programming, section "Jacobians".
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.math.spatial import cross_motion
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Kinematics, Velocity
from newtonish.kernels.structs.model import Body, Dof, Geom, Joint, Site, Size, Tree

# what the index of a Jacobian names, and thereby which point it is of
POINT, BODY, BODY_COM, GEOM, SITE = range(5)
BODY_KIND = wp.constant(BODY)
BODY_COM_KIND = wp.constant(BODY_COM)
GEOM_KIND = wp.constant(GEOM)
SITE_KIND = wp.constant(SITE)

Columns = wp.array3d(dtype=float)  # (nworld, 3, nv), or empty: not wanted


@wp.func
def put_column(jac: Columns, w: int, i: int, column: wp.vec3):
    """Write column ``i`` of a Jacobian that is wanted."""
    if jac.shape[0] > 0:
        for k in range(3):
            jac[w, k, i] = column[k]


@wp.func
def clear_columns(jacp: Columns, jacr: Columns, nv: int, w: int, lane: int):
    """Zero both Jacobians; returns with a barrier."""
    for i in range(lane, nv, lanes()):
        put_column(jacp, w, i, wp.vec3())
        put_column(jacr, w, i, wp.vec3())
    sync()


@wp.func
def moved_by(axis: wp.spatial_vector, offset: wp.vec3) -> wp.vec3:
    """Velocity of the point at ``offset`` from the frame's origin by a motion."""
    return wp.spatial_bottom(axis) + wp.cross(wp.spatial_top(axis), offset)


@wp.kernel
def _jac(
    size: Size, tree: Tree, body: Body, geom: Geom, site: Site, kin: Kinematics, com: Com, jacp: Columns, jacr: Columns,
    point: wp.array(dtype=wp.vec3), index: wp.array(dtype=int), kind: int,
):  # fmt: skip
    w, lane = wp.tid()
    clear_columns(jacp, jacr, size.nv, w, lane)
    b = wp.int32(index[w])
    at = wp.vec3()
    if kind == BODY_KIND:
        at = kin.xpos[w, b]
    elif kind == BODY_COM_KIND:
        at = kin.xipos[w, b]
    elif kind == GEOM_KIND:
        at = kin.geom_xpos[w, b]
        b = geom.bodyid[b]
    elif kind == SITE_KIND:
        at = kin.site_xpos[w, b]
        b = site.bodyid[b]
    else:
        at = point[w]
    offset = at - com.subtree_com[w, body.rootid[b]]
    for c in range(tree.chain_adr[b] + lane, tree.chain_adr[b + 1], lanes()):
        i = tree.chain_dofid[c]
        axis = com.cdof[w, i]
        put_column(jacp, w, i, moved_by(axis, offset))
        put_column(jacr, w, i, wp.spatial_top(axis))


@wp.func
def _is_ancestor(body: Body, upper: int, lower: int) -> bool:
    """Whether ``upper`` is ``lower`` or above it."""
    b = wp.int32(lower)
    while b > upper:  # a parent's index is smaller
        b = body.parentid[b]
    return b == upper


@wp.kernel
def _jac_subtree_com(size: Size, body: Body, dof: Dof, com: Com, jacp: Columns, index: wp.array(dtype=int)):
    w, lane = wp.tid()
    b = index[w]
    masses = per_world(body.subtreemass.shape[0], w)
    for i in range(lane, size.nv, lanes()):
        own = dof.bodyid[i]
        origin = com.subtree_com[w, body.rootid[own]]
        axis = com.cdof[w, i]
        column = wp.vec3()
        if _is_ancestor(body, own, b):  # moves the whole subtree
            column = moved_by(axis, com.subtree_com[w, b] - origin)
        elif _is_ancestor(body, b, own):  # moves a part of it
            total = body.subtreemass[masses, b]
            if total > 0.0:
                share = body.subtreemass[masses, own] / total
                column = share * moved_by(axis, com.subtree_com[w, own] - origin)
        put_column(jacp, w, i, column)


@wp.kernel
def _jac_dot(
    size: Size, tree: Tree, body: Body, jnt: Joint, dof: Dof, com: Com, vel: Velocity, jacp: Columns, jacr: Columns,
    point: wp.array(dtype=wp.vec3), index: wp.array(dtype=int),
):  # fmt: skip
    w, lane = wp.tid()
    clear_columns(jacp, jacr, size.nv, w, lane)
    b = index[w]
    offset = point[w] - com.subtree_com[w, body.rootid[b]]
    velocity = moved_by(vel.cvel[w, b], offset)
    for c in range(tree.chain_adr[b] + lane, tree.chain_adr[b + 1], lanes()):
        i = tree.chain_dofid[c]
        j = dof.jntid[i]
        axis = com.cdof[w, i]
        rate = vel.cdof_dot[w, i]
        turning = jnt.type[j] == JointType.FREE and i >= jnt.dofadr[j] + 3
        if jnt.type[j] == JointType.BALL or turning:  # these axes are carried along by the body that they move
            rate = cross_motion(vel.cvel[w, dof.bodyid[i]], axis)
        put_column(jacp, w, i, moved_by(rate, offset) + wp.cross(wp.spatial_top(axis), velocity))
        put_column(jacr, w, i, wp.spatial_top(rate))


def jac(m: Any, d: Any, jacp: wp.array, jacr: wp.array, point: wp.array, index: wp.array, kind: int) -> None:
    """Jacobians (nworld, 3, nv), after ``com_pos``; an empty array is not wanted. MuJoCo: mj_jac, mj_jacBody, ..."""
    groups = [m.size, m.tree, m.body, m.geom, m.site, d.kin, d.com]
    launch(_jac, d, [*groups, jacp, jacr, point, index, kind])


def jac_subtree_com(m: Any, d: Any, jacp: wp.array, index: wp.array) -> None:
    """Jacobian (nworld, 3, nv) of a subtree's centre of mass, after ``com_pos``. MuJoCo: mj_jacSubtreeCom."""
    launch(_jac_subtree_com, d, [m.size, m.body, m.dof, d.com, jacp, index])


def jac_dot(m: Any, d: Any, jacp: wp.array, jacr: wp.array, point: wp.array, index: wp.array) -> None:
    """Rates of change of the Jacobians of a point, after ``com_vel``. MuJoCo: mj_jacDot."""
    groups = [m.size, m.tree, m.body, m.jnt, m.dof, d.com, d.vel]
    launch(_jac_dot, d, [*groups, jacp, jacr, point, index])
