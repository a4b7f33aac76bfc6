"""The joints between bodies: UsdPhysics for their frames and limits, ``mjc:*`` and ``newton:*`` for the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.exporters.usd.forces import Forces
from newtonish.exporters.usd.kept import PREFIX, Keeper, differs
from newtonish.exporters.usd.layer import StageLayer
from newtonish.exporters.usd.paths import Paths
from newtonish.importers import frames
from newtonish.mjcf.language.read import Node

__all__ = ["JointWriter", "Placed"]

TYPES = Sdf.ValueTypeNames
IDENTITY = (np.zeros(3), frames.IDENTITY)
DEGREES = 180.0 / np.pi
Frame = tuple[np.ndarray, np.ndarray]
PRIMS = {"hinge": "PhysicsRevoluteJoint", "slide": "PhysicsPrismaticJoint", "ball": "PhysicsSphericalJoint", "free": "PhysicsJoint"}
NUMBERS = ("armature", "frictionloss", "margin", "ref", "springref")
FIRST = ("damping", "stiffness")
"""Polynomials, of which the schemas have the first coefficient."""
ARRAYS = ("solimpfriction", "solimplimit", "solreffriction", "solreflimit")
FORM = ("type", "pos", "axis", "limited")
_X_TO_Z = np.array([0.5, -0.5, -0.5, -0.5])
"""Takes the x axis to the z axis, by even permutation."""


@dataclass
class Placed:
    """A body: its path, its element, its pose in the world and in the one above it."""

    path: str
    node: Node
    world: Frame
    above: Frame


class JointWriter:
    """Writes joints."""

    def __init__(self, layer: StageLayer, keeper: Keeper, paths: Paths, forces: Forces) -> None:
        self._layer, self._keeper, self._paths, self._forces = layer, keeper, paths, forces

    def root(self, spec: Any, body: Node) -> None:
        """Let a prim head the articulation of a body and all below it."""
        self._layer.apply(spec, "PhysicsArticulationRootAPI")
        self._layer.say(spec, "selfCollisionEnabled", True)
        if _several(body):
            self._layer.say(spec, "jointsAddMobility", True)

    def between(self, above: Placed, body: Placed, root: bool) -> None:
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
            if len(joints) > 1 and not self._layer.mjc:
                self._layer.put(spec, f"{PREFIX}:joint:adds", TYPES.Bool, True, uniform=True, custom=True)
            if letter:
                self._layer.put(spec, "physics:axis", TYPES.Token, letter, uniform=True)
            if root and joint is joints[0]:
                self.root(spec, body.node)
            self._say(spec, joint, kind)
        if not joints:
            name = body.path.rsplit("/", 1)[-1]
            spec = self._joint(self._paths.joint(f"{name}_fixed"), "PhysicsFixedJoint", above, body, IDENTITY)
            if root:
                self.root(spec, body.node)

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
        """Write limits, and what the schemas have; the rest beside them."""
        self._layer.show(spec, joint.values["name"])
        done = {*FORM, *self._limit(spec, joint, kind), *self._newton(spec, joint, kind)}
        if joint.values["actuatorfrclimited"] != "true":
            done.add("actuatorfrclimited")  # which limits are in force is always written, so that none is where nothing says it
        if self._layer.mjc:
            done |= self._mjc(spec, joint, done)
        self._keeper.rest(spec, joint, done)

    def _limit(self, spec: Any, joint: Node, kind: str) -> list[str]:
        """Write limits as UsdPhysics has them; returns what they say."""
        values = joint.values
        if values["limited"] != "true":
            return []
        unit = 1.0 if kind == "slide" else DEGREES
        ends = ("coneAngle0Limit", "coneAngle1Limit") if kind == "ball" else ("lowerLimit", "upperLimit")
        low, high = values["range"] if kind != "ball" else (values["range"][1],) * 2
        for end, value in zip(ends, (low, high)):
            self._layer.put(spec, f"physics:{end}", TYPES.Float, unit * value)
        return [] if kind == "ball" and values["range"][0] else ["range"]

    def _newton(self, spec: Any, joint: Node, kind: str) -> set[str]:
        """Write what NewtonJointAPI has; returns what it alone needs to say."""
        layer, values, forces = self._layer, joint.values, self._forces
        if not layer.newton:
            return set()
        per = 1.0 if kind in ("slide", "free") else 1.0 / DEGREES
        for word, name in (("armature", "armature"), ("friction", "frictionloss")):
            if values.get(name):
                layer.say(spec, word, values[name])
        damping = values.get("damping") or [0.0]
        if damping[0]:
            layer.say(spec, "damping", damping[0] * per)
        name = values["name"]
        for word, gain in zip(("limitStiffness", "limitDamping"), forces.limits.get(name, ())):
            layer.say(spec, word, gain * per)
        if name in forces.speeds:
            layer.say(spec, "velocityLimit", forces.speeds[name] * (1.0 if kind == "slide" else DEGREES))
        said = {"solreflimit"} if name in forces.forced else set()
        if not layer.mjc:
            said |= {"armature", "frictionloss"} | (set() if any(damping[1:]) else {"damping"})
        return said

    def _mjc(self, spec: Any, joint: Node, said: set[str]) -> set[str]:
        """Write what MjcJointAPI has; returns what it says."""
        put, values = self._layer.put, joint.values
        done = {*NUMBERS, *FIRST, *ARRAYS, "group", "actuatorfrclimited", "actuatorgravcomp"}
        for name in NUMBERS:
            if name in values and differs(joint, name):
                put(spec, f"mjc:{name}", TYPES.Double, values[name], uniform=True)
        for name in FIRST:
            if name in values and differs(joint, name):
                put(spec, f"mjc:{name}", TYPES.Double, values[name][0], uniform=True)
                if any(values[name][1:]):
                    done.discard(name)
        for name in ARRAYS:
            if differs(joint, name) and name not in said:
                put(spec, f"mjc:{name}", TYPES.DoubleArray, values[name], uniform=True)
        if "group" in values:
            put(spec, "mjc:group", TYPES.Int, values["group"], uniform=True)
        if values["actuatorfrclimited"] == "true":
            done.add("actuatorfrcrange")
            put(spec, "mjc:actuatorfrclimited", TYPES.Token, "true", uniform=True)
            for end, value in zip(("min", "max"), values["actuatorfrcrange"]):
                put(spec, f"mjc:actuatorfrcrange:{end}", TYPES.Double, value, uniform=True)
        if values.get("actuatorgravcomp"):
            put(spec, "mjc:actuatorgravcomp", TYPES.Bool, True, uniform=True)
        return done


def _several(body: Node) -> bool:
    """Whether a body, or one below it, has several joints."""
    return sum(child.tag == "joint" for child in body.children) > 1 or any(_several(child) for child in body.children if child.tag == "body")


def _axis(axis: list[float]) -> tuple[str, np.ndarray]:
    """The axis of a joint's frame and the turn of that frame: one of its own axes where it is one of the body's."""
    for k, letter in enumerate("XYZ"):
        if axis == [1.0 if k == i else 0.0 for i in range(3)]:
            return letter, IDENTITY[1]
    return "X", frames.multiply(frames.from_zaxis(axis), _X_TO_Z)
