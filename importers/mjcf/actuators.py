"""Actuators: rows of the ``mujoco:actuator`` frequency in MuJoCo's general form.

A damping ratio stands as a positive third bias parameter, as in MuJoCo's own specification: what damping it means is
known only once the mass matrix is, so conversion resolves it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from newtonish.importers.diagnostics import Diagnostics
from newtonish.importers.mjcf.actuator_state import MUSCLE, REFUSED, ActuatorState
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.history import read_history
from newtonish.importers.mjcf.joints import is_limited
from newtonish.importers.mjcf.read import Node
from newtonish.importers.mjcf.schema import nearest
from newtonish.importers.mjcf.tree import Joint, Tree

__all__ = ["read_actuators", "stateful"]

JOINT, JOINT_IN_PARENT, TENDON, SITE, BODY, SLIDERCRANK = range(6)
"""Kinds of transmission, as scripts for Newton's solver count them."""

DYN_NAMES = ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user")
GAIN_NAMES = ("fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user")
BIAS_NAMES = ("none", "affine", "muscle", "dcmotor", "so3", "user")


@dataclass
class Target:
    """What an actuator acts on."""

    kind: int
    objects: tuple[Any, ...]
    label: str

    @property
    def joint(self) -> Joint | None:
        """The joint, for joint transmissions."""
        return self.objects[0] if self.kind in (JOINT, JOINT_IN_PARENT) else None

    def ids(self) -> tuple[int, int]:
        """Indices in the builder, once the tree has been emitted: first dof, body or shape, -1 for none."""
        found = [item.dof if isinstance(item, Joint) else item.index for item in self.objects]
        first, second = (*found, -1, -1)[:2]
        return first, second


SIMULATED_DYNAMICS = (0, 1, 2, 3, 4)  # none, integrator, filter, filterexact, muscle

def stateful(row: dict[str, Any]) -> int:
    """Number of activations of a row."""
    if row["mujoco:actuator_actdim"] >= 0:
        return row["mujoco:actuator_actdim"]
    return int(row["mujoco:actuator_dyntype"] != 0)


def read_actuators(
    root: Node, tree: Tree, settings: Settings, defaults: Defaults, log: Diagnostics
) -> list[dict[str, Any]]:
    """Return the rows of all actuators in the order of the file; ``actuator_trnid`` holds a :class:`Target`."""
    rows: list[dict[str, Any]] = []
    names: set[str] = set()
    for section in root.sections("actuator"):
        for node in section.children:
            if not node.kind:
                continue
            if node.tag in REFUSED:
                log.problem(node.location, node.label, f"'{node.tag}'", "not supported yet", "use general or position")
                continue
            name = node.values.get("name", "")
            if name and name in names:
                log.problem(node.at("name"), node.label, "a name that is taken", "each name once", "rename it")
            names.add(name)
            target = _target(node, tree, log)
            state = defaults.find(node, None).actuator.copy()
            state.apply(node, log)
            if target is not None:
                rows.append(_row(node, name or f"actuator{len(rows)}", state, target, settings, log))
    return rows


def _target(node: Node, tree: Tree, log: Diagnostics) -> Target | None:
    """Find what an actuator acts on; None, with a problem, when it names nothing that exists."""
    values = node.values
    for attribute, kind in (("joint", JOINT), ("jointinparent", JOINT_IN_PARENT)):
        # A file that gives both means the latter, as in MuJoCo.
        if attribute in values and not (attribute == "joint" and "jointinparent" in values):
            joint = _find(node, attribute, "joint", tree, log)
            return joint and Target(kind, (joint,), joint.name)
    if "tendon" in values:
        tendon = _find(node, "tendon", "tendon", tree, log)
        return tendon and Target(TENDON, (tendon,), tendon.name)
    if "cranksite" in values or "slidersite" in values:
        crank = _find(node, "cranksite", "site", tree, log)
        slider = _find(node, "slidersite", "site", tree, log)
        return Target(SLIDERCRANK, (crank, slider), crank.name) if crank and slider else None
    if "site" in values:
        site = _find(node, "site", "site", tree, log)
        other = _find(node, "refsite", "site", tree, log) if "refsite" in values else None
        return site and Target(SITE, (site, other) if other else (site,), site.name)
    if "body" in values:
        body = _find(node, "body", "body", tree, log)
        return body and Target(BODY, (body,), body.name)
    log.problem(node.location, node.label, "no target", "joint, jointinparent, tendon, site, body", "name a target")
    return None


def _find(node: Node, attribute: str, kind: str, tree: Tree, log: Diagnostics) -> Any:
    """Look up a named element."""
    name = node.values.get(attribute, "")
    found = tree.names.get((kind, name))
    if found is None:
        known = [n for k, n in tree.names if k == kind]
        hint = nearest(name, known) or f"name a {kind}"
        log.problem(node.at(attribute), f"{node.label}, {attribute}", f"'{name}'", f"the name of a {kind}", hint)
    return found


def _row(
    node: Node, name: str, state: ActuatorState, target: Target, settings: Settings, log: Diagnostics
) -> dict[str, Any]:
    """Put one actuator into the form of a row."""
    plain = state.plain
    ranges = {key: list(plain.get(key, (0.0, 0.0))) for key in ("ctrlrange", "forcerange", "actrange")}
    inherited = plain.get("inheritrange", 0.0)
    inherits = "actrange" if node.tag == "intvelocity" else "ctrlrange"
    if inherited > 0 and inherits not in plain:
        ranges[inherits] = _inherit(node, inherited, target, log)
    row: dict[str, Any] = {
        "actuator_trntype": target.kind,
        "actuator_trnid": target,
        "actuator_target_label": target.label,
        "actuator_label": name,
        "actuator_dyntype": state.dyntype,
        "actuator_gaintype": state.gaintype,
        "actuator_biastype": state.biastype,
        "actuator_ctrlspec": state.ctrlspec,
        "actuator_dynprm": state.dynprm,
        "actuator_gainprm": state.gainprm,
        "actuator_biasprm": state.biasprm,
        "actuator_gear": state.gear,
        "actuator_damping": state.damping[0],
        "actuator_dampingpoly": state.damping[1:],
        "actuator_armature": plain.get("armature", 0.0),
        "actuator_cranklength": plain.get("cranklength", 0.0),
        "actuator_lengthrange": list(plain.get("lengthrange", (0.0, 0.0))),
        "actuator_actdim": plain.get("actdim", -1),
        "actuator_actearly": plain.get("actearly", False),
        "actuator_group": plain.get("group", 0),
        **{f"actuator_{key}": value for key, value in read_history(node, plain, log).items()},
        "ctrl_source": 1,
        "ctrl_type": 2,
    }
    for key, limit in (("ctrlrange", "ctrllimited"), ("forcerange", "forcelimited"), ("actrange", "actlimited")):
        limited = is_limited(node, key, plain.get(limit, "auto"), ranges[key], settings, log)
        if limited and not ranges[key][0] < ranges[key][1]:
            given = f"{ranges[key]} with {limit}"
            log.problem(node.at(key), f"{node.label}, {key}", given, "two rising numbers", "correct the range")
        row[f"actuator_{limit}"] = int(limited)
        row[f"actuator_{key}"] = ranges[key]
        row[f"actuator_has_{key}"] = int(key in plain or any(ranges[key]))
    _check(node, row, state, target, log)
    return {f"mujoco:{key}": value for key, value in row.items()}


def _check(node: Node, row: dict[str, Any], state: ActuatorState, target: Target, log: Diagnostics) -> None:
    """Note numbers that are no numbers, and what is kept as data without being simulated."""
    for value in row.values():
        numbers = value if isinstance(value, (list, tuple)) else [value]
        if any(isinstance(v, float) and not math.isfinite(v) for v in numbers):
            log.problem(node.location, node.label, f"{value}", "finite numbers", "correct it")
            break
    where, what = node.location, node.label
    span = row["actuator_lengthrange"]
    if MUSCLE in (state.gaintype, state.biastype) and not span[0] < span[1]:
        given, allowed = f"a muscle with lengthrange {span}", "two rising numbers; MuJoCo would find them by simulation"
        log.problem(node.at("lengthrange"), what, given, allowed, "write lengthrange, e.g. that of MuJoCo's compiler")
    if state.dyntype not in SIMULATED_DYNAMICS:
        note = f"its activation dynamics '{DYN_NAMES[state.dyntype]}' are kept but not simulated yet"
        log.ignored("actuator.dyntype", where, what, note)
    if state.gaintype > 2 or state.biastype > 2:
        note = f"gain '{GAIN_NAMES[state.gaintype]}' and bias '{BIAS_NAMES[state.biastype]}' are not simulated yet"
        log.ignored("actuator.gain", where, what, note)


def _inherit(node: Node, factor: float, target: Target, log: Diagnostics) -> list[float]:
    """Return the target's range, scaled about its middle."""
    joint = target.joint
    span = list(joint.range) if joint is not None and joint.type in ("hinge", "slide") else [0.0, 0.0]
    if target.kind == TENDON:
        span = list(target.objects[0].row["mujoco:tendon_range"])
    if not span[0] < span[1]:
        given = f"inheritrange from {target.label or 'its target'}, which has no range"
        log.problem(
            node.at("inheritrange"), node.label, given, "a hinge, slide or tendon with a range", "write ctrlrange"
        )
        return [0.0, 0.0]
    low, high = span
    middle, half = 0.5 * (low + high), 0.5 * (high - low) * factor
    return [middle - half, middle + half]
