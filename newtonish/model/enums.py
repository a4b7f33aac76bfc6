"""Enumerations of the generic model: joints, shapes, bodies, what changed, and how attributes are indexed.

Numbers are Newton's, so that arrays can be exchanged with tools that speak Newton's dialect.
"""

from __future__ import annotations

import operator
from enum import IntEnum
from typing import Any, TypeVar

from newtonish.arguments import shown
from newtonish.errors import ModelError, problem

__all__ = [
    "AttributeAssignment",
    "AttributeFrequency",
    "Axis",
    "BodyFlags",
    "GeoType",
    "JointTargetMode",
    "JointType",
    "ModelFlags",
    "ShapeFlags",
    "StateFlags",
]


Kind = TypeVar("Kind", bound=IntEnum)


def member(kind: type[Kind], value: Any, what: str) -> Kind:
    """Return a member of an enumeration by its number, or raise with ``what`` as the name of the culprit."""
    try:
        return kind(operator.index(value))
    except (TypeError, ValueError):
        listed = ", ".join(f"{one.name} ({one.value})" for one in kind)
        raise ModelError(problem(what, shown(value), listed, "use one of them")) from None


class Axis(IntEnum):
    """A coordinate axis; compares equal to its letter in either case."""

    X = 0
    Y = 1
    Z = 2

    @classmethod
    def from_string(cls, axis_str: str) -> Axis:
        """Return the axis named by ``"x"``, ``"y"`` or ``"z"`` in either case."""
        try:
            return cls[axis_str.strip().upper()]
        except KeyError:
            raise ModelError(problem("axis", shown(axis_str), "'x', 'y', 'z'", "use one of them")) from None

    @classmethod
    def from_any(cls, value: Any) -> Axis:
        """Return the axis for an ``Axis``, a letter, or a number 0 to 2."""
        return cls.from_string(value) if isinstance(value, str) else member(cls, value, "axis")

    def to_vector(self) -> tuple[float, float, float]:
        """Return the unit vector along this axis."""
        return (float(self == 0), float(self == 1), float(self == 2))

    to_vec3 = to_vector

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.name == other.upper()
        return int.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return int.__hash__(self)


class JointType(IntEnum):
    """How a joint lets its child body move relative to its parent body."""

    PRISMATIC = 0
    """Sliding along one axis."""
    REVOLUTE = 1
    """Turning about one axis."""
    BALL = 2
    """Free rotation; the coordinate is a unit quaternion."""
    FIXED = 3
    """No motion."""
    FREE = 4
    """Unrestricted motion; coordinates are a position and a unit quaternion."""
    DISTANCE = 5
    """Free motion whose distance is bounded by limits; coordinates as FREE."""
    D6 = 6
    """Up to three translations, then up to three rotations, each about an axis of its own."""
    ROD = 7
    """Elastic relative pose of two rod segments; coordinates as FREE."""

    def dof_count(self, num_axes: int) -> tuple[int, int]:
        """Return (velocity count, coordinate count) of a joint of this type with ``num_axes`` axes."""
        if self == JointType.FIXED:
            return 0, 0
        if self == JointType.BALL:
            return 3, 4
        if self in (JointType.FREE, JointType.DISTANCE, JointType.ROD):
            return 6, 7
        return num_axes, num_axes

    def constraint_count(self, num_axes: int) -> int:
        """Return how many directions of relative motion a joint of this type removes."""
        return 6 - self.dof_count(num_axes)[0]


class JointTargetMode(IntEnum):
    """What a joint axis' own drive follows."""

    NONE = 0
    POSITION = 1
    VELOCITY = 2
    POSITION_VELOCITY = 3
    EFFORT = 4

    @staticmethod
    def from_gains(target_ke: float, target_kd: float, force_position_velocity: bool = False, has_drive: bool = False) -> JointTargetMode:
        """Infer the mode of a drive from its position gain and its velocity gain."""
        if not has_drive:
            return JointTargetMode.NONE
        if target_ke != 0.0:
            both = force_position_velocity and target_kd != 0.0
            return JointTargetMode.POSITION_VELOCITY if both else JointTargetMode.POSITION
        return JointTargetMode.VELOCITY if target_kd != 0.0 else JointTargetMode.EFFORT


class GeoType(IntEnum):
    """Kind of a shape's geometry; the meaning of its scale is in ``ModelBuilder.add_shape``."""

    NONE = 0
    PLANE = 1
    HFIELD = 2
    SPHERE = 3
    CAPSULE = 4
    ELLIPSOID = 5
    CYLINDER = 6
    BOX = 7
    MESH = 8
    CONE = 9
    CONVEX_MESH = 10
    GAUSSIAN = 11


class ShapeFlags(IntEnum):
    """Bits of ``shape_flags``."""

    VISIBLE = 1
    COLLIDE_SHAPES = 2
    COLLIDE_PARTICLES = 4
    SITE = 8
    HYDROELASTIC = 16


class BodyFlags(IntEnum):
    """Bits of ``body_flags``; a stored body is either dynamic or kinematic."""

    DYNAMIC = 1
    KINEMATIC = 2
    PROXY = 4
    ALL = 7


class ModelFlags(IntEnum):
    """Which properties of a model were edited, for ``solver.notify_model_changed``."""

    JOINT_PROPERTIES = 1
    JOINT_DOF_PROPERTIES = 2
    BODY_PROPERTIES = 4
    BODY_INERTIAL_PROPERTIES = 8
    SHAPE_PROPERTIES = 16
    MODEL_PROPERTIES = 32
    CONSTRAINT_PROPERTIES = 64
    TENDON_PROPERTIES = 128
    ACTUATOR_PROPERTIES = 256
    JOINT_DOF_FORCE_PROPERTIES = 512
    JOINT_DOF_INERTIAL_PROPERTIES = 1024
    JOINT_REFERENCE_POSE_PROPERTIES = 2048
    SHAPE_TYPE_AND_SOURCE = 4096
    ALL = 8191


class StateFlags(IntEnum):
    """Which arrays of a state were edited or are to be reset."""

    NONE = 0
    JOINT_Q = 1
    JOINT_QD = 2
    BODY_Q = 4
    BODY_QD = 8
    PARTICLE_Q = 16
    PARTICLE_QD = 32
    BODY_F = 64
    PARTICLE_F = 128
    JOINT_F = 256
    JOINT = 3
    BODY = 12
    PARTICLE = 48
    FORCE = 448
    ALL = 511


class AttributeAssignment(IntEnum):
    """Which object carries a custom attribute at run time."""

    MODEL = 0
    STATE = 1
    CONTROL = 2
    CONTACT = 3


class AttributeFrequency(IntEnum):
    """Which kind of entity the rows of an attribute belong to."""

    ONCE = 0
    JOINT = 1
    JOINT_DOF = 2
    JOINT_COORD = 3
    JOINT_CONSTRAINT = 4
    BODY = 5
    SHAPE = 6
    ARTICULATION = 7
    EQUALITY_CONSTRAINT = 8
    PARTICLE = 9
    EDGE = 10
    TRIANGLE = 11
    TETRAHEDRON = 12
    SPRING = 13
    CONSTRAINT_MIMIC = 14
    WORLD = 15
    ATTACHMENT_PARTICLE_BODY = 16
    CONTACT = 17
    CONTACT_RIGID = 18
    CONTACT_SOFT = 19
    TENDON = 20
    TENDON_GUIDE = 21
    TENDON_SEGMENT = 22
    CURVE = 23
    SURFACE = 24
    VOLUME = 25
