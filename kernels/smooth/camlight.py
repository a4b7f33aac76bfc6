"""Poses of cameras and lights.

A fixed one moves with its body. A tracking one keeps the axes of the reference pose and its place relative to the body
or to the centre of mass of the body's subtree. A targeting one sits on its body and looks at another one; its x axis
stays level. MuJoCo: mj_camlight; documentation, chapter XML Reference, attribute ``mode`` of cameras.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import CamLightType
from newtonish.kernels.math.quat import quat_mul, quat_rotate, quat_to_mat
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Com, Kinematics
from newtonish.kernels.structs.optics import Camera, CamLight, Light

TRACK = wp.constant(int(CamLightType.TRACK))
TRACKCOM = wp.constant(int(CamLightType.TRACKCOM))
TARGETBODY = wp.constant(int(CamLightType.TARGETBODY))
TARGETBODYCOM = wp.constant(int(CamLightType.TARGETBODYCOM))


@wp.func
def _target(kin: Kinematics, com: Com, w: int, mode: int, body: int) -> wp.vec3:
    """What a targeting camera or light looks at."""
    if mode == TARGETBODYCOM:
        return com.subtree_com[w, body]
    return kin.xpos[w, body]


@wp.func
def _looking_from(pos: wp.vec3, target: wp.vec3) -> wp.mat33:
    """Axes of a camera that looks at ``target``, with a level x axis."""
    z = wp.normalize(pos - target)
    x = wp.normalize(wp.cross(wp.vec3(0.0, 0.0, 1.0), z))
    y = wp.normalize(wp.cross(z, x))
    return wp.matrix_from_cols(x, y, z)


@wp.func
def place_camera(cam: Camera, kin: Kinematics, com: Com, out: CamLight, w: int, i: int):
    b = cam.bodyid[i]
    mode = cam.mode[i]
    if mode == TRACK or mode == TRACKCOM:
        out.cam_xmat[w, i] = cam.mat0[per_world(cam.mat0.shape[0], w), i]
        if mode == TRACK:
            out.cam_xpos[w, i] = kin.xpos[w, b] + cam.pos0[per_world(cam.pos0.shape[0], w), i]
        else:
            out.cam_xpos[w, i] = com.subtree_com[w, b] + cam.poscom0[per_world(cam.poscom0.shape[0], w), i]
    else:
        quat = kin.xquat[w, b]
        pos = kin.xpos[w, b] + quat_rotate(quat, cam.pos[per_world(cam.pos.shape[0], w), i])
        axes = quat_to_mat(quat_mul(quat, cam.quat[per_world(cam.quat.shape[0], w), i]))
        if (mode == TARGETBODY or mode == TARGETBODYCOM) and cam.targetbodyid[i] >= 0:
            axes = _looking_from(pos, _target(kin, com, w, mode, cam.targetbodyid[i]))
        out.cam_xpos[w, i] = pos
        out.cam_xmat[w, i] = axes


@wp.func
def place_light(light: Light, kin: Kinematics, com: Com, out: CamLight, w: int, i: int):
    b = light.bodyid[i]
    mode = light.mode[i]
    direction = light.dir0[per_world(light.dir0.shape[0], w), i]
    if mode == TRACK:
        out.light_xpos[w, i] = kin.xpos[w, b] + light.pos0[per_world(light.pos0.shape[0], w), i]
    elif mode == TRACKCOM:
        out.light_xpos[w, i] = com.subtree_com[w, b] + light.poscom0[per_world(light.poscom0.shape[0], w), i]
    else:
        quat = kin.xquat[w, b]
        pos = kin.xpos[w, b] + quat_rotate(quat, light.pos[per_world(light.pos.shape[0], w), i])
        direction = quat_rotate(quat, light.dir[per_world(light.dir.shape[0], w), i])
        if (mode == TARGETBODY or mode == TARGETBODYCOM) and light.targetbodyid[i] >= 0:
            direction = _target(kin, com, w, mode, light.targetbodyid[i]) - pos
        out.light_xpos[w, i] = pos
    out.light_xdir[w, i] = wp.normalize(direction)


@wp.func
def camlight_world(cam: Camera, light: Light, kin: Kinematics, com: Com, out: CamLight, w: int, lane: int):
    """Cameras and lights of one world; returns with a barrier."""
    for i in range(lane, cam.number, lanes()):
        place_camera(cam, kin, com, out, w, i)
    for i in range(lane, light.number, lanes()):
        place_light(light, kin, com, out, w, i)
    sync()


@wp.kernel
def _camlight(cam: Camera, light: Light, kin: Kinematics, com: Com, out: CamLight):
    w, lane = wp.tid()
    camlight_world(cam, light, kin, com, out, w, lane)


def camlight(m: Any, d: Any) -> None:
    """Positions and axes of cameras, positions and directions of lights, in the world frame.

    A step calls it for models with sensors that look through cameras, and once a program has read one of the results by its flat name.

    Reads   m.cam, m.light; d.kin, d.com. Writes d.cam_xpos, d.cam_xmat, d.light_xpos, d.light_xdir.
    MuJoCo  mj_camlight.
    """
    if m.cam.number + m.light.number > 0:
        launch(_camlight, d, [m.cam, m.light, d.kin, d.com, d.camlight])
