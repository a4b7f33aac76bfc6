"""Tendons as rows of ``mujoco:tendon``: weighted sums of joints in ``mujoco:tendon_joint``, paths in ``mujoco:tendon_wrap``."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.assets.materials import Looks
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.joints import is_limited
from newtonish.importers.mjcf.tree import Joint, Tree
from newtonish.importers.mjcf.wraps import Wrap, read_path
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest
from newtonish.namespaces.looks import Material

__all__ = ["Tendon", "read_tendons"]


@dataclass
class Tendon:
    """A fixed or spatial tendon.

    Attributes:
        joints: Joints with their coefficients, of a fixed tendon.
        path: What a spatial tendon goes through.
        row: Its attributes.
        material: Its material, None for none.
        user: Its user's numbers.
        index: Its row in the builder, once it has been written.
    """

    node: Node
    name: str
    joints: list[tuple[Joint, float]]
    path: list[Wrap] = field(default_factory=list)
    row: dict[str, Any] = field(default_factory=dict)
    material: Material | None = None
    user: list[float] = field(default_factory=list)
    index: int = -1


def read_tendons(root: Node, tree: Tree, settings: Settings, defaults: Defaults, looks: Looks, log: Diagnostics) -> list[Tendon]:
    """Return the tendons of a file and register them, by their names if they have some."""
    tendons: list[Tendon] = []
    for section in root.sections("tendon"):
        for node in section.children:
            if node.kind not in ("fixed", "spatial"):
                continue
            values, _ = defaults.values(node, None)
            tendon = Tendon(node, values.get("name", ""), [], material=looks.material(node, values), user=values.get("user", []))
            if node.kind == "fixed":
                tendon.joints = _joints(node, tree, log)
            else:
                tendon.path = read_path(node, tree, values.get("armature", 0.0) != 0.0, log)
            label = tendon.name or f"tendon{len(tendons)}"
            tendon.row = {f"mujoco:tendon_{key}": v for key, v in _row(node, label, values, settings, log).items()}
            key = ("tendon", tendon.name)
            if key in tree.names:
                log.problem(node.at("name"), node.label, "a name that is taken", "each name once", "rename it")
            if tendon.name:
                tree.names[key] = tendon
            tendons.append(tendon)
    tree.tendons = tendons
    return tendons


def _joints(node: Node, tree: Tree, log: Diagnostics) -> list[tuple[Joint, float]]:
    """Read the joints of a tendon; each may stand in it once."""
    found: list[tuple[Joint, float]] = []
    for child in node.sections("joint"):
        pair = _joint(child, tree, log)
        if pair is not None and any(pair[0] is joint for joint, _ in found):
            name = child.values["joint"]
            log.problem(child.at("joint"), node.label, f"joint '{name}' twice", "each joint once", "add the coefficients")
        elif pair is not None:
            found.append(pair)
    if not any(node.sections("joint")):
        log.problem(node.location, node.label, "no joint", "at least one joint", "add one")
    return found


def _joint(node: Node, tree: Tree, log: Diagnostics) -> tuple[Joint, float] | None:
    """Read one joint of a tendon with its coefficient."""
    name = node.values.get("joint", "")
    joint = tree.names.get(("joint", name))
    if joint is None:
        hint = nearest(name, [n for k, n in tree.names if k == "joint"]) or "name a joint"
        log.problem(node.at("joint"), "tendon joint", f"'{name}'", "the name of a joint", hint)
        return None
    if joint.type not in ("hinge", "slide"):
        log.problem(node.at("joint"), f"tendon joint '{name}'", f"a {joint.type} joint", "hinge or slide", "name another")
        return None
    return joint, node.values.get("coef", 0.0)


def _row(node: Node, label: str, values: dict[str, Any], settings: Settings, log: Diagnostics) -> dict[str, Any]:
    """Return the attributes of one tendon."""
    span = list(values.get("range", (0.0, 0.0)))
    force = list(values.get("actuatorfrcrange", (0.0, 0.0)))
    limited = is_limited(node, "range", values["limited"], span, settings, log)
    force_limited = is_limited(node, "actuatorfrcrange", values["actuatorfrclimited"], force, settings, log)
    for name, active, numbers in (("range", limited, span), ("actuatorfrcrange", force_limited, force)):
        if active and not numbers[0] < numbers[1]:
            log.problem(node.at(name), f"{node.label}, {name}", str(numbers), "two rising numbers", "correct it")
    if force_limited and not force[0] <= 0.0 <= force[1]:
        log.problem(node.at("actuatorfrcrange"), node.label, f"force range {force}", "a range around 0", "correct it")
    armature = values.get("armature", 0.0)
    if armature < 0.0:
        log.problem(node.at("armature"), f"{node.label}, armature", str(armature), "not below zero", "correct it")
    stiffness, damping = (_padded(values.get(name, [])) for name in ("stiffness", "damping"))
    rest = values["springlength"]
    if rest[0] > rest[1]:
        log.problem(node.at("springlength"), node.label, f"rest lengths {rest}", "two rising numbers", "correct them")
    threshold = values.get("springyield", 0.0)
    if threshold < 0.0:
        log.problem(node.at("springyield"), f"{node.label}, springyield", str(threshold), "not below zero", "correct it")
    row = {
        "label": label,
        "type": int(node.kind == "spatial"),
        "limited": int(limited),
        "range": span,
        "actuator_force_limited": int(force_limited),
        "actuator_force_range": force,
        "margin": values.get("margin", 0.0),
        "stiffness": stiffness[0],
        "stiffnesspoly": stiffness[1:],
        "damping": damping[0],
        "dampingpoly": damping[1:],
        "frictionloss": values.get("frictionloss", 0.0),
        "armature": armature,
        "springlength": rest,
        "springyield": threshold,
        "solref_limit": values["solreflimit"],
        "solref_limit_mode": 1,
        "solimp_limit": values["solimplimit"],
        "solref_friction": values["solreffriction"],
        "solimp_friction": values["solimpfriction"],
        "group": values.get("group", 0),
        "width": values.get("width", 0.003),
        "rgba": values.get("rgba", [0.5, 0.5, 0.5, 1.0]),
    }
    for key, value in row.items():
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(v, float) and not math.isfinite(v) for v in numbers):
            log.problem(node.location, f"{node.label}, {key}", str(value), "finite numbers", "correct it")
    return row


def _padded(terms: list[float]) -> list[float]:
    """Fill the coefficients of a polynomial with zeros."""
    return terms + [0.0] * (3 - len(terms))
