"""Lights: rows of ``mujoco:light`` with what says where they are; how they shine stands in a library for viewers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.assets.materials import Looks
from newtonish.importers.mjcf.cameras import MODES
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.tree import Tree
from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest
from newtonish.namespaces.looks import LightLook
from newtonish.namespaces.looks_arrays import LIGHT_LOOK

__all__ = ["Light", "read_light", "write_lights"]

Frame = tuple[np.ndarray, np.ndarray]
NUMBERS = ("castshadow", "active", "bulbradius", "intensity", "range", "cutoff", "softness", "exponent")
COLOURS = ("attenuation", "ambient", "diffuse", "specular")


@dataclass
class Light:
    """A light in its body's frame."""

    node: Node
    name: str
    pos: np.ndarray
    dir: np.ndarray
    mode: int
    target: str
    look: LightLook | None = None


def read_light(node: Node, childclass: str | None, frame: Frame, defaults: Defaults, looks: Looks, log: Diagnostics) -> Light:
    """Read a light that stands in ``frame`` of its body."""
    values, _ = defaults.values(node, childclass)
    pos = np.array(values["pos"])
    if not np.isfinite(pos).all():
        log.problem(node.at("pos"), f"{node.label}, pos", str(values["pos"]), "finite numbers", "correct it")
        pos = np.zeros(3)
    try:
        direction = frames.normalize(values["dir"], "a direction")
    except ValueError as error:
        log.problem(node.at("dir"), f"{node.label}, dir", str(error), "a direction", "correct the numbers")
        direction = np.array([0.0, 0.0, -1.0])
    pos, _ = frames.compose(*frame, pos, frames.IDENTITY)
    direction = frames.rotate(frame[1], direction)
    mode, target = MODES.index(values.get("mode", "fixed")), values.get("target", "")
    return Light(node, values.get("name", ""), pos, direction, mode, target, _look(node, values, looks, log))


def _look(node: Node, values: dict[str, Any], looks: Looks, log: Diagnostics) -> LightLook | None:
    """How a light shines; None where it says nothing."""
    own: dict[str, Any] = {name: values[name] for name in NUMBERS if name in values}
    own |= {name: tuple(values[name]) for name in COLOURS if name in values}
    if "type" in values or "directional" in values:
        own["type"] = KEYWORDS["light"].split().index(values["type"]) if "type" in values else int(values["directional"])
    if values.get("texture") and not looks.discarded:
        if values["texture"] not in looks.textures:
            hint = nearest(values["texture"], looks.textures) or "add it to <asset>"
            log.problem(node.at("texture"), f"{node.label}, texture", f"'{values['texture']}'", "the name of a texture", hint)
        own["texture"] = looks.textures.get(values["texture"])
    return LightLook(**own) if own else None


def write_lights(builder: Any, tree: Tree, world: Frame) -> None:
    """Write the lights into the builder, body by body.

    Args:
        builder: A builder that has the bodies.
        tree: The bodies.
        world: Frame of the file's world in the builder's body, or in its world.
    """
    number = 0
    for body in (tree.world, *tree.bodies):
        for light in body.lights:
            pos, direction = light.pos, light.dir
            if body is tree.world:
                pos, _ = frames.compose(*world, pos, frames.IDENTITY)
                direction = frames.rotate(world[1], direction)
            aimed = tree.names.get(("body", light.target)) if light.target else None
            row = {
                "label": light.name or f"light{number}",
                "body": body.index,
                "mode": light.mode,
                "aimed": aimed is not None,
                "target": aimed.index if aimed is not None else -1,
                "pos": pos,
                "dir": direction,
                "look": -1 if light.look is None else builder.libraries.add(LIGHT_LOOK, light.look),
            }
            builder.add_custom_values(**{f"mujoco:light_{key}": value for key, value in row.items()})
            number += 1
