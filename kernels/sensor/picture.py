"""Pictures of cameras by casting rays: depth, segmentation and simple shading, for all worlds at once.

A thread draws a tile of pixels of one world's camera. Geoms whose bounding sphere lies beside the cone around the tile's rays are left out
for the whole tile; what remains is met as by ``ray_world``. Depth is measured along the camera's axis, 0 where nothing is seen. Shading is
Lambert's, of what is lit from the camera and by the model's lights, without textures, highlights and shadows.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.constants import GEOM, MINVAL
from newtonish.kernels.math.world import per_world
from newtonish.kernels.runtime.launch import block_dim, launch_on
from newtonish.kernels.sensor.ray_bounds import near_geoms
from newtonish.kernels.sensor.ray_world import FAR, ray_geom
from newtonish.kernels.structs.data import Kinematics
from newtonish.kernels.structs.geometric import Surface
from newtonish.kernels.structs.model import Geom, HeightField, Size
from newtonish.kernels.structs.optics import Camera, CamLight

TILE = 8
"""Pixels along the side of a tile."""

MOST = 48
"""Geoms that a tile remembers; where more may be seen in it, all are asked."""

_TILE, _MOST = wp.constant(TILE), wp.constant(MOST)
_ORTHOGRAPHIC = wp.constant(1)
_DEGREE = wp.constant(wp.pi / 180.0)
_SPOT, _DIRECTIONAL = wp.constant(0), wp.constant(1)
_Several = wp.types.vector(length=MOST, dtype=wp.int32)


@wp.struct
class Views:
    """The cameras that are drawn, in their order.

    A row of ``view``: camera, width, height, and where its depths, segmentation and colours begin, -1: it has none. A row of ``tile``: view, first column and row.
    """

    view: wp.array2d(dtype=wp.int32)
    tile: wp.array2d(dtype=wp.int32)
    groups: wp.int32  # bit i: geoms of group i are seen
    head_ambient: wp.vec3  # light from the camera
    head_diffuse: wp.vec3
    background: wp.uint32


@wp.struct
class Looks:
    """Colours and lights, as the model has them, a row for each world or one for all."""

    geom_rgba: wp.array2d(dtype=wp.vec4)
    geom_matid: wp.array2d(dtype=wp.int32)
    mat_rgba: wp.array2d(dtype=wp.vec4)
    light_type: wp.array2d(dtype=wp.int32)
    light_active: wp.array2d(dtype=wp.bool)
    light_cutoff: wp.array2d(dtype=wp.float32)
    light_exponent: wp.array2d(dtype=wp.float32)
    light_attenuation: wp.array2d(dtype=wp.vec3)
    light_ambient: wp.array2d(dtype=wp.vec3)
    light_diffuse: wp.array2d(dtype=wp.vec3)


@wp.struct
class Pixel:
    """A ray of a picture in the frame of its camera."""

    origin: wp.vec3
    direction: wp.vec3


@wp.func
def pixel_ray(cam: Camera, w: int, i: int, width: int, height: int, column: float, row: float) -> Pixel:
    """Ray through a point of the picture, pixels from the upper left corner; the picture may have another size than the camera's own."""
    ray = Pixel()
    right = column - 0.5 * float(width)
    down = row - 0.5 * float(height)
    fovy = cam.fovy[per_world(cam.fovy.shape[0], w), i]
    plane = cam.sensorsize[i]
    if cam.projection[i] == _ORTHOGRAPHIC:
        step = fovy / float(height)
        ray.origin = wp.vec3(right * step, -down * step, 0.0)
        ray.direction = wp.vec3(0.0, 0.0, -1.0)
    elif plane[1] != 0.0:
        intrinsic = cam.intrinsic[per_world(cam.intrinsic.shape[0], w), i]
        # the part of the picture's plane that has the shape of the picture
        aspect = float(width) / float(height)
        across = wp.min(plane[0], plane[1] * aspect)
        upright = wp.min(plane[1], plane[0] / aspect)
        x = right / float(width) * across + intrinsic[2]
        y = -down / float(height) * upright - intrinsic[3]
        ray.direction = wp.normalize(wp.vec3(x / intrinsic[0], y / intrinsic[1], -1.0))
    else:
        focal = 0.5 * float(height) / wp.tan(0.5 * fovy * _DEGREE)
        ray.direction = wp.normalize(wp.vec3(right / focal, -down / focal, -1.0))
    return ray


@wp.func
def _beside(center: wp.vec3, radius: float, middle: Pixel, spread: float, sine: float) -> bool:
    """Whether a sphere lies beside all rays of a tile: of a cone about its middle ray, or a cylinder of radius ``spread``."""
    away = center - middle.origin
    along = wp.dot(away, middle.direction)
    across = wp.sqrt(wp.max(wp.length_sq(away) - along * along, 0.0))
    cosine = wp.sqrt(wp.max(1.0 - sine * sine, 0.0))
    return cosine * across - sine * along > 1.0001 * radius + spread + 1.0e-6 * wp.length(away)


@wp.func
def _is_shown(geom: Geom, views: Views, g: int) -> bool:
    return geom.opaque[g] != 0 and (views.groups & (1 << wp.clamp(geom.group[g], 0, 5))) != 0


@wp.func
def _color_of(looks: Looks, w: int, g: int) -> wp.vec3:
    """Colour of a geom: its material's, if it has one."""
    color = looks.geom_rgba[per_world(looks.geom_rgba.shape[0], w), g]
    material = looks.geom_matid[per_world(looks.geom_matid.shape[0], w), g]
    if material >= 0:
        color = looks.mat_rgba[per_world(looks.mat_rgba.shape[0], w), material]
    return wp.vec3(color[0], color[1], color[2])


@wp.func
def _lit(views: Views, looks: Looks, eyes: CamLight, w: int, color: wp.vec3, point: wp.vec3, normal: wp.vec3, toward: wp.vec3) -> wp.vec3:
    """Colour of a surface, each light by Lambert's cosine; spots fade with distance and towards their rim."""
    light = views.head_ambient + views.head_diffuse * wp.max(wp.dot(normal, toward), 0.0)
    for k in range(looks.light_type.shape[1]):
        if looks.light_active[per_world(looks.light_active.shape[0], w), k]:
            kind = looks.light_type[per_world(looks.light_type.shape[0], w), k]
            light += looks.light_ambient[per_world(looks.light_ambient.shape[0], w), k]
            axis = eyes.light_xdir[w, k]
            to_light = -axis
            fall = wp.float32(1.0)
            if kind != _DIRECTIONAL:
                away = eyes.light_xpos[w, k] - point
                to_light = wp.normalize(away)
                if kind == _SPOT:  # the others do not fade, as MuJoCo draws them
                    fade = looks.light_attenuation[per_world(looks.light_attenuation.shape[0], w), k]
                    cosine = -wp.dot(to_light, axis)
                    fall = wp.pow(wp.max(cosine, 1.0e-4), looks.light_exponent[per_world(looks.light_exponent.shape[0], w), k])
                    fall /= wp.max(fade[0] + fade[1] * wp.length(away) + fade[2] * wp.length_sq(away), MINVAL)
                    if cosine < wp.cos(looks.light_cutoff[per_world(looks.light_cutoff.shape[0], w), k] * _DEGREE):
                        fall = 0.0
            light += fall * looks.light_diffuse[per_world(looks.light_diffuse.shape[0], w), k] * wp.max(wp.dot(normal, to_light), 0.0)
    return wp.cw_mul(color, light)


@wp.func
def _packed(color: wp.vec3) -> wp.uint32:
    """Blue in the lowest byte, then green and red; opaque."""
    r = wp.uint32(255.0 * wp.clamp(color[0], 0.0, 1.0))
    g = wp.uint32(255.0 * wp.clamp(color[1], 0.0, 1.0))
    b = wp.uint32(255.0 * wp.clamp(color[2], 0.0, 1.0))
    return (wp.uint32(255) << wp.uint32(24)) | (r << wp.uint32(16)) | (g << wp.uint32(8)) | b


@wp.kernel
def _picture(
    size: Size, geom: Geom, surface: Surface, hfield: HeightField, kin: Kinematics, cam: Camera, eyes: CamLight, views: Views,
    looks: Looks, depth: wp.array2d(dtype=wp.float32), seen: wp.array2d(dtype=wp.vec2i), rgb: wp.array2d(dtype=wp.uint32), first_world: int,
):  # fmt: skip
    w, t = wp.tid()
    w += first_world
    v = views.tile[t, 0]
    i = views.view[v, 0]
    width = views.view[v, 1]
    height = views.view[v, 2]
    column = views.tile[t, 1]
    row = views.tile[t, 2]
    axes = eyes.cam_xmat[w, i]
    eye = eyes.cam_xpos[w, i]

    # what the tile may see
    last_column = wp.min(column + _TILE, width)
    last_row = wp.min(row + _TILE, height)
    middle = pixel_ray(cam, w, i, width, height, 0.5 * float(column + last_column), 0.5 * float(row + last_row))
    spread = wp.float32(0.0)
    sine = wp.float32(0.0)
    for corner in range(4):
        across = wp.where(corner % 2 == 0, float(column), float(last_column))
        down = wp.where(corner // 2 == 0, float(row), float(last_row))
        edge = pixel_ray(cam, w, i, width, height, across, down)
        spread = wp.max(spread, wp.length(edge.origin - middle.origin))
        sine = wp.max(sine, wp.length(wp.cross(edge.direction, middle.direction)))
    seeable = _Several()
    count = wp.int32(0)
    for g in range(size.ngeom):
        if _is_shown(geom, views, g):
            radius = geom.rbound[per_world(geom.rbound.shape[0], w), g]
            center = wp.transpose(axes) * (kin.geom_xpos[w, g] - eye)
            if radius <= 0.0 or not _beside(center, radius, middle, spread, sine):
                if count < _MOST:
                    seeable[count] = g
                count += 1
    bound = per_world(geom.rbound.shape[0], w)
    every = count > _MOST
    if every:
        count = size.ngeom

    for y in range(row, last_row):
        for x in range(column, last_column):
            ray = pixel_ray(cam, w, i, width, height, float(x) + 0.5, float(y) + 0.5)
            origin = eye + axes * ray.origin
            direction = axes * ray.direction
            reach = wp.float32(FAR)
            found = wp.int32(-1)
            normal = wp.vec3()
            for k in range(count):
                g = k
                if not every:
                    g = seeable[k]
                if _is_shown(geom, views, g) and near_geoms(kin.geom_xpos, geom.rbound, w, bound, g, 1, origin, direction) != 0:
                    hit = ray_geom(geom, surface, hfield, kin, w, g, origin, direction, reach)
                    if hit.geom >= 0 and hit.dist < reach:
                        reach = hit.dist
                        found = g
                        normal = hit.normal
            at = y * width + x
            if views.view[v, 3] >= 0:
                depth[w, views.view[v, 3] + at] = wp.where(found >= 0, reach * -ray.direction[2], 0.0)
            if views.view[v, 4] >= 0:
                seen[w, views.view[v, 4] + at] = wp.where(found >= 0, wp.vec2i(found, GEOM), wp.vec2i(-1, -1))
            if views.view[v, 5] >= 0:
                shade = views.background
                if found >= 0:
                    n = wp.where(wp.dot(normal, direction) > 0.0, -normal, normal)
                    n = n / wp.max(wp.length(n), MINVAL)
                    color = _color_of(looks, w, found)
                    shade = _packed(_lit(views, looks, eyes, w, color, origin + reach * direction, n, wp.vec3(axes[0, 2], axes[1, 2], axes[2, 2])))
                rgb[w, views.view[v, 5] + at] = shade


def draw(m: Any, d: Any, views: Views, looks: Looks, depth: Any, seen: Any, rgb: Any, first_world: int, worlds: int) -> None:
    """All tiles of ``worlds`` worlds from ``first_world`` on. Reads d.kin, d.camlight; writes depth, seen, rgb."""
    inputs = [m.size, m.geom, m.surface, m.hfield, d.kin, m.cam, d.camlight, views, looks, depth, seen, rgb, first_world]
    launch_on(_picture, d.device, (worlds, views.tile.shape[0]), inputs, block_dim=block_dim(d.device))


@wp.kernel
def _take_depth(data: wp.array2d(dtype=wp.float32), first: int, scale: float, out: wp.array3d(dtype=wp.float32)):
    w, y, x = wp.tid()
    out[w, y, x] = wp.clamp(data[w, first + y * out.shape[2] + x] / scale, 0.0, 1.0)


@wp.kernel
def _take_seg(data: wp.array2d(dtype=wp.vec2i), first: int, out: wp.array3d(dtype=wp.vec2i)):
    w, y, x = wp.tid()
    out[w, y, x] = data[w, first + y * out.shape[2] + x]


@wp.kernel
def _take_rgb(data: wp.array2d(dtype=wp.uint32), first: int, out: wp.array3d(dtype=wp.vec3)):
    w, y, x = wp.tid()
    packed = data[w, first + y * out.shape[2] + x]
    mask = wp.uint32(255)
    out[w, y, x] = wp.vec3(float((packed >> wp.uint32(16)) & mask), float((packed >> wp.uint32(8)) & mask), float(packed & mask)) / 255.0


def take_depth(data: Any, first: int, scale: float, out: Any) -> None:
    """Depths (nworld, pixels) of one picture into (nworld, height, width), divided by a scale and limited to 0 to 1."""
    launch_on(_take_depth, out.device, out.shape, [data, first, scale, out], block_dim=block_dim(out.device))


def take_seg(data: Any, first: int, out: Any) -> None:
    """The same of segmentation."""
    launch_on(_take_seg, out.device, out.shape, [data, first, out], block_dim=block_dim(out.device))


def take_rgb(data: Any, first: int, out: Any) -> None:
    """The same of colours, as numbers from 0 to 1."""
    launch_on(_take_rgb, out.device, out.shape, [data, first, out], block_dim=block_dim(out.device))
