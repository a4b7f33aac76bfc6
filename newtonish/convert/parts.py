"""The parts of a model that MuJoCo has counterparts for, listed once, in the order of their ids."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from newtonish.convert.actuators import ActuatorList, list_actuators
from newtonish.convert.bodies import BodyTree, build_tree
from newtonish.convert.cameras import CameraList, list_cameras
from newtonish.convert.collision_rules import CollisionRules, collision_rules
from newtonish.convert.equalities import EqualityList, list_equalities
from newtonish.convert.fields import FieldSet
from newtonish.convert.geoms import ShapeList, list_shapes
from newtonish.convert.hfields import HeightfieldSet
from newtonish.convert.joints import JointTable, joint_names, list_joints
from newtonish.convert.meshes import MeshSet
from newtonish.convert.sensors import Objects, SensorList, list_sensors
from newtonish.convert.tendons import TendonList, list_tendons
from newtonish.convert.unused import warn_of_unused
from newtonish.convert.worlds import Worlds

__all__ = ["Parts", "list_parts"]


@dataclass
class Parts:
    """Lists of what is in a world; tables are made of them.

    Attributes:
        joint_names: Names of MuJoCo's joints.
        objects: What sensors and tuples can refer to.
        meshes, hfields, fields: What geoms look like, and the distance fields that they collide as; filled while their tables are made.
        relative: Fields with numbers that are given relative to inertias, such as damping ratios; filled while the constants are made.
    """

    tree: BodyTree
    joints: JointTable
    joint_names: list[str]
    shapes: ShapeList
    rules: CollisionRules
    tendons: TendonList
    actuators: ActuatorList
    equalities: EqualityList
    cameras: CameraList
    lights: CameraList
    objects: Objects
    sensors: SensorList
    meshes: MeshSet
    hfields: HeightfieldSet
    fields: FieldSet
    relative: set[str] = field(default_factory=set)


def list_parts(worlds: Worlds, options: dict[str, Any]) -> Parts:
    """List the parts of the template world; what is left out is named in a warning."""
    tree = build_tree(worlds)
    warn_of_unused(worlds.source, worlds.index["joint"][:, tree.loops])
    joints = list_joints(worlds, tree)
    shapes = list_shapes(worlds, tree, options)
    rules = collision_rules(worlds, shapes.geom, shapes.geom_body)
    tendons = list_tendons(worlds, joints, shapes)
    actuators = list_actuators(worlds, joints, tree, shapes, tendons)
    equalities = list_equalities(worlds, tree, joints, shapes, tendons)
    cameras, lights = list_cameras(worlds, tree), list_cameras(worlds, tree, "light")
    objects = Objects(tree, joints, shapes, actuators, tendons, cameras)
    sensors = list_sensors(worlds, objects)
    return Parts(
        tree, joints, joint_names(worlds, joints), shapes, rules, tendons, actuators, equalities, cameras, lights, objects, sensors,
        MeshSet(), HeightfieldSet(len(worlds.distinct)), FieldSet(),
    )  # fmt: skip
