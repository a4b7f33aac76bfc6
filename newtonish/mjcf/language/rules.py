"""Which attributes of an element exclude or need each other, and which numbers have bounds: data, and the checks of an element.

A rule reads ``exclusive a b+c``: at most one of the bundles may be present (one of its attributes is written); ``oneof a b+c``: at least one
of them has to be complete; ``together a b``: both or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newtonish.diagnostics import Diagnostics

if TYPE_CHECKING:
    from newtonish.mjcf.language.read import Node

__all__ = ["BOUNDS", "ORIENTATION", "RULES", "check_rules"]

ORIENTATION = "quat axisangle xyaxes zaxis euler"
TINY, HUGE = 1e-300, 1e300
_FRAMES = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel")
_PAIR = ("exclusive geom1 body1", "oneof geom1 body1", "exclusive geom2 body2", "oneof geom2 body2")

RULES: dict[str, tuple[str, ...]] = {
    "size": ("exclusive memory nstack", "exclusive memory njmax"),
    "mesh": ("exclusive builtin file", "exclusive builtin vertex"),
    "body": (f"exclusive {ORIENTATION}",),
    "frame": (f"exclusive {ORIENTATION}",),
    "geom": (f"exclusive {ORIENTATION}",),
    "site": (f"exclusive {ORIENTATION}",),
    "inertial": (f"exclusive fullinertia {ORIENTATION}",),
    "attach": ("exclusive body frame",),
    "camera": (f"exclusive {ORIENTATION}", "exclusive fovy sensorsize"),
    "light": ("exclusive directional type",),
    **dict.fromkeys(_FRAMES, ("together reftype refname",)),
    "sensor_user": ("together objtype objname",),
    "connect": ("together site1 site2", "exclusive site1+site2 body1+body2+anchor", "oneof site1+site2 body1+anchor"),
    "weld": ("together site1 site2", "exclusive site1+site2 body1+body2+anchor+relpose", "oneof site1+site2 body1"),
    "rangefinder": ("exclusive site camera", "oneof site camera"),
    "pairsense": _PAIR,
    "sensor_contact": ("exclusive geom1 body1 subtree1 site", "exclusive geom2 body2 subtree2"),
}
"""Kind of element -> its rules."""

BOUNDS: dict[str, dict[str, tuple[float, float]]] = {
    "global": {"realtime": (TINY, HUGE)}, "map": {"znear": (TINY, HUGE)}, "skin": {"group": (0, 5)}
}  # fmt: skip
"""Kind of element -> attribute -> least and most, of numbers that no reader looks at otherwise."""


def check_rules(node: Node, log: Diagnostics) -> None:
    """Note attributes of an element that do not go together, that it lacks, or that are out of bounds."""
    kind, inside = node.kind.removeprefix("default:"), node.kind.startswith("default:")
    for rule in RULES.get(kind, ()):
        word, *bundles = rule.split()
        names = [bundle.split("+") for bundle in bundles]
        if word == "exclusive":
            _check_exclusive(node, names, log)
        elif word == "together":
            if 0 < sum(name in node.text for name in bundles) < len(bundles):
                written = [name for name in bundles if name in node.text]
                log.problem(node.at(written[0]), node.label, f"{' and '.join(written)} alone", f"{' and '.join(bundles)}, or none", "add the other")
        elif not inside and not any(all(name in node.text for name in bundle) for bundle in names):
            needed = [" and ".join(bundle) for bundle in names]
            log.problem(node.location, node.label, f"neither {' nor '.join(needed)}", " or ".join(needed), "add one")
    for name, (least, most) in BOUNDS.get(kind, {}).items():
        if name in node.values and not least <= node.values[name] <= most:
            allowed = "a number above zero" if least == TINY else f"{least} to {most}"
            log.problem(node.at(name), f"{node.label}, {name}", str(node.values[name]), allowed, "correct it")


def _check_exclusive(node: Node, bundles: list[list[str]], log: Diagnostics) -> None:
    """Note attributes of more than one bundle."""
    present = [[name for name in bundle if name in node.text] for bundle in bundles]
    present = [names for names in present if names]
    if len(present) > 1:
        given = f"{' and '.join(name for names in present for name in names)} together"
        log.problem(node.at(present[-1][0]), node.label, given, "one of " + ", ".join("+".join(names) for names in present), "keep one")
