"""Cameras, lights, range finders, and ends of connect and weld constraints."""

from __future__ import annotations

import numpy as np

from newtonish.common.enums import EqType, ObjType, SensorType
from newtonish.viewer.scene.decor.draft import Draft
from newtonish.viewer.scene.enums import Frame, Kind, Label
from newtonish.viewer.scene.rotations import from_z

__all__ = ["LINE", "add_cameras", "add_constraints", "add_lights", "add_rays"]

LINE = 0.02
"""Radius of lines in mean sizes of bodies: they are thin cylinders here, so that any renderer can draw them."""


def add_cameras(draft: Draft) -> None:
    """A box with a lens for each camera, and what it sees where it has a resolution."""
    t, size = draft.tables, draft.scale * draft.visual.scale.camera
    if not t.ncam:
        return
    position, rotation = (part[draft.shown] for part in draft.bodies.cameras())
    each = np.arange(t.ncam)
    sees = (t.cam_resolution > 1).any(axis=1)
    color = np.repeat(draft.visual.rgba.camera[None].astype(float), t.ncam, axis=0)
    color[sees, 3] = 0.3
    draft.add("box", position, rotation, size * np.array([1.0, 0.8, 0.4]), color, Kind.CAMERA, each)
    lens = color * np.array([0.5, 0.5, 0.5, 1.0])
    draft.add("cylinder", position - 0.6 * size * rotation[..., 2], rotation, size * np.array([0.4, 0.4, 0.3]), lens, Kind.CAMERA, each)
    draft.label(Label.CAMERA, [name or f"camera {at}" for at, name in enumerate(t.cam_names)], position)
    for camera in np.flatnonzero(sees):
        _frustum(draft, int(camera), position[:, camera], rotation[:, camera])
    if draft.options.frame == Frame.CAMERA:
        draft.axes(position, rotation, draft.visual.scale.framelength * draft.scale, draft.visual.scale.framewidth * draft.scale, each)


def _frustum(draft: Draft, camera: int, position: np.ndarray, rotation: np.ndarray) -> None:
    """Edges of what a camera sees, from the near plane to ``vis.scale.frustum``."""
    t = draft.tables
    near, far = draft.visual.map.znear * draft.extent, draft.visual.scale.frustum * draft.scale
    width, height = t.cam_resolution[camera].tolist()
    fovy, flat = float(t.cam_fovy[camera]), int(t.cam_projection[camera]) == 1
    if flat:
        up = down = 0.5 * fovy
        left = right = up * width / height
        far = 0.5 * (left + up)
    elif t.cam_sensorsize[camera].all():
        fx, fy, cx, cy = t.cam_intrinsic[camera]
        half = 0.5 * t.cam_sensorsize[camera]
        left, right = near / fx * (half[0] - cx), near / fx * (half[0] + cx)
        down, up = near / fy * (half[1] + cy), near / fy * (half[1] - cy)
    else:
        up = down = near * np.tan(np.radians(0.5 * fovy))
        left = right = up * width / height
    corners = np.array([[-left, -down], [right, -down], [right, up], [-left, up]])
    planes = []
    for distance, factor in ((near, 1.0), (far, 1.0 if flat else far / near)):
        local = np.concatenate([corners * factor, np.full((4, 1), -distance)], axis=1)
        planes.append(position[:, None] + np.matmul(local, np.swapaxes(rotation, -1, -2)))
    front, back = planes
    color, width = draft.visual.rgba.frustum, LINE * draft.scale
    for start, end in ((front, np.roll(front, -1, axis=1)), (back, np.roll(back, -1, axis=1)), (front, back)):
        draft.connect("cylinder", width, start, end, color, Kind.CAMERA, camera)


def add_lights(draft: Draft) -> None:
    """A cylinder for each light, behind it, so that it throws no shadow."""
    t, size = draft.tables, draft.scale * draft.visual.scale.light
    if not t.nlight:
        return
    each = np.arange(t.nlight)
    position, direction = (part[draft.shown] for part in draft.bodies.lights())
    rotation = from_z(direction)
    behind = position - direction * (size + 1e-4)
    draft.add("cylinder", behind, rotation, size * np.array([0.8, 0.8, 1.0]), draft.visual.rgba.light, Kind.LIGHT, each)
    draft.label(Label.LIGHT, [name or f"light {at}" for at, name in enumerate(t.light_names)], behind)
    if draft.options.frame == Frame.LIGHT:
        draft.axes(position, rotation, draft.visual.scale.framelength * draft.scale, draft.visual.scale.framewidth * draft.scale, each)


def add_rays(draft: Draft) -> None:
    """Rays of range finders on sites, to what they meet, and lines between what distance sensors measure."""
    c, found = draft.found.compiled, draft.found
    rays = np.flatnonzero((c.sensor_type == SensorType.RANGEFINDER) & (c.sensor_objtype == ObjType.SITE))
    rays = rays[c.sensor_intprm[rays, 0] & 1 > 0]
    width, color = LINE * draft.scale, draft.visual.rgba.rangefinder
    data = found["sensordata"][draft.shown].astype(float) if c.nsensor else np.zeros((len(draft.shown), 0))
    if len(rays):
        site, distance = c.sensor_objid[rays], data[:, c.sensor_adr[rays], None]
        start = found["site_xpos"][draft.shown][:, site] + draft.offsets
        end = start + found["site_xmat"][draft.shown][:, site][..., 2] * distance
        draft.connect("cylinder", width, start, end, color, Kind.SENSOR, rays, mask=distance[..., 0] >= 0)
    lines = np.flatnonzero(c.sensor_type == SensorType.GEOMFROMTO)
    if len(lines):
        ends = data[:, c.sensor_adr[lines][:, None] + np.arange(6)]
        mask = ends.any(axis=-1)
        start, end = ends[..., :3] + draft.offsets, ends[..., 3:] + draft.offsets
        draft.connect("cylinder", width, start, end, color, Kind.SENSOR, lines, mask=mask)


def add_constraints(draft: Draft) -> None:
    """A ball at either end of connect and weld constraints that hold; apart from each other they show how far they are off."""
    c, found, t = draft.found.compiled, draft.found, draft.tables
    each = np.flatnonzero((c.eq_type == EqType.CONNECT) | (c.eq_type == EqType.WELD))
    if not len(each):
        return
    on_site, weld = c.eq_objtype[each] == ObjType.SITE, (c.eq_type[each] == EqType.WELD)[:, None]
    data = draft.of(found.world("eq_data"))[:, each]
    active = found["eq_active"][draft.shown][:, each].astype(bool)
    radius, rgba = draft.scale * draft.visual.scale.constraint, draft.visual.rgba
    names = [name or f"equality {at}" for at, name in enumerate(c.eq_names)]
    for one, local, color in ((c.eq_obj1id[each], np.where(weld, data[..., 3:6], data[..., 0:3]), rgba.connect),
                              (c.eq_obj2id[each], np.where(weld, data[..., 0:3], data[..., 3:6]), rgba.constraint)):  # fmt: skip
        body = np.where(on_site, 0, one)
        position = draft.bodies.xpos[draft.shown][:, body] + np.matmul(draft.bodies.xmat[draft.shown][:, body], local[..., None])[..., 0]
        if on_site.any():
            sites = draft.bodies.on_bodies(t.site_bodyid, t.worlds("site_pos"), t.worlds("site_quat"))[0][draft.shown]
            position = np.where(on_site[:, None], sites[:, np.where(on_site, one, 0)], position)
        draft.sphere(position, radius, color, Kind.EQUALITY, each, mask=active)
        draft.label(Label.CONSTRAINT, [names[at] for at in each], position, active)
