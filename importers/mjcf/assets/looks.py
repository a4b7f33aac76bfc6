"""Everything a file says of pictures, read together and written into the libraries of a builder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.assets.materials import Looks, read_materials
from newtonish.importers.mjcf.assets.skins import SkinAsset
from newtonish.importers.mjcf.assets.textures import read_textures
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.mjcf.language.read import Node
from newtonish.namespaces.looks_arrays import MATERIAL, TEXTURE, VISUAL

__all__ = ["Pictures", "read_looks", "write_looks"]


@dataclass
class Pictures:
    """Textures and materials, skins, and settings of the visualizer by group."""

    looks: Looks = field(default_factory=Looks)
    skins: list[SkinAsset] = field(default_factory=list)
    visual: dict[str, dict[str, Any]] = field(default_factory=dict)


def read_looks(root: Node, settings: Settings, defaults: Defaults, log: Diagnostics) -> Looks:
    """Return the textures and materials of a file."""
    if settings.discardvisual:
        for node in (child for section in root.sections("asset") for child in section.children if child.tag in ("texture", "material")):
            log.mark("ignored", node.location, "only seen: discardvisual")
        return Looks()
    textures = read_textures(root, settings, defaults, log)
    return Looks(textures, read_materials(root, defaults, textures, log), log)


def write_looks(builder: Any, pictures: Pictures) -> dict[int, int]:
    """Put textures, materials and settings into the libraries.

    Returns:
        The position of each material, by the identity of its object.
    """
    for texture in pictures.looks.textures.values():
        if texture is not None:
            builder.libraries.add(TEXTURE, texture)
    if pictures.visual:
        builder.libraries.add(VISUAL, pictures.visual)
    return {id(material): builder.libraries.add(MATERIAL, material) for material in pictures.looks.materials.values()}
