"""Settings of MJCF's ``compiler`` element: how the rest of the file is to be read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.assets import portable, resolve
from newtonish.mjcf.language.read import Node

__all__ = ["ORIENTATIONS", "Settings", "read_settings"]

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")


@dataclass
class Settings:
    """What the ``compiler`` elements of a file say, later ones over earlier ones.

    Attributes:
        degree: Angles in the file are degrees.
        eulerseq: Axes of euler angles; capitals are fixed axes.
        autolimits: A range makes a limit where ``limited`` is not written.
        inertiafromgeom: ``false``, ``true`` or ``auto`` (where no inertial is written).
        inertiagrouprange: Geom groups that count towards inertia.
        boundmass: Least mass of a body [kg].
        boundinertia: Least principal moment of a body [kg·m²].
        settotalmass: Total mass to scale to [kg]; not positive leaves it.
        balanceinertia: Replace impossible principal moments by their mean.
        alignfree: Free bodies get their inertial frame as body frame.
        fitaabb: Primitives are fitted to the bounding boxes of meshes.
        fusestatic: Bodies without joints become part of their parent.
        discardvisual: Geoms that neither collide nor are named are left out.
        meshdir: Folder of meshes, relative to the main file.
        texturedir: Folder of textures, relative to the main file.
        strippath: Of the paths of assets only the names of the files count.
        folder: Folder of the main file.
    """

    degree: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    inertiagrouprange: tuple[int, int] = (0, 5)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    settotalmass: float = -1.0
    balanceinertia: bool = False
    alignfree: bool = False
    fitaabb: bool = False
    fusestatic: bool = False
    discardvisual: bool = False
    meshdir: str = ""
    texturedir: str = ""
    strippath: bool = False
    folder: Path = Path()

    def asset(self, name: str) -> Path:
        """Path of a mesh, heightfield or skin that the file names."""
        return resolve(self.folder, self.meshdir, portable(name).rpartition("/")[2] if self.strippath else name)

    def texture(self, name: str) -> Path:
        """Path of a texture that the file names."""
        return resolve(self.folder, self.texturedir, portable(name).rpartition("/")[2] if self.strippath else name)

    def of(self, node: Node) -> Settings:
        """Settings that an element is read by: those of the attached model it comes from, or these."""
        return node.settings or self

    @property
    def angle_scale(self) -> float:
        """Factor from the file's angles to radians."""
        return math.pi / 180.0 if self.degree else 1.0

    def orientation(self, node: Node, values: dict[str, Any], log: Diagnostics) -> np.ndarray:
        """Return the quaternion w, x, y, z of an element, whichever way it is written."""
        written = [name for name in ORIENTATIONS if name in values]
        if not written:
            return frames.IDENTITY.copy()
        name = written[-1] if "quat" in written else written[0]
        try:
            return self.of(node)._quaternion(name, values[name])
        except ValueError as error:
            log.problem(node.at(name), f"{node.label}, {name}", str(error), "a direction", "correct the numbers")
            return frames.IDENTITY.copy()

    def _quaternion(self, name: str, value: Sequence[float]) -> np.ndarray:
        """Read one of the five ways."""
        if name == "quat":
            return frames.normalize(value, "a quaternion")
        if not all(math.isfinite(v) for v in value):
            raise ValueError("a number that is not finite")
        if name == "axisangle":
            return frames.from_axisangle(value, self.degree)
        if name == "xyaxes":
            return frames.from_xyaxes(value)
        if name == "zaxis":
            return frames.from_zaxis(value)
        return frames.from_euler(value, self.eulerseq, self.degree)


def read_settings(root: Node, folder: Path, log: Diagnostics) -> Settings:
    """Merge all ``compiler`` elements of a file in a folder; note what cannot be followed."""
    settings = Settings(folder=folder)
    for node in root.sections("compiler"):
        values = node.values
        for field in fields(Settings):
            if field.name in values:
                value = values[field.name]
                setattr(settings, field.name, tuple(value) if isinstance(value, list) else value)
        if "angle" in values:
            settings.degree = values["angle"] == "degree"
        for name in ("meshdir", "texturedir"):
            if "assetdir" in values and name not in values:
                setattr(settings, name, values["assetdir"])
        _check(node, settings, log)
    return settings


def _check(node: Node, settings: Settings, log: Diagnostics) -> None:
    """Note values that are impossible or not followed."""
    values = node.values
    sequence = settings.eulerseq
    if len(sequence) != 3 or any(letter not in "xyzXYZ" for letter in sequence):
        log.problem(node.at("eulerseq"), "compiler, eulerseq", f"'{sequence[:20]}'", "three of x y z X Y Z", "correct it")
        settings.eulerseq = "xyz"
    if values.get("coordinate") == "global":
        log.problem(
            node.at("coordinate"),
            "compiler, coordinate",
            "'global'",
            "'local'",
            "load the file in MuJoCo 2.3.3 or older and save it (mj_saveLastXML), which writes local coordinates",
        )
    for name in ("boundmass", "boundinertia"):
        if not 0 <= values.get(name, 0.0) < math.inf:
            log.problem(node.at(name), f"compiler, {name}", str(values[name]), "a number not below zero", "correct it")
            setattr(settings, name, 0.0)
