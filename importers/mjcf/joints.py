"""Joints: values in radians, limits resolved, axes and anchors in the body's frame."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from newtonish.diagnostics import Diagnostics
from newtonish.importers import frames
from newtonish.importers.mjcf.compiler import Settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.tree import Body, Joint
from newtonish.mjcf.language.read import Node

__all__ = ["check_joints", "is_limited", "read_freejoint", "read_joint"]

Frame = tuple[np.ndarray, np.ndarray]


def is_limited(node: Node, what: str, limited: str, span: list[float], settings: Settings, log: Diagnostics) -> bool:
    """Resolve ``limited``: auto means that the range is written, if ``autolimits`` says so."""
    if limited != "auto":
        return limited == "true"
    if settings.of(node).autolimits:
        return span[0] < span[1]
    if span[0] or span[1]:
        log.problem(
            node.at(what),
            f"{node.label}, {what}",
            "a range without 'limited' while autolimits is false",
            "limited true or false",
            'write limited="true", or turn autolimits on',
        )
    return False


def read_joint(node: Node, childclass: str | None, frame: Frame, settings: Settings, defaults: Defaults, log: Diagnostics) -> Joint:
    """Read one ``joint`` element that stands in ``frame`` of its body."""
    settings = settings.of(node)
    values, authored = defaults.values(node, childclass)
    kind = values["type"]
    pos = frames.compose(*frame, np.array(values.get("pos", (0.0, 0.0, 0.0))), frames.IDENTITY)[0]
    axis = np.array([0.0, 0.0, 1.0])
    try:
        axis = frames.rotate(frame[1], frames.normalize(values["axis"], "an axis"))
    except ValueError as error:
        if kind in ("hinge", "slide"):
            log.problem(node.at("axis"), f"{node.label}, axis", str(error), "a direction", "correct the axis")
    if kind == "free":
        pos = np.zeros(3)
    if kind in ("free", "ball"):
        axis = np.array([0.0, 0.0, 1.0])
    span = list(values.get("range", (0.0, 0.0)))
    limited = kind != "free" and is_limited(node, "range", values["limited"], span, settings, log)
    if limited:
        span = _limits(node, kind, span, settings, log)
    turning = settings.angle_scale if kind == "hinge" else 1.0
    scalar = kind in ("hinge", "slide")
    threshold = values.get("springyield", 0.0)
    if not 0.0 <= threshold < math.inf or (kind == "free" and threshold != 0.0):
        allowed = "a number >= 0, of a hinge, slide or ball"
        log.problem(node.at("springyield"), f"{node.label}, springyield", f"{threshold}, {kind}", allowed, "correct it")
    values["springyield"] = threshold * (settings.angle_scale if kind in ("hinge", "ball") else 1.0)
    for name in ("stiffness", "damping"):
        values[name] = _padded(values.get(name, []), 3)
    force = values["actuatorfrcrange"] = list(values.get("actuatorfrcrange", (0.0, 0.0)))
    values["actuatorfrclimited"] = is_limited(node, "actuatorfrcrange", values["actuatorfrclimited"], force, settings, log)
    if values["actuatorfrclimited"] and not force[0] < force[1]:
        log.problem(node.at("actuatorfrcrange"), node.label, f"force range {force}", "two rising numbers", "correct it")
    spring = values["springdamper"] = list(values.get("springdamper", (0.0, 0.0)))
    if (any(spring) and min(spring) <= 0) or not all(math.isfinite(v) for v in spring):
        allowed = "two numbers above zero, or 0 0 for none"
        log.problem(node.at("springdamper"), f"{node.label}, springdamper", str(spring), allowed, "correct it")
    return Joint(
        node,
        values.get("name", ""),
        kind,
        pos,
        axis,
        limited,
        span,
        values.get("ref", 0.0) * turning if scalar else 0.0,
        values.get("springref", 0.0) * turning if scalar else 0.0,
        values,
        authored,
    )


def read_freejoint(node: Node, defaults: Defaults) -> Joint:
    """Read a ``freejoint`` element: a free joint that takes nothing from default classes."""
    return free_joint(node, node.values.get("name", ""), node.values)


def free_joint(node: Node, name: str, given: dict[str, Any] | None = None) -> Joint:
    """A free joint without stiffness, damping and friction, but for what is ``given``."""
    values: dict[str, Any] = {
        "solreflimit": [0.02, 1.0],
        "solimplimit": [0.9, 0.95, 0.001, 0.5, 2.0],
        "solreffriction": [0.02, 1.0],
        "solimpfriction": [0.9, 0.95, 0.001, 0.5, 2.0],
        "stiffness": [0.0] * 3,
        "damping": [0.0] * 3,
        "springdamper": [0.0, 0.0],
        "actuatorfrcrange": [0.0, 0.0],
        "actuatorfrclimited": False,
        **(given or {}),
    }
    axis = np.array([0.0, 0.0, 1.0])
    return Joint(node, name, "free", np.zeros(3), axis, False, [0.0, 0.0], 0.0, 0.0, values, set(given or ()))


def _limits(node: Node, kind: str, span: list[float], settings: Settings, log: Diagnostics) -> list[float]:
    """Check limits and turn them into radians."""
    if not span[0] < span[1] and kind != "ball":  # a ball's angle is bounded by the larger number, also by zero
        log.problem(node.at("range"), f"{node.label}, range", str(span), "two rising numbers", "correct the range")
    if kind == "ball" and span[0] != 0:
        log.problem(node.at("range"), f"{node.label}, range", str(span), "0 and the largest angle", "start it with 0")
    scale = settings.angle_scale if kind in ("hinge", "ball") else 1.0
    return [value * scale for value in span]


def _padded(values: list[float] | float, count: int) -> list[float]:
    """Fill a list with zeros."""
    given = list(values) if isinstance(values, list) else [values]
    return given + [0.0] * (count - len(given))


def check_joints(body: Body, log: Diagnostics) -> None:
    """Note combinations of joints that no body can have."""
    kinds = [joint.type for joint in body.joints]
    for joint in body.joints:
        for name in ("range", "ref", "springref", "armature", "frictionloss"):
            value = joint.values.get(name, 0.0)
            if not all(math.isfinite(v) for v in (value if isinstance(value, list) else [value])):
                log.problem(joint.node.at(name), f"{joint.node.label}, {name}", str(value), "finite numbers", "correct it")
    at = body.joints[-1].node.location if body.joints else body.node.location
    if sum(joint.dofs for joint in body.joints) > 6:
        log.problem(at, body.node.label, f"joints {', '.join(kinds)}", "at most 6 degrees of freedom", "split the body")
    elif "free" in kinds and body.parent is not None and body.parent.parent is not None:
        log.problem(at, body.node.label, "a free joint below another body", "free joints of top bodies", "move it up")
    elif "ball" in kinds and any(kind in ("ball", "hinge") for kind in kinds[kinds.index("ball") + 1 :]):
        log.problem(at, body.node.label, "a rotation after a ball joint", "a ball as the last rotation", "remove it")
    if body.mocap and (body.joints or body.parent is None or body.parent.parent is not None):
        log.problem(body.node.at("mocap"), body.node.label, "mocap on a moving or nested body", "fixed top bodies", "move it up")
