"""Frames of the objects that sensors are attached to, and how they move.

A body is measured at its centre of mass along its principal axes (``body``) or in its own frame (``xbody``).
Velocities and accelerations of bodies are spatial vectors about the tree's centre of mass (rotation first).
"""

import warp as wp

from newtonish.kernels.constants import BODY, CAMERA, GEOM, XBODY
from newtonish.kernels.math.quat import quat_mul
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Com, Kinematics, Velocity
from newtonish.kernels.structs.model import Body, Geom, Site
from newtonish.kernels.structs.optics import Camera, CamLight


@wp.func
def frame_pos(kin: Kinematics, eyes: CamLight, w: int, kind: int, i: int) -> wp.vec3:
    """Origin of the object's frame [m]."""
    if kind == BODY:
        return kin.xipos[w, i]
    if kind == XBODY:
        return kin.xpos[w, i]
    if kind == GEOM:
        return kin.geom_xpos[w, i]
    if kind == CAMERA:
        return eyes.cam_xpos[w, i]
    return kin.site_xpos[w, i]


@wp.func
def frame_mat(kin: Kinematics, eyes: CamLight, w: int, kind: int, i: int) -> wp.mat33:
    """Axes of the object's frame, as columns."""
    if kind == BODY:
        return kin.ximat[w, i]
    if kind == XBODY:
        return kin.xmat[w, i]
    if kind == GEOM:
        return kin.geom_xmat[w, i]
    if kind == CAMERA:
        return eyes.cam_xmat[w, i]
    return kin.site_xmat[w, i]


@wp.func
def frame_quat(body: Body, geom: Geom, site: Site, cam: Camera, kin: Kinematics, w: int, kind: int, i: int) -> wp.vec4:
    """Orientation of the object's frame; of a camera as if it was fixed to its body, whatever its mode (as MuJoCo's)."""
    if kind == BODY:
        return quat_mul(kin.xquat[w, i], body.iquat[per_world(body.iquat.shape[0], w), i])
    if kind == XBODY:
        return kin.xquat[w, i]
    if kind == GEOM:
        return quat_mul(kin.xquat[w, geom.bodyid[i]], geom.quat[per_world(geom.quat.shape[0], w), i])
    if kind == CAMERA:
        return quat_mul(kin.xquat[w, cam.bodyid[i]], cam.quat[per_world(cam.quat.shape[0], w), i])
    return quat_mul(kin.xquat[w, site.bodyid[i]], site.quat[per_world(site.quat.shape[0], w), i])


@wp.func
def at_point(motion: wp.spatial_vector, arm: wp.vec3) -> wp.vec3:
    """Linear part of a motion at a point that lies at ``arm`` from where it is given."""
    return wp.spatial_bottom(motion) + wp.cross(wp.spatial_top(motion), arm)


@wp.func
def lever(body: Body, com: Com, w: int, i: int, pos: wp.vec3) -> wp.vec3:
    """From the point about which the motion of body ``i`` is given to ``pos``."""
    return pos - com.subtree_com[w, body.rootid[i]]


@wp.func
def point_velocity(body: Body, com: Com, vel: Velocity, w: int, i: int, pos: wp.vec3) -> wp.vec3:
    """Velocity of the point of body ``i`` at ``pos`` [m/s], world axes."""
    return at_point(vel.cvel[w, i], lever(body, com, w, i, pos))


@wp.func
def point_acceleration(body: Body, com: Com, vel: Velocity, w: int, i: int, pos: wp.vec3) -> wp.vec3:
    """Acceleration of the point of body ``i`` at ``pos`` [m/s^2], world axes, with what gravity makes one feel.

    The spatial acceleration is that of the field of velocities at a fixed place; a point that is carried along feels
    the turning of its own velocity in addition.
    """
    arm = lever(body, com, w, i, pos)
    turning = wp.cross(wp.spatial_top(vel.cvel[w, i]), at_point(vel.cvel[w, i], arm))
    return at_point(vel.cacc[w, i], arm) + turning
