"""The kinematic tree: bodies with their joints, geoms and sites, frames composed, and the mass of every body.

Bodies come in depth-first order as in MuJoCo. A ``frame`` element only moves what is inside it, so it leaves nothing
behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.assets.materials import Looks
from newtonish.importers.mjcf.cameras import CameraReader, check_targets
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.geoms import GeomReader
from newtonish.importers.mjcf.inertia import MassProperties, combine, eigen3, full_matrix
from newtonish.importers.mjcf.joints import check_joints, read_freejoint, read_joint
from newtonish.importers.mjcf.lights import read_light
from newtonish.importers.mjcf.roles import pattern
from newtonish.importers.mjcf.roots import RootChanges
from newtonish.importers.mjcf.static import discard_visual, fuse_static
from newtonish.importers.mjcf.tree import Body, Tree
from newtonish.mjcf.language.read import Node

__all__ = ["TreeReader"]

_CLASS = {"body": "childclass", "geom": "class", "site": "class"}
LATER = {
    "flexcomp": "remove the deformable object",
}


class TreeReader:
    """Reads all ``worldbody`` elements of a file into one tree."""

    def __init__(
        self,
        settings: Settings,
        defaults: Defaults,
        geoms: GeomReader,
        cameras: CameraReader,
        looks: Looks,
        log: Diagnostics,
        ignore: Sequence[str] = (),
        use_inertials: bool = True,
        ignore_classes: Sequence[str] = (),
        roots: RootChanges = RootChanges(),  # noqa: B008
    ) -> None:
        self._settings = settings
        self._defaults = defaults
        self._geoms = geoms
        self._cameras = cameras
        self._looks = looks
        self._log = log
        self._ignore = [pattern("ignore_names", text) for text in ignore]
        self._ignore_classes = [pattern("ignore_classes", text) for text in ignore_classes]
        self._scale = defaults.lengths.scale
        self._roots = roots
        self._use_inertials = use_inertials
        self._tree: Tree

    def read(self, root: Node) -> Tree:
        """Return the tree of a file."""
        world = Body(root, "world", None, np.zeros(3), frames.IDENTITY.copy())
        self._tree = Tree(world)
        self._tree.names["body", "world"] = world
        frame = (np.zeros(3), frames.IDENTITY.copy())
        for section in root.sections("worldbody"):
            self._contents(section, world, None, frame)
        for body in self._tree.bodies:
            check_joints(body, self._log)
            self._weigh(body)
        check_targets(self._tree, self._log)
        self._roots.apply(self._tree)
        self._check_moving(world)
        if self._settings.discardvisual:
            discard_visual(self._tree, root, self._settings, self._log)
        if self._settings.fusestatic:
            fuse_static(self._tree, root, self._settings, self._log)
        self._scale_total()
        for body in self._tree.bodies:
            if body.align and not body.children and len(body.joints) == 1 and body.parent is world:
                _align(body)
        return self._tree

    def register(self, kind: str, item: Any) -> None:
        """Note a name; names are unique for each kind of element."""
        if not item.name:
            return
        key = (kind, item.name)
        if key in self._tree.names:
            before = getattr(self._tree.names[key], "node", item.node).location
            self._log.problem(item.node.at("name"), item.node.label, "a name that is taken", f"each name once ({before})", "rename it")
            return
        self._tree.names[key] = item

    def _skipped(self, node: Node) -> bool:
        """Whether the caller asked to leave out elements of this name, or geoms, sites and bodies of this class."""
        name, given = node.text.get("name", ""), node.text.get(_CLASS.get(node.tag, ""), "")
        return any(p.match(name) for p in self._ignore if name) or any(p.match(given) for p in self._ignore_classes if given)

    def _forget(self, node: Node) -> None:
        """Note the names of an element that is left out as asked for, and of all in it."""
        kind = "joint" if node.tag == "freejoint" else node.tag
        self._tree.forgotten.add((kind, node.values.get("name", "")))
        for child in node.children:
            self._forget(child)

    def _contents(self, node: Node, body: Body, childclass: str | None, frame: tuple[np.ndarray, np.ndarray]) -> None:
        """Read what is inside a body, the world or a frame."""
        for child in node.children:
            if not child.kind:
                continue
            if self._skipped(child):
                self._forget(child)
                continue
            tag = child.tag
            if tag == "body":
                self._body(child, body, childclass, frame)
            elif tag == "frame":
                inner = frames.compose(*frame, *self._pose(child))
                self._contents(child, body, self._childclass(child, childclass), inner)
            elif tag in ("joint", "freejoint", "inertial"):
                self._motion(child, body, childclass, frame)
            elif tag == "geom":
                geom = self._geoms.geom(child, childclass, frame, body)
                if geom is not None:
                    body.geoms.append(geom)
                    self.register("geom", geom)
            elif tag == "site":
                site = self._geoms.site(child, childclass, frame)
                if site is not None:
                    body.sites.append(site)
                    self.register("site", site)
            elif tag == "camera":
                camera = self._cameras.camera(child, childclass, frame, body)
                body.cameras.append(camera)
                self.register("camera", camera)
            elif tag == "light":
                light = read_light(child, childclass, frame, self._defaults, self._looks, self._log)
                body.lights.append(light)
                self.register("light", light)
            elif tag in LATER:
                self._log.problem(child.location, child.label, f"'{tag}'", "not supported yet", LATER[tag])
            elif tag == "plugin":
                self._log.ignored("plugin", child.location, f"plugin in {node.label}", "is not simulated")

    def _pose(self, node: Node) -> tuple[np.ndarray, np.ndarray]:
        """Position and orientation of a body or frame."""
        pos = np.array(node.values.get("pos", (0.0, 0.0, 0.0)))
        if not np.isfinite(pos).all():
            self._log.problem(node.at("pos"), f"{node.label}, pos", str(pos), "finite numbers", "correct it")
            pos = np.zeros(3)
        return self._scale * pos, self._settings.orientation(node, node.values, self._log)

    def _childclass(self, node: Node, inherited: str | None) -> str | None:
        """The default class of what is inside."""
        name = node.values.get("childclass")
        if name is None:
            return inherited
        return self._defaults.lookup(name, node, "childclass").name

    def _body(self, node: Node, parent: Body, childclass: str | None, frame: tuple[np.ndarray, np.ndarray]) -> None:
        """Read one body with everything below it."""
        own = self._pose(node)
        pos, quat = frames.compose(*frame, *own)
        body = Body(node, node.values.get("name", ""), parent, pos, quat, node.values)
        # MuJoCo gives a body without mass its own written pose as inertial frame.
        body.massless = MassProperties(0.0, *own)
        parent.children.append(body)
        self._tree.bodies.append(body)
        body.index = len(self._tree.bodies) - 1
        self.register("body", body)
        identity = (np.zeros(3), frames.IDENTITY.copy())
        self._contents(node, body, self._childclass(node, childclass), identity)

    def _motion(self, node: Node, body: Body, childclass: str | None, frame: tuple[np.ndarray, np.ndarray]) -> None:
        """Read a joint or an inertial of a body."""
        if body.parent is None:
            self._log.problem(node.location, node.label, f"'{node.tag}' in the world", "geoms, sites, bodies", "remove it")
            return
        if node.tag == "inertial":
            if body.inertial is not None:
                self._log.problem(node.location, body.node.label, "a second inertial", "one", "remove it")
            body.inertial = self._inertial(node, frame)
            return
        if node.tag == "freejoint":
            joint = read_freejoint(node, self._defaults)
            align = node.values.get("align", "auto")
            body.align = align == "true" or (align == "auto" and self._settings.of(node).alignfree)
        else:
            joint = read_joint(node, childclass, frame, self._settings, self._defaults, self._log)
            body.align = joint.type == "free" and self._settings.of(node).alignfree
        body.joints.append(joint)
        self.register("joint", joint)

    def _inertial(self, node: Node, frame: tuple[np.ndarray, np.ndarray]) -> MassProperties:
        """Read an explicit inertial frame: principal moments with axes, or six numbers of a matrix."""
        values = node.values
        log = self._log
        mass = values.get("mass", 0.0)
        diag = np.array(values.get("diaginertia", (0.0, 0.0, 0.0)))
        quat = self._settings.orientation(node, values, log)
        if "fullinertia" in values:
            for name in ("diaginertia", "quat", "axisangle", "xyaxes", "zaxis", "euler"):
                if name in values:
                    log.problem(node.at(name), "inertial", f"fullinertia and {name} together", "one of them", "keep one")
            full = full_matrix(values["fullinertia"])
            if np.isfinite(full).all():
                diag, quat = eigen3(full)
            if not np.isfinite(full).all() or diag[2] < MINVAL:
                log.problem(node.at("fullinertia"), "inertial, fullinertia", "moments not above zero", "positive", "correct it")
        if not (0 <= mass < np.inf and np.isfinite(diag).all() and np.all(diag >= 0)):
            given = f"mass {mass:g}, moments {diag.tolist()}"
            log.problem(node.location, "inertial", given, "finite numbers not below zero", "correct them")
            return MassProperties()
        pos, quat = frames.compose(*frame, self._scale * np.array(values.get("pos", (0.0, 0.0, 0.0))), quat)
        return MassProperties(mass, pos, quat, self._scale**2 * diag)

    def _weigh(self, body: Body) -> None:
        """Choose between the written inertial and that of the geoms; apply the bounds."""
        settings = self._settings.of(body.node)
        first, last = settings.inertiagrouprange
        from_geoms = settings.inertiafromgeom
        parts = [g.mass for g in body.geoms if g.mass is not None and first <= g.values["group"] <= last]
        derive = from_geoms == "true" or (from_geoms == "auto" and body.inertial is None) or not self._use_inertials
        body.mass = combine(parts) if derive else MassProperties()
        if body.mass.mass <= 0:
            body.mass = body.inertial or body.massless
        else:
            body.parts = parts
        mass = body.mass
        least = self._scale**2 * settings.boundinertia
        body.adjusted = mass.mass < settings.boundmass or bool(np.any(mass.diag < least))
        mass.mass = max(mass.mass, settings.boundmass)
        mass.diag = np.maximum(mass.diag, least)
        a, b, c = sorted(mass.diag)
        if a + b < c * (1 - 1e-9):
            if settings.balanceinertia:
                mass.diag = np.full(3, float(mass.diag.mean()))
                body.adjusted = True
            else:
                self._log.problem(
                    ((body.inertial and body.node) or body.node).location,
                    body.node.label,
                    f"principal moments {mass.diag.tolist()}",
                    "no moment above the sum of the others",
                    "correct them, or set balanceinertia in <compiler>",
                )
        if body.adjusted:
            body.parts = []

    def _check_moving(self, world: Body) -> None:
        """Note bodies that move without mass."""
        for body in self._tree.bodies:
            if body.joints and not _has_mass(body):
                self._log.problem(
                    body.node.location,
                    body.node.label,
                    f"mass {body.mass.mass:g} and moments {body.mass.diag.tolist()} on a moving body",
                    f"more than {MINVAL:g}",
                    "add a geom or an inertial",
                )

    def _scale_total(self) -> None:
        """Scale all masses to ``settotalmass``."""
        wanted = self._settings.settotalmass
        if wanted <= 0:
            return
        scale = wanted / max(MINVAL, sum(body.mass.mass for body in self._tree.bodies))
        for body in self._tree.bodies:
            mass = body.mass
            body.mass = MassProperties(mass.mass * scale, mass.pos, mass.quat, mass.diag * scale)


def _has_mass(body: Body) -> bool:
    """Whether a body, or a body fixed to it, has mass and moments."""
    if body.mass.mass >= MINVAL and np.all(body.mass.diag >= MINVAL):
        return True
    return any(_has_mass(child) for child in body.children if not child.joints)


def _align(body: Body) -> None:
    """Move a free body's frame to its inertial frame; its contents stay where they are."""
    pos, quat = body.mass.pos, body.mass.quat
    back = frames.invert(pos, quat)
    body.pos, body.quat = frames.compose(body.pos, body.quat, pos, quat)
    for item in (*body.geoms, *body.sites, *body.cameras):
        item.pos, item.quat = frames.compose(*back, item.pos, item.quat)
    for light in body.lights:
        light.pos, _ = frames.compose(*back, light.pos, frames.IDENTITY)
        light.dir = frames.rotate(back[1], light.dir)
    mass = body.mass
    body.mass = MassProperties(mass.mass, diag=mass.diag)
