"""Equality constraints: connects and welds as joint prims of their own, joints that follow another at the follower."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.exporters.usd.kept import PREFIX, Keeper, differs
from newtonish.exporters.usd.layer import StageLayer
from newtonish.exporters.usd.paths import SCOPES, Paths
from newtonish.exporters.usd.tree import TreeWriter
from newtonish.importers import frames
from newtonish.mjcf.language.read import Node

__all__ = ["EqualityWriter"]

TYPES = Sdf.ValueTypeNames
PRIMS = {"connect": ("PhysicsSphericalJoint", "MjcEqualityConnectAPI"), "weld": ("PhysicsFixedJoint", "MjcEqualityWeldAPI")}
SOL = ("solref", "solimp")
USUAL = (0.0, 1.0, 0.0, 0.0, 0.0)
"""Coefficients where none are written."""
HERE = (np.zeros(3), frames.IDENTITY)


class EqualityWriter:
    """Writes the section of equality constraints; their order is kept beside them, as followers stand among the joints."""

    def __init__(self, layer: StageLayer, keeper: Keeper, paths: Paths, tree: TreeWriter) -> None:
        self._layer, self._keeper, self._paths, self._tree = layer, keeper, paths, tree
        self._followers: set[str] = set()

    def write(self, section: Node) -> None:
        """Write the section."""
        self._layer.define(f"{self._paths.top}/{SCOPES['equality']}", "Scope")
        for number, node in enumerate(section.children):
            path = self._paths.of[id(node)]
            follower = self._paths.target(node, "joint1") if node.tag == "joint" else None
            if node.tag in PRIMS and not self._layer.mjc:
                self._order(self._keeper.element(path, node, f"equality/{node.tag}"), "order", number)
            elif node.tag in PRIMS:
                self._order(self._pin(node, path), "order", number)
            elif follower and follower not in self._followers and (self._layer.mjc or self._linear(node)):
                self._followers.add(follower)
                self._order(self._follow(node, follower), "equality:order", number)
            else:
                self._order(self._keeper.element(path, node, f"equality/{node.tag}"), "order", number)

    def _order(self, spec: Any, word: str, number: int) -> None:
        self._layer.put(spec, f"{PREFIX}:{word}", TYPES.Int, number, uniform=True, custom=True)

    def _pin(self, node: Node, path: str) -> Any:
        """A connect or a weld."""
        layer, values = self._layer, node.values
        kind, api = PRIMS[node.tag]
        spec = layer.define(path, kind, (api,))
        layer.show(spec, values.get("name", ""))
        layer.put(spec, "physics:excludeFromArticulation", TYPES.Bool, True, uniform=False)
        layer.put(spec, "physics:jointEnabled", TYPES.Bool, values.get("active", True))
        word = "site" if "site1" in values else "body"
        ends = [values[f"{word}1"], values.get(f"{word}2", "world")]
        for end, name in enumerate(ends):
            if name != "world":
                layer.lead(spec, f"physics:body{end}", [self._paths.named(word, name)])
        if word == "body":
            for end, (pos, quat) in enumerate(self._frames(node, ends)):
                layer.put(spec, f"physics:localPos{end}", TYPES.Point3f, pos)
                layer.put(spec, f"physics:localRot{end}", TYPES.Quatf, quat)
        self._sol(spec, node)
        if values.get("torquescale", 1.0) != 1.0:
            layer.put(spec, "mjc:torqueScale", TYPES.Float, values["torquescale"], uniform=True)
        if node.tag == "weld" and word == "body":
            values.setdefault("relpose", [0.0] * 7)  # the pose of the reference configuration, where none is written
            self._keeper.one(spec, node, "relpose")
        self._keeper.rest(spec, node, {"body1", "body2", "site1", "site2", "anchor", "relpose", "active", "torquescale", *SOL})
        return spec

    def _frames(self, node: Node, ends: list[str]) -> tuple[Any, Any]:
        """Frames of the constraint in its two bodies."""
        first, second = (self._tree.placed[name].world for name in ends)
        between = frames.compose(*frames.invert(*first), *second)
        anchor = np.array(node.values.get("anchor", (0.0, 0.0, 0.0)))
        if node.tag == "connect":
            here = (anchor, HERE[1])
            return here, frames.compose(*frames.invert(*between), *here)
        there = (anchor, HERE[1])
        pose = node.values.get("relpose")
        if pose is not None and np.any(pose[3:]):
            between = (np.array(pose[:3]), frames.normalize(pose[3:], "a quaternion"))
        return frames.compose(*between, *there), there

    def _follow(self, node: Node, path: str) -> Any:
        """A joint that follows another, at the follower's prim."""
        layer, values = self._layer, node.values
        spec = layer.layer.GetPrimAtPath(path)
        layer.apply(spec, "MjcEqualityJointAPI", "NewtonMimicAPI")
        coefficients = [*values.get("polycoef", ()), *USUAL[len(values.get("polycoef", ())) :]]
        if layer.newton and "joint2" in values:
            layer.lead(spec, "newton:mimicJoint", [self._paths.target(node, "joint2")])
            turns = spec.typeName == "PhysicsRevoluteJoint"
            layer.say(spec, "mimicCoef0", math.degrees(coefficients[0]) if turns else coefficients[0])
            layer.say(spec, "mimicCoef1", coefficients[1])
        if layer.mjc:
            if "joint2" in values:
                layer.lead(spec, "mjc:target", [self._paths.target(node, "joint2")])
            for k, value in enumerate(values.get("polycoef", ())):
                layer.put(spec, f"mjc:coef{k}", TYPES.Double, value, uniform=True)
            self._sol(spec, node)
        if not values.get("active", True):  # no word of mjc:* says it
            layer.put(spec, "newton:mimicEnabled", TYPES.Bool, False)
        return spec

    def _linear(self, node: Node) -> bool:
        """Whether NewtonMimicAPI alone holds all of a constraint."""
        values = node.values
        plain = not any(values.get("polycoef", ())[2:]) and not any(name in values and differs(node, name) for name in SOL)
        return "joint2" in values and plain

    def _sol(self, spec: Any, node: Node) -> None:
        for name in SOL:
            if name in node.values and differs(node, name):
                self._layer.put(spec, f"mjc:{name}", TYPES.DoubleArray, node.values[name], uniform=True)
