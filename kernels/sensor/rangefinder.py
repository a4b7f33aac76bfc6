"""Rangefinders: what the ray of a site, or the rays of all pixels of a camera, meet.

Pixels are written row by row from the upper left one. A perspective camera's rays start at its centre; an orthographic
camera's start spread over the picture, whose height and width are both ``fovy``, as in MuJoCo.
MuJoCo: documentation, chapter XML Reference, element ``sensor/rangefinder``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import RayDataField
from newtonish.kernels.constants import CAMERA
from newtonish.kernels.math.world import per_world, worlds_per_thread
from newtonish.kernels.runtime.launch import block_dim, is_gpu, launch, launch_on, through_worlds
from newtonish.kernels.sensor.projection import focal_lengths
from newtonish.kernels.sensor.ray_world import ALL_GROUPS, ray_world
from newtonish.kernels.sensor.write import put_scalar, put_vector
from newtonish.kernels.structs.data import Kinematics, Sense
from newtonish.kernels.structs.geometric import Ranging, Surface
from newtonish.kernels.structs.model import Body, Geom, HeightField, Sensor, Site, Size
from newtonish.kernels.structs.optics import Camera, CamLight

ORTHOGRAPHIC = wp.constant(1)


@wp.struct
class Beam:
    """A ray: where it starts, its unit direction, and the direction in which depth is measured."""

    origin: wp.vec3
    direction: wp.vec3
    forward: wp.vec3


@wp.func
def pixel_beam(cam: Camera, eyes: CamLight, w: int, i: int, pixel: int) -> Beam:
    """Ray through the middle of a pixel of camera ``i``."""
    axes = eyes.cam_xmat[w, i]
    pixels = cam.resolution[i]
    row = pixel // pixels[0]
    column = pixel - row * pixels[0]
    right = float(column) + 0.5 - 0.5 * float(pixels[0])
    down = float(row) + 0.5 - 0.5 * float(pixels[1])
    beam = Beam()
    beam.origin = eyes.cam_xpos[w, i]
    beam.forward = -wp.vec3(axes[0, 2], axes[1, 2], axes[2, 2])
    beam.direction = beam.forward
    if cam.projection[i] == ORTHOGRAPHIC:
        extent = cam.fovy[per_world(cam.fovy.shape[0], w), i]
        offset = wp.vec3(right / float(pixels[0]), -down / float(pixels[1]), 0.0)
        beam.origin = beam.origin + axes * (extent * offset)
    else:
        focal = focal_lengths(cam, w, i)
        plane = cam.sensorsize[i]
        if plane[0] != 0.0 and plane[1] != 0.0:
            intrinsic = cam.intrinsic[per_world(cam.intrinsic.shape[0], w), i]
            right = float(column) + 0.5 - intrinsic[2] / plane[0] * float(pixels[0])
            down = float(row) + 0.5 - intrinsic[3] / plane[1] * float(pixels[1])
        beam.direction = axes * wp.normalize(wp.vec3(right / focal[0], -down / focal[1], -1.0))
    return beam


@wp.func
def _measure(
    size: Size, body: Body, geom: Geom, site: Site, cam: Camera, surface: Surface, hfield: HeightField,
    ranging: Ranging, sensor: Sensor, kin: Kinematics, eyes: CamLight, sense: Sense, w: int, r: int,
):  # fmt: skip
    """One ray; without a hit all but its origin is -1 or zero."""
    s = ranging.sensor[r]
    i = sensor.objid[s]
    beam = Beam()
    exclude = wp.int32(-1)
    if sensor.objtype[s] == CAMERA:
        beam = pixel_beam(cam, eyes, w, i, ranging.pixel[r])
        exclude = cam.bodyid[i]
    else:
        axes = kin.site_xmat[w, i]
        beam.origin = kin.site_xpos[w, i]
        beam.direction = wp.vec3(axes[0, 2], axes[1, 2], axes[2, 2])
        beam.forward = beam.direction
        exclude = site.bodyid[i]
    hit = ray_world(size, body, geom, surface, hfield, kin, w, ALL_GROUPS, True, exclude, beam.origin, beam.direction)
    direction = beam.direction
    point = beam.origin + hit.dist * beam.direction
    depth = hit.dist * wp.dot(beam.direction, beam.forward)
    if hit.geom < 0:
        direction = wp.vec3()
        point = wp.vec3()
        depth = wp.float32(-1.0)
    fields = sensor.intprm[s][0]
    k = ranging.offset[r]
    if (fields & (1 << RayDataField.DIST)) != 0:
        put_scalar(sensor, sense, w, s, k, hit.dist)
        k += 1
    if (fields & (1 << RayDataField.DIR)) != 0:
        put_vector(sensor, sense, w, s, k, direction)
        k += 3
    if (fields & (1 << RayDataField.ORIGIN)) != 0:
        put_vector(sensor, sense, w, s, k, beam.origin)
        k += 3
    if (fields & (1 << RayDataField.POINT)) != 0:
        put_vector(sensor, sense, w, s, k, point)
        k += 3
    if (fields & (1 << RayDataField.NORMAL)) != 0:
        put_vector(sensor, sense, w, s, k, hit.normal)
        k += 3
    if (fields & (1 << RayDataField.DEPTH)) != 0:
        put_scalar(sensor, sense, w, s, k, depth)


@wp.kernel
def _rangefinders(
    size: Size, body: Body, geom: Geom, site: Site, cam: Camera, surface: Surface, hfield: HeightField,
    ranging: Ranging, sensor: Sensor, kin: Kinematics, eyes: CamLight, sense: Sense, nworld: int,
):  # fmt: skip
    """A ray on a GPU; on a CPU all rays of all worlds that the thread is given, with arguments read once."""
    world, ray = wp.tid()
    for i in range(worlds_per_thread(nworld)):
        for k in range(worlds_per_thread(ranging.nray)):
            _measure(size, body, geom, site, cam, surface, hfield, ranging, sensor, kin, eyes, sense, world + i, ray + k)


through_worlds(_rangefinders)


def rangefinders(m: Any, d: Any) -> None:
    """Rangefinders of sites and cameras, after ``camlight``; each ray is a thread of a GPU.

    Reads   d.kin, d.camlight. Writes d.sensordata.
    """
    inputs = [m.size, m.body, m.geom, m.site, m.cam, m.surface, m.hfield, m.ranging, m.sensor, d.kin, d.camlight, d.sense]
    if is_gpu(d.device):
        launch_on(_rangefinders, d.device, (d.nworld, m.ranging.nray), [*inputs, d.nworld], block_dim=block_dim(d.device))
    else:
        launch(_rangefinders, d, inputs)
