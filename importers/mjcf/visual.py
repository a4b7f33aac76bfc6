"""The ``visual`` section: settings of the visualizer, kept for viewers as MuJoCo's compiled model has them."""

from __future__ import annotations

from typing import Any

from newtonish.mjcf.language.read import Node

__all__ = ["read_visual"]

ACTIVE = {"false": 0, "true": 1, "auto": 2, "0": 0, "1": 1, "2": 2}


def read_visual(root: Node) -> dict[str, dict[str, Any]]:
    """Return what is written, by group and setting; later sections win."""
    found: dict[str, dict[str, Any]] = {}
    for section in root.sections("visual"):
        for group in section.children:
            values = found.setdefault(group.tag, {})
            for name, value in group.values.items():
                if (group.tag, name) == ("headlight", "active"):
                    value = ACTIVE[value]
                values[name] = tuple(value) if isinstance(value, list) else value
    return found
