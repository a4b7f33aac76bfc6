"""What a URDF file describes, with numbers in place of text: links, joints, geometry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonish.importers import frames
from newtonish.mjcf.language.read import Node

__all__ = ["Frame", "Geometry", "Inertial", "Joint", "Link", "Mimic", "Robot"]

Frame = tuple[np.ndarray, np.ndarray]
"""Position [m] and quaternion w, x, y, z."""


def identity() -> Frame:
    """The frame that changes nothing."""
    return np.zeros(3), frames.IDENTITY.copy()


@dataclass
class Inertial:
    """Mass properties of a link: mass [kg], frame of the centre of mass, inertia in that frame's axes (3, 3) [kg m^2]."""

    node: Node
    frame: Frame
    mass: float
    matrix: np.ndarray


@dataclass
class Geometry:
    """A visual or collision element.

    Attributes:
        node: The element.
        shape: The element that says its shape, inside ``geometry``.
        frame: Its pose in the link.
        kind: box, sphere, cylinder, capsule or mesh.
        size: Half extents; radius; radius and half length; factors of a mesh.
        rgba: Its colour.
        mesh: The mesh, once it is loaded.
        custom: Values of custom attributes.
    """

    node: Node
    shape: Node
    frame: Frame
    kind: str
    size: list[float]
    rgba: list[float] | None = None
    mesh: Any = None
    custom: dict[str, Any] = field(default_factory=dict)


@dataclass
class Link:
    """A link; mass, com and inertia (about com, in the link's axes) are filled in when the file is resolved."""

    name: str
    node: Node
    inertial: Inertial | None = None
    visuals: list[Geometry] = field(default_factory=list)
    collisions: list[Geometry] = field(default_factory=list)
    custom: dict[str, Any] = field(default_factory=dict)
    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    pose: Frame = field(default_factory=identity)
    index: int = -1


@dataclass
class Mimic:
    """q = offset + multiplier * q of the joint of that name."""

    node: Node
    joint: str
    multiplier: float
    offset: float


@dataclass
class Joint:
    """A joint; limits, effort, damping and friction are None where nothing is written."""

    name: str
    node: Node
    type: str
    parent: str
    child: str
    frame: Frame
    axis: np.ndarray
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float | None = None
    friction: float | None = None
    mimic: Mimic | None = None
    custom: dict[str, Any] = field(default_factory=dict)
    index: int = -1


@dataclass
class Robot:
    """A file's contents; links and joints in the order of the text."""

    name: str
    node: Node
    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    extension: Node | None = None
    custom: dict[str, Any] = field(default_factory=dict)
