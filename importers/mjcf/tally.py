"""Counts what became of every element and attribute of a file, by what was written into the builder.

An element of the tree or of a section counts as kept when a row or a part of the builder was made from it; one that is only read
along (a class, a frame, an option) when the vocabulary says that it is used. Copies have the place of their original, so a place
is kept when one of them is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from newtonish.common.paths import portable
from newtonish.diagnostics import Content, Diagnostics, Location
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import IGNORED, UNSUPPORTED, schema

__all__ = ["Found", "flatten", "tally"]

TREE = frozenset({"body", "joint", "freejoint", "geom", "site", "camera", "light"})
ROWS = frozenset({"contact", "tendon", "equality", "actuator", "sensor", "keyframe"})
ASSETS = frozenset({"mesh", "hfield", "material"})
NO_EFFECT = "has no effect here"
UNUSED = "nothing in the model uses it"


class Found(NamedTuple):
    """An element as it stands in the text: its section, its node, and the number of the element around it."""

    section: str
    node: Node
    parent: int


def flatten(root: Node, first: int) -> list[Found]:
    """All elements of a file in the order of the text, before copies are made; they are counted from ``first``."""
    result: list[Found] = []

    def walk(node: Node, section: str, parent: int) -> None:
        here = first + len(result)
        result.append(Found(section, node, parent))
        for child in node.children:
            walk(child, section, here)

    for child in root.children:
        walk(child, child.tag, -1)
    return result


def tally(found: list[Found], contents: Any, root: Node, log: Diagnostics) -> list[Content]:
    """Return one line for each attribute of each kind of element, with its fate and all its places.

    Args:
        found: The elements of all files that were read (``flatten``).
        contents: What was resolved and then written.
        root: The tree whose copies have been made.
        log: What was said of single elements and attributes.
    """
    kept = set(_written(contents)) | set(_assets(contents, root))
    fates: list[tuple[str, str]] = []
    lines: dict[tuple[str, str, str, str, str], list[Location]] = {}
    for section, node, parent in found:
        fate = log.fates.get(node.location) or _fate(section, node, kept)
        above = fates[parent] if parent >= 0 else ("kept", "")
        if above[0] == "ignored" and found[parent].node.tag != "body":
            fate = above
        fates.append(fate)
        lines.setdefault((section, node.tag, "", *fate), []).append(node.location)
        if fate[0] == "ignored":
            continue
        known = schema(node.kind).attributes
        for name in node.text:
            place = node.at(name)
            own = log.fates.get(place) if place != node.location else None
            if own is None:
                own = ("ignored", NO_EFFECT) if known[name].status == IGNORED else ("kept", "")
            lines.setdefault((section, node.tag, name, *own), []).append(place)
    return [Content(*key, places) for key, places in lines.items()]


def _fate(section: str, node: Node, kept: set[Location]) -> tuple[str, str]:
    """What became of an element of which nothing was said."""
    status = schema(node.kind).status
    if status == IGNORED:
        return "ignored", NO_EFFECT
    if status == UNSUPPORTED:
        return "ignored", "not simulated yet"
    made = node.tag in TREE if section == "worldbody" else (section in ROWS and node.tag != section) or node.tag in ASSETS
    inside = section == "tendon" and node.tag in ("site", "geom", "joint", "pulley")
    if not made or inside or node.location in kept or node.kind.startswith(("default", "composite_")):
        return "kept", ""
    return "ignored", UNUSED if node.tag in ASSETS else "left out"


def _written(contents: Any) -> Iterator[Location]:
    """Places of what the builder holds."""
    tree = contents.tree
    for body in (tree.world, *tree.bodies):
        yield body.node.location
        items: Iterable[Any] = (*body.geoms, *body.sites, *body.cameras, *body.lights)
        yield from (item.node.location for item in items if getattr(item, "index", 0) >= 0)
        yield from (joint.node.location for joint in body.joints if joint.dof >= 0)
    yield from (tendon.node.location for tendon in contents.tendons if tendon.index >= 0)
    yield from (row["mujoco:actuator_trnid"].node.location for row in contents.actuators)
    yield from (row["node"].location for row in (*contents.pairs, *contents.excludes, *contents.keys) if "node" in row)
    yield from (item.node.location for item in (*contents.equalities, *contents.sensors))


def _assets(contents: Any, root: Node) -> Iterator[Location]:
    """Places of the assets that written geoms, sites and sensors are made of."""
    tree = contents.tree
    holders = [item.values for body in (tree.world, *tree.bodies) for item in (*body.geoms, *body.sites) if item.index >= 0]
    holders += [sensor.node.values for sensor in contents.sensors]
    used = {(tag, values[tag]) for values in holders for tag in ASSETS if values.get(tag)}
    for section in root.sections("asset"):
        for node in section.children:
            name = node.values.get("name") or Path(portable(node.values.get("file", ""))).stem
            if (node.tag, name) in used:
                yield node.location
