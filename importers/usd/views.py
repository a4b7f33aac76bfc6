"""Cameras and lights, as the elements MJCF has for them, and what a viewport shows.

A UsdGeom camera looks along its -z axis with y up, as MuJoCo's do; UsdLux lights shine along -z.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.usd.document import element
from newtonish.importers.usd.poses import Pose, local
from newtonish.importers.usd.source import Source
from newtonish.mjcf.language.read import Node

__all__ = ["LIGHTS", "drawn", "read_camera", "read_light"]

LIGHTS = {"DistantLight": "directional", "SphereLight": "point", "DiskLight": "spot", "RectLight": "spot", "CylinderLight": "point"}
"""MuJoCo's kind of light for each of UsdLux that has a place; a sphere with a cone is a spot."""
TENTH = 0.1
"""Apertures and focal lengths of cameras are in tenths of the stage's unit."""
Frame = tuple[np.ndarray, np.ndarray]


def read_camera(source: Source, prim: Any, pose: Pose, body: Frame) -> Node | None:
    """The element of a camera in its body's frame; None, and a problem, for optics that cannot be."""
    height = source.number(prim, "verticalAperture", 15.2908)
    focal = source.number(prim, "focalLength", 50.0)
    kind = str(source.get(prim, "projection", "perspective"))
    source.use(prim, "horizontalAperture", "clippingRange")
    if not 0 < height < math.inf or not 0 < focal < math.inf:
        source.problem(prim, "verticalAperture, focalLength", f"{height:g}, {focal:g}", "numbers above zero", "correct them")
        return None
    if source.number(prim, "horizontalApertureOffset", 0.0) or source.number(prim, "verticalApertureOffset", 0.0):
        source.log.approximated("aperture offset", source.place(prim), "horizontalApertureOffset", "the camera's picture is centred")
    parallel = kind == "orthographic"
    fovy = height * TENTH * source.length if parallel else math.degrees(2.0 * math.atan2(height, 2.0 * focal))
    pos, quat = local(body, pose.frame)
    path = source.path(prim)
    return element("camera", path, pos=pos.tolist(), quat=quat.tolist(), fovy=fovy, projection="orthographic" if parallel else None)


def read_light(source: Source, prim: Any, pose: Pose, body: Frame) -> Node:
    """The element of a light in its body's frame, its colour the diffuse one; intensities of UsdLux have no counterpart."""
    pos, quat = local(body, pose.frame)
    kind = LIGHTS[source.kind(prim)]
    cone = source.number(prim, "inputs:shaping:cone:angle")
    if kind == "point" and cone is not None and cone < 90.0:
        kind = "spot"
    values: dict[str, Any] = {"pos": pos.tolist(), "dir": frames.rotate(quat, np.array([0.0, 0.0, -1.0])).tolist(), "type": kind}
    colour = source.get(prim, "inputs:color")
    if isinstance(colour, list) and np.isfinite(colour).all():
        values["diffuse"] = [float(v) for v in colour]
    if kind == "spot":
        values["cutoff"] = 90.0 if cone is None else cone
    radius = source.number(prim, "inputs:radius")
    if radius is not None and kind == "point":
        values["bulbradius"] = radius * source.length
    if source.get(prim, "inputs:intensity") is not None or source.get(prim, "inputs:exposure") is not None:
        note = "has no counterpart: the light has MuJoCo's brightness in its own colour"
        source.log.ignored("light intensity", source.place(prim), "inputs:intensity", note, warn=False)
    return element("light", source.path(prim), **values)


def drawn(source: Source, prim: Any) -> bool:
    """Whether a viewport shows a prim: it is visible, and neither a guide nor meant for final pictures only."""
    from pxr import UsdGeom

    shown = UsdGeom.Imageable(prim)
    source.use(prim, "visibility", "purpose")
    return shown.ComputeVisibility() != "invisible" and shown.ComputePurpose() in ("default", "proxy")
