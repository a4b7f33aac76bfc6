"""Which of the names that elements hold change in a copy of what they name.

``replicate`` and ``attach`` copy a part of the tree under other names, and with it what refers to it from outside: contacts,
tendons, equalities, actuators and sensors. Data and lookups only; :mod:`compose` does the copying.
"""

from __future__ import annotations

from collections.abc import Iterator

from newtonish.mjcf.language.names import reference
from newtonish.mjcf.language.read import Node

__all__ = ["DATA", "KINDS", "LISTS", "PARTIAL", "SECTIONS", "references", "space"]

KINDS = {"body": "body", "frame": "frame", "geom": "geom", "site": "site", "camera": "camera", "light": "light"}
KINDS |= {"joint": "joint", "freejoint": "joint"}
"""Tag in the tree -> what its name is unique among."""

SECTIONS = ("contact", "tendon", "equality", "actuator", "sensor", "custom")
"""Sections whose elements refer to the tree or to a section before."""

LISTS = ("fixed", "spatial", "tuple")
"""Elements of sections whose children hold the references."""

DATA = frozenset({"numeric", "text"})
"""Kinds that refer to nothing: they come along with an attached model and are not replicated."""

PARTIAL = frozenset({"contact", "tendon", "sensor"})
"""Sections whose elements are copied when one of their references is in the copied part; the others keep their names."""

_COPIED = frozenset({*KINDS.values(), "tendon", "actuator"})
"""Namespaces of what is copied; assets and classes are shared."""

_OBJECTS = {"xbody": "body"}


def references(node: Node) -> Iterator[tuple[Node, str, str, str]]:
    """Yield the names that an element of a section holds, those of its path too: holder, attribute, kind, name."""
    for holder in (node, *(node.children if node.tag in LISTS else ())):
        for attribute, value in holder.values.items():
            fact = reference(holder.kind, attribute)
            if fact is not None and fact[0].startswith("@"):
                kind = str(holder.values.get(fact[0][1:], ""))
                yield holder, attribute, _OBJECTS.get(kind, kind), value
            elif fact is not None and fact[0] in _COPIED:
                yield holder, attribute, fact[0], value


def space(section: str, node: Node) -> str:
    """What the name of an element of a section is unique among."""
    return node.tag if section == "custom" else section
