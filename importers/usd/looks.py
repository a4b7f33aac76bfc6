"""What shapes look like: colours, materials and their textures, of UsdShade's UsdPreviewSurface.

Constants of a surface count as colour and opacity of what it is bound to, turned from linear into what screens show, as MuJoCo and its
converter have it; ``displayColor`` is taken as it is, which both do too. An input that a UsdUVTexture gives is a texture of that role.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from newtonish.common.colours import display
from newtonish.importers.usd.source import Source
from newtonish.importers.usd.textures import Textures
from newtonish.mjcf.language.schema import schema
from newtonish.namespaces.looks import ROLES, Material, Texture

__all__ = ["Looks"]

GREY, WHITE = (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)
ROLE_OF = {
    "diffuseColor": "rgb", "occlusion": "occlusion", "roughness": "roughness", "metallic": "metallic", "normal": "normal", "opacity": "opacity",
    "emissiveColor": "emissive",
}  # fmt: skip
"""Role of the texture of each input of a surface."""
NUMBER = "newtonish:material:number"
PACKED = ("occlusion", "roughness", "metallic")
"""Roles that one texture of three channels may have together."""
KEPT = ("texuniform", "specular", "shininess", "reflectance", "texrepeat")
"""What a material of MuJoCo's has and a surface of USD's has not; our own stages keep it beside."""


class Looks:
    """Colours of shapes; each material is read once.

    Attributes:
        used: Paths of the materials and shaders that gave something.
        materials: Materials for viewers, by path.
        textures: Their textures.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._read: dict[str, tuple[list[float] | None, float | None]] = {}
        self._primvars: dict[str, str] = {}
        self.used: set[str] = set()
        self.materials: dict[str, Material] = {}
        self.textures = Textures(source, self.used)

    def read_loose(self) -> dict[str, Material]:
        """Read materials that nothing is bound to, which only our own stages keep; returns all, in the order that these say."""
        number = {}
        for prim in self._source.of("Material"):
            path = self._source.path(prim)
            number[path] = self._source.number(prim, NUMBER, math.inf)
            if math.isfinite(number[path]):
                self._material(path)
        return {path: self.materials[path] for path in sorted(self.materials, key=lambda path: number.get(path, math.inf))}

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

    def primvar(self, prim: Any) -> str:
        """Name of the texture coordinates that a shape's material asks for."""
        return self._primvars.get(self.bound(prim) or "", "st")

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
                rgb = self.textures.factor(place.GetPrim()) or list(WHITE)
            elif rgb is not None and not str(place.GetColorSpace()).lower().startswith("srgb"):
                rgb = display(rgb).tolist()  # those of surfaces are linear unless they say otherwise
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
            self._source.use(surface.GetPrim(), f"inputs:{name}")
            return None, found[0]
        self._source.use(found[0].GetPrim(), found[0].GetName())
        value = found[0].Get()
        return (value if value is None or isinstance(value, float) else [float(v) for v in value]), found[0]

    def _kept(self, surface: Any, path: str) -> Material:
        """A surface as viewers have it, with its textures."""
        rgb, alpha = self._read[path]
        prim = self._source.stage.GetPrimAtPath(path)
        numbers: dict[str, Any] = self._beside(prim)
        for name, low in (("metallic", -1.0), ("roughness", -1.0)):
            value, _ = self._input(surface, name)
            numbers[name] = min(max(value, 0.0), 1.0) if isinstance(value, float) and math.isfinite(value) else low
        glow, _ = self._input(surface, "emissiveColor")
        emission = max(glow) if isinstance(glow, list) and np.isfinite(glow).all() else 0.0
        textures = self._layers(surface, prim, numbers)
        rgba = (*(GREY if rgb is None else rgb), 1.0 if alpha is None else alpha)
        return Material(path, textures, rgba, emission=min(max(emission, 0.0), 1.0), **numbers)

    def _beside(self, prim: Any) -> dict[str, Any]:
        """What our own stages keep of a material beside its surface."""
        found: dict[str, Any] = {}
        for name in KEPT:
            value = self._source.get(prim, f"newtonish:{name}")
            if value is None:
                continue
            attribute = schema("material").attributes[name]
            numbers = value if isinstance(value, list) else [value]
            if len(numbers) != attribute.most or not all(isinstance(number, (int, float)) and math.isfinite(number) for number in numbers):
                self._source.problem(prim, f"newtonish:{name}", str(value)[:80], attribute.allowed, "correct the value")
                continue
            found[name] = tuple(map(float, numbers)) if isinstance(value, list) else value
        return found

    def _layers(self, surface: Any, prim: Any, numbers: dict[str, Any]) -> tuple[Texture | None, ...]:
        """The textures of a surface by their roles, and how often that of its colour repeats."""
        found: dict[str, Texture] = {}
        shaders: dict[str, Any] = {}
        for name, role in ROLE_OF.items():
            _, place = self._input(surface, name)
            if place is None or not self.textures.is_texture(place.GetPrim()):
                continue
            shaders[role] = place.GetPrim()
        if shaders.get("opacity") is not None and shaders["opacity"] == shaders.get("rgb"):
            shaders["rgba"] = shaders.pop("rgb")
            del shaders["opacity"]
        if len({shaders.get(role) for role in PACKED}) == 1 and shaders.get(PACKED[0]) is not None:
            shaders = {"orm": shaders["roughness"]} | {role: shader for role, shader in shaders.items() if role not in PACKED}
        for role, shader in (shaders | self.textures.unconnected(prim)).items():
            texture = self.textures.read(shader, role)
            if texture is not None:
                found[role] = texture
                if role in ("rgb", "rgba") or str(prim.GetPath()) not in self._primvars:
                    word, repeat = self.textures.placed(shader)
                    self._primvars[str(prim.GetPath())] = word
                    if repeat is not None and role in ("rgb", "rgba"):
                        numbers["texrepeat"] = repeat
        return tuple(found.get(role) for role in ROLES)
