"""What composites are made of: elements written with their whole set of values, so that no default class changes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from newtonish.importers import frames
from newtonish.importers.mjcf.defaults import BUILT_IN
from newtonish.mjcf.language.read import Node

__all__ = ["SHELLS", "Composite", "Parts"]

HARD = {"solref": [0.01], "solimp": [0.99, 0.99]}
SOFT = {"solref": [0.02], "solimp": [0.9, 0.9]}
"""Softness of constraints that the types choose for themselves; the rest of the numbers is MuJoCo's default."""

SHELLS = ("box", "cylinder", "ellipsoid")
_OWN = ("kind", "solreffix", "solimpfix")


class Parts:
    """What the composites of a file add to its sections.

    Args:
        most: Most elements that they may make.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.left = most
        self.excludes: list[Node] = []
        self.equalities: list[Node] = []
        self.tendons: list[Node] = []

    def sections(self) -> Iterator[tuple[str, str, list[Node]]]:
        """Name, kind and contents of the sections."""
        yield "contact", "contact", self.excludes
        yield "equality", "equalities", self.equalities
        yield "tendon", "tendons", self.tendons


class Composite:
    """One composite element, with what is written in it completed, and functions that make its elements.

    Args:
        node: The element; its values are checked.
        parts: Takes what does not belong into the tree of bodies.

    Attributes:
        type: Type of the composite.
        count: Number of bodies in each direction.
        spacing: Distance of neighbours [m].
        offset: What is added to the positions of bodies [m].
        geom: Values of its geoms.
    """

    def __init__(self, node: Node, parts: Parts) -> None:
        values = node.values
        self.node, self.parts = node, parts
        self.type: str = values["type"]
        self.prefix: str = values.get("prefix", "")
        count = list(values.get("count", [1]))
        if "vertex" in values:
            count = [len(values["vertex"]) // 3]
        self.count = [*count, 1, 1][:3]
        self.spacing: float = values.get("spacing", 0.0)
        self.offset: list[float] = values.get("offset", [0.0, 0.0, 0.0])
        self.pins = {tuple([*pin.values["coord"], 0][:2]) for pin in node.sections("pin")}
        self._joints: dict[str, list[dict[str, Any]]] = {}
        for child in node.sections("joint"):
            self._joints.setdefault(child.values["kind"], []).append(child.values)
        self._tendons = {child.values["kind"]: child.values for child in node.sections("tendon")}
        flat = self.type in ("particle", "rope", "loop", "cable") or (self.type == "grid" and self.count[1] == 1)
        self._group = 0 if flat or not any(node.sections("skin")) else 3
        self.geom: dict[str, Any] = {"type": "sphere", "group": self._group} | self._look()
        self.geom |= next((child.values for child in node.sections("geom")), {})
        self._site = {"group": 3} | next((child.values for child in node.sections("site")), {})

    def _look(self) -> dict[str, Any]:
        """What geoms of this type have for themselves."""
        if self.type == "particle":
            return {"condim": 1, "priority": 1}
        return {"contype": 0} if self.type in SHELLS else {}

    @property
    def elements(self) -> int:
        """Number of bodies, at most."""
        return self.count[0] * self.count[1] * self.count[2]

    def has(self, kind: str) -> bool:
        """Whether joints or shear tendons of a kind are asked for."""
        return kind in self._joints or (kind == "shear" and kind in self._tendons)

    def name(self, letter: str, *place: int) -> str:
        """Name of an element by its place."""
        return f"{self.prefix}{letter}" + "_".join(str(number) for number in place)

    def make(self, tag: str, values: dict[str, Any], children: Sequence[Node] = (), kind: str = "") -> Node:
        """An element whose place is that of the composite."""
        self.parts.left -= 1
        node = Node(tag, self.node.location, children=list(children), kind=kind or tag, values=values)
        if "name" in values:
            node.text = {"name": values["name"]}
        return node

    def make_body(self, name: str, pos: frames.Vector, **values: Any) -> Node:
        """A body without contents."""
        return self.make("body", {"name": name, "pos": [float(x) for x in pos]} | values)

    def make_geom(self, name: str, **values: Any) -> Node:
        """A geom; particles have no name."""
        return self.make("geom", {"class": BUILT_IN} | ({"name": name} if name else {}) | self.geom | values)

    def make_site(self, name: str, **values: Any) -> Node:
        """A site."""
        return self.make("site", {"class": BUILT_IN, "name": name} | self._site | values)

    def make_joint(self, kind: str, name: str, **values: Any) -> Node:
        """A joint of one of the composite's kinds; what the type decides overrides what is written."""
        given = next(iter(self._joints.get(kind, [])), {})
        return self._joint(given, {"name": name} | values)

    def own_joints(self) -> list[Node]:
        """The joints that particles are given."""
        return [self._joint(given, {}) for given in self._joints.get("particle", [])]

    def _joint(self, given: dict[str, Any], own: dict[str, Any]) -> Node:
        values = {"class": BUILT_IN, "group": 3} | {k: v for k, v in given.items() if k not in _OWN} | own
        return self.make("joint", values)

    def fix_joint(self, kind: str, joint: str) -> None:
        """Hold a joint at its reference."""
        given = next(iter(self._joints.get(kind, [])), {})
        self._equality("joint", {"joint1": joint}, self._fixing(given, SOFT if self.type in SHELLS else {}))

    def couple_joints(self, first: str, second: str) -> None:
        """Hold two joints at the same value."""
        self._equality("joint", {"joint1": first, "joint2": second}, self._smooth(SOFT))

    def close_loop(self, first: str, last: str) -> None:
        """Connect the ends of a loop."""
        anchor = [-0.5 * self.spacing, 0.0, 0.0]
        self._equality("connect", {"body1": first, "body2": last, "anchor": anchor}, self._smooth(HARD))
        self.exclude(first, last)

    def exclude(self, first: str, second: str) -> None:
        """Let two bodies not collide."""
        self.parts.excludes.append(self.make("exclude", {"body1": first, "body2": second}))

    def tie_sites(self, kind: str, name: str, first: str, second: str) -> None:
        """Hold two sites at their distance by a tendon."""
        wraps = [self.make("site", {"site": site}, kind="wrap_site") for site in (first, second)]
        self._tendon(kind, "spatial", name, wraps)

    def tie_joints(self, name: str, joints: Sequence[str]) -> None:
        """Hold the sum of joints by a tendon."""
        wraps = [self.make("joint", {"joint": joint, "coef": 1.0}, kind="wrap_joint") for joint in joints]
        self._tendon("main", "fixed", name, wraps)

    def _tendon(self, kind: str, tag: str, name: str, wraps: Sequence[Node]) -> None:
        given = self._tendons.get(kind, {})
        values = {"class": BUILT_IN, "name": name, "group": self._group} | {k: v for k, v in given.items() if k not in _OWN}
        self.parts.tendons.append(self.make(tag, values, wraps))
        soft = (SOFT if self.type in SHELLS else {}) if kind != "main" or self.type == "cloth" else HARD
        self._equality("tendon", {"tendon1": name}, self._fixing(given, soft))

    def _fixing(self, given: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
        """Softness of the constraint that belongs to a joint or tendon: what is written over what the type chooses."""
        return {key: _over(own.get(key, []), given.get(f"{key}fix", [])) for key in ("solref", "solimp")}

    def _smooth(self, own: dict[str, Any]) -> dict[str, Any]:
        """Softness of the other constraints."""
        return {key: _over(own[key], self.node.values.get(f"{key}smooth", [])) for key in ("solref", "solimp")}

    def _equality(self, tag: str, ends: dict[str, Any], softness: dict[str, Any]) -> None:
        values = {"class": BUILT_IN} | ends | {key: value for key, value in softness.items() if value}
        kind = f"eq_{tag}" if tag in ("joint", "tendon") else tag
        self.parts.equalities.append(self.make(tag, values, kind=kind))


def _over(below: list[float], given: list[float]) -> list[float]:
    """A list whose beginning is replaced."""
    return [*given, *below[len(given) :]]
