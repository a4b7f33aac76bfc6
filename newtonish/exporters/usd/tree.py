"""Bodies with their mass, and the joints between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.exporters.usd.kept import Keeper, differs
from newtonish.exporters.usd.layer import StageLayer
from newtonish.exporters.usd.paths import Paths
from newtonish.exporters.usd.shapes import ShapeWriter
from newtonish.importers import frames
from newtonish.mjcf.language.read import Node

__all__ = ["TreeWriter"]

TYPES = Sdf.ValueTypeNames
IDENTITY = (np.zeros(3), frames.IDENTITY)
DEGREES = 180.0 / np.pi
Frame = tuple[np.ndarray, np.ndarray]
PRIMS = {"hinge": "PhysicsRevoluteJoint", "slide": "PhysicsPrismaticJoint", "ball": "PhysicsSphericalJoint", "free": "PhysicsJoint"}
NUMBERS = ("armature", "frictionloss", "margin", "ref", "springref")
FIRST = ("damping", "stiffness")
"""Polynomials, of which the schema has the first coefficient."""
ARRAYS = ("solimpfriction", "solimplimit", "solreffriction", "solreflimit")
_X_TO_Z = np.array([0.5, -0.5, -0.5, -0.5])
"""Takes the x axis to the z axis, by even permutation."""


@dataclass
class Placed:
    """A body: its path, its element, its pose in the world and in the one above it."""

    path: str
    node: Node
    world: Frame
    above: Frame


class TreeWriter:
    """Writes the tree.

    Attributes:
        placed: Bodies by name, in order; the world is ``world``.
    """

    def __init__(self, layer: StageLayer, keeper: Keeper, paths: Paths, shapes: ShapeWriter) -> None:
        self._layer, self._keeper, self._paths, self._shapes = layer, keeper, paths, shapes
        self.placed: dict[str, Placed] = {}
        self._joints: list[tuple[Placed, Placed, bool]] = []

    def write(self, world: Node) -> None:
        """Write everything that stands in the world, then the joints."""
        spec = self._layer.define(self._paths.world, "Scope")
        self._keeper.mark(spec, world, "worldbody")
        self.placed["world"] = Placed("", world, IDENTITY, IDENTITY)
        self._inside(world)
        self._bodies(world, self.placed["world"])
        self._layer.define(f"{self._paths.top}/Joints", "Scope")
        for above, body, root in self._joints:
            self._between(above, body, root)

    def _inside(self, body: Node) -> None:
        """Write shapes, sites, cameras and lights of a body."""
        for child in body.children:
            if child.tag in ("geom", "site", "camera", "light"):
                self._shapes.write(child, self._paths.of[id(child)])

    def _bodies(self, node: Node, above: Placed) -> None:
        """Write the bodies in a body; what is attached to the world and has bodies below it heads an articulation."""
        for child in node.children:
            if child.tag != "body":
                continue
            values = child.values
            own = (np.array(values["pos"]), frames.normalize(values["quat"], "a quaternion"))
            placed = Placed(self._paths.of[id(child)], child, frames.compose(*above.world, *own), own)
            self.placed[values["name"]] = placed
            joints = [item for item in child.children if item.tag == "joint"]
            floats = bool(joints) and joints[0].values["type"] == "free"
            heads = above.path == "" and any(item.tag == "body" for item in child.children)
            spec = self._layer.define(placed.path, "Xform", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"))
            if floats and heads:
                self._layer.apply(spec, "PhysicsArticulationRootAPI")
            self._layer.place(spec, values["pos"], values["quat"])
            self._body(spec, child)
            self._joints.append((above, placed, heads and not floats and not values.get("mocap")))
            self._inside(child)
            self._bodies(child, placed)

    def _body(self, spec: Any, node: Node) -> None:
        """Write what a body says of itself, and its mass."""
        values, put = node.values, self._layer.put
        self._layer.show(spec, values["name"])
        quat = np.array(values["quat"])
        if frames.from_matrix(frames.to_matrix(quat)) @ quat < 0 and any(child.values.get("type") == "free" for child in node.children):
            self._keeper.one(spec, node, "quat")
        if values.get("user"):
            self._keeper.one(spec, node, "user")
        if values.get("mocap"):
            put(spec, "physics:kinematicEnabled", TYPES.Bool, True)
        if values.get("gravcomp"):
            put(spec, "mjc:gravcomp", TYPES.Double, values["gravcomp"], uniform=True)
        if "sleep" in values:
            put(spec, "mjc:sleep", TYPES.Token, values["sleep"], uniform=True)
        for inertial in (child for child in node.children if child.tag == "inertial"):
            own = inertial.values
            if own["mass"]:
                put(spec, "physics:mass", TYPES.Float, own["mass"])
                put(spec, "physics:centerOfMass", TYPES.Point3f, own["pos"])
                put(spec, "physics:diagonalInertia", TYPES.Float3, own["diaginertia"])
                put(spec, "physics:principalAxes", TYPES.Quatf, own["quat"])
            if not own["mass"] or not np.any(own["diaginertia"]):  # zeros stand for "from the shapes" in this schema
                self._keeper.rest(spec, inertial, prefix="inertial:", strict=True)

    # -- joints -------------------------------------------------------------------------------------------------------

    def _between(self, above: Placed, body: Placed, root: bool) -> None:
        """Write the joints between a body and the one above it; one without joints is fixed."""
        joints = [child for child in body.node.children if child.tag == "joint"]
        for joint in joints:
            kind = joint.values["type"]
            path = self._paths.of[id(joint)]
            if kind == "free" and not self._says_something(joint):
                continue
            letter, turn = _axis(joint.values["axis"]) if kind in ("hinge", "slide") else ("", IDENTITY[1])
            spec = self._joint(path, PRIMS[kind], above, body, (np.array(joint.values.get("pos", (0.0, 0.0, 0.0))), turn))
            self._layer.apply(spec, "MjcJointAPI")
            if letter:
                self._layer.put(spec, "physics:axis", TYPES.Token, letter, uniform=True)
            if root and joint is joints[0]:
                self._layer.apply(spec, "PhysicsArticulationRootAPI")
            self._say(spec, joint, kind)
        if not joints:
            name = body.path.rsplit("/", 1)[-1]
            spec = self._joint(self._paths.joint(f"{name}_fixed"), "PhysicsFixedJoint", above, body, IDENTITY)
            if root:
                self._layer.apply(spec, "PhysicsArticulationRootAPI")

    def _says_something(self, joint: Node) -> bool:
        """Whether a free joint needs a prim of its own: others refer to it, or it has more than six freedoms."""
        ignored = ("name", "type", "limited", "actuatorfrclimited", "axis", "pos")
        return ("joint", joint.values["name"]) in self._paths.referred or any(name not in ignored and differs(joint, name) for name in joint.values)

    def _joint(self, path: str, kind: str, above: Placed, body: Placed, anchor: Frame) -> Any:
        """Write a joint prim whose frame in the lower body is ``anchor``."""
        layer = self._layer
        spec = layer.define(path, kind)
        if above.path:
            layer.lead(spec, "physics:body0", [above.path])
        layer.lead(spec, "physics:body1", [body.path])
        for end, (pos, quat) in enumerate((frames.compose(*body.above, *anchor), anchor)):
            layer.put(spec, f"physics:localPos{end}", TYPES.Point3f, pos)
            layer.put(spec, f"physics:localRot{end}", TYPES.Quatf, quat)
        return spec

    def _say(self, spec: Any, joint: Node, kind: str) -> None:
        """Write limits and what MjcJointAPI has."""
        put, values = self._layer.put, joint.values
        self._layer.show(spec, values["name"])
        done = {"type", "pos", "axis", *NUMBERS, *FIRST, *ARRAYS, "group", "limited", "actuatorfrclimited", "actuatorfrcrange", "actuatorgravcomp"}
        if values["limited"] == "true":
            done.add("range")
            unit = 1.0 if kind == "slide" else DEGREES
            ends = ("coneAngle0Limit", "coneAngle1Limit") if kind == "ball" else ("lowerLimit", "upperLimit")
            low, high = values["range"] if kind != "ball" else (values["range"][1],) * 2
            for end, value in zip(ends, (low, high)):
                put(spec, f"physics:{end}", TYPES.Float, unit * value)
            if kind == "ball" and values["range"][0]:
                done.discard("range")
        for name in NUMBERS:
            if name in values and differs(joint, name):
                put(spec, f"mjc:{name}", TYPES.Double, values[name], uniform=True)
        for name in FIRST:
            if name in values and differs(joint, name):
                put(spec, f"mjc:{name}", TYPES.Double, values[name][0], uniform=True)
                if any(values[name][1:]):
                    done.discard(name)
        for name in ARRAYS:
            if differs(joint, name):
                put(spec, f"mjc:{name}", TYPES.DoubleArray, values[name], uniform=True)
        if "group" in values:
            put(spec, "mjc:group", TYPES.Int, values["group"], uniform=True)
        if values["actuatorfrclimited"] == "true":
            put(spec, "mjc:actuatorfrclimited", TYPES.Token, "true", uniform=True)
            for end, value in zip(("min", "max"), values["actuatorfrcrange"]):
                put(spec, f"mjc:actuatorfrcrange:{end}", TYPES.Double, value, uniform=True)
        else:
            done.discard("actuatorfrcrange")
        if values.get("actuatorgravcomp"):
            put(spec, "mjc:actuatorgravcomp", TYPES.Bool, True, uniform=True)
        self._keeper.rest(spec, joint, done)


def _axis(axis: list[float]) -> tuple[str, np.ndarray]:
    """The axis of a joint's frame and the turn of that frame: one of its own axes where it is one of the body's."""
    for k, letter in enumerate("XYZ"):
        if axis == [1.0 if k == i else 0.0 for i in range(3)]:
            return letter, IDENTITY[1]
    return "X", frames.multiply(frames.from_zaxis(axis), _X_TO_Z)
