"""Which attributes of MJCF name another element, and what happens to those names in a copy.

``replicate`` and ``attach`` copy a part of the tree under other names, and with it what refers to it from outside: contacts,
tendons, equalities, actuators and sensors. Data and lookups only; :mod:`compose` does the copying.
"""

from __future__ import annotations

from collections.abc import Iterator

from newtonish.importers.mjcf.read import Node

__all__ = ["KINDS", "SECTIONS", "references"]

KINDS = {"body": "body", "frame": "frame", "geom": "geom", "site": "site", "camera": "camera", "light": "light"}
KINDS |= {"joint": "joint", "freejoint": "joint"}
"""Tag in the tree -> what its name is unique among."""

SECTIONS = ("contact", "tendon", "equality", "actuator", "sensor")
"""Sections whose elements refer to the tree or to a section before."""

PARTIAL = frozenset({"contact", "tendon", "sensor"})
"""Sections whose elements are copied when one of their references is in the copied part; the others keep their names."""

_ATTRIBUTES: dict[str, str] = {
    **dict.fromkeys(("joint", "jointinparent", "joint1", "joint2"), "joint"),
    **dict.fromkeys(("site", "refsite", "slidersite", "cranksite", "sidesite", "site1", "site2"), "site"),
    **dict.fromkeys(("body", "body1", "body2", "subtree1", "subtree2"), "body"),
    **dict.fromkeys(("geom", "geom1", "geom2"), "geom"),
    **dict.fromkeys(("tendon", "tendon1", "tendon2"), "tendon"),
    "camera": "camera",
    "actuator": "actuator",
}
_OBJECTS = {"xbody": "body"}


def references(node: Node) -> Iterator[tuple[Node, str, str, str]]:
    """Yield the names that an element of a section holds, those of its path too: holder, attribute, kind, name."""
    for holder in (node, *(node.children if node.tag in ("fixed", "spatial") else ())):
        for attribute, value in holder.values.items():
            if attribute in ("objname", "refname"):
                kind = str(holder.values.get(attribute[:3] + "type", ""))
                yield holder, attribute, _OBJECTS.get(kind, kind), value
            elif attribute in _ATTRIBUTES:
                yield holder, attribute, _ATTRIBUTES[attribute], value
