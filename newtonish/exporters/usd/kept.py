"""What the schemas have no word for: attributes and relationships ``newtonish:*``, named and typed as in MJCF."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from pxr import Sdf

from newtonish.exporters.usd.layer import StageLayer
from newtonish.exporters.usd.paths import Paths
from newtonish.importers.usd.kept import attribute_of
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import Attribute, parse_value

__all__ = ["PREFIX", "Keeper", "differs", "same"]

PREFIX = "newtonish"
TYPES = Sdf.ValueTypeNames
SCALARS = {"f": TYPES.Double, "i": TYPES.Int}
LISTS = {"f": TYPES.DoubleArray, "i": TYPES.IntArray}
ASSETS = ("mesh", "hfield", "material", "texture", "class", "name")


def _attribute(kind: str, name: str) -> Attribute:
    """What MJCF knows of an attribute of an element, which it has."""
    found = attribute_of(kind, name)
    assert found is not None, (kind, name)
    return found


@cache
def _default(kind: str, name: str) -> Any:
    """What an attribute is where it is not written, as far as the vocabulary says."""
    attribute = _attribute(kind, name)
    return parse_value(attribute, attribute.default.replace(",", " ")) if attribute.default else None


def same(value: Any, other: Any) -> bool:
    """Whether two values are equal, numbers to single precision, which is what models hold."""
    if isinstance(value, float) or (isinstance(value, list) and any(isinstance(item, float) for item in value)):
        return bool(np.array_equal(np.asarray(value, np.float32), np.asarray(other, np.float32)))
    return bool(value == other)


def differs(node: Node, name: str, strict: bool = False) -> bool:
    """Whether an attribute says something else than its absence; ``strict``: numbers that are zero say something."""
    value, usual = node.values[name], _default(node.kind, name)
    if isinstance(value, list) and isinstance(usual, list):
        return not same(value + usual[len(value) :], usual)
    if usual is not None:
        return not same(value, usual)
    if value in ("", []):
        return False
    return strict or any(value if isinstance(value, list) else [value]) if isinstance(value, (bool, int, float, list)) else True


class Keeper:
    """Writes what is left of elements."""

    def __init__(self, layer: StageLayer, paths: Paths) -> None:
        self._layer, self._paths = layer, paths

    def rest(self, spec: Any, node: Node, done: Iterable[str] = (), prefix: str = "", strict: bool = False) -> None:
        """Write the attributes of an element that are not in ``done`` and say something."""
        for name in node.values:
            if name not in done and name not in ASSETS and differs(node, name, strict):
                self.one(spec, node, name, prefix)

    def mjc(self, spec: Any, node: Node, name: str, kind: Any) -> None:
        """Write one attribute of an element as ``mjc:*``, or beside the schemas where that one is not wanted."""
        if self._layer.mjc:
            self._layer.put(spec, f"mjc:{name}", kind, node.values[name], uniform=True)
        else:
            self.one(spec, node, name)

    def one(self, spec: Any, node: Node, name: str, prefix: str = "") -> None:
        """Write one attribute of an element."""
        attribute, value = _attribute(node.kind, name), node.values[name]
        word = f"{PREFIX}:{prefix}{name}"
        target = self._paths.target(node, name)
        if target is not None:
            self._layer.lead(spec, word, [target], custom=True)
            return
        if attribute.type in SCALARS:
            kind = (SCALARS if attribute.most == 1 else LISTS)[attribute.type]
        else:
            kind = (
                TYPES.Bool if attribute.type == "b" else TYPES.String if attribute.type == "s" else TYPES.TokenArray if isinstance(value, list) else TYPES.Token
            )
        self._layer.put(spec, word, kind, value, uniform=True, custom=True)

    def element(self, path: Any, node: Node, tag: str, kind: str = "", done: Iterable[str] = ()) -> Any:
        """Write an element that has no schema as a prim of its own, with what is in it; ``tag`` says where it belongs."""
        spec = self._layer.define(path, kind)
        self.mark(spec, node, tag, done)
        for number, child in enumerate(node.children):
            self.element(f"{path}/{child.tag}_{number}", child, child.tag)
        return spec

    def mark(self, spec: Any, node: Node, tag: str, done: Iterable[str] = ()) -> None:
        """Say that a prim is an element, and write its attributes."""
        self._layer.put(spec, f"{PREFIX}:element", TYPES.Token, tag, uniform=True, custom=True)
        self.rest(spec, node, done, strict=True)
