"""Where everything stands on a stage: the path of each element, decided before any is written, so that all can refer to all."""

from __future__ import annotations

from typing import Any

from newtonish.exporters.usd.layer import identifier
from newtonish.mjcf.language.names import namespace, object_namespace, reference
from newtonish.mjcf.language.read import Node

__all__ = ["SCOPES", "Paths"]

SCOPES = {
    "contact": "Contacts", "tendon": "Tendons", "equality": "Equalities", "actuator": "Actuators", "sensor": "Sensors", "custom": "Custom",
    "keyframe": "Keyframes",
}  # fmt: skip
"""Scope that holds the prims of a section."""


class Paths:
    """Paths of prims.

    Args:
        root: The ``mujoco`` element.
        top: Path of the stage's default prim.

    Attributes:
        of: Path by the identity of an element.
        top: Path of the default prim.
        world: The scope of the geometry, which stands for the world's body.
        referred: Namespace and name of everything that an element refers to.
    """

    def __init__(self, root: Node, top: str) -> None:
        self.top, self.world = top, f"{top}/Geometry"
        self.of: dict[int, str] = {}
        self._named: dict[tuple[str, str], str] = {}
        self.referred: set[tuple[str, str]] = set()
        self._joints: set[str] = set()
        self._taken: dict[str, set[str]] = {}
        for section in root.children:
            if section.tag == "worldbody":
                self._tree(section, self.world)
            elif section.tag in SCOPES:
                self._section(section)
        self._named["body", "world"] = self.world
        for section in root.children:
            self._refer(section)

    def _tree(self, body: Node, path: str) -> None:
        """Give paths to what is in a body, and to the bodies in it."""
        self.of[id(body)] = path
        taken: set[str] = set()
        bodies = [child for child in body.children if child.tag == "body"]
        for child in [*bodies, *(child for child in body.children if child.tag not in ("body", "joint", "inertial"))]:
            name = child.values.get("name", "")
            clash = identifier(name, set(), child.tag) in taken if name else False
            inner = f"{path}/{identifier(f'{name}_{child.tag}' if clash else name, taken, child.tag)}"
            self._note(child, inner)
        for child in body.children:
            if child.tag == "joint":
                self._note(child, f"{self.top}/Joints/{identifier(child.values.get('name', ''), self._joints, 'joint')}")
        for child in bodies:
            self._tree(child, self.of[id(child)])

    def _section(self, section: Node) -> None:
        """Give paths to the elements of a section."""
        scope = f"{self.top}/{SCOPES[section.tag]}"
        taken = self._taken.setdefault(scope, set())
        for child in section.children:
            self._note(child, f"{scope}/{identifier(child.values.get('name', ''), taken, child.tag)}")

    def _note(self, node: Node, path: str) -> None:
        self.of[id(node)] = path
        space, name = namespace(node.kind), node.values.get("name")
        if space and name:
            self._named[space, name] = path

    def _refer(self, node: Node) -> None:
        """Note everything that is referred to."""
        for name in node.values:
            fact = self.space(node, name)
            if fact:
                self.referred.add((fact, node.values[name]))
        for child in node.children:
            self._refer(child)

    def joint(self, name: str) -> str:
        """A further path among the joints."""
        return f"{self.top}/Joints/{identifier(name, self._joints, 'joint')}"

    @staticmethod
    def space(node: Node, attribute: str) -> str | None:
        """The namespace of what an attribute names, None for one that names nothing here."""
        fact = reference(node.kind, attribute)
        if fact is None or fact[0] in ("default", "mesh", "hfield", "texture", "material"):
            return None
        if fact[0].startswith("@"):
            return object_namespace(str(node.values.get(fact[0][1:], "")))
        return fact[0]

    def target(self, node: Node, attribute: str) -> str | None:
        """Path of what an attribute names; None for an attribute that names nothing here."""
        space = self.space(node, attribute)
        return None if space is None else self.named(space, node.values[attribute])

    def named(self, space: Any, name: str) -> str:
        """Path of an object by its name."""
        return self._named[space, name]
