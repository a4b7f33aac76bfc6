"""The words of URDF: every element with its attributes and children, and what has no effect here.

URDF has no schema that its files keep to, so words that are not known are reported, once a kind, and not refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from newtonish.diagnostics import Content, Diagnostics, Location
from newtonish.importers.mjcf.tally import flatten
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest

__all__ = ["report_words", "tally"]

_ELEMENTS: dict[str, tuple[str, str]] = {
    "robot": ("name version", "link joint material mujoco"),
    "link": ("name", "inertial visual collision"),
    "inertial": ("", "origin mass inertia"),
    "origin": ("xyz rpy", ""),
    "mass": ("value", ""),
    "inertia": ("ixx ixy ixz iyy iyz izz", ""),
    "visual": ("name", "origin geometry material"),
    "collision": ("name", "origin geometry material"),
    "geometry": ("", "box sphere cylinder capsule mesh"),
    "box": ("size", ""),
    "sphere": ("radius", ""),
    "cylinder": ("radius length", ""),
    "capsule": ("radius length height", ""),
    "mesh": ("filename scale", ""),
    "material": ("name", "color"),
    "color": ("rgba", ""),
    "joint": ("name type", "origin parent child axis dynamics limit mimic"),
    "parent": ("link", ""),
    "child": ("link", ""),
    "axis": ("xyz", ""),
    "dynamics": ("damping friction", ""),
    "limit": ("lower upper effort velocity", ""),
    "mimic": ("joint multiplier offset", ""),
}
"""By element: its attributes and its children."""

_NOT_SIMULATED = {
    "transmission": "has no effect: joints are driven by their targets, or by actuators added to the builder",
    "gazebo": "has no effect: settings of another simulator",
    "ros2_control": "has no effect: settings of a controller",
    "sensor": "has no effect: sensors of URDF are not simulated",
    "safety_controller": "has no effect: soft limits belong to a controller",
    "contact": "has no effect: settings of another simulator; set the contact material in builder.default_shape_cfg",
}
"""Elements that say something of a robot that is not in the model; warned of."""

_HARMLESS = {
    "calibration": "has no effect on physics",
    "verbose": "has no effect on physics",
    "texture": "has no effect on physics",
}
"""Elements that cannot change a motion; they stand in the report."""

_OWN = {"type": "link", "id": "link"}
"""Attributes of old files that say nothing."""


def report_words(root: Node, custom: Mapping[str, Collection[str]], log: Diagnostics) -> None:
    """Report elements and attributes that are not read.

    Args:
        root: The element ``robot``.
        custom: By element, names of attributes that the builder's custom attributes take.
        log: Where to.
    """
    waiting = [(root, "robot")]
    while waiting:
        node, kind = waiting.pop()
        attributes, children = (words.split() for words in _ELEMENTS[kind])
        for name in node.text:
            known = name in attributes or name in custom.get(kind, ())
            if known or name.startswith("{") or _OWN.get(name) == kind:
                continue
            hint = nearest(name, attributes) or f"known are {', '.join(attributes) or 'none'}"
            log.ignored(f"{kind}.{name}", node.at(name), f"{node.label}, {name}", f"an undeclared attribute has no effect; {hint}")
        waiting += [(child, child.tag) for child in reversed(node.children) if child.tag in children and child.tag != "mujoco"]
        for child in (child for child in node.children if child.tag not in children):
            if child.tag in _NOT_SIMULATED:
                log.ignored(f"{kind}/{child.tag}", child.location, child.label, _NOT_SIMULATED[child.tag])
            elif child.tag in _HARMLESS:
                log.ignored(f"{kind}/{child.tag}", child.location, child.label, _HARMLESS[child.tag], warn=False)
            else:
                hint = nearest(child.tag, children) or f"known are {', '.join(children) or 'none'}"
                note = f"an undeclared element in '{kind}' has no effect; {hint}"
                log.ignored(f"{kind}/{child.tag}", child.location, child.label, note)


def tally(root: Node, log: Diagnostics) -> list[Content]:
    """Return one line for each attribute of each kind of element: what is inside an element shares its fate."""
    found = flatten(root, 0)
    fates: list[Any] = []
    lines: dict[tuple[str, str, str, str, str], list[Location]] = {}
    for section, node, parent in found:
        above = fates[parent] if parent >= 0 else ("kept", "")
        fates.append(above if above[0] == "ignored" else log.fates.get(node.location, ("kept", "")))
        lines.setdefault((section, node.tag, "", *fates[-1]), []).append(node.location)
        if fates[-1][0] != "ignored":
            for name in node.text:
                place = node.at(name)
                own = log.fates.get(place) if place != node.location else None
                lines.setdefault((section, node.tag, name, *(own or ("kept", ""))), []).append(place)
    return [Content(*key, places) for key, places in lines.items()]
