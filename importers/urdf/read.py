"""From a URDF file or text to a :class:`~newtonish.importers.urdf.parts.Robot`: every number parsed, every name checked.

The XML is read by the reader of MJCF, so each element knows its place and entities are refused.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError, problem
from newtonish.importers import frames
from newtonish.importers.urdf.custom import CustomValues
from newtonish.importers.urdf.parts import Frame, Geometry, Inertial, Joint, Link, Mimic, Robot, identity
from newtonish.mjcf.language.limits import limits
from newtonish.mjcf.language.read import Node

__all__ = ["Reader", "check_root", "is_text", "is_urdf"]

MAXVAL = 1e10
"""Largest number that a file may hold; as a limit it stands for none."""
JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
MIMICS = ("revolute", "continuous", "prismatic")
_ROOT = re.compile(rb"^(?:\xef\xbb\xbf)?\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<\s*([A-Za-z_][\w.:-]*)", re.DOTALL)


def is_text(source: object) -> bool:
    """Whether a source is XML text and not the name of a file."""
    return isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")


def is_urdf(source: object) -> bool:
    """Whether a path or text is URDF: by its ending, else by its root element, as MuJoCo tells formats apart."""
    if is_text(source):
        head = str(source)[:65536].encode("utf-8", "replace")
    elif not isinstance(source, (str, os.PathLike)):
        return False
    else:
        try:
            path = Path(source)
            if path.suffix.lower() in (".urdf", ".npz"):
                return path.suffix.lower() == ".urdf"
            with open(path, "rb") as file:
                head = file.read(65536)
        except (OSError, ValueError):
            return False
    match = _ROOT.match(head)
    return match is not None and match.group(1) == b"robot"


class Reader:
    """Reads the elements of one file.

    Args:
        log: Where problems go.
        scale: Factor of lengths.
        custom: Reads custom attributes.
    """

    def __init__(self, log: Diagnostics, scale: float, custom: CustomValues) -> None:
        self._log = log
        self._scale = scale
        self._custom = custom
        self._materials: dict[str, list[float]] = {}

    def read(self, root: Node) -> Robot:
        """Return what a tree says; the tree's root is the element ``robot``."""
        log = self._log
        robot = Robot(root.text.get("name", ""), root, custom=self._custom.read(root, "robot", log))
        for node in root.sections("material"):
            self._material(node)
        for node in root.sections("link"):
            link = self._link(node)
            if link is not None:
                self._insert(robot.links, link.name, link, "link")
        for node in root.sections("joint"):
            joint = self._joint(node)
            if joint is not None:
                self._insert(robot.joints, joint.name, joint, "joint")
        sections = list(root.sections("mujoco"))
        robot.extension = sections[0] if sections else None
        for node in sections[1:]:
            log.problem(node.location, "element 'mujoco'", "a second one", "one", "merge them")
        if not robot.links and not log.problems:
            log.problem(root.location, root.label, "no link", "at least one", "add a link")
        return robot

    def _insert(self, found: dict, name: str, item: Link | Joint, kind: str) -> None:
        if name in found:
            first = found[name].node.location
            self._log.problem(item.node.location, item.node.label, f"the name '{name}' again, first at line {first.line}", "each name once", "rename it")
            return
        found[name] = item

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _numbers(self, node: Node, name: str, count: int, what: str, default: Sequence[float] | None) -> list[float] | None:
        """Return numbers of an attribute; None, and a problem noted, where they are not there."""
        text = node.text.get(name)
        wanted = f"{count} finite numbers" if count > 1 else "a finite number"
        most = math.inf if node.tag == "limit" else MAXVAL  # of limits large numbers mean that there is none
        wanted += "" if math.isinf(most) else f" not beyond {most:g}"
        if text is None or (not text.strip() and default is not None):
            if default is None:
                self._log.problem(node.location, f"{what}, {node.tag}", f"no '{name}'", wanted, f"add '{name}'")
                return None
            return list(default)
        words = text.split()
        try:
            values = [float(word) for word in words if "_" not in word]
        except ValueError:
            values = []
        if len(values) != count or len(words) != count or not all(math.isfinite(value) and abs(value) <= most for value in values):
            given = text if len(text) <= 60 else text[:57] + "..."
            remedy = "expand the file with xacro first" if "${" in text or "$(" in text else "correct the value"
            self._log.problem(node.at(name), f"{what}, {node.tag}, {name}", f"'{given}'", wanted, remedy)
            return None
        return values

    def _number(self, node: Node, name: str, what: str, default: float | None = None) -> float | None:
        """Return one finite number."""
        values = self._numbers(node, name, 1, what, None if default is None else [default])
        return None if values is None else values[0]

    def _optional(self, node: Node | None, name: str, what: str) -> float | None:
        """Return one finite number where it is written."""
        return self._number(node, name, what) if node is not None and name in node.text else None

    def _only(self, node: Node, tag: str, what: str) -> Node | None:
        """Return the child of a name; a second one is a problem."""
        found = list(node.sections(tag))
        for extra in found[1:]:
            self._log.problem(extra.location, f"{what}, {tag}", "a second one", "at most one", "keep one of them")
        return found[0] if found else None

    def _frame(self, node: Node, what: str) -> Frame:
        """Return the pose that ``origin`` gives: roll, pitch, yaw about fixed axes."""
        origin = self._only(node, "origin", what)
        if origin is None:
            return identity()
        xyz = self._numbers(origin, "xyz", 3, what, (0.0, 0.0, 0.0))
        rpy = self._numbers(origin, "rpy", 3, what, (0.0, 0.0, 0.0))
        if xyz is None or rpy is None:
            return identity()
        return np.array(xyz) * self._scale, frames.from_euler(rpy, "XYZ", False)

    # -- elements -----------------------------------------------------------------------------------------------------

    def _name(self, node: Node) -> str | None:
        name = node.text.get("name", "")
        if not name:
            self._log.problem(node.location, f"element '{node.tag}'", "no name", "a name", 'add name="..."')
            return None
        return name

    def _link(self, node: Node) -> Link | None:
        name = self._name(node)
        link = Link(name or "", node, custom=self._custom.read(node, "link", self._log))
        inertial = self._only(node, "inertial", node.label)
        if inertial is not None:
            link.inertial = self._inertial(inertial, node.label)
        for tag, found in (("visual", link.visuals), ("collision", link.collisions)):
            for child in node.sections(tag):
                geometry = self._geometry(child, f"{node.label}, {tag}")
                if geometry is not None:
                    found.append(geometry)
        return link if name else None

    def _inertial(self, node: Node, what: str) -> Inertial | None:
        what = f"{what}, inertial"
        frame = self._frame(node, what)
        mass, inertia = self._only(node, "mass", what), self._only(node, "inertia", what)
        for child, tag in ((mass, "mass"), (inertia, "inertia")):
            if child is None:
                self._log.problem(node.location, what, f"no '{tag}'", "mass and inertia", f"add '{tag}', or leave the inertial out")
        if mass is None or inertia is None:
            return None
        value = self._number(mass, "value", what)
        if value is not None and value < 0.0:
            self._log.problem(mass.at("value"), f"{what}, mass", f"{value:g} kg", "not below zero", "correct the mass")
            value = None
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        # moments about an axis must be written, products are zero where they are not
        moments = [self._number(inertia, name, what, None if name[1] == name[2] else 0.0) for name in names]
        if value is None or any(moment is None for moment in moments):
            return None
        xx, yy, zz, xy, xz, yz = (float(moment or 0.0) * self._scale**2 for moment in moments)
        return Inertial(node, frame, value, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))

    def _geometry(self, node: Node, what: str) -> Geometry | None:
        what = f"{what} '{node.text['name']}'" if node.text.get("name") else what
        frame, holder = self._frame(node, what), self._only(node, "geometry", what)
        shapes = [] if holder is None else [c for c in holder.children if c.tag in ("box", "sphere", "cylinder", "capsule", "mesh")]
        material = self._only(node, "material", what)
        rgba = None if material is None else self._material(material)
        if holder is None or len(shapes) != 1:
            given = f"{len(shapes)} shapes" if holder is not None else "no geometry"
            self._log.problem((holder or node).location, what, given, "one of box, sphere, cylinder, capsule, mesh", "correct the geometry")
            return None
        size = self._size(shapes[0], what)
        if size is None:
            return None
        return Geometry(node, shapes[0], frame, shapes[0].tag, size, rgba, custom=self._custom.read(holder, "geometry", self._log))

    def _size(self, node: Node, what: str) -> list[float] | None:
        """Return the size of a shape as builders take it."""
        scale = self._scale
        if node.tag == "mesh":
            if not node.text.get("filename", "").strip():
                self._log.problem(node.location, f"{what}, mesh", "no 'filename'", "the name of a mesh file", "add 'filename'")
                return None
            factors = self._numbers(node, "scale", 3, what, (1.0, 1.0, 1.0))
            if factors is not None and not all(factors):
                self._log.problem(node.at("scale"), f"{what}, mesh, scale", f"{factors}", "factors other than zero", "correct it")
                return None
            return None if factors is None else [factor * scale for factor in factors]
        if node.tag == "box":
            values = self._numbers(node, "size", 3, what, None)
            values = None if values is None else [0.5 * value for value in values]
        else:
            # Bullet's files call a capsule's length by that name, others its height; both mean the cylinder between the balls
            length = "height" if node.tag == "capsule" and "length" not in node.text and "height" in node.text else "length"
            read = [self._number(node, "radius", what)]
            read += [] if node.tag == "sphere" else [self._number(node, length, what)]
            values = None if any(value is None for value in read) else [float(value or 0.0) for value in read]
            values = values if values is None else [values[0], *(0.5 * value for value in values[1:])]
        if values is None:
            return None
        if min(values) <= 0.0:
            self._log.problem(node.location, f"{what}, {node.tag}", "a size that is not positive", "metres above zero", "correct it")
            return None
        return [value * scale for value in values]

    def _material(self, node: Node) -> list[float] | None:
        """Return a material's colour: its own, or that of the material of its name."""
        name = node.text.get("name", "")
        color = self._only(node, "color", node.label)
        if color is None:
            return self._materials.get(name)
        rgba = self._numbers(color, "rgba", 4, node.label, None)
        if rgba is None:
            return None
        rgba = [min(max(value, 0.0), 1.0) for value in rgba]
        if name:
            self._materials[name] = rgba
        return rgba

    def _joint(self, node: Node) -> Joint | None:
        log, what = self._log, node.label
        name, kind = self._name(node), node.text.get("type", "")
        if kind not in JOINT_TYPES:
            given = f"type '{kind[:40]}'" if kind else "no type"
            log.problem(node.at("type"), what, given, ", ".join(JOINT_TYPES), "choose one of these")
        ends = []
        for tag in ("parent", "child"):
            end = self._only(node, tag, what)
            if end is None or not end.text.get("link"):
                log.problem((end or node).location, what, f"no {tag} link", f'<{tag} link="..."/>', f"name the {tag} link")
            ends.append("" if end is None else end.text.get("link", ""))
        frame, axis = self._frame(node, what), np.array([1.0, 0.0, 0.0])
        written = self._only(node, "axis", what)
        if written is not None and kind not in ("fixed", "floating"):
            numbers = self._numbers(written, "xyz", 3, what, (1.0, 0.0, 0.0))
            try:
                axis = axis if numbers is None else frames.normalize(numbers, "an axis")
            except ValueError as error:
                log.problem(written.at("xyz"), f"{what}, axis", str(error), "a direction", "correct the axis")
        if name is None or kind not in JOINT_TYPES or not all(ends):
            return None
        joint = Joint(name, node, kind, ends[0], ends[1], frame, axis, custom=self._custom.read(node, "joint", log))
        self._settings(joint)
        return joint

    def _settings(self, joint: Joint) -> None:
        """Read limit, dynamics and mimic of a joint."""
        log, node, what = self._log, joint.node, joint.node.label
        limit, dynamics, mimic = (self._only(node, tag, what) for tag in ("limit", "dynamics", "mimic"))
        lower, upper = self._optional(limit, "lower", what), self._optional(limit, "upper", what)
        joint.effort, joint.velocity = self._optional(limit, "effort", what), self._optional(limit, "velocity", what)
        joint.damping, joint.friction = self._optional(dynamics, "damping", what), self._optional(dynamics, "friction", what)
        for name, value, at in (("damping", joint.damping, dynamics), ("friction", joint.friction, dynamics), ("effort", joint.effort, limit)):
            if value is not None and value < 0.0 and at is not None:
                log.problem(at.at(name), f"{what}, {name}", f"{value:g}", "not below zero", "correct it")
        if limit is not None and (lower is not None or upper is not None):
            if joint.type in ("continuous", "fixed", "floating"):
                log.ignored(f"{joint.type} limits", limit.location, f"{what}, lower and upper", f"have no effect on a {joint.type} joint")
            else:
                # where one of the two is written the other one is zero, as the format has it
                joint.lower, joint.upper = (min(max(value or 0.0, -MAXVAL), MAXVAL) for value in (lower, upper))
                if joint.lower > joint.upper:
                    given = f"{joint.lower:g} to {joint.upper:g}"
                    log.problem(limit.location, f"{what}, limit", given, "lower not above upper", "swap or correct them")
                elif joint.lower == joint.upper == 0.0:  # files write this for no limit, and MuJoCo reads it so
                    joint.lower = joint.upper = None
        if joint.velocity is not None:
            note = "is kept in joint_velocity_limit; MuJoCo's model has no such limit"
            log.ignored("velocity", limit.at("velocity") if limit else None, f"{what}, velocity", note, warn=False)
        if mimic is not None:
            self._mimic(joint, mimic)

    def _mimic(self, joint: Joint, node: Node) -> None:
        log, what = self._log, joint.node.label
        multiplier, offset = self._number(node, "multiplier", what, 1.0), self._number(node, "offset", what, 0.0)
        if joint.type not in MIMICS:
            log.problem(node.location, f"{what}, mimic", f"a {joint.type} joint", ", ".join(MIMICS), "remove the mimic")
        elif not node.text.get("joint"):
            log.problem(node.location, f"{what}, mimic", "no 'joint'", "the name of a joint", "add 'joint'")
        elif multiplier is not None and offset is not None:
            joint.mimic = Mimic(node, node.text["joint"], multiplier, offset)


def check_root(root: Node) -> None:
    """Raise unless the root element is ``robot`` and elements are nested no deeper than files may be."""
    if root.tag != "robot":
        remedy = "use add_mjcf" if root.tag == "mujoco" else "expand the file with xacro first" if "xacro" in root.tag else "pass a URDF file"
        raise ImporterError(problem(f"{root.location}: element '{root.tag}'", "as the root", "'robot'", remedy))
    most, waiting = limits().depth, [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > most:
            raise ImporterError(problem(f"{node.location}: {node.label}", f"more than {most} levels deep", f"{most} levels", "flatten the file"))
        waiting += [(child, depth + 1) for child in node.children]
