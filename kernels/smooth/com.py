"""Centres of mass of subtrees, inertias and motion axes about the centre of mass of each tree.

All spatial quantities of a tree share one frame: world axes, origin at the centre of mass of the whole tree. Far from
the world's origin this keeps float32 sums accurate. Method: MuJoCo documentation, chapter Computation (com-based frame).
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.math.spatial import inertia_about
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Kinematics
from newtonish.kernels.structs.model import Body, Joint, Size, Tree


@wp.func
def _rotation_axis(axis: wp.vec3, offset: wp.vec3) -> wp.spatial_vector:
    """Motion of unit angular speed about a line that passes the frame's origin at ``-offset``."""
    return wp.spatial_vector(axis, wp.cross(axis, offset))


@wp.func
def _joint_axes(body: Body, jnt: Joint, kin: Kinematics, com: Com, w: int, j: int):
    """Motion axes of the dofs of joint ``j``."""
    i = assume_nonnegative(jnt.bodyid[j])
    dof = assume_nonnegative(jnt.dofadr[j])
    kind = jnt.type[j]
    offset = com.subtree_com[w, assume_nonnegative(body.rootid[i])] - kin.xanchor[w, j]
    if kind == JointType.SLIDE:
        com.cdof[w, dof] = wp.spatial_vector(wp.vec3(), kin.xaxis[w, j])
    elif kind == JointType.HINGE:
        com.cdof[w, dof] = _rotation_axis(kin.xaxis[w, j], offset)
    else:
        if kind == JointType.FREE:
            com.cdof[w, dof] = wp.spatial_vector(0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
            com.cdof[w, dof + 1] = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
            com.cdof[w, dof + 2] = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
            dof = dof + 3
        # rotations about the axes of the body itself
        mat = kin.xmat[w, i]
        com.cdof[w, dof] = _rotation_axis(wp.vec3(mat[0, 0], mat[1, 0], mat[2, 0]), offset)
        com.cdof[w, dof + 1] = _rotation_axis(wp.vec3(mat[0, 1], mat[1, 1], mat[2, 1]), offset)
        com.cdof[w, dof + 2] = _rotation_axis(wp.vec3(mat[0, 2], mat[1, 2], mat[2, 2]), offset)


@wp.func
def com_pos_world(size: Size, tree: Tree, body: Body, jnt: Joint, kin: Kinematics, com: Com, w: int, lane: int):
    """Centres of mass, inertias and motion axes of one world."""
    mass_w = per_world(body.mass.shape[0], w)
    total_w = per_world(body.subtreemass.shape[0], w)
    for back in range(size.nlevel):
        level = size.nlevel - 1 - back
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            i = assume_nonnegative(tree.level_bodyid[k])
            center = kin.xipos[w, i]
            moment = body.mass[mass_w, i] * center
            for c in range(assume_nonnegative(tree.child_adr[i]), tree.child_adr[i + 1]):
                child = assume_nonnegative(tree.child_bodyid[c])
                moment += body.subtreemass[total_w, child] * com.subtree_com[w, child]
            total = body.subtreemass[total_w, i]
            if total >= MINVAL:
                center = moment / total
            com.subtree_com[w, i] = center
        sync()
    inertia_w = per_world(body.inertia.shape[0], w)
    for i in range(lane, size.nbody, lanes()):
        offset = kin.xipos[w, i] - com.subtree_com[w, assume_nonnegative(body.rootid[i])]
        com.cinert[w, i] = inertia_about(kin.ximat[w, i], body.inertia[inertia_w, i], body.mass[mass_w, i], offset)
    for j in range(lane, size.njnt, lanes()):
        _joint_axes(body, jnt, kin, com, w, j)
    sync()


@wp.kernel
def _com_pos(size: Size, tree: Tree, body: Body, jnt: Joint, kin: Kinematics, com: Com):
    w, lane = wp.tid()
    com_pos_world(size, tree, body, jnt, kin, com, w, lane)


def com_pos(m: Any, d: Any) -> None:
    """Centres of mass of all subtrees; inertias and motion axes about the centre of mass of the tree.

    Reads   m.body, m.jnt, m.tree; d.kin (after kinematics)
    Writes  d.com (subtree_com [m], cinert, cdof)
    MuJoCo  mj_comPos.
    """
    launch(_com_pos, d, [m.size, m.tree, m.body, m.jnt, d.kin, d.com])
