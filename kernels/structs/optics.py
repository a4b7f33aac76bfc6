"""Cameras and lights: how they are mounted, and where they are in the world."""

from __future__ import annotations

import warp as wp

from newtonish.kernels.structs.field import group, index, scalar, value

f32, vec3, vec4 = wp.float32, wp.vec3, wp.vec4

CAMERA = group(
    "Camera",
    "cam",
    "cam_",
    [
        scalar("number", "cameras", flat="ncam"),
        scalar("needed", "1: some sensor of a step looks through a camera"),
        index("mode", "ncam", doc="CamLightType: how it follows its body, or aims at another"),
        index("bodyid", "ncam", doc="body that carries the camera"),
        index("targetbodyid", "ncam", doc="body that it is aimed at; -1: none"),
        index("projection", "ncam", doc="0 perspective, 1 orthographic"),
        index("resolution", "ncam", doc="pixels, width and height", dtype=wp.vec2i),
        index("sensorsize", "ncam", doc="size of the picture's plane, width and height; 0: fovy counts [m]", dtype=wp.vec2),
        value("fovy", f32, "ncam", doc="vertical field of view [deg], or height of an orthographic picture [m]"),
        value("intrinsic", vec4, "ncam", doc="focal lengths and principal point [m]"),
        value("pos", vec3, "ncam", doc="position in the body frame [m]"),
        value("quat", vec4, "ncam", doc="orientation in the body frame; it looks along its -z axis"),
        value("poscom0", vec3, "ncam", doc="position from the subtree's centre of mass at qpos0, world axes [m]"),
        value("pos0", vec3, "ncam", doc="position from the body at qpos0, world axes [m]"),
        value("mat0", wp.mat33, "ncam", doc="axes at qpos0, world frame"),
    ],
)

LIGHT = group(
    "Light",
    "light",
    "light_",
    [
        scalar("number", "lights", flat="nlight"),
        index("mode", "nlight", doc="CamLightType: how it follows its body, or aims at another"),
        index("bodyid", "nlight", doc="body that carries the light"),
        index("targetbodyid", "nlight", doc="body that it is aimed at; -1: none"),
        value("pos", vec3, "nlight", doc="position in the body frame [m]"),
        value("dir", vec3, "nlight", doc="direction in the body frame"),
        value("poscom0", vec3, "nlight", doc="position from the subtree's centre of mass at qpos0, world axes [m]"),
        value("pos0", vec3, "nlight", doc="position from the body at qpos0, world axes [m]"),
        value("dir0", vec3, "nlight", doc="direction at qpos0, world frame"),
    ],
)

CAMLIGHT = group(
    "CamLight",
    "camlight",
    "",
    [
        value("cam_xpos", vec3, "ncam", doc="position of the camera [m]"),
        value("cam_xmat", wp.mat33, "ncam", doc="axes of the camera, as columns"),
        value("light_xpos", vec3, "nlight", doc="position of the light [m]"),
        value("light_xdir", vec3, "nlight", doc="direction of the light"),
    ],
)

Camera = CAMERA.struct
Light = LIGHT.struct
CamLight = CAMLIGHT.struct
