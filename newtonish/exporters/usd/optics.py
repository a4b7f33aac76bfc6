"""Cameras and lights: prims that a viewer can look through and shines with, and what MJCF says of them beside."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.exporters.usd.kept import PREFIX, Keeper
from newtonish.exporters.usd.layer import StageLayer
from newtonish.importers import frames
from newtonish.mjcf.language.read import Node

__all__ = ["write_camera", "write_light"]

TYPES = Sdf.ValueTypeNames
HALF_TURN = np.array([0.0, 1.0, 0.0, 0.0])
"""Takes z to its opposite, as lights shine along their negative z axis."""
FOCAL = 50.0
"""Focal length of cameras that have none [tenths of a unit]."""
SIZE = 0.02
"""Radius of lights that have none [m]."""
BRIGHT = 30000.0
CUTOFF, WHOLE = 45.0, 90.0
"""Half angle of spots that say nothing of it, and that from which on USD's light is no spot [degrees]."""


def write_camera(layer: StageLayer, keeper: Keeper, node: Node, path: str) -> Any:
    """Write a camera; apertures are what its field of view needs."""
    values = node.values
    spec = layer.define(path, "Camera")
    layer.place(spec, values["pos"], values["quat"])
    width, height = values.get("resolution", (1, 1))
    sensor, focal = values.get("sensorsize"), values.get("focal")
    if sensor and focal:  # in tenths of a unit, as USD counts them
        length, tall, wide = 10.0 * focal[1], 10.0 * sensor[1], 10.0 * sensor[0] * focal[1] / (focal[0] or focal[1])
    else:
        length = FOCAL
        tall = 2.0 * length * math.tan(math.radians(values.get("fovy", 45.0)) / 2.0)
        wide = tall * (width / height if min(width, height) > 1 else 4.0 / 3.0)
    if values.get("projection") == "orthographic":
        layer.put(spec, "projection", TYPES.Token, "orthographic")
        tall = 10.0 * values.get("fovy", 45.0)
        wide = tall * 4.0 / 3.0
    for name, value in (("focalLength", length), ("verticalAperture", tall), ("horizontalAperture", wide)):
        layer.put(spec, name, TYPES.Float, value)
    layer.put(spec, "clippingRange", TYPES.Float2, (0.01, 10000.0))
    keeper.rest(spec, node, ("pos", "quat", "fovy"), strict=True)
    return spec


def write_light(layer: StageLayer, keeper: Keeper, node: Node, path: str) -> Any:
    """Write a light where it stands, turned to where it shines."""
    values = node.values
    far = values.get("directional") or values.get("type") == "directional"
    spec = layer.define(path, "DistantLight" if far else "SphereLight")
    direction = values.get("dir", [0.0, 0.0, -1.0])
    layer.place(spec, values.get("pos", [0.0] * 3), frames.multiply(frames.from_zaxis(direction), HALF_TURN))
    if not far:
        layer.put(spec, "inputs:radius", TYPES.Float, SIZE)
        layer.put(spec, "inputs:intensity", TYPES.Float, BRIGHT)
    if "diffuse" in values:
        layer.put(spec, "inputs:color", TYPES.Color3f, values["diffuse"])
    kind, angle = values.get("type", "spot"), values.get("cutoff", CUTOFF)
    if kind == "spot" and not far and angle < WHOLE:
        layer.apply(spec, "ShapingAPI")
        layer.put(spec, "inputs:shaping:cone:angle", TYPES.Float, angle)
    elif kind == "spot" and not far:
        keeper.one(spec, node, "cutoff")
        layer.put(spec, f"{PREFIX}:type", TYPES.Token, "spot", uniform=True, custom=True)
    image = kind == "image"  # its picture is not written
    keeper.rest(spec, node, ("pos", "dir", *(("type",) if image else ())), strict=True)
    return spec
