"""Materials for pictures as UsdPreviewSurface, and their textures as PNG files beside the stage.

A texture of two dimensions is a UsdUVTexture that the surface's input is connected to; a cube, which USD's nodes do not have, and one that no material
has stand there unconnected, with what MuJoCo calls them in ``newtonish:texture:*``. Colours of surfaces are linear.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pxr import Sdf

from newtonish.common.colours import linear
from newtonish.exporters.pictures import write_png
from newtonish.exporters.usd.kept import PREFIX, Keeper, differs
from newtonish.exporters.usd.layer import StageLayer, identifier
from newtonish.mjcf.language.read import Node
from newtonish.namespaces.looks import TEXTURE_TYPES, Texture

__all__ = ["LookWriter"]

TYPES = Sdf.ValueTypeNames
SCOPE = "Looks"
SPACES = ("auto", "raw", "sRGB")
INPUTS: dict[str, tuple[tuple[str, Any, str], ...]] = {
    "rgb": (("diffuseColor", TYPES.Color3f, "rgb"),), "rgba": (("diffuseColor", TYPES.Color3f, "rgb"), ("opacity", TYPES.Float, "a")),
    "orm": (("occlusion", TYPES.Float, "r"), ("roughness", TYPES.Float, "g"), ("metallic", TYPES.Float, "b")),
    "occlusion": (("occlusion", TYPES.Float, "r"),), "roughness": (("roughness", TYPES.Float, "r"),), "metallic": (("metallic", TYPES.Float, "r"),),
    "normal": (("normal", TYPES.Normal3f, "rgb"),), "opacity": (("opacity", TYPES.Float, "r"),), "emissive": (("emissiveColor", TYPES.Color3f, "rgb"),),
}  # fmt: skip
"""Inputs of a surface that the texture of a role gives, with their types and the texture's output."""
OUTPUTS = {"rgb": TYPES.Float3, "r": TYPES.Float, "g": TYPES.Float, "b": TYPES.Float, "a": TYPES.Float}
BESIDE = ("texrepeat", "texuniform", "specular", "shininess", "reflectance")


class LookWriter:
    """Writes materials and the files of their textures.

    Args:
        layer: Where to.
        keeper: Writes what a surface has no word for.
        root: The ``mujoco`` element.
        top: Path of the default prim.
        textures: Textures by name.
        out: The stage's file.
    """

    def __init__(self, layer: StageLayer, keeper: Keeper, root: Node, top: str, textures: dict[str, Texture], out: Path) -> None:
        self._layer, self._keeper, self._textures, self._out = layer, keeper, textures, out
        self._scope = f"{top}/{SCOPE}"
        self._nodes = [child for section in root.sections("asset") for child in section.children if child.tag == "material"]
        self._paths: dict[str, str] = {}
        self._colours = {node.values["name"]: node.values.get("rgba", [1.0] * 4) for node in self._nodes}
        self.files: dict[str, Texture] = {}

    def write(self) -> None:
        """Write the materials, and the textures that none of them has."""
        used, taken = set(), {"Textures"}
        if self._nodes or self._textures:
            self._layer.define(self._scope, "Scope")
        for node in self._nodes:
            path = self._paths[node.values["name"]] = f"{self._scope}/{identifier(node.values['name'], taken, 'material')}"
            used |= self._material(node, path)
        loose = [name for name in self._textures if name not in used]
        if loose:
            self._layer.define(f"{self._scope}/Textures", "Scope")
        names: set[str] = set()
        for name in loose:
            self._picture(f"{self._scope}/Textures/{identifier(name, names, 'texture')}", name)

    def write_files(self) -> list[Path]:
        """Write the pictures; returns their files."""
        for name, texture in self.files.items():
            write_png(texture, self._out.parent / name)
        return [self._out.parent / name for name in self.files]

    def colour(self, values: dict[str, Any], own: bool) -> list[float]:
        """Colour that a shape is shown with: its own, or its material's."""
        return values["rgba"] if own or "material" not in values else self._colours[values["material"]]

    def bind(self, spec: Any, node: Node) -> None:
        """Bind a shape's material; a colour of its own stands beside it."""
        name = node.values.get("material")
        if name is not None:
            self._layer.apply(spec, "MaterialBindingAPI")
            self._layer.lead(spec, "material:binding", [self._paths[name]])
            self._keeper.one(spec, node, "rgba")

    def _material(self, node: Node, path: str) -> set[str]:
        """Write one material; returns the names of its textures."""
        layer, put, values = self._layer, self._layer.put, node.values
        material = layer.define(path, "Material")
        layer.show(material, values["name"])
        put(material, f"{PREFIX}:material:number", TYPES.Int, len(self._paths) - 1, uniform=True, custom=True)
        surface = layer.define(f"{path}/surface", "Shader")
        put(surface, "info:id", TYPES.Token, "UsdPreviewSurface", uniform=True)
        self._output(surface, "surface", TYPES.Token)
        self._connect(material, "outputs:surface", TYPES.Token, f"{path}/surface.outputs:surface")
        rgba = values.get("rgba", [1.0] * 4)
        colour = linear(rgba[:3]).tolist()
        put(surface, "inputs:diffuseColor", TYPES.Color3f, colour)
        if rgba[3] != 1.0:
            put(surface, "inputs:opacity", TYPES.Float, rgba[3])
        for name in ("metallic", "roughness"):
            if values.get(name, -1.0) >= 0.0:
                put(surface, f"inputs:{name}", TYPES.Float, values[name])
        if values.get("emission"):
            brightest = max(colour) or 1.0
            put(surface, "inputs:emissiveColor", TYPES.Color3f, [values["emission"] * (part / brightest if max(colour) else 1.0) for part in colour])
        for name in BESIDE:
            if name in values and (name != "texrepeat" or values[name] != [1.0, 1.0]) and differs(node, name, strict=True):
                self._keeper.one(material, node, name)
        layers = {"rgb": values["texture"]} if "texture" in values else {child.values["role"]: child.values["texture"] for child in node.children}
        for role, name in layers.items():
            self._layer_of(path, surface, role, name, values.get("texrepeat", [1.0, 1.0]), [*colour, 1.0])
        return set(layers.values())

    def _layer_of(self, path: str, surface: Any, role: str, name: str, repeat: list[float], colour: list[float]) -> None:
        """Write the texture of one role, connected to the inputs that it gives."""
        picture = self._picture(f"{path}/{role}", name)
        if self._textures[name].type:
            self._layer.put(picture, f"{PREFIX}:texture:role", TYPES.Token, role, uniform=True, custom=True)
            return
        for wrap in ("wrapS", "wrapT"):
            self._layer.put(picture, f"inputs:{wrap}", TYPES.Token, "repeat")
        if role in ("rgb", "rgba") and colour != [1.0] * 4:
            self._layer.put(picture, "inputs:scale", TYPES.Float4, colour)
        if role == "normal":
            if not self._textures[name].colorspace:
                self._layer.put(picture, "inputs:sourceColorSpace", TYPES.Token, "raw")
                self._layer.put(picture, f"{PREFIX}:texture:colorspace", TYPES.Token, "auto", uniform=True, custom=True)
            self._layer.put(picture, "inputs:scale", TYPES.Float4, (2.0, 2.0, 2.0, 1.0))
            self._layer.put(picture, "inputs:bias", TYPES.Float4, (-1.0, -1.0, -1.0, 0.0))
        self._connect(picture, "inputs:st", TYPES.Float2, self._coordinates(path, repeat))
        for name, kind, part in INPUTS[role]:
            self._output(picture, part, OUTPUTS[part])
            self._connect(surface, f"inputs:{name}", kind, f"{path}/{role}.outputs:{part}")

    def _coordinates(self, path: str, repeat: list[float]) -> str:
        """Write, once, what leads texture coordinates to the pictures of a material; returns its output."""
        put, at = self._layer.put, self._layer.layer.GetPrimAtPath
        if not at(f"{path}/st"):
            reader = self._layer.define(f"{path}/st", "Shader")
            put(reader, "info:id", TYPES.Token, "UsdPrimvarReader_float2", uniform=True)
            put(reader, "inputs:varname", TYPES.String, "st")
            self._output(reader, "result", TYPES.Float2)
            if repeat != [1.0, 1.0]:
                turned = self._layer.define(f"{path}/repeat", "Shader")
                put(turned, "info:id", TYPES.Token, "UsdTransform2d", uniform=True)
                self._connect(turned, "inputs:in", TYPES.Float2, f"{path}/st.outputs:result")
                put(turned, "inputs:scale", TYPES.Float2, repeat)
                put(turned, "inputs:translation", TYPES.Float2, (0.0, 1.0 - repeat[1]))  # rows are counted from the first one
                self._output(turned, "result", TYPES.Float2)
        return f"{path}/{'st' if repeat == [1.0, 1.0] else 'repeat'}.outputs:result"

    def _picture(self, path: str, name: str) -> Any:
        """Write the node of a texture, and note its file."""
        put, texture = self._layer.put, self._textures[name]
        spec = self._layer.define(path, "Shader")
        put(spec, "info:id", TYPES.Token, "UsdUVTexture", uniform=True)
        put(spec, "inputs:file", TYPES.Asset, f"./{self._file(name)}")
        put(spec, "inputs:sourceColorSpace", TYPES.Token, SPACES[texture.colorspace])
        put(spec, f"{PREFIX}:texture:name", TYPES.String, texture.name, uniform=True, custom=True)
        if texture.type:
            put(spec, f"{PREFIX}:texture:type", TYPES.Token, TEXTURE_TYPES[texture.type], uniform=True, custom=True)
        put(spec, f"{PREFIX}:texture:number", TYPES.Int, list(self._textures).index(name), uniform=True, custom=True)
        put(spec, f"{PREFIX}:texture:nchannel", TYPES.Int, texture.nchannel, uniform=True, custom=True)
        return spec

    def _file(self, name: str) -> str:
        """Name of the file of a texture, unlike those of the others."""
        texture = self._textures[name]
        stem = f"{self._out.stem}.{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}"
        number, file = 1, f"{stem}.png"
        while self.files.get(file, texture) is not texture:
            number += 1
            file = f"{stem}_{number}.png"
        self.files[file] = texture
        return file

    def _output(self, spec: Any, name: str, kind: Any) -> None:
        """Declare an output of a node."""
        if f"outputs:{name}" not in spec.properties:
            Sdf.AttributeSpec(spec, f"outputs:{name}", kind)

    @staticmethod
    def _connect(spec: Any, name: str, kind: Any, source: str) -> None:
        """Connect an input or an output to what gives it; a constant that is there stays for those that do not follow it."""
        attribute = spec.properties.get(name) or Sdf.AttributeSpec(spec, name, kind)
        attribute.connectionPathList.explicitItems = [Sdf.Path(source)]
