"""What ``newtonish.exporters.usd`` keeps beside the schemas: ``newtonish:*``, named and typed as attributes of MJCF.

On a prim that stands for an element such an attribute is one of that element; a prim with ``newtonish:element`` is an
element that has no schema (a sensor, a contact pair, a number...), whose section stands before the slash. Relationships
lead to what the attribute of that name calls by name in MJCF.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.importers.usd.bodies import BodyReader
from newtonish.importers.usd.document import element
from newtonish.importers.usd.source import Source
from newtonish.mjcf.language.names import reference
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import Attribute, nearest, schema

__all__ = ["KEPT", "KeptReader", "attribute_of"]

KEPT = "newtonish:"
SECTIONS = ("contact", "tendon", "equality", "actuator", "sensor", "custom", "keyframe")
KINDS = {"tendon": "tendons", "equality": "equalities", "actuator": "actuators", "sensor": "sensors"}
"""The vocabulary's names of sections that are not their tags."""
NESTED = ("option", "size", "statistic", "compiler")
"""Sections whose attributes stand at the physics scene."""
ELSEWHERE = ("element", "order", "name", "quat")
OWN = {
    "body": "body",
    "joint": "joint",
    "geom": "geom",
    "site": "site",
    "general": "general",
    "fixed": "fixed",
    "spatial": "spatial",
    "connect": "connect",
    "weld": "weld",
    "key": "key",
    "camera": "camera",
    "light": "light",
}
"""Elements that a prim with a schema stands for, and their kinds."""
CLASS_ONLY = ("width", "rgba")
TYPES = {"f": (int, float), "i": (int,), "b": (bool,), "s": (str,)}


def attribute_of(kind: str, name: str) -> Attribute | None:
    """What MJCF knows of an attribute; looks of fixed tendons, which only their class can have, are those of spatial ones."""
    found = schema(kind).attributes.get(name)
    return schema("spatial").attributes.get(name) if found is None and kind == "fixed" and name in CLASS_ONLY else found


class KeptReader:
    """Puts what is kept into the tree of elements.

    Args:
        source: The stage.
        bodies: Its bodies.

    Attributes:
        paths: Prims that are elements without a schema.
    """

    def __init__(self, source: Source, bodies: BodyReader) -> None:
        self._source, self._bodies = source, bodies
        self._attributes: dict[str, list[str]] = {}
        self._names: dict[str, str] = {}
        paths: set[str] = set()
        for prim in source.prims:
            words = sorted(name for name in source.authored(prim) if name.startswith(KEPT))
            if not words:
                continue
            path = source.path(prim)
            self._attributes[path] = words
            if f"{KEPT}element" in words:
                paths.add(path)
                kind = source.get(prim, f"{KEPT}element")
                self._names[path] = "world" if kind == "worldbody" else source.get(prim, f"{KEPT}name", path)

        self.paths = frozenset(paths)

    def read(self, root: Node, scene: Any) -> None:
        """Write everything that is kept over and into the elements of a stage; ``scene`` is the prim of the physics scene."""
        if not self._attributes:
            return
        if scene is not None:
            self._scene(root, scene)
        self._tree(next(root.sections("worldbody")))
        for section in root.children:
            if section.tag in SECTIONS:
                for node in section.children:
                    self._over(node)
        for path in list(self._attributes):
            self._element(root, path)
        for section in root.sections("equality"):
            section.children.sort(key=self._order)

    def _order(self, node: Node) -> float:
        """Place of an equality constraint; those that say nothing of it stand last, as on the stage."""
        prim = self._source.stage.GetPrimAtPath(node.location.file)
        word = "equality:order" if node.kind == "eq_joint" and node.values["name"].endswith(":mimic") else "order"
        return self._source.get(prim, KEPT + word, float("inf"))

    def _scene(self, root: Node, prim: Any) -> None:
        """Options and the like, whose attributes are named by the elements around them."""
        for word in self._attributes.get(str(prim.GetPath()), ()):
            *tags, name = word.removeprefix(KEPT).split(":")
            if not tags or tags[0] not in NESTED:
                continue
            node = root
            for tag in tags:
                inner = next(node.sections(tag), None)
                if inner is None:
                    inner = Node(tag, self._source.place(prim), kind=schema(node.kind or "mujoco").children.get(tag, tag))
                    node.children.append(inner)
                node = inner
            self._value(node, prim, word, name)

    def _tree(self, node: Node) -> None:
        """Elements of the tree, whose prims have a schema."""
        for child in node.children:
            self._over(child)
            if child.tag == "body":
                self._inertial(child)
                self._sense(child)
                self._tree(child)

    def _over(self, node: Node) -> None:
        """Write what is kept of an element over what the schemas said."""
        path = node.location.file
        if node.tag in OWN and node.values.get("name") == path and path in self._attributes:
            prim = self._source.stage.GetPrimAtPath(path)
            for word in self._attributes[path]:
                name = word.removeprefix(KEPT)
                if ":" not in name and name not in ELSEWHERE:
                    self._value(node, prim, word, name)
            if node.tag == "camera" and "sensorsize" in node.values:
                del node.values["fovy"]  # that of the aperture

    def _sense(self, body: Node) -> None:
        """A quaternion that is kept says which of two, that mean one rotation, the coordinates of a free body start with."""
        prim = self._source.stage.GetPrimAtPath(body.location.file)
        kept = self._source.get(prim, f"{KEPT}quat")
        if isinstance(kept, list) and len(kept) == 4 and np.dot(kept, body.values["quat"]) < 0:
            body.values["quat"] = [-number for number in body.values["quat"]]

    def _inertial(self, body: Node) -> None:
        """Mass properties that MassAPI cannot hold, as zeros stand for nothing there."""
        path = body.location.file
        words = [word for word in self._attributes.get(path, ()) if word.startswith(f"{KEPT}inertial:")]
        if words:
            inertial = Node("inertial", body.location, kind="inertial")
            for word in words:
                self._value(inertial, self._source.stage.GetPrimAtPath(path), word, word.rsplit(":", 1)[-1])
            body.children.append(inertial)
            self._bodies.masses.pop(path, None)

    # -- elements without a schema --------------------------------------------------------------------------------------

    def _element(self, root: Node, path: str) -> None:
        """Add the element that a prim is, below its section."""
        prim = self._source.stage.GetPrimAtPath(path)
        word = self._source.get(prim, f"{KEPT}element", "")
        section, slash, tag = word.partition("/")
        if slash and section in SECTIONS:
            found = next(root.sections(section), None)
            if found is None:
                found = element(section, "/")
                root.children.append(found)
            kind = schema(KINDS.get(section, section)).children.get(tag)
            if kind is None:
                self._unknown(prim, word, sorted(schema(KINDS.get(section, section)).children))
                return
            found.children.append(self._node(prim, tag, kind))
        elif word and not slash and word != "worldbody" and str(prim.GetPath().GetParentPath()) not in self._attributes:
            self._unknown(prim, word, ["worldbody", *(f"{name}/..." for name in SECTIONS)])

    def _unknown(self, prim: Any, word: str, known: list[str]) -> None:
        self._source.problem(prim, f"{KEPT}element", f"'{word}'", ", ".join(known), nearest(word.rpartition("/")[2], known) or "correct it")

    def _node(self, prim: Any, tag: str, kind: str) -> Node:
        """An element of its own, with the elements in it."""
        path = str(prim.GetPath())
        node = Node(tag, self._source.place(prim), {"name": path}, kind=kind, values={})
        if "name" in schema(kind).attributes:
            node.values["name"] = self._names.get(path, path)
        for word in self._attributes[path]:
            name = word.removeprefix(KEPT)
            if name not in ELSEWHERE:
                self._value(node, prim, word, name)
        for child in prim.GetChildren():
            inner = self._source.get(child, f"{KEPT}element")
            if inner in schema(kind).children:
                node.children.append(self._node(child, inner, schema(kind).children[inner]))
        return node

    def _value(self, node: Node, prim: Any, word: str, name: str) -> None:
        """Read one attribute or relationship into an element."""
        source = self._source
        attribute = attribute_of(node.kind, name)
        if attribute is None:
            if word.count(":") == 1 and node.tag != "worldbody":
                source.problem(
                    prim, word, "an attribute that MJCF does not know", f"those of '{node.tag}'", nearest(name, schema(node.kind).attributes) or "remove it"
                )
            return
        if prim.GetRelationship(word):
            targets = [str(path) for path in source.targets(prim, word)]
            if len(targets) != 1 or reference(node.kind, name) is None:
                source.problem(prim, word, f"{len(targets)} targets", "one, of an attribute that names something", "correct it")
                return
            node.values[name] = self._names.get(targets[0], targets[0])
            return
        value = source.get(prim, word)
        items = value if isinstance(value, list) else [value]
        words = TYPES.get(attribute.type, (str,))
        any_number = attribute.type.startswith("+")
        several = attribute.most != 1 or any_number
        fits = isinstance(value, list) == several and all(isinstance(item, words) and (attribute.type == "b" or not isinstance(item, bool)) for item in items)
        if not fits or (several and not any_number and attribute.most is not None and len(items) > attribute.most):
            source.problem(prim, word, str(value)[:80], attribute.allowed, "correct the value")
            return
        node.values[name] = value if attribute.type != "f" else [float(item) for item in items] if several else float(value)
