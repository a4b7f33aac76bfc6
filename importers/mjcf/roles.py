"""Which geoms collide and which are only drawn, where the caller wants it told by the names of their classes.

By default the masks of a geom alone say so, as in MuJoCo. With the arguments that Newton's importer has for it, a geom is told
by its own ``class`` instead, by regular expressions that match its start.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError, problem
from newtonish.importers.mjcf.tendons import Tendon
from newtonish.importers.mjcf.tree import Geom, Tree
from newtonish.mjcf.language.read import Node

__all__ = ["Roles", "pattern"]

_VISUAL, _COLLISION = ("visual",), ("collision",)


@dataclass(frozen=True)
class Roles:
    """What geoms are for.

    Attributes:
        visual: Classes whose geoms are only drawn.
        collider: Classes whose geoms collide.
        others: Whether geoms of other classes, and of none, collide; otherwise they are only drawn.
        swapped: Geoms that are only drawn collide, and those that collide are left out; the mass of both counts.
    """

    visual: Sequence[str] = _VISUAL
    collider: Sequence[str] = _COLLISION
    others: bool = True
    swapped: bool = False

    def apply(self, tree: Tree, pairs: Sequence[dict[str, Any]], tendons: Sequence[Tendon], log: Diagnostics) -> None:
        """Mark the geoms of a tree; those that pairs and tendons need are always there."""
        paired = [row[name] for row in pairs for name in ("mujoco:pair_geom1", "mujoco:pair_geom2")]
        for geom in (*paired, *(wrap.item for tendon in tendons for wrap in tendon.path)):
            if geom is not None:
                geom.needed = True
        if (tuple(self.visual), tuple(self.collider), self.others, self.swapped) == (_VISUAL, _COLLISION, True, False):
            return
        visual = [pattern("visual_classes", text) for text in self.visual]
        collider = [pattern("collider_classes", text) for text in self.collider]
        wanted = {id(geom) for geom in paired}
        for geom in (geom for body in (tree.world, *tree.bodies) for geom in body.geoms):
            by_masks = geom.collides
            geom.collides = id(geom) in wanted or self._collides(geom, visual, collider)
            if self.swapped and id(geom) not in wanted:
                geom.kept = not geom.collides or geom.needed
                geom.collides = not geom.collides
                if geom.kept and not by_masks:
                    note = "is to collide but meets nothing, as its contype and conaffinity are 0"
                    log.approximated("geom.swapped", geom.node.location, geom.node.label, note)

    def _collides(self, geom: Geom, visual: list[re.Pattern[str]], collider: list[re.Pattern[str]]) -> bool:
        name = _class(geom.node)
        if name is not None and any(p.match(name) for p in collider):
            return True
        if name is not None and any(p.match(name) for p in visual):
            return False
        return self.others and geom.collides


def _class(node: Node) -> str | None:
    """The class an element names, as its own file calls it."""
    while node.origin is not None:
        node = node.origin
    return node.text.get("class")


def pattern(argument: str, text: str) -> re.Pattern[str]:
    """Compile a regular expression of the caller's."""
    try:
        return re.compile(text)
    except re.error as error:
        given = f"'{text}' ({error})"
        raise ImporterError(problem(f"add_mjcf, {argument}", given, "regular expressions", "correct it")) from None
