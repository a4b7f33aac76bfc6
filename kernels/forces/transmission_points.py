"""Transmissions that act on sites: a wrench on a site, the pose of a site against another, a slider-crank.

The length is a function of site poses; its gradient by the coordinates is that of a force and a torque on the sites'
bodies. Method: MuJoCo documentation, chapters Computation and XML Reference (attributes site, refsite, cranksite).
"""

import warp as wp

from newtonish.kernels.math.quat import quat_conj, quat_mul, quat_normalize, quat_to_rotation_vector
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Com, Drive, Kinematics
from newtonish.kernels.structs.model import Actuator, Body, Site, Tree


@wp.func
def clear_row(actuator: Actuator, drive: Drive, w: int, o: int):
    """Columns of output ``o``'s moment row, with zero moments."""
    first = actuator.moment_rowadr0[o]
    for k in range(first, first + actuator.moment_rownnz0[o]):
        drive.moment_colind[w, k] = actuator.moment_colind0[k]
        drive.actuator_moment[w, k] = 0.0


@wp.func
def add_wrench(
    tree: Tree, body: Body, actuator: Actuator, com: Com, drive: Drive, w: int, o: int, b: int, point: wp.vec3,
    force: wp.vec3, torque: wp.vec3,
):  # fmt: skip
    """Add what a force at ``point`` and a torque, both on body ``b``, do on the dofs of output ``o``'s moment row."""
    moment = torque + wp.cross(point - com.subtree_com[w, body.rootid[b]], force)
    k = actuator.moment_rowadr0[o]
    end = k + actuator.moment_rownnz0[o]
    for c in range(tree.chain_adr[b], tree.chain_adr[b + 1]):
        i = tree.chain_dofid[c]
        while k < end and actuator.moment_colind0[k] < i:  # both ascend
            k += 1
        if k < end and actuator.moment_colind0[k] == i:
            axis = com.cdof[w, i]
            work = wp.dot(moment, wp.spatial_top(axis)) + wp.dot(force, wp.spatial_bottom(axis))
            drive.actuator_moment[w, k] = drive.actuator_moment[w, k] + work


@wp.func
def site_quat(site: Site, kin: Kinematics, w: int, s: int) -> wp.vec4:
    return quat_mul(kin.xquat[w, site.bodyid[s]], site.quat[per_world(site.quat.shape[0], w), s])


@wp.func
def site_transmission(
    tree: Tree, body: Body, site: Site, actuator: Actuator, kin: Kinematics, com: Com, drive: Drive,
    gear: wp.spatial_vector, w: int, o: int, s: int, ref: int,
):  # fmt: skip
    """Length and moment of output ``o``, a wrench on site ``s`` in its own axes or in those of site ``ref``."""
    clear_row(actuator, drive, w, o)
    frame = kin.site_xmat[w, s]
    length = wp.float32(0.0)
    if ref >= 0:
        frame = kin.site_xmat[w, ref]
        offset = kin.site_xpos[w, s] - kin.site_xpos[w, ref]
        turn = quat_mul(quat_conj(site_quat(site, kin, w, ref)), site_quat(site, kin, w, s))
        rotation = quat_to_rotation_vector(quat_normalize(turn))
        length = wp.dot(wp.transpose(frame) * offset, wp.spatial_top(gear)) + wp.dot(rotation, wp.spatial_bottom(gear))
    force = frame * wp.spatial_top(gear)
    torque = frame * wp.spatial_bottom(gear)
    add_wrench(tree, body, actuator, com, drive, w, o, site.bodyid[s], kin.site_xpos[w, s], force, torque)
    if ref >= 0:  # dofs that move both sites are not in the row
        add_wrench(tree, body, actuator, com, drive, w, o, site.bodyid[ref], kin.site_xpos[w, ref], -force, -torque)
    drive.actuator_length[w, o] = length


@wp.func
def slidercrank_transmission(
    tree: Tree, body: Body, site: Site, actuator: Actuator, kin: Kinematics, com: Com, drive: Drive, gear: float, w: int,
    a: int, o: int,
):  # fmt: skip
    """Length of a slider along an axis, joined by a rod to a crank: x = a.v - sqrt((a.v)^2 + r^2 - v.v)."""
    clear_row(actuator, drive, w, o)
    crank = actuator.trnid[a][0]
    slider = actuator.trnid[a][1]
    rod = actuator.cranklength[per_world(actuator.cranklength.shape[0], w), a]
    mat = kin.site_xmat[w, slider]
    axis = wp.vec3(mat[0, 2], mat[1, 2], mat[2, 2])
    v = kin.site_xpos[w, crank] - kin.site_xpos[w, slider]
    along = wp.dot(axis, v)
    square = along * along + rod * rod - wp.dot(v, v)
    length = along
    by_v = axis
    by_axis = v
    if square > 0.0:
        root = wp.sqrt(square)
        length = along - root
        by_v = (1.0 - along / root) * axis + v / root
        by_axis = (1.0 - along / root) * v
    force = gear * by_v
    add_wrench(tree, body, actuator, com, drive, w, o, site.bodyid[crank], kin.site_xpos[w, crank], force, wp.vec3())
    torque = gear * wp.cross(axis, by_axis)
    add_wrench(tree, body, actuator, com, drive, w, o, site.bodyid[slider], kin.site_xpos[w, slider], -force, torque)
    drive.actuator_length[w, o] = gear * length
