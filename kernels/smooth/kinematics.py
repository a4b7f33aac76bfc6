"""Forward kinematics: poses of bodies, joints, geoms and sites from the generalized coordinates.

Bodies are placed level by level from the world down, each relative to its parent and then moved by its joints in
order, every joint about the frame that the previous ones left. Frames are often turned or moved by nothing: joints in the
origin, sites and inertial frames along their body's axes; testing for that is cheaper than the product.
Method: MuJoCo documentation, chapter Computation; Featherstone 2008, ch. 4. Quaternions are normalised where they are used;
``qpos`` itself is not changed.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import JointType
from newtonish.kernels.math.quat import (
    is_identity,
    quat_from_axis_angle,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_to_mat,
)
from newtonish.kernels.math.world import assume_nonnegative, lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Kinematics, State
from newtonish.kernels.structs.model import Body, Geom, Joint, Site, Size, Tree


@wp.func
def _row_quat(x: wp.array2d(dtype=float), w: int, adr: int) -> wp.vec4:
    """Unit quaternion stored in four entries of a row."""
    return quat_normalize(wp.vec4(x[w, adr], x[w, adr + 1], x[w, adr + 2], x[w, adr + 3]))


@wp.func
def _turned(quat: wp.vec4, local: wp.vec4) -> wp.vec4:
    """Orientation of a frame that is turned by ``local`` against one of orientation ``quat``."""
    result = quat
    if not is_identity(local):
        result = quat_mul(quat, local)
    return result


@wp.func
def _axes_of(mat: wp.mat33, quat: wp.vec4, local: wp.vec4) -> wp.mat33:
    """Axes of such a frame, where the columns of ``mat`` are those of ``quat``."""
    result = mat
    if not is_identity(local):
        result = quat_to_mat(quat_mul(quat, local))
    return result


@wp.func
def _place_body(body: Body, jnt: Joint, state: State, kin: Kinematics, w: int, i: int):
    """Pose of body ``i`` and its joints, once its parent is placed."""
    num = body.jntnum[i]
    adr = body.jntadr[i]
    free = wp.int32(0)
    if num == 1:
        if jnt.type[adr] == JointType.FREE:
            free = 1
    pos = wp.vec3()
    quat = wp.vec4()
    if free == 1:
        q = assume_nonnegative(jnt.qposadr[assume_nonnegative(adr)])
        pos = wp.vec3(state.qpos[w, q], state.qpos[w, q + 1], state.qpos[w, q + 2])
        quat = _row_quat(state.qpos, w, q + 3)
        kin.xanchor[w, adr] = pos
        kin.xaxis[w, adr] = jnt.axis[per_world(jnt.axis.shape[0], w), adr]
    else:
        parent = assume_nonnegative(body.parentid[i])
        mocap = body.mocapid[i]
        if mocap >= 0:
            pos = state.mocap_pos[w, mocap]
            quat = quat_normalize(state.mocap_quat[w, mocap])
        else:
            pos = body.pos[per_world(body.pos.shape[0], w), i]
            quat = body.quat[per_world(body.quat.shape[0], w), i]
        if parent > 0:
            parent_quat = kin.xquat[w, parent]
            pos = kin.xpos[w, parent] + quat_rotate(parent_quat, pos)
            quat = _turned(parent_quat, quat)
        for at in range(adr, adr + num):
            j = assume_nonnegative(at)
            q = assume_nonnegative(jnt.qposadr[j])
            kind = jnt.type[j]
            local_axis = jnt.axis[per_world(jnt.axis.shape[0], w), j]
            local_anchor = jnt.pos[per_world(jnt.pos.shape[0], w), j]
            central = wp.abs(local_anchor[0]) + wp.abs(local_anchor[1]) + wp.abs(local_anchor[2]) == 0.0
            anchor = pos
            if not central:
                anchor = pos + quat_rotate(quat, local_anchor)
            axis = quat_rotate(quat, local_axis)
            kin.xanchor[w, j] = anchor
            kin.xaxis[w, j] = axis
            if kind == JointType.BALL:
                quat = quat_mul(quat, _row_quat(state.qpos, w, q))
            else:
                moved = state.qpos[w, q] - jnt.qpos0[per_world(jnt.qpos0.shape[0], w), q]
                if kind == JointType.SLIDE:
                    pos = pos + moved * axis
                else:
                    quat = quat_mul(quat, quat_from_axis_angle(local_axis, moved))
            if not central and kind != JointType.SLIDE:
                pos = anchor - quat_rotate(quat, local_anchor)
        quat = quat_normalize(quat)
    kin.xpos[w, i] = pos
    kin.xquat[w, i] = quat


@wp.func
def _turn_body(body: Body, kin: Kinematics, w: int, i: int):
    """Axes of body ``i`` and its inertial frame, once it is placed."""
    quat = kin.xquat[w, i]
    mat = quat_to_mat(quat)
    kin.xmat[w, i] = mat
    kin.xipos[w, i] = kin.xpos[w, i] + quat_rotate(quat, body.ipos[per_world(body.ipos.shape[0], w), i])
    kin.ximat[w, i] = _axes_of(mat, quat, body.iquat[per_world(body.iquat.shape[0], w), i])


@wp.func
def kinematics_world(size: Size, tree: Tree, body: Body, jnt: Joint, geom: Geom, site: Site, state: State, kin: Kinematics, w: int, lane: int):
    """Kinematics of one world."""
    if lane == 0:
        # the identity, whatever pos and quat a model gives the world body
        kin.xpos[w, 0] = wp.vec3()
        kin.xquat[w, 0] = wp.vec4(1.0, 0.0, 0.0, 0.0)
        kin.xmat[w, 0] = wp.identity(n=3, dtype=float)
        kin.xipos[w, 0] = wp.vec3()
        kin.ximat[w, 0] = wp.identity(n=3, dtype=float)
    for level in range(1, size.nlevel):
        for k in range(assume_nonnegative(tree.level_adr[level]) + lane, tree.level_adr[level + 1], lanes()):
            i = assume_nonnegative(tree.level_bodyid[k])
            _place_body(body, jnt, state, kin, w, i)
            if lanes() == 1:
                _turn_body(body, kin, w, i)
        sync()
    # levels have few bodies: what no child waits for is left to all lanes
    if lanes() > 1:
        for i in range(lane + 1, size.nbody, lanes()):
            _turn_body(body, kin, w, i)
        sync()
    for i in range(lane, size.ngeom, lanes()):
        b = assume_nonnegative(geom.bodyid[i])
        quat = kin.xquat[w, b]
        kin.geom_xpos[w, i] = kin.xpos[w, b] + quat_rotate(quat, geom.pos[per_world(geom.pos.shape[0], w), i])
        kin.geom_xmat[w, i] = _axes_of(kin.xmat[w, b], quat, geom.quat[per_world(geom.quat.shape[0], w), i])
    for i in range(lane, size.nsite, lanes()):
        b = assume_nonnegative(site.bodyid[i])
        quat = kin.xquat[w, b]
        kin.site_xpos[w, i] = kin.xpos[w, b] + quat_rotate(quat, site.pos[per_world(site.pos.shape[0], w), i])
        kin.site_xmat[w, i] = _axes_of(kin.xmat[w, b], quat, site.quat[per_world(site.quat.shape[0], w), i])
    sync()


@wp.kernel
def _kinematics(size: Size, tree: Tree, body: Body, jnt: Joint, geom: Geom, site: Site, state: State, kin: Kinematics):
    w, lane = wp.tid()
    kinematics_world(size, tree, body, jnt, geom, site, state, kin, w, lane)


def kinematics(m: Any, d: Any) -> None:
    """Poses of bodies, inertial frames, joints, geoms and sites in the world frame.

    Reads   m.body, m.jnt, m.geom, m.site, m.tree; d.state (qpos, mocap_pos, mocap_quat)
    Writes  d.kin
    MuJoCo  mj_kinematics.
    """
    launch(_kinematics, d, [m.size, m.tree, m.body, m.jnt, m.geom, m.site, d.state, d.kin])
