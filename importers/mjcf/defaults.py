"""Default classes: what ``<default>`` says for each kind of element, and how an element's values follow from it.

A class starts as a copy of the class it stands in. Lists may be written shorter than they are: the rest is taken from
the class, as MuJoCo does by reading into a copy of the class's structure.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.actuator_state import ACTUATOR_TAGS, ActuatorState
from newtonish.importers.mjcf.compiler import ORIENTATIONS
from newtonish.importers.mjcf.lengths import AS_WRITTEN, Lengths
from newtonish.mjcf.language.names import SHARED
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest, parse_value, schema

__all__ = ["BUILT_IN", "DefaultClass", "Defaults", "overlay"]


BUILT_IN = "\x00"
"""Name of the class in which nothing is written, whatever the file's top class says; no text can name it."""

_ASSETS = ("mesh", "hfield", "material", "texture")
"""Attributes that name an asset."""


@dataclass
class DefaultClass:
    """One class: values by element name, and the state all actuator elements share."""

    name: str
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    actuator: ActuatorState = field(default_factory=ActuatorState)


@cache
def _declared(kind: str) -> dict[str, Any]:
    """Defaults that the vocabulary declares for a kind of element."""
    return {a.name: parse_value(a, a.default.replace(",", " ")) for a in schema(kind).attributes.values() if a.default and a.name not in ORIENTATIONS}


def overlay(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return ``base`` with ``own`` written over it; a shorter list replaces only the start of a longer one."""
    result = dict(base)
    if any(name in own for name in ORIENTATIONS):
        for name in ORIENTATIONS:
            result.pop(name, None)
    for name, value in own.items():
        before = result.get(name)
        if name == "springlength":  # one number is both ends of the range
            value = [value[0], value[-1]]
        if isinstance(value, list) and isinstance(before, list) and name != "user":
            value = value + before[len(value) :]
        result[name] = value
    return result


class Defaults:
    """All default classes of a file; ``lengths`` says in what measure values are read."""

    def __init__(self, root: Node, log: Diagnostics, lengths: Lengths = AS_WRITTEN) -> None:
        self._log = log
        self.lengths = lengths
        self.classes: dict[str, DefaultClass] = {name: DefaultClass(name) for name in ("main", BUILT_IN)}
        self._adopted: dict[str, DefaultClass] = {}
        for section in root.sections("default"):
            name = section.values.get("class", "main")
            if name != "main":
                log.problem(section.at("class"), "top default class", f"class '{name}'", "'main'", "leave the name away")
            self._read(section, self.classes["main"])

    def _read(self, section: Node, target: DefaultClass) -> None:
        """Read one ``default`` element: its elements first, then the classes inside it."""
        for node in section.children:
            if node.tag in ACTUATOR_TAGS:
                target.actuator.apply(node, self._log)
            elif node.tag != "default" and node.kind:
                target.values[node.tag] = overlay(target.values.get(node.tag, {}), node.values)
        for node in section.sections("default"):
            name = node.values.get("class", "")
            if not name or name in self.classes:
                given = f"class '{name}' again" if name else "no class"
                self._log.problem(node.location, "element 'default'", given, "a new class name", "name the class")
                continue
            inner = DefaultClass(name, copy.deepcopy(target.values), target.actuator.inner())
            self.classes[name] = inner
            self._read(node, inner)

    def adopt(self, prefix: str, other: Defaults, node: Node) -> str:
        """Take over the classes of an attached model under prefixed names; return the name of its top class."""
        names = {}
        for name, found in other.classes.items():
            key = prefix + name
            if name == BUILT_IN:
                continue
            while name == "main" and not prefix and self._adopted.get(key) is not found and key in self.classes:
                key += "'"
            names[name] = key
            if self._adopted.get(key) is found:
                continue
            if key in self.classes:
                self._log.problem(node.at("prefix"), node.label, f"class '{key}' again", "a new class name", "use another prefix")
                continue
            values = {tag: {k: prefix + v if k in _ASSETS and v else v for k, v in own.items()} for tag, own in found.values.items()}
            self.classes[key] = DefaultClass(key, values, found.actuator)
            self._adopted[key] = found
        return names["main"]

    def find(self, node: Node, childclass: str | None) -> DefaultClass:
        """Return the class of an element: its own, the nearest ``childclass``, or the top one."""
        name = node.values.get("class")
        if name is None:
            name = childclass or "main"
        return self.lookup(name, node, "class")

    def lookup(self, name: str, node: Node, attribute: str) -> DefaultClass:
        """Return a class by name; an unknown one is a problem and becomes the top class."""
        found = self.classes.get(name)
        if found is None:
            hint = nearest(name, self.classes) or "define it in <default>"
            self._log.problem(node.at(attribute), f"{node.label}, {attribute}", f"'{name}'", "a default class", hint)
            return self.classes["main"]
        return found

    def values(self, node: Node, childclass: str | None) -> tuple[dict[str, Any], set[str]]:
        """Return the complete values of an element, and which of them were written somewhere."""
        inherited = self.find(node, childclass).values.get(SHARED.get(node.kind, node.tag), {})
        authored = overlay(inherited, node.values)
        return self.lengths.values(node.kind, overlay(_declared(node.kind), authored)), set(authored)
