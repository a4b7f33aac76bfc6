"""The path of a spatial tendon: sites, wrapping geoms with side sites, pulleys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.tree import Geom, Tree
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest

__all__ = ["GEOM", "PULLEY", "SITE", "Wrap", "read_path", "write_path"]

SITE, GEOM, PULLEY = range(3)
"""``mujoco:tendon_wrap_type``, as scripts for Newton's solver count them."""


@dataclass
class Wrap:
    """One element of a path."""

    kind: int
    item: Geom | None = None
    side: Geom | None = None
    divisor: float = 0.0


def read_path(node: Node, tree: Tree, armature: bool, log: Diagnostics) -> list[Wrap]:
    """Read the path of a spatial tendon; MuJoCo's rules for it are checked."""
    path: list[Wrap] = []
    nodes = [child for child in node.children if child.kind in ("wrap_site", "wrap_geom", "pulley")]
    for child in nodes:
        wrap = _element(child, tree, log)
        if wrap is None:
            return []
        path.append(wrap)
    _check(node, nodes, path, log)
    if armature and any(wrap.kind == GEOM for wrap in path):
        given = "armature and a wrapping geom"
        log.problem(node.at("armature"), node.label, given, "armature on tendons over sites", "remove one of them")
    return path


def _element(node: Node, tree: Tree, log: Diagnostics) -> Wrap | None:
    """Read one element of a path."""
    if node.kind == "pulley":
        divisor = node.values.get("divisor", 0.0)
        if not 0.0 < divisor < float("inf"):
            log.problem(node.at("divisor"), "pulley, divisor", str(divisor), "above zero", "correct it")
            return None
        return Wrap(PULLEY, divisor=divisor)
    if node.kind == "wrap_site":
        site = _find(node, "site", "site", tree, log)
        return site and Wrap(SITE, site)
    geom = _find(node, "geom", "geom", tree, log)
    if geom is not None and geom.type not in ("sphere", "cylinder"):
        log.problem(node.at("geom"), f"wrapping geom '{geom.name}'", f"a {geom.type}", "sphere or cylinder", "change it")
        return None
    side = _find(node, "sidesite", "site", tree, log) if "sidesite" in node.values else None
    return geom and Wrap(GEOM, geom, side)


def _find(node: Node, attribute: str, kind: str, tree: Tree, log: Diagnostics) -> Any:
    """Look up a named geom or site."""
    name = node.values.get(attribute, "")
    found = tree.names.get((kind, name))
    if found is None:
        hint = nearest(name, [n for k, n in tree.names if k == kind]) or f"name a {kind}"
        log.problem(node.at(attribute), f"tendon path, {attribute}", f"'{name}'", f"the name of a {kind}", hint)
    return found


def _check(node: Node, nodes: Sequence[Node], path: list[Wrap], log: Diagnostics) -> None:
    """Note what MuJoCo refuses in a path."""
    kinds = [PULLEY, *(wrap.kind for wrap in path), PULLEY]
    if len(path) < 2:
        log.problem(node.location, node.label, f"a path of {len(path)} elements", "two or more", "add sites")
        return
    if path[-1].kind == PULLEY:
        log.problem(nodes[-1].location, node.label, "a pulley at the end", "a site at the end", "remove the pulley")
    for k, (child, wrap) in enumerate(zip(nodes, path)):
        before, after = kinds[k], kinds[k + 2]
        if wrap.kind == GEOM and (before != SITE or after != SITE):
            log.problem(child.location, node.label, "a geom without a site on each side", "site, geom, site", "add sites")
        elif wrap.kind == SITE and before == after == PULLEY:
            log.problem(child.location, node.label, "a site alone between pulleys", "two or more sites", "add a site")
        elif wrap.kind == PULLEY and k > 0 and before == PULLEY:
            log.problem(child.location, node.label, "two pulleys in a row", "one pulley", "remove one")
        elif wrap.kind == SITE and before == SITE and path[k - 1].item is wrap.item:
            log.problem(child.location, node.label, "the same site twice", "different sites", "remove one")


def write_path(builder: Any, path: list[Wrap]) -> tuple[int, int]:
    """Write a path as rows of ``mujoco:tendon_wrap``; returns the first row and the articulation that all share, or -1."""
    start, owners = 0, set()
    for number, wrap in enumerate(path):
        shape = -1 if wrap.item is None else wrap.item.index
        owner = _articulation(builder, shape)
        if wrap.item is not None:
            owners.add(owner)
        row = builder.add_custom_values(
            **{
                "mujoco:tendon_wrap_type": wrap.kind,
                "mujoco:tendon_wrap_shape": shape,
                "mujoco:tendon_wrap_articulation": owner,
                "mujoco:tendon_wrap_sidesite": -1 if wrap.side is None else wrap.side.index,
                "mujoco:tendon_wrap_prm": wrap.divisor,
            }
        )
        start = row["mujoco:tendon_wrap_type"] if number == 0 else start
    return start, owners.pop() if len(owners) == 1 else -1


def _articulation(builder: Any, shape: int) -> int:
    """Articulation of the body that carries a shape, -1 for the world."""
    if shape < 0 or builder.shape_body[shape] < 0:
        return -1
    joints = np.flatnonzero(np.asarray(builder.joint_child) == builder.shape_body[shape])
    return int(builder.joint_articulation[joints[0]]) if len(joints) else -1
