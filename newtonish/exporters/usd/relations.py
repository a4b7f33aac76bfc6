"""Contacts, tendons, actuators and keyframes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.exporters.usd.kept import Keeper, differs
from newtonish.exporters.usd.layer import StageLayer
from newtonish.exporters.usd.paths import SCOPES, Paths
from newtonish.mjcf.language.read import Node

__all__ = ["RelationWriter"]

TYPES = Sdf.ValueTypeNames
RATE = 60.0
"""Time codes in a second."""
TENDON = {
    **dict.fromkeys(("armature", "frictionloss", "margin", "width"), TYPES.Double), "group": TYPES.Int, "limited": TYPES.Token, "actuatorfrclimited": TYPES.Token,
    **dict.fromkeys(("solimpfriction", "solimplimit", "solreffriction", "solreflimit", "springlength"), TYPES.DoubleArray), "rgba": TYPES.Color4f,
}  # fmt: skip
LOOKS = ("width", "rgba")
"""What fixed tendons have from a class only."""
ACTUATOR = {
    "actdim": TYPES.Int, "actearly": TYPES.Bool, "group": TYPES.Int, "cranklength": TYPES.Double,
    **dict.fromkeys(("actlimited", "ctrllimited", "forcelimited", "biastype", "dyntype", "gaintype"), TYPES.Token),
    **dict.fromkeys(("biasprm", "dynprm", "gainprm", "gear"), TYPES.DoubleArray),
}  # fmt: skip
CAMEL = {
    "actdim": "actDim", "actearly": "actEarly", "actlimited": "actLimited", "actrange": "actRange", "biasprm": "biasPrm", "biastype": "biasType",
    "ctrllimited": "ctrlLimited", "ctrlrange": "ctrlRange", "dynprm": "dynPrm", "dyntype": "dynType", "forcelimited": "forceLimited",
    "forcerange": "forceRange", "gainprm": "gainPrm", "gaintype": "gainType", "lengthrange": "lengthRange", "cranklength": "crankLength",
}  # fmt: skip
TOKENS = {
    "dyntype": ("none", "integrator", "filter", "filterexact", "muscle", "user"), "gaintype": ("fixed", "affine", "muscle", "user"),
    "biastype": ("none", "affine", "muscle", "user"),
}  # fmt: skip
TARGETS = {
    "joint": "target",
    "jointinparent": "target",
    "tendon": "target",
    "body": "target",
    "site": "target",
    "cranksite": "target",
    "slidersite": "sliderSite",
    "refsite": "refSite",
}
VECTORS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")
PARAMETERS = 10


class RelationWriter:
    """Writes what relates the objects of the tree."""

    def __init__(self, layer: StageLayer, keeper: Keeper, paths: Paths) -> None:
        self._layer, self._keeper, self._paths = layer, keeper, paths

    def section(self, section: Node) -> None:
        """Write one section of a file."""
        if not section.children:
            return
        write = {"tendon": self._tendon, "actuator": self._actuator, "keyframe": self._key}.get(section.tag) if self._layer.mjc else None
        write = self._contact if section.tag == "contact" else write
        if section.tag != "contact" or any(not self._filters(child) for child in section.children):
            self._layer.define(f"{self._paths.top}/{SCOPES[section.tag]}", "Scope")
        for child in section.children:
            path = self._paths.of[id(child)]
            spec = self._keeper.element(path, child, f"{section.tag}/{child.tag}") if write is None else write(child, path)
            if spec is not None:
                self._layer.show(spec, child.values.get("name", ""))
                if section.tag == "custom" and child.values["name"] != spec.name:
                    self._layer.put(spec, "newtonish:name", TYPES.String, child.values["name"], uniform=True, custom=True)

    # -- contacts -----------------------------------------------------------------------------------------------------

    def _filters(self, node: Node) -> bool:
        """Whether an element is two bodies that do not collide, for which UsdPhysics has FilteredPairsAPI."""
        return node.tag == "exclude" and "world" not in (node.values["body1"], node.values["body2"])

    def _contact(self, node: Node, path: str) -> Any:
        """Write a pair, or bodies that do not collide."""
        if not self._filters(node):
            return self._keeper.element(path, node, f"contact/{node.tag}")
        return self._filter_bodies(node)

    def _filter_bodies(self, node: Node) -> None:
        """Write two bodies that do not collide, at the first."""
        self._filter(*(self._paths.named("body", node.values[f"body{k}"]) for k in (1, 2)))

    def filters(self, pairs: list[tuple[str, str]]) -> None:
        """Write pairs of geoms that must not meet."""
        for pair in pairs:
            self._filter(*(self._paths.named("geom", name) for name in pair))

    def _filter(self, first: str, second: str) -> None:
        """Write that two prims do not collide."""
        spec = self._layer.layer.GetPrimAtPath(first)
        self._layer.apply(spec, "PhysicsFilteredPairsAPI")
        if "physics:filteredPairs" not in spec.properties:
            self._layer.lead(spec, "physics:filteredPairs", [])
        spec.properties["physics:filteredPairs"].targetPathList.explicitItems.append(Sdf.Path(second))

    # -- tendons ------------------------------------------------------------------------------------------------------

    def _tendon(self, node: Node, path: str) -> Any:
        """Write a tendon; one whose pulleys the schema cannot place is an element of its own."""
        if node.tag == "spatial" and not _segmented(node):
            return self._keeper.element(path, node, "tendon/spatial")
        put, values = self._layer.put, node.values
        spec = self._layer.define(path, "MjcTendon")
        put(spec, "mjc:type", TYPES.Token, node.tag, uniform=True)
        for name, kind in TENDON.items():
            if name in values and (name in LOOKS or differs(node, name)):
                put(spec, f"mjc:{name}", kind, values[name], uniform=True)
        for name, flag in (("range", "limited"), ("actuatorfrcrange", "actuatorfrclimited")):
            if values[flag] == "true" or np.any(values[name]):
                for end, value in zip(("min", "max"), values[name]):
                    put(spec, f"mjc:{name}:{end}", TYPES.Double, value, uniform=True)
        done = {*TENDON, "range", "actuatorfrcrange", "stiffness", "damping"}
        for name in ("stiffness", "damping"):
            put(spec, f"mjc:{name}", TYPES.Double, values[name][0], uniform=True)
            if any(values[name][1:]):
                done.discard(name)
        self._path(spec, node)
        self._keeper.rest(spec, node, done)
        return spec

    def _path(self, spec: Any, node: Node) -> None:
        """Write what a tendon runs over: targets once each, and the order."""
        layer, put = self._layer, self._layer.put
        targets: list[str] = []
        sides: list[str] = []
        order, coefficients, segments, beside, divisors = [], [], [], [], [1.0]
        for wrap in node.children:
            if wrap.tag == "pulley":
                if order:
                    divisors.append(wrap.values["divisor"])
                else:
                    divisors = [wrap.values["divisor"]]
                continue
            target = self._paths.target(wrap, wrap.tag)
            if target not in targets:
                targets.append(target)
            order.append(targets.index(target))
            coefficients.append(wrap.values.get("coef", 1.0))
            segments.append(len(divisors) - 1)
            side = self._paths.target(wrap, "sidesite") if "sidesite" in wrap.values else None
            if side is not None and side not in sides:
                sides.append(side)
            beside.append(-1 if side is None else sides.index(side))
        layer.lead(spec, "mjc:path", targets)
        put(spec, "mjc:path:indices", TYPES.IntArray, order, uniform=True)
        if node.tag == "fixed":
            put(spec, "mjc:path:coef", TYPES.DoubleArray, coefficients, uniform=True)
            return
        put(spec, "mjc:path:segments", TYPES.IntArray, segments, uniform=True)
        put(spec, "mjc:path:divisors", TYPES.DoubleArray, divisors, uniform=True)
        if sides:
            layer.lead(spec, "mjc:sideSites", sides)
            put(spec, "mjc:sideSites:indices", TYPES.IntArray, beside, uniform=True)

    # -- actuators ----------------------------------------------------------------------------------------------------

    def _actuator(self, node: Node, path: str) -> Any:
        """Write an actuator."""
        put, values = self._layer.put, node.values
        spec = self._layer.define(path, "MjcActuator")
        done = set()
        for name, kind in ACTUATOR.items():
            if name not in values or values[name] not in TOKENS.get(name, (values[name],)):
                continue
            value = values[name]
            if name.endswith("prm") and len(value) > PARAMETERS:
                continue
            put(spec, f"mjc:{CAMEL.get(name, name)}", kind, value, uniform=True)
            done.add(name)
        for name in ("ctrlrange", "forcerange", "actrange", "lengthrange"):
            flag = name.replace("range", "limited")
            if name in values and (values.get(flag) == "true" or np.any(values[name])):
                for end, value in zip(("min", "max"), values[name]):
                    put(spec, f"mjc:{CAMEL[name]}:{end}", TYPES.Double, value, uniform=True)
            done.add(name)
        for name, relation in TARGETS.items():
            if name in values:
                self._layer.lead(spec, f"mjc:{relation}", [self._paths.target(node, name)])
                done.add(name)
        if "jointinparent" in values:
            put(spec, "mjc:jointInParent", TYPES.Bool, True, uniform=True)
        self._keeper.rest(spec, node, done)
        return spec

    # -- keyframes ----------------------------------------------------------------------------------------------------

    def _key(self, node: Node, path: str) -> Any:
        """Write a keyframe; one with a time as time samples there."""
        vectors = [name for name in VECTORS if node.values.get(name)]
        if not vectors:
            return self._keeper.element(path, node, "keyframe/key")
        spec = self._layer.define(path, "MjcKeyframe")
        time = node.values.get("time", 0.0)
        for name in vectors:
            attribute = self._layer.put(spec, f"mjc:{name}", TYPES.DoubleArray, node.values[name])
            if time:
                self._layer.layer.SetTimeSample(attribute.path, time * RATE, attribute.default)
                attribute.ClearDefaultValue()
        self._keeper.rest(spec, node, {*VECTORS, "time"})
        return spec


def _segmented(node: Node) -> bool:
    """Whether a tendon's pulleys are what the schema's segments say: none twice in a row or last, the first one with a divisor of its own."""
    tags = [child.tag for child in node.children]
    doubled = any(first == second == "pulley" for first, second in pairwise(tags)) or tags[-1:] == ["pulley"]
    return not doubled and not (tags[:1] == ["pulley"] and node.children[0].values["divisor"] == 1.0)
