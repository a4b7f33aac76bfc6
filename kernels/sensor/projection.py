"""Sensors of where a site appears in a camera's picture.

A pinhole camera that looks along its -z axis; pixels are counted from the upper left corner, nothing is clipped. The
focal length is given by the picture's plane, if it has a size, else by the vertical field of view. MuJoCo's sensor
takes the principal point to be in the middle and an orthographic camera for a pinhole one; so does this one.
MuJoCo: documentation, chapter XML Reference, element ``sensor/camprojection``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import SensorType
from newtonish.kernels.constants import MINVAL
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sensor.write import put_scalar
from newtonish.kernels.structs.data import Kinematics, Sense
from newtonish.kernels.structs.model import Sensor, Size
from newtonish.kernels.structs.optics import Camera, CamLight

DEGREE = wp.constant(wp.pi / 180.0)


@wp.func
def focal_lengths(cam: Camera, w: int, i: int) -> wp.vec2:
    """Focal lengths of a pinhole camera along its x and y axes, in pixels."""
    plane = cam.sensorsize[i]
    pixels = cam.resolution[i]
    if plane[0] != 0.0 and plane[1] != 0.0:
        intrinsic = cam.intrinsic[per_world(cam.intrinsic.shape[0], w), i]
        return wp.vec2(intrinsic[0] / plane[0] * float(pixels[0]), intrinsic[1] / plane[1] * float(pixels[1]))
    fovy = cam.fovy[per_world(cam.fovy.shape[0], w), i] * DEGREE
    focal = 0.5 * float(pixels[1]) / wp.tan(0.5 * fovy)
    return wp.vec2(focal, focal)


@wp.func
def _projection(cam: Camera, eyes: CamLight, sensor: Sensor, kin: Kinematics, sense: Sense, w: int, s: int):
    i = sensor.refid[s]
    p = wp.transpose(eyes.cam_xmat[w, i]) * (kin.site_xpos[w, sensor.objid[s]] - eyes.cam_xpos[w, i])
    depth = wp.where(wp.abs(p[2]) < MINVAL, wp.where(p[2] < 0.0, -MINVAL, MINVAL), p[2])
    focal = focal_lengths(cam, w, i)
    pixels = cam.resolution[i]
    put_scalar(sensor, sense, w, s, 0, 0.5 * float(pixels[0]) - focal[0] * p[0] / depth)
    put_scalar(sensor, sense, w, s, 1, 0.5 * float(pixels[1]) + focal[1] * p[1] / depth)


@wp.kernel
def _projections(size: Size, cam: Camera, sensor: Sensor, kin: Kinematics, eyes: CamLight, sense: Sense):
    w, lane = wp.tid()
    for s in range(lane, size.nsensor, lanes()):
        if sensor.type[s] == SensorType.CAMPROJECTION:
            _projection(cam, eyes, sensor, kin, sense, w, s)


def projections(m: Any, d: Any) -> None:
    """Sensors of where sites appear in pictures.

    Reads   d.camlight, d.kin. Writes d.sensordata.
    """
    launch(_projections, d, [m.size, m.cam, m.sensor, d.kin, d.camlight, d.sense])
