"""What the kinematic tree of a file says, with every value resolved: radians, defaults applied, frames composed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.importers.mjcf.assets.hfields import HeightfieldAsset
from newtonish.importers.mjcf.assets.meshes import MeshAsset
from newtonish.importers.mjcf.inertia import MassProperties
from newtonish.mjcf.language.read import Node
from newtonish.model.fields import FieldInstance
from newtonish.namespaces.looks import Material

__all__ = ["Body", "Geom", "Joint", "Tree"]


@dataclass
class Joint:
    """A joint; vectors are in its body's frame, angles in radians.

    Attributes:
        type: ``free``, ``ball``, ``slide`` or ``hinge``.
        range: As MuJoCo keeps it: radians where it limits, as written where it does not.
        values: The remaining attributes by MJCF name.
        authored: Attributes that were written, here or in a default class.
        dof: First degree of freedom in the builder, set when it is emitted.
        qpos: First coordinate in MuJoCo's qpos.
        hinges: The three joints of the file that a ball stands for.
    """

    node: Node
    name: str
    type: str
    pos: np.ndarray
    axis: np.ndarray
    limited: bool
    range: list[float]
    ref: float
    springref: float
    values: dict[str, Any]
    authored: set[str]
    label: str = ""
    dof: int = -1
    qpos: int = -1
    hinges: list[Joint] = field(default_factory=list)

    @property
    def dofs(self) -> int:
        """Degrees of freedom."""
        return {"free": 6, "ball": 3}.get(self.type, 1)

    @property
    def coords(self) -> int:
        """Coordinates in qpos."""
        return {"free": 7, "ball": 4}.get(self.type, 1)


@dataclass
class Geom:
    """A geom or a site in its body's frame; ``size`` has three numbers in MuJoCo's meaning.

    Attributes:
        sdf: The signed distance field that it collides as.
        collides: Whether it meets anything; by its masks, unless the caller wants it otherwise.
        needed: Whether something else refers to it, so that it must not be left out.
        kept: Whether it becomes a shape at all.
    """

    node: Node
    name: str
    type: str
    size: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    values: dict[str, Any]
    authored: set[str]
    mass: MassProperties | None = None
    mesh: MeshAsset | None = None
    hfield: HeightfieldAsset | None = None
    sdf: FieldInstance | None = None
    rgba: list[float] = field(default_factory=lambda: [0.5, 0.5, 0.5, 1.0])
    material: Material | None = None
    label: str = ""
    index: int = -1
    needed: bool = False
    kept: bool = True
    collides: bool = field(init=False)

    def __post_init__(self) -> None:
        self.collides = bool(self.values.get("contype") or self.values.get("conaffinity"))


@dataclass
class Body:
    """A body; ``pos`` and ``quat`` are in its parent's frame at the reference configuration.

    Attributes:
        mass: What it weighs, after the compiler's bounds.
        parts: The masses of geoms that ``mass`` is the sum of; none where it was written, or bounds changed it.
        adjusted: Whether bounds or ``balanceinertia`` changed its mass.
        base_joint: Arguments of ``ModelBuilder.add_joint`` for a joint that the caller wants in place of the file's.
    """

    node: Node
    name: str
    parent: Body | None
    pos: np.ndarray
    quat: np.ndarray
    values: dict[str, Any] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[Geom] = field(default_factory=list)
    cameras: list[Any] = field(default_factory=list)
    lights: list[Any] = field(default_factory=list)
    children: list[Body] = field(default_factory=list)
    inertial: MassProperties | None = None
    mass: MassProperties = field(default_factory=MassProperties)
    massless: MassProperties = field(default_factory=MassProperties)
    parts: list[MassProperties] = field(default_factory=list)
    adjusted: bool = False
    base_joint: dict[str, Any] | None = None
    align: bool = False
    label: str = ""
    index: int = -1

    @property
    def mocap(self) -> bool:
        """Whether it is moved by the user."""
        return bool(self.values.get("mocap"))

    def world_pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Pose in the world at the reference configuration."""
        if self.parent is None:
            return self.pos, self.quat
        return frames.compose(*self.parent.world_pose(), self.pos, self.quat)


@dataclass
class Tree:
    """The world and its bodies in depth-first order, with names, and tendons once they are read."""

    world: Body
    bodies: list[Body] = field(default_factory=list)
    names: dict[tuple[str, str], Any] = field(default_factory=dict)
    tendons: list[Any] = field(default_factory=list)
    forgotten: set[tuple[str, str]] = field(default_factory=set)  # kinds and names of what the caller asked to leave out

    def joints(self) -> Iterator[Joint]:
        """All joints in MuJoCo's order."""
        return (joint for body in self.bodies for joint in body.joints)
