"""Elements of the MJCF reader that stand for prims: made with typed values, named by the prim's path."""

from __future__ import annotations

import math
from typing import Any

from newtonish.diagnostics import Diagnostics, Location
from newtonish.mjcf.language.keywords import KEYWORDS
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import schema
from newtonish.mjcf.language.vocabulary import ELEMENTS

__all__ = ["check_values", "checked_list", "element", "mjc_values"]


def element(tag: str, path: str, kind: str = "", **values: Any) -> Node:
    """An element at a prim, called by its path unless a name is given; values that are None are left out."""
    kept = {"name": path, **{name: value for name, value in values.items() if value is not None}}
    return Node(tag, Location(path), {"name": str(kept["name"])}, kind=kind or tag, values=kept)


def mjc_values(source: Any, prim: Any, names: str) -> dict[str, Any]:
    """Read attributes ``mjc:<name>`` into values by the names MJCF has for them, which are the same in small letters.

    Args:
        source: The stage.
        prim: The prim.
        names: Names divided by blanks; ``range[]`` stands for the pair ``range:min``, ``range:max``.
    """
    values: dict[str, Any] = {}
    for name in names.split() if source.speaks_mjc(prim) else ():
        key = name.lower()
        if name.endswith("[]"):
            ends = [f"mjc:{name[:-2]}:{end}" for end in ("min", "max")]
            pair = [source.get(prim, end) for end in ends]
            if pair != [None, None]:
                values[key[:-2]] = [0.0 if value is None else float(value) for value in pair]
            continue
        value = source.get(prim, f"mjc:{name}")
        if value is not None:
            values[key] = value
    return values


def checked_list(source: Any, prim: Any, values: dict[str, Any], lengths: dict[str, tuple[int, int]]) -> None:
    """Note lists of a wrong length, and drop them."""
    for name, (least, most) in lengths.items():
        value = values.get(name)
        if isinstance(value, list) and not least <= len(value) <= most:
            allowed = f"{least} to {most} numbers" if least < most else f"{least} numbers"
            source.problem(prim, f"mjc:{name}", f"{len(value)} numbers", allowed, "correct the array")
            del values[name]


def check_values(root: Node, log: Diagnostics) -> None:
    """Note words that MJCF does not know and numbers that are none, as the reader of text does, and drop them."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting.extend(node.children)
        known = schema(node.kind).attributes if node.kind in ELEMENTS else {}
        for name, value in list(node.values.items()):
            attribute = known.get(name)
            if attribute is None:
                continue
            words = KEYWORDS.get(attribute.type, "").split()
            if words and isinstance(value, str) and value not in words:
                log.problem(node.location, f"{node.label}, {name}", f"'{value}'", ", ".join(words), "correct it")
            elif any(isinstance(number, float) and math.isnan(number) for number in (value if isinstance(value, (list, tuple)) else [value])):
                log.problem(node.location, f"{node.label}, {name}", str(value), "numbers", "correct it")
            else:
                continue
            del node.values[name]
