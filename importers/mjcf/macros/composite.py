"""``<composite>``: a macro for collections of bodies, written out as ordinary bodies, joints, tendons and equality constraints.

MuJoCo had it from 2.0 on and dropped it before 4.0; files that use it mean what MuJoCo 2.3.7 made of them. What is made takes
nothing from the file's default classes, only from what stands in the ``composite`` element itself. Skins, which are pictures,
are not made, and neither are plugins. Source: the section on composite objects of MuJoCo's modelling chapter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.macros.composite_cable import make_cable
from newtonish.importers.mjcf.macros.composite_parts import SHELLS, Composite, Parts
from newtonish.importers.mjcf.macros.composite_shapes import (
    make_cloth,
    make_grid,
    make_particles,
    make_rope,
    make_shell,
)
from newtonish.mjcf.language.read import Node

__all__ = ["expand_composites"]

MAKERS = {
    "particle": make_particles,
    "grid": make_grid,
    "rope": make_rope,
    "loop": make_rope,
    "cable": make_cable,
    "cloth": make_cloth,
    "box": make_shell,
    "cylinder": make_shell,
    "ellipsoid": make_shell,
}

DIMENSIONS = {"grid": (1, 2), "rope": (1,), "loop": (1,), "cable": (1,), "cloth": (2,), "box": (3,), "cylinder": (3,), "ellipsoid": (3,)}
"""How many counts may be above one; particles may have any number."""

PARTS_OF = {
    "particle": {"joint.main", "joint.particle", "geom"},
    "grid": {"joint.main", "tendon.main", "tendon.shear", "geom", "site", "pin"},
    "rope": {"joint.main", "joint.twist", "joint.stretch", "geom"},
    "loop": {"joint.main", "joint.twist", "joint.stretch", "geom"},
    "cable": {"joint.main", "geom", "site"},
    "cloth": {"joint.main", "joint.twist", "joint.stretch", "tendon.main", "tendon.shear", "geom", "site"},
    **{shell: {"joint.main", "tendon.main", "geom"} for shell in SHELLS},
}
"""What may stand inside each type with an effect."""

ATTRIBUTES_OF = {
    "particle": {"offset", "spacing"},
    "grid": {"offset", "spacing"},
    "rope": {"spacing"},
    "loop": {"spacing", "solrefsmooth", "solimpsmooth"},
    "cable": {"offset", "vertex", "initial", "curve", "size"},
    "cloth": {"spacing", "flatinertia"},
    **{shell: {"spacing", "solrefsmooth", "solimpsmooth"} for shell in SHELLS},
}
"""What may be written in each type with an effect, beside prefix, type and count."""

GEOMS = {"particle": None, "cable": ("capsule", "cylinder", "box")}
"""Types of geoms that may be asked for, where they are not sphere, capsule and ellipsoid; None for all."""


def expand_composites(root: Node, log: Diagnostics, most: int) -> None:
    """Replace every ``composite`` of a file by what it stands for; the tree is changed.

    Args:
        root: The file, its words checked.
        log: Takes the problems, and what has no effect.
        most: Most elements that may be made; more is a problem that is raised at once.
    """
    parts = Parts(most)
    for section in root.sections("worldbody"):
        _walk(section, None, parts, log)
    # What bodies bring along stands before what the sections say, since MuJoCo reads the bodies first.
    made = [Node(tag, root.location, children=nodes, kind=kind) for tag, kind, nodes in parts.sections() if nodes]
    root.children[:0] = made


def _walk(node: Node, body: Node | None, parts: Parts, log: Diagnostics) -> None:
    """Expand what is inside a node; ``body`` is the body around it, None for the world."""
    children: list[Node] = []
    for child in node.children:
        if child.kind == "composite":
            children += _expand(child, body, parts, log)
        else:
            _walk(child, child if child.tag == "body" else body, parts, log)
            children.append(child)
    node.children = children


def _expand(node: Node, body: Node | None, parts: Parts, log: Diagnostics) -> list[Node]:
    """What one composite puts into its parent; nothing if there is a problem."""
    if "type" not in node.values:  # it cannot be read, which is noted
        return []
    problems = list(_problems(node))
    for attribute, given, allowed, remedy in problems:
        log.problem(node.at(attribute), node.label, given, allowed, remedy)
    if problems:
        return []
    _note_unused(node, log)
    composite = Composite(node, parts)
    if composite.elements > parts.left:
        given = f"{composite.elements} bodies and more before"
        log.problem(node.at("count"), node.label, given, f"at most {parts.most} elements", "use smaller counts, or pass a larger max_elements")
        log.check()
    return MAKERS[composite.type](composite, body, log) or []


def _problems(node: Node) -> Iterator[tuple[str, str, str, str]]:
    """What is wrong with a composite: attribute, what was given, what is allowed, what to do."""
    values, kind = node.values, node.values["type"]
    if "vertex" in values:
        if kind != "cable":
            yield "vertex", "vertex", "vertex in a cable only", "write the bodies out"
        elif max(values.get("count", [1])) > 1:
            yield "vertex", "vertex and count", "one of them", "keep one"
        elif len(values["vertex"]) % 3 or len(values["vertex"]) < 6:
            yield "vertex", f"{len(values['vertex'])} numbers", "three for each of two or more points", "correct them"
    else:
        yield from _count_problems(node, kind)
    geom = next(node.sections("geom"), None)
    allowed = GEOMS.get(kind, ("sphere", "capsule", "ellipsoid"))
    shape = geom.values.get("type", "sphere") if geom else "sphere"
    size = geom.values.get("size", [0.0]) if geom else [0.0]
    if allowed and shape not in allowed:
        yield "type", f"a geom of type {shape}", f"a geom of type {', '.join(allowed)}", "use one of these"
    if not min(size) > 0.0 and not (kind == "cable" and shape == "box"):
        yield "type", "no geom of positive size", "a child geom with size", "add one"
    if kind in ("particle", "grid") and not values.get("spacing", 0.0) >= max(size):
        yield "spacing", f"spacing {values.get('spacing', 0.0)}", f"at least the size of the geoms, {max(size)}", "use a larger spacing"
    elif kind != "cable" and not (math.isfinite(values.get("spacing", 0.0)) and values.get("spacing", 0.0) > 0.0):
        yield "spacing", f"spacing {values.get('spacing', 0.0)}", "a positive number", "write it"
    names = [f"{child.tag}.{child.values.get('kind')}" for child in node.children if child.tag in ("joint", "tendon")]
    for name in sorted({name for name in names if names.count(name) > 1} - {"joint.particle"}):
        yield "type", f"{name.replace('.', ' of kind ')} twice", "each once, but for joints of kind particle", "keep one"
    for tag in ("geom", "site", "skin"):
        if len(list(node.sections(tag))) > 1:
            yield "type", f"{tag} twice", "one", "keep one"
    for pin in node.sections("pin"):
        for place, count in zip(pin.values.get("coord", []), values.get("count", [])):
            if not 0 <= place < count:
                yield "count", f"a pin at {pin.values['coord']}", "the place of a body of the grid", "correct it"
                break
    if kind == "grid" and "tendon.shear" in names and _dimension(values) != 2:
        yield "count", "tendons of kind shear in one dimension", "a grid of two dimensions", "leave them out"


def _count_problems(node: Node, kind: str) -> Iterator[tuple[str, str, str, str]]:
    """What is wrong with the number of bodies."""
    count = node.values.get("count", [1])
    if min(count) < 1:
        yield "count", f"count {count}", "positive numbers", "correct it"
    elif any(before == 1 < after for before, after in pairwise(count)):
        yield "count", f"count {count}", "ones after all other numbers", "order them"
    elif kind in DIMENSIONS and _dimension(node.values) not in DIMENSIONS[kind]:
        words = " or ".join(str(n) for n in DIMENSIONS[kind])
        yield "count", f"{_dimension(node.values)} counts above one", f"{words} of them in type {kind}", "correct count"


def _dimension(values: dict[str, Any]) -> int:
    """How many counts are above one."""
    return sum(n > 1 for n in values.get("count", [1]))


def _note_unused(node: Node, log: Diagnostics) -> None:
    """Note what is written and has no effect."""
    kind = node.values["type"]
    for name in sorted(set(node.values) - {"prefix", "type", "count"} - ATTRIBUTES_OF[kind]):
        log.ignored(f"composite.{name}", node.at(name), f"{node.label}, {name}", f"has no effect in type {kind}, as in MuJoCo", warn=False)
    for child in node.children:
        name = child.tag + (f".{child.values['kind']}" if "kind" in child.values else "")
        if child.tag == "skin":
            log.ignored("composite.skin", child.location, child.label, "skins of composites are not made: they are pictures", warn=False)
        elif child.tag == "plugin":
            log.ignored("composite.plugin", child.location, child.label, "plugins are not simulated: the composite does without its forces")
        elif name not in PARTS_OF[kind]:
            log.ignored(f"composite.{name}", child.location, f"{node.label}, {name}", f"has no effect in type {kind}, as in MuJoCo")
