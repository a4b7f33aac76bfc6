"""Cameras, lights and looks: what a stage says for pictures, as the elements MJCF has for it.

A UsdGeom camera looks along its -z axis with y up, as MuJoCo's do; UsdLux lights shine along -z. Of UsdShade materials the constants
of a UsdPreviewSurface count as colour and opacity of what they are bound to, turned from linear into what screens show, as MuJoCo
and its converter have it; ``displayColor`` is taken as it is, which both do too.
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
from newtonish.namespaces.looks import Material

__all__ = ["LIGHTS", "Looks", "display", "drawn", "read_camera", "read_light"]

LIGHTS = {"DistantLight": "directional", "SphereLight": "point", "DiskLight": "spot", "RectLight": "spot", "CylinderLight": "point"}
"""MuJoCo's kind of light for each of UsdLux that has a place; a sphere with a cone is a spot."""
TENTH = 0.1
"""Apertures and focal lengths of cameras are in tenths of the stage's unit."""
GREY, WHITE = (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)
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


def display(colour: list[float]) -> list[float]:
    """A linear colour as screens and MuJoCo have it (the transfer function of sRGB, IEC 61966-2-1)."""
    linear = np.clip(np.nan_to_num(colour), 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055).tolist()


class Looks:
    """Colours of shapes; each material is read once.

    Attributes:
        used: Paths of the materials and shaders that gave something.
        materials: Materials for viewers, by path.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._read: dict[str, tuple[list[float] | None, float | None]] = {}
        self.used: set[str] = set()
        self.materials: dict[str, Material] = {}

    def rgba(self, prim: Any) -> list[float]:
        """The colour and the opacity of a shape: its material's where they are constant, its own, or grey."""
        source = self._source
        colours, opacities = source.get(prim, "primvars:displayColor"), source.get(prim, "primvars:displayOpacity")
        rgb, alpha = self._read.get(self.bound(prim) or "", (None, None))
        if rgb is None and isinstance(colours, list) and colours:
            rgb = colours[0]
        if alpha is None and isinstance(opacities, list) and opacities:
            alpha = opacities[0]
        return [*(GREY if rgb is None else rgb), 1.0 if alpha is None else alpha]

    def bound(self, prim: Any) -> str | None:
        """Path of the material bound to a shape, or to what it stands in; None where there is none that is kept."""
        above = prim
        while above and not above.IsPseudoRoot():
            for path in self._source.targets(above, "material:binding"):
                self._material(path)
                return str(path) if str(path) in self.materials else None
            above = above.GetParent()
        return None

    def _material(self, path: Any) -> tuple[list[float] | None, float | None]:
        """The constants of a material's surface; an input may be connected to one of the material's own."""
        from pxr import UsdShade

        key = str(path)
        if key in self._read:
            return self._read[key]
        self._read[key] = None, None
        material = UsdShade.Material(self._source.stage.GetPrimAtPath(path))
        surface = material.ComputeSurfaceSource()[0] if material else None
        if surface and surface.GetIdAttr().Get() == "UsdPreviewSurface":
            self.used |= {key, str(surface.GetPath())}
            rgb, place = self._input(surface, "diffuseColor")
            if place is not None and rgb is None:
                rgb = list(WHITE)  # a texture's colours as they are
            elif rgb is not None and not str(place.GetColorSpace()).lower().startswith("srgb"):
                rgb = display(rgb)  # those of surfaces are linear unless they say otherwise
            alpha, _ = self._input(surface, "opacity")
            self._read[key] = rgb, None if alpha is None else float(alpha)
            self.materials[key] = self._kept(surface, key)
        return self._read[key]

    def _input(self, surface: Any, name: str) -> tuple[Any, Any]:
        """Constant of an input, None where it is none, and the attribute that gives it, None where nobody does."""
        from pxr import UsdShade

        given = surface.GetInput(name)
        found = given.GetValueProducingAttributes() if given else []
        if not found:
            return None, None
        if UsdShade.Utils.GetType(found[0].GetName()) != UsdShade.AttributeType.Input:
            return None, found[0]
        self._source.use(found[0].GetPrim(), found[0].GetName())
        value = found[0].Get()
        return (value if value is None or isinstance(value, float) else [float(v) for v in value]), found[0]

    def _kept(self, surface: Any, path: str) -> Material:
        """A surface as viewers have it; textures are not read."""
        rgb, alpha = self._read[path]
        numbers = {}
        for name, low in (("metallic", -1.0), ("roughness", -1.0)):
            value, _ = self._input(surface, name)
            numbers[name] = min(max(value, 0.0), 1.0) if isinstance(value, float) and math.isfinite(value) else low
        glow, _ = self._input(surface, "emissiveColor")
        emission = max(glow) if isinstance(glow, list) and np.isfinite(glow).all() else 0.0
        return Material(path, rgba=(*(GREY if rgb is None else rgb), 1.0 if alpha is None else alpha), emission=min(max(emission, 0.0), 1.0), **numbers)
