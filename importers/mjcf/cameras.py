"""Cameras: pose in the body's frame, how they follow it, and their optics; rows of the ``mujoco:camera`` frequency."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.tree import Body, Tree
from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest
from newtonish.namespaces.looks import CameraLook
from newtonish.namespaces.looks_arrays import CAMERA_LOOK

__all__ = ["Camera", "CameraReader", "check_targets", "write_cameras"]

Frame = tuple[np.ndarray, np.ndarray]
MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
PROJECTIONS = ("perspective", "orthographic")
ZNEAR = 0.01
"""The visualizer's setting where a file says nothing; a camera that is given by its field of view has it as focal lengths."""
LENS = ("focal", "focalpixel", "principal", "principalpixel")


@dataclass
class Camera:
    """A camera in its body's frame; ``row`` has its other attributes."""

    node: Node
    name: str
    body: Body
    pos: np.ndarray
    quat: np.ndarray
    target: str
    row: dict[str, Any] = field(default_factory=dict)
    look: CameraLook | None = None
    user: list[float] = field(default_factory=list)
    index: int = -1


class CameraReader:
    """Reads the cameras of a file."""

    def __init__(self, settings: Settings, defaults: Defaults, log: Diagnostics, znear: float = ZNEAR) -> None:
        self._settings = settings
        self._focal = (znear, znear)
        self._defaults = defaults
        self._log = log

    def camera(self, node: Node, childclass: str | None, frame: Frame, body: Body) -> Camera:
        """Read a camera that stands in ``frame`` of its body."""
        values, authored = self._defaults.values(node, childclass)
        pos = np.array(values["pos"])
        if not np.isfinite(pos).all():
            self._problem(node, "pos", str(values["pos"]), "finite numbers", "correct it")
            pos = np.zeros(3)
        pos, quat = frames.compose(*frame, pos, self._settings.orientation(node, values, self._log))
        camera = Camera(node, values.get("name", ""), body, pos, quat, values.get("target", ""))
        pixels = [int(n) for n in values.get("resolution", (1, 1))]
        camera.look, camera.user = _look(values), values.get("user", [])
        camera.row = {
            "mode": MODES.index(values.get("mode", "fixed")),
            "projection": PROJECTIONS.index(values.get("projection", "perspective")),
            "resolution": pixels,
            **self._optics(node, values, authored, pixels),
        }
        return camera

    def _optics(self, node: Node, values: dict[str, Any], authored: set[str], pixels: list[int]) -> dict[str, Any]:
        """Field of view, size of the picture's plane, focal lengths and principal point.

        A size of the plane asks for focal lengths and gives the field of view; lengths in pixels win over metres.
        """
        fovy = values.get("fovy", 45.0)
        if not 0 <= fovy < 180:
            self._problem(node, "fovy", f"{fovy:g}", "0 to less than 180 degrees", "correct it")
        size = values.get("sensorsize", (0.0, 0.0))
        if min(size) <= 0:
            given = [name for name in LENS if name in authored]
            if given or "sensorsize" in authored:
                what = f"{', '.join(given) or 'sensorsize'} with sensorsize {list(size)}"
                self._problem(node, "sensorsize", what, "a positive sensorsize", "write its width and height, or fovy instead")
            return {"fovy": fovy, "sensorsize": (0.0, 0.0), "intrinsic": (*self._focal, 0.0, 0.0)}
        lens = []
        for name in ("focal", "principal"):
            length = list(values.get(name, (0.0, 0.0)))
            count = values.get(f"{name}pixel")
            if count is not None and min(pixels) > 0:
                length = [n / p * s for n, p, s in zip(count, pixels, size)]
            lens += length
        if lens[1] <= 0:
            self._problem(node, "focal", f"a focal length of {lens[1]:g} m", "a positive one", "write focal or focalpixel")
            lens[1] = self._focal[1]
        return {"fovy": math.degrees(2 * math.atan2(size[1], 2 * lens[1])), "sensorsize": tuple(size), "intrinsic": tuple(lens)}

    def _problem(self, node: Node, name: str, given: str, allowed: str, remedy: str) -> None:
        """Note a problem of one attribute."""
        self._log.problem(node.at(name), f"{node.label}, {name}", given, allowed, remedy)


def _look(values: dict[str, Any]) -> CameraLook | None:
    """What a camera says beside its pose and its lens; None where it says nothing."""
    words = KEYWORDS["camout"].split()
    own: dict[str, Any] = {"ipd": values["ipd"]} if "ipd" in values else {}
    if "output" in values:
        own["output"] = sum(1 << words.index(word) for word in set(values["output"]))
    return CameraLook(**own) if own else None


def check_targets(tree: Tree, log: Diagnostics) -> None:
    """Note cameras and lights that aim at bodies that are not there."""
    for body in (tree.world, *tree.bodies):
        for camera in (*body.cameras, *body.lights):
            if camera.target and ("body", camera.target) not in tree.names:
                bodies = [name for kind, name in tree.names if kind == "body"]
                hint = nearest(camera.target, bodies) or "name a body"
                log.problem(camera.node.at("target"), f"{camera.node.label}, target", f"'{camera.target}'", "the name of a body", hint)


def write_cameras(builder: Any, tree: Tree, world: Frame) -> None:
    """Write the cameras into the builder, body by body.

    Args:
        builder: A builder that has the bodies.
        tree: The bodies.
        world: Frame of the file's world in the builder's body, or in its world.
    """
    number = 0
    for body in (tree.world, *tree.bodies):
        for camera in body.cameras:
            pos, quat = camera.pos, camera.quat
            if body is tree.world:
                pos, quat = frames.compose(*world, pos, quat)
            aimed = tree.names.get(("body", camera.target)) if camera.target else None
            row = {
                "label": camera.name or f"camera{number}",
                "body": body.index,
                "aimed": aimed is not None,
                "target": aimed.index if aimed is not None else -1,
                "pos": pos,
                "quat": quat,
                "look": -1 if camera.look is None else builder.libraries.add(CAMERA_LOOK, camera.look),
                **camera.row,
            }
            added = builder.add_custom_values(**{f"mujoco:camera_{key}": value for key, value in row.items()})
            camera.index = added["mujoco:camera_label"]
            number += 1
