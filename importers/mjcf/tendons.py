"""Fixed tendons: weighted sums of joint coordinates, as rows of ``mujoco:tendon`` and ``mujoco:tendon_joint``."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from newtonish.importers.diagnostics import Diagnostics
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.joints import is_limited
from newtonish.importers.mjcf.read import Node
from newtonish.importers.mjcf.schema import nearest
from newtonish.importers.mjcf.tree import Joint, Tree

__all__ = ["Tendon", "read_tendons"]


@dataclass
class Tendon:
    """A fixed tendon.

    Attributes:
        joints: Joints with their coefficients.
        row: Its attributes.
        index: Its row in the builder, once it has been written.
    """

    node: Node
    name: str
    joints: list[tuple[Joint, float]]
    row: dict[str, Any] = field(default_factory=dict)
    index: int = -1


def read_tendons(root: Node, tree: Tree, settings: Settings, defaults: Defaults, log: Diagnostics) -> list[Tendon]:
    """Return the fixed tendons of a file and register their names; spatial ones are noted elsewhere."""
    tendons: list[Tendon] = []
    for section in root.sections("tendon"):
        for node in section.sections("fixed"):
            values, _ = defaults.values(node, None)
            joints = [_joint(child, tree, log) for child in node.sections("joint")]
            if not joints:
                log.problem(node.location, node.label, "no joint", "at least one joint", "add one")
            tendon = Tendon(node, values.get("name", ""), [pair for pair in joints if pair is not None])
            label = tendon.name or f"tendon{len(tendons)}"
            tendon.row = {f"mujoco:tendon_{key}": v for key, v in _row(node, label, values, settings, log).items()}
            key = ("tendon", tendon.name)
            if tendon.name and key in tree.names:
                log.problem(node.at("name"), node.label, "a name that is taken", "each name once", "rename it")
            tree.names[key] = tendon
            tendons.append(tendon)
    return tendons


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
    rest = values["springlength"]
    if "springlength" in node.values and len(node.values["springlength"]) == 1:
        rest = [rest[0], rest[0]]
    if rest[0] > rest[1]:
        log.problem(node.at("springlength"), node.label, f"rest lengths {rest}", "two rising numbers", "correct them")
    row = {
        "label": label,
        "type": 0,
        "limited": int(limited),
        "range": span,
        "actuator_force_limited": int(force_limited),
        "actuator_force_range": force,
        "margin": values.get("margin", 0.0),
        "stiffness": _first(node, "stiffness", values, log),
        "damping": _first(node, "damping", values, log),
        "frictionloss": values.get("frictionloss", 0.0),
        "armature": values.get("armature", 0.0),
        "springlength": rest,
        "solref_limit": values["solreflimit"],
        "solref_limit_mode": 1,
        "solimp_limit": values["solimplimit"],
        "solref_friction": values["solreffriction"],
        "solimp_friction": values["solimpfriction"],
    }
    for key, value in row.items():
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(v, float) and not math.isfinite(v) for v in numbers):
            log.problem(node.location, f"{node.label}, {key}", str(value), "finite numbers", "correct it")
    return row


def _first(node: Node, name: str, values: dict[str, Any], log: Diagnostics) -> float:
    """Return the linear term of a polynomial, and note the others."""
    terms = values.get(name, [0.0])
    if any(terms[1:]):
        log.ignored(f"tendon.{name}", node.at(name), f"{node.label}, {name}", "its higher terms are not simulated yet")
    return terms[0]
