"""MJCF's ``contact`` section: pairs with parameters of their own, and pairs of bodies that do not collide."""

from __future__ import annotations

import math
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.tree import Tree
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest

__all__ = ["read_excludes", "read_pairs"]

FRICTION = [1.0, 1.0, 0.005, 0.0001, 0.0001]
SOLREF = [0.02, 1.0]
SOLIMP = [0.9, 0.95, 0.001, 0.5, 2.0]


def read_pairs(root: Node, tree: Tree, defaults: Defaults, log: Diagnostics) -> list[dict[str, Any]]:
    """Return rows of ``mujoco:pair``; the geoms are objects of the tree, to be turned into indices."""
    rows = []
    for section in root.sections("contact"):
        for node in section.sections("pair"):
            values, _ = defaults.values(node, None)
            geoms = [_named(node, name, "geom", tree, log) for name in ("geom1", "geom2")]
            if None in geoms:
                continue
            row = {
                "pair_label": values.get("name", ""),
                "pair_geom1": geoms[0],
                "pair_geom2": geoms[1],
                "pair_condim": values.get("condim", 3),
                "pair_friction": _filled(values.get("friction", []), FRICTION),
                "pair_solref": _filled(values.get("solref", []), SOLREF),
                "pair_solreffriction": _filled(values.get("solreffriction", []), [0.0, 0.0]),
                "pair_solimp": _filled(values.get("solimp", []), SOLIMP),
                "pair_margin": values.get("margin", 0.0),
                "pair_gap": values.get("gap", 0.0),
                "pair_adhesion": values.get("adhesion", 0.0),
            }
            if row["pair_condim"] not in (1, 3, 4, 6):
                given = str(row["pair_condim"])
                log.problem(node.at("condim"), f"{node.label}, condim", given, "1, 3, 4 or 6", "correct it")
            for name, value in row.items():
                numbers = value if isinstance(value, list) else [value]
                if any(isinstance(v, float) and not math.isfinite(v) for v in numbers):
                    log.problem(node.location, f"{node.label}, {name[5:]}", str(value), "finite numbers", "correct it")
            rows.append({"node": node} | {f"mujoco:{key}": value for key, value in row.items()})
    return rows


def read_excludes(root: Node, tree: Tree, log: Diagnostics) -> list[dict[str, Any]]:
    """Return rows of ``mujoco:exclude``; the bodies are objects of the tree, to be turned into indices."""
    rows = []
    for section in root.sections("contact"):
        for node in section.sections("exclude"):
            bodies = [_named(node, name, "body", tree, log) for name in ("body1", "body2")]
            if None not in bodies:
                rows.append(
                    {
                        "node": node,
                        "mujoco:exclude_label": node.values.get("name", ""),
                        "mujoco:exclude_body1": bodies[0],
                        "mujoco:exclude_body2": bodies[1],
                    }
                )
    return rows


def _filled(given: list[float], default: list[float]) -> list[float]:
    """Complete a shorter list from the default."""
    return [*given, *default[len(given) :]]


def _named(node: Node, attribute: str, kind: str, tree: Tree, log: Diagnostics) -> Any:
    """Look up a geom or body; an unknown one is a problem."""
    name = node.values.get(attribute, "")
    found = tree.names.get((kind, name))
    if found is None:
        hint = nearest(name, [n for k, n in tree.names if k == kind]) or f"name a {kind}"
        log.problem(node.at(attribute), f"{node.label}, {attribute}", f"'{name}'", f"the name of a {kind}", hint)
    return found
