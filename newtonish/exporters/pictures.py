"""What a model keeps for viewers, written as MJCF: settings, textures, materials, looks of lights and cameras, skins."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from newtonish.errors import NewtonishWarning, problem
from newtonish.exporters.world import CompiledWorld, add
from newtonish.files import replacing
from newtonish.namespaces.looks import ROLES, TEXTURE_TYPES, CameraLook, LightLook, Material, Texture

__all__ = ["PictureWriter", "camera_look", "light_look", "write_png"]

SPACES = ("auto", "linear", "sRGB")
LIGHTS = ("spot", "directional", "point", "image")
OUTPUTS = ("rgb", "depth", "distance", "normal", "segmentation")
ACTIVE = ("false", "true", "auto")


class PictureWriter:
    """Writes what is drawn into the elements of a model.

    Args:
        stem: Name of the written file without its ending, with which those of its textures begin.
        files: Takes the textures that have to be files, by name; None leaves them out.
    """

    def __init__(self, stem: str, files: dict[str, Texture] | None) -> None:
        self._stem, self._files = stem, files

    def write_assets(self, root: etree._Element, world: CompiledWorld) -> None:
        """Write settings, textures and materials."""
        kept = world.compiled.kept
        if kept is not None:
            _write_visual(root, kept.visual)
        elif world.ntex:
            text = problem("textures", f"{world.ntex} without pixels, as archives keep none", "a model with them", "convert the file itself")
            warnings.warn(text, NewtonishWarning, stacklevel=5)
        if not world.nmat and not (world.ntex and kept):
            return
        section = add(root, "asset")
        written = [i for i, texture in enumerate(kept.textures if kept else ()) if texture.said or self._files is not None]
        for i in written:
            self._write_texture(section, kept.textures[i], world.names["tex"][i])
        for i in range(world.nmat):
            _write_material(section, world, i, written)

    def _write_texture(self, section: etree._Element, texture: Texture, name: str) -> None:
        """Write a procedural texture by what it is made of, another one as a file."""
        space = SPACES[texture.colorspace] if texture.colorspace else None
        common = {"name": name, "type": TEXTURE_TYPES[texture.type], "colorspace": space}
        if texture.said:
            add(section, "texture", **common, **texture.said)
            return
        file = f"{self._stem}.{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}.png"
        assert self._files is not None
        self._files[file] = texture
        six = texture.type and texture.height != texture.width
        grid = {"gridsize": [6, 1], "gridlayout": "RLUDFB"} if six else {}
        add(section, "texture", **common, file=file, nchannel=texture.nchannel if texture.nchannel != 3 else None, **grid)

    def write_skins(self, root: etree._Element, world: CompiledWorld) -> None:
        """Write skins with their bones."""
        kept = world.compiled.kept
        if kept is None or not kept.skins:
            return
        section = add(root, "deformable")
        for skin, bodies in kept.skins:
            material = None if skin.material is None else world.names["mat"][kept.materials.index(skin.material)]
            element = add(
                section, "skin", name=skin.name or None, material=material, rgba=skin.rgba, inflate=skin.inflate or None, group=skin.group or None,
                vertex=skin.vert, texcoord=skin.texcoord if len(skin.texcoord) else None, face=skin.face,
            )  # fmt: skip
            for i, body in enumerate(bodies):
                pose = {"bindpos": skin.bindpos[i], "bindquat": skin.bindquat[i]}
                add(element, "bone", body=world.names["body"][body], **pose, vertid=skin.vertid[i], vertweight=skin.vertweight[i])


def write_png(texture: Texture, path: Path) -> None:
    """Write the pixels of a texture."""
    from PIL import Image

    pixels = texture.pixels[..., 0] if texture.nchannel == 1 else texture.pixels
    with replacing(path) as partial:
        Image.fromarray(np.ascontiguousarray(pixels)).save(partial)


def _write_visual(root: etree._Element, said: Any) -> None:
    """Write what was said of the visualizer."""
    merged: dict[str, dict[str, Any]] = {}
    for one in said:
        for group, values in one.items():
            merged.setdefault(group, {}).update(values)
    section = add(root, "visual") if any(merged.values()) else None
    for group, values in merged.items():
        if values and section is not None:
            own = {name: ACTIVE[value] if (group, name) == ("headlight", "active") else value for name, value in values.items()}
            add(section, group, **own)


def _write_material(section: etree._Element, world: CompiledWorld, i: int, textures: list[int]) -> None:
    """Write a material with those textures that are written; what is as usual is left out."""
    plain, own = Material(""), {}
    for name in ("rgba", "texrepeat", "texuniform", "emission", "specular", "shininess", "reflectance", "metallic", "roughness"):
        value = getattr(world, f"mat_{name}")[i]
        if not np.array_equal(np.asarray(getattr(plain, name), value.dtype), value):
            own[name] = value
    layers = [(int(t), role) for t, role in zip(world.mat_texid[i], ROLES) if t in textures]
    alone = len(layers) == 1 and layers[0][1] == "rgb"
    texture = world.names["tex"][layers[0][0]] if alone else None
    element = add(section, "material", name=world.names["mat"][i], texture=texture, **own)
    for number, role in () if alone else layers:
        add(element, "layer", texture=world.names["tex"][number], role=role)


def light_look(world: CompiledWorld, i: int) -> dict[str, Any]:
    """Attributes of a light that are not as usual."""
    if not world.looks or world.compiled.kept is None:
        return {}
    plain, found = LightLook(), {}
    for name in ("castshadow", "active", "bulbradius", "intensity", "range", "attenuation", "cutoff", "softness", "exponent", "ambient", "diffuse", "specular"):
        value = getattr(world, f"light_{name}")[i]
        if not np.array_equal(np.asarray(getattr(plain, name), value.dtype), value):
            found[name] = value
    kind, texture = int(world.light_type[i]), int(world.light_texid[i])
    found |= {"type": LIGHTS[kind]} if kind else {}
    return found | ({"texture": world.names["tex"][texture]} if texture >= 0 else {})


def camera_look(world: CompiledWorld, c: int) -> dict[str, Any]:
    """Attributes of a camera beside its pose and its lens that are not as usual."""
    if not world.looks or world.compiled.kept is None:
        return {}
    plain, output = CameraLook(), int(world.cam_output[c])
    found: dict[str, Any] = {} if world.cam_ipd[c] == plain.ipd else {"ipd": world.cam_ipd[c]}
    if output != plain.output:
        found["output"] = " ".join(word for bit, word in enumerate(OUTPUTS) if output >> bit & 1)
    return found
