"""Actuators: rows of the ``mujoco:actuator`` frequency in MuJoCo's general form.

A damping ratio stands as a positive third bias parameter, as in MuJoCo's own specification: what damping it means is
known only once the mass matrix is, so conversion resolves it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from newtonish.common.actuator_parameters import Affine, DCMotorDyn, DCMotorGain, PIDDyn, PIDGain
from newtonish.common.enums import GainType
from newtonish.diagnostics import Diagnostics
from newtonish.importers.mjcf.actuator_state import REFUSED, ActuatorState
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.history import read_history
from newtonish.importers.mjcf.joints import is_limited
from newtonish.importers.mjcf.lengths import Lengths
from newtonish.importers.mjcf.tree import Joint, Tree
from newtonish.mjcf.language.read import Node
from newtonish.mjcf.language.schema import nearest
from newtonish.namespaces.mujoco_actuators import SO3_JOINT, SO3_SITE, activations, controls, signature

__all__ = ["control_count", "read_actuators", "stateful"]

JOINT, JOINT_IN_PARENT, TENDON, SITE, BODY, SLIDERCRANK = range(6)
"""Kinds of transmission, as scripts for Newton's solver count them; those of orientations follow."""
INPUT_NAMES = ("pos", "vel", "ff", "voltage")
SERVOS = ("position", "velocity", "intvelocity")
"""Actuators whose control is a coordinate or its rate."""


@dataclass
class Target:
    """What an actuator acts on."""

    kind: int
    objects: tuple[Any, ...]
    label: str
    node: Node | None = None
    user: list[float] = field(default_factory=list)

    @property
    def joint(self) -> Joint | None:
        """The joint, for joint transmissions."""
        return self.objects[0] if self.kind in (JOINT, JOINT_IN_PARENT) else None

    def ids(self) -> tuple[int, int]:
        """Indices in the builder, once the tree has been emitted: first dof, body or shape, -1 for none."""
        found = [item.dof if isinstance(item, Joint) else item.index for item in self.objects]
        first, second = (*found, -1, -1)[:2]
        return first, second


def stateful(row: dict[str, Any]) -> int:
    """Number of activations of a row."""
    if row["mujoco:actuator_actdim"] >= 0:
        return int(row["mujoco:actuator_actdim"])
    kinds = row["mujoco:actuator_dyntype"], row["mujoco:actuator_gaintype"]
    return activations(*kinds, row["mujoco:actuator_dynprm"], row["mujoco:actuator_gainprm"])


def control_count(row: dict[str, Any]) -> int:
    """Number of controls of a row."""
    return controls(row["mujoco:actuator_gaintype"], row["mujoco:actuator_ctrlspec"])


def read_actuators(root: Node, tree: Tree, settings: Settings, defaults: Defaults, log: Diagnostics) -> list[dict[str, Any]]:
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
            if target is not None and GainType.SO3 in (state.gaintype, state.biastype):
                target = _orientation(node, state, target, log)
            if target is not None:
                target.node, target.user = node, state.plain.get("user", [])
                row = _row(node, name or f"actuator{len(rows)}", state, target, settings, log)
                _measure(row, node, state, target, defaults.lengths)
                rows.append(row)
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


def _orientation(node: Node, state: ActuatorState, target: Target, log: Diagnostics) -> Target | None:
    """What a servo of an orientation turns: a ball joint, or a site against another."""
    joint = target.joint
    if target.kind == SITE and len(target.objects) == 2:
        kind = SO3_SITE
    elif target.kind == JOINT and joint is not None and joint.type == "ball":
        kind = SO3_JOINT
    else:
        allowed = "a ball joint, or a site with a refsite"
        log.problem(node.location, node.label, f"an orientation of {target.label}", allowed, "name one of these")
        return None
    where, what = node.location, node.label
    if not state.gaintype == state.biastype == GainType.SO3:
        log.problem(where, what, "so3 as gaintype or biastype alone", "so3 for both", "write both")
    elif state.gainprm[Affine.CONSTANT] != -state.biasprm[Affine.LENGTH]:
        given = f"gain {state.gainprm[Affine.CONSTANT]} and bias {state.biasprm[Affine.LENGTH]}"
        log.problem(where, what, given, "opposite numbers", "correct one")
    if state.dyntype > 1 or (state.dyntype == 1 and state.ctrlspec == 2):
        log.problem(where, what, "these activation dynamics", "none, or integrator with input expmap", "change dyntype")
    return Target(kind, target.objects, target.label)


def _find(node: Node, attribute: str, kind: str, tree: Tree, log: Diagnostics) -> Any:
    """Look up a named element."""
    name = node.values.get(attribute, "")
    found = tree.names.get((kind, name))
    if found is None:
        known = [n for k, n in tree.names if k == kind]
        hint = nearest(name, known) or f"name a {kind}"
        log.problem(node.at(attribute), f"{node.label}, {attribute}", f"'{name}'", f"the name of a {kind}", hint)
    return found


def _row(node: Node, name: str, state: ActuatorState, target: Target, settings: Settings, log: Diagnostics) -> dict[str, Any]:
    """Put one actuator into the form of a row."""
    plain = state.plain
    ranges = {key: list(plain.get(key, (0.0, 0.0))) for key in ("ctrlrange", "forcerange", "actrange", "velrange", "ffrange")}
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
        "actuator_ctrlspec": signature(state.gaintype, state.ctrlspec),
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
        "ctrl_type": 3 if state.gaintype == GainType.DCMOTOR else 2,
        "actuator_velrange": ranges["velrange"],
        "actuator_ffrange": ranges["ffrange"],
    }
    if state.gaintype == GainType.SO3 and row["actuator_ctrlspec"] == 2:
        row["ctrl"] = 1.0  # the identity quaternion
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


def _measure(row: dict[str, Any], node: Node, state: ActuatorState, target: Target, lengths: Lengths) -> None:
    """Scale what is given in the coordinate of the target, and turn the axis of a hinge that is part of a ball, in place."""
    joint, tag = target.joint, node.tag
    name = node.values.get("jointinparent", node.values.get("joint"))
    for hinge in (h for h in joint.hinges if h.name == name) if joint is not None else ():
        gear = row["mujoco:actuator_gear"]
        row["mujoco:actuator_gear"] = [*(gear[0] * hinge.axis).tolist(), *gear[3:]]
    moved = lengths.of_joint(joint)
    if target.kind == TENDON and target.objects[0].path:
        moved = lengths.scale
    names = ["lengthrange"]
    if tag in SERVOS or (tag == "dcmotor" and row["mujoco:actuator_ctrlspec"] in (1, 2)):
        names.append("ctrlrange")
    if tag == "intvelocity":
        names.append("actrange")
    inherited = state.plain.get("inheritrange", 0.0) > 0  # from a range that is scaled already
    for name in names:
        if name in state.plain or not inherited:
            row[f"mujoco:actuator_{name}"] = [v * moved for v in row[f"mujoco:actuator_{name}"]]
    row["mujoco:actuator_cranklength"] *= lengths.scale


def _check(node: Node, row: dict[str, Any], state: ActuatorState, target: Target, log: Diagnostics) -> None:
    """Note numbers that are no numbers, and what is kept as data without being simulated."""
    for value in row.values():
        numbers = value if isinstance(value, (list, tuple)) else [value]
        if any(isinstance(v, float) and not math.isfinite(v) for v in numbers):
            log.problem(node.location, node.label, f"{value}", "finite numbers", "correct it")
            break
    where, what = node.location, node.label
    if state.gaintype in (GainType.PID, GainType.DCMOTOR):
        _check_inputs(node, state, row["actuator_ctrlspec"], log)
    if (state.gaintype == GainType.DCMOTOR) != (state.biastype == GainType.DCMOTOR):
        log.problem(where, what, "dcmotor as gaintype or biastype alone", "dcmotor for both", "write both")
    if GainType.SO3 in (state.gaintype, state.biastype) and row["actuator_forcelimited"] and row["actuator_forcerange"][0] != 0:
        given = f"forcerange {row['actuator_forcerange']}"
        log.problem(node.at("forcerange"), what, given, "0 and the largest torque", "correct the range")


def _check_inputs(node: Node, state: ActuatorState, spec: int, log: Diagnostics) -> None:
    """Note inputs that a servo does not take, and what needs inputs that are not there."""
    where, what = node.at("input"), f"{node.label}, input"
    motor = state.gaintype == GainType.DCMOTOR
    given = " ".join(name for k, name in enumerate(INPUT_NAMES) if spec & (1 << k)) or "none"
    if spec & ~(15 if motor else 7) and not (motor and spec == 16):
        words = ", ".join(INPUT_NAMES[: 4 if motor else 3])
        log.problem(where, what, given, f"some of {words}", "correct it")
    gain, dyn = state.gainprm, state.dynprm
    controller, integral, slew = False, gain[PIDGain.KI], dyn[PIDDyn.SLEWMAX]
    if motor:
        controller = any(gain[DCMotorGain.KP : DCMotorGain.VMAX])
        integral, slew = gain[DCMotorGain.KI], dyn[DCMotorDyn.SLEWMAX]
    if not motor and state.biastype != 1:
        log.problem(node.location, node.label, "pid without affine bias", 'biastype="affine"', "write it")
    if not motor and integral and state.dyntype != 6:
        log.problem(node.location, node.label, "an integral gain without activations", 'dyntype="pid"', "write it")
    if (integral or (slew and not motor)) and not spec & 1:
        log.problem(where, what, given, "pos among them, as there is integral action or a slew limit", "add pos")
    elif (controller or slew) and not spec & 7:
        log.problem(where, what, given, "pos, vel or ff among them, as there is a controller", "add one of them")
    if motor and spec & 7 and not gain[DCMotorGain.MOTORCONST] > 0:
        log.problem(node.location, node.label, "a controller without motor constant", "a positive motorconst", "write it")


def _inherit(node: Node, factor: float, target: Target, log: Diagnostics) -> list[float]:
    """Return the target's range, scaled about its middle."""
    joint = target.joint
    span = list(joint.range) if joint is not None and joint.type in ("hinge", "slide") else [0.0, 0.0]
    if target.kind == TENDON:
        span = list(target.objects[0].row["mujoco:tendon_range"])
    if not span[0] < span[1]:
        given = f"inheritrange from {target.label or 'its target'}, which has no range"
        log.problem(node.at("inheritrange"), node.label, given, "a hinge, slide or tendon with a range", "write ctrlrange")
        return [0.0, 0.0]
    low, high = span
    middle, half = 0.5 * (low + high), 0.5 * (high - low) * factor
    return [middle - half, middle + half]
