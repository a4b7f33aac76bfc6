"""Lights: rows of ``mujoco:light`` with what says where they are; how they look has no effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.diagnostics import Diagnostics
from newtonish.importers.mjcf.cameras import MODES
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.read import Node
from newtonish.importers.mjcf.tree import Tree

__all__ = ["Light", "read_light", "write_lights"]

Frame = tuple[np.ndarray, np.ndarray]


@dataclass
class Light:
    """A light in its body's frame."""

    node: Node
    name: str
    pos: np.ndarray
    dir: np.ndarray
    mode: int
    target: str


def read_light(node: Node, childclass: str | None, frame: Frame, defaults: Defaults, log: Diagnostics) -> Light:
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
    return Light(node, values.get("name", ""), pos, direction, MODES.index(values.get("mode", "fixed")), values.get("target", ""))


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
            }
            builder.add_custom_values(**{f"mujoco:light_{key}": value for key, value in row.items()})
            number += 1
