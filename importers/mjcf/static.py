"""``fusestatic`` and ``discardvisual``: bodies that never move become part of their parent, geoms that are only seen go.

Both work on a tree whose bodies are weighed and change no motion; MuJoCo's XML reference (``compiler``) says what has to stay.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.inertia import MassProperties, combine, eigen3
from newtonish.importers.mjcf.tree import Body, Geom, Tree
from newtonish.mjcf.language.names import object_namespace, reference
from newtonish.mjcf.language.read import Node

__all__ = ["discard_visual", "fuse_static", "meshes_in_use"]

Pose = tuple[np.ndarray, np.ndarray]


def _moved(mass: MassProperties, pos: np.ndarray, quat: np.ndarray) -> MassProperties:
    """The same mass in the frame in which its own frame has this pose."""
    return MassProperties(mass.mass, *frames.compose(pos, quat, mass.pos, mass.quat), mass.diag)


def discard_visual(tree: Tree, root: Node, settings: Settings, log: Diagnostics) -> None:
    """Take geoms away that meet nothing, unless something names them or a fluid feels them; their mass stays."""
    named = _named(root, "geom")
    for body in (tree.world, *tree.bodies):
        gone = [geom for geom in body.geoms if _only_seen(geom) and geom.name not in named]
        if not gone:
            continue
        first, last = settings.of(body.node).inertiagrouprange
        weighs = any(g.mass is not None and g.mass.mass > MINVAL and first <= g.values["group"] <= last for g in gone)
        if body.parts and weighs and settings.of(body.node).inertiafromgeom == "true":
            log.problem(
                gone[0].node.location,
                body.node.label,
                "discardvisual, of geoms that weigh",
                "geoms without mass, as inertiafromgeom is 'true'",
                "set inertiafromgeom to 'auto', which keeps the inertia",
            )
        if weighs:
            body.parts = []
        body.geoms = [geom for geom in body.geoms if geom not in gone]
        for geom in gone:
            log.mark("ignored", geom.node.location, "only seen: discardvisual")
            tree.names.pop(("geom", geom.name), None)


def meshes_in_use(root: Node, defaults: Defaults) -> set[str]:
    """Names of the meshes that ``discardvisual`` leaves: of geoms that stay, and those that other elements name."""
    named, found = _named(root, "geom"), set()
    waiting: list[tuple[Node, str | None]] = [(section, None) for section in root.sections("worldbody")]
    while waiting:
        node, childclass = waiting.pop()
        inner = node.values.get("childclass", childclass)
        waiting.extend((child, inner) for child in node.children)
        if node.tag == "geom":
            values, _ = defaults.values(node, childclass)
            stays = values["contype"] or values["conaffinity"] or values.get("fluidshape", "none") == "ellipsoid"
            if stays or values.get("name") in named:
                found.add(values.get("mesh", ""))
    return found.union(*(_named(section, "mesh") for section in root.children if section.tag != "worldbody"))


def _only_seen(geom: Geom) -> bool:
    """Whether a geom neither collides nor feels a fluid by itself."""
    return not geom.collides and geom.values.get("fluidshape", "none") != "ellipsoid"


def fuse_static(tree: Tree, root: Node, settings: Settings, log: Diagnostics) -> None:
    """Make every body without joints a part of its parent, parents before children.

    What it held comes behind what the parent holds; its own bodies take its place. A body stays that something names, that a
    force or torque sensor looks at, whose forces would change, or that says so itself.
    """
    keep = _Kept(tree, root, settings)
    _fuse_below(tree.world, keep, tree, log)
    tree.bodies = []
    _collect(tree.world, tree.bodies)


def _collect(body: Body, found: list[Body]) -> None:
    """Number the bodies below one, depth first."""
    for child in body.children:
        child.index = len(found)
        found.append(child)
        _collect(child, found)


def _fuse_below(parent: Body, keep: _Kept, tree: Tree, log: Diagnostics) -> None:
    """Fuse the children of a body with it; their children are considered in their place."""
    waiting, result = list(reversed(parent.children)), []
    while waiting:
        body = waiting.pop()
        if keep(body):
            result.append(body)
            continue
        _merge(body)
        log.mark("approximated", body.node.location, "part of its parent: fusestatic")
        tree.names.pop(("body", body.name), None)
        waiting.extend(reversed(body.children))
    parent.children = result
    for body in result:
        _fuse_below(body, keep, tree, log)


class _Kept:
    """Says which bodies stay bodies."""

    def __init__(self, tree: Tree, root: Node, settings: Settings) -> None:
        self._settings = settings
        self._bodies = _named(root, "body")
        self._sites = {node.values.get("site") for section in root.sections("sensor") for node in section.children if node.tag in ("force", "torque")}
        options = [section.values for section in root.sections("option")]
        self._fluid = any(next((o[name] for o in reversed(options) if name in o), 0.0) > 0 for name in ("density", "viscosity"))

    def __call__(self, body: Body) -> bool:
        """Whether a body cannot become part of its parent."""
        parent = body.parent
        assert parent is not None
        written = body.node.values
        if body.joints or body.mocap or written.get("fuse") == "false" or body.name in self._bodies:
            return True
        if written.get("sleep", "auto") != "auto" or any(child.tag == "plugin" for child in body.node.children):
            return True
        if any(site.name in self._sites for site in body.sites if site.name):
            return True
        if parent.parent is None:  # nothing moves the world
            return False
        if self._fluid and any(geom.values.get("fluidshape") == "ellipsoid" for geom in body.geoms):
            return True
        if body.mass.mass < MINVAL:
            return False
        if self._fluid or body.values.get("gravcomp", 0.0) != parent.values.get("gravcomp", 0.0):
            return True
        from_geoms = self._settings.of(body.node).inertiafromgeom == "true"
        return from_geoms and (body.adjusted or parent.adjusted)


def _merge(body: Body) -> None:
    """Put what is in a body into its parent, at the same place."""
    parent, pose = body.parent, (body.pos, body.quat)
    assert parent is not None
    for item in (*body.geoms, *body.sites, *body.cameras):
        item.pos, item.quat = frames.compose(*pose, item.pos, item.quat)
    for light in body.lights:
        light.pos, _ = frames.compose(*pose, light.pos, frames.IDENTITY)
        light.dir = frames.rotate(body.quat, light.dir)
    for geom in body.geoms:
        geom.mass = None if geom.mass is None else _moved(geom.mass, *pose)
    for child in body.children:
        child.pos, child.quat = frames.compose(*pose, child.pos, child.quat)
        child.parent = parent
    parent.geoms += body.geoms
    parent.sites += body.sites
    parent.cameras += body.cameras
    parent.lights += body.lights
    if parent.parent is not None and body.mass.mass >= MINVAL:
        parent.mass, parent.parts = _sum(parent, body, pose)


def _sum(parent: Body, body: Body, pose: Pose) -> tuple[MassProperties, list[MassProperties]]:
    """Mass of two bodies in one, and the masses of geoms that it is the sum of; written moments are turned as a matrix."""
    if body.parts and (parent.parts or parent.mass.mass < MINVAL):
        parts = [*parent.parts, *(_moved(part, *pose) for part in body.parts)]
        return combine(parts), parts
    if parent.mass.mass >= MINVAL:
        return combine([parent.mass, _moved(body.mass, *pose)]), []
    alone = _moved(body.mass, *pose)
    alone.diag, alone.quat = eigen3(alone.matrix())
    return alone, []


def _named(root: Node, space: str) -> set[Any]:
    """The names of a namespace that elements refer to."""
    found: set[Any] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting.extend(node.children)
        for attribute, value in node.values.items():
            fact = reference(node.kind, attribute) if isinstance(value, str) else None
            if fact is None:
                continue
            kind = fact[0]
            if kind.startswith("@"):
                kind = object_namespace(str(node.values.get(kind[1:], ""))) or ""
            if kind == space:
                found.update(value.split() if fact[1] else [value])
    return found
