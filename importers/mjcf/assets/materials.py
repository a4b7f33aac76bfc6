"""The ``material`` elements: colours, shine, and the textures they are painted with."""

from __future__ import annotations

from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest
from newtonish.namespaces.looks import ROLES, Material, Texture

__all__ = ["Looks", "read_materials"]

SCALARS = ("texuniform", "emission", "specular", "shininess", "reflectance", "metallic", "roughness")


def read_materials(root: Node, defaults: Defaults, textures: dict[str, Texture | None], log: Diagnostics) -> dict[str, Material]:
    """Return the materials of a file by name."""
    materials: dict[str, Material] = {}
    for section in root.sections("asset"):
        for node in section.sections("material"):
            values, _ = defaults.values(node, None)
            name = values.get("name", "")
            if not name or name in materials:
                given = f"the name '{name}' again" if name else "no name"
                log.problem(node.at("name"), node.label, given, "a name of its own", "rename it")
                continue
            own = {key: values[key] for key in SCALARS if key in values}
            own |= {key: tuple(values[key]) for key in ("rgba", "texrepeat") if key in values}
            materials[name] = Material(name, _layers(node, values, textures, log), **own)
    return materials


def _layers(node: Node, values: dict[str, Any], textures: dict[str, Texture | None], log: Diagnostics) -> tuple[Texture | None, ...]:
    """The texture of each role; one that a material names itself is its colour."""
    found: list[Texture | None] = [None] * len(ROLES)
    layers = list(node.sections("layer"))
    if layers and values.get("texture"):
        log.problem(layers[0].location, node.label, "texture and layers", "one of them", "write the texture as a layer of role rgb")
    wanted = [(node, values["texture"], "rgb")] if values.get("texture") else []
    wanted += [(layer, layer.values.get("texture", ""), layer.values.get("role", "")) for layer in layers]
    for place, name, role in wanted:
        if role not in ROLES[1:]:
            log.problem(place.at("role"), f"{node.label}, layer", f"role '{role}'", ", ".join(ROLES[1:]), "correct the role")
        elif name not in textures:
            log.problem(place.at("texture"), f"{node.label}, texture", f"'{name}'", "the name of a texture", nearest(name, textures) or "add it to <asset>")
        else:
            found[ROLES.index(role)] = textures[name]
    return tuple(found)


class Looks:
    """The textures and materials of a file, by name; ``discarded`` where the file drops everything that is only seen."""

    def __init__(self, textures: dict[str, Texture | None] | None = None, materials: dict[str, Material] | None = None, log: Diagnostics | None = None) -> None:
        self.textures, self.materials, self._log = textures or {}, materials or {}, log
        self.discarded = log is None

    def material(self, node: Node, values: dict[str, Any]) -> Material | None:
        """The material that an element names; None for none, and a problem noted for one that is not there."""
        name = values.get("material")
        if name and name not in self.materials and self._log is not None:
            hint = nearest(name, self.materials) or "add it to <asset>"
            self._log.problem(node.at("material"), f"{node.label}, material", f"'{name}'", "the name of a material", hint)
        return self.materials.get(name) if name else None
