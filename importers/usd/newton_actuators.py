"""``NewtonActuator`` prims as actuators: a PD controller as a servo in general form, a PID controller as MuJoCo's, with their clamps and delays.

Their law is ``effort = constEffort + feedforward + kp (target - q) + kd (target velocity - v) + ki integral``, in radians whatever UsdPhysics has. The one
control here is the target; its velocity is zero, and a feedforward is added to the forces of joints.
"""

from __future__ import annotations

import math
from typing import Any

from newtonish.importers.usd.bodies import BodyReader
from newtonish.importers.usd.dialects import Resolver
from newtonish.importers.usd.document import element
from newtonish.importers.usd.source import Source
from newtonish.mjcf.language.read import Node

__all__ = ["read_newton_actuators"]

LAWS = {"NewtonPDControlAPI": ("kp", "kd", "constEffort"), "NewtonPIDControlAPI": ("kp", "kd", "ki", "integralMax", "constEffort")}
UNREAD = ("NewtonNeuralControlAPI", "NewtonDCMotorClampingAPI", "NewtonPositionBasedClampingAPI")
JOINTS = {"PhysicsRevoluteJoint": True, "PhysicsPrismaticJoint": False}
"""Types of joints that actuators act on, and whether they turn."""
STEP = 0.002
"""MuJoCo's time step, where the stage says none [s]."""


def read_newton_actuators(source: Source, resolver: Resolver, bodies: BodyReader, step: float | None) -> list[Node]:
    """Return the elements of the stage's actuators.

    Args:
        source: The stage.
        resolver: Its dialects; without ``newton`` none is read.
        bodies: Its bodies and joints.
        step: Time step [s], which delays are counted in; None for that of MuJoCo.
    """
    nodes = []
    for prim in source.of("NewtonActuator"):
        laws = [name for name in LAWS if name in source.apis(prim)]
        unread = [name for name in UNREAD if name in source.apis(prim)]
        if "newton" not in resolver.order or len(laws) != 1 or unread:
            note = (
                "is left out: its dialect is not asked for" if "newton" not in resolver.order else f"is left out: it has {unread or laws or 'no control law'}"
            )
            source.log.ignored("NewtonActuator", source.place(prim), source.path(prim), f"{note}; one of {', '.join(LAWS)} is read")
            continue
        if not bodies.leads_out(prim, "newton:targets"):
            node = _actuator(source, prim, laws[0], step or STEP)
            nodes += [] if node is None else [node]
    return nodes


def _actuator(source: Source, prim: Any, law: str, step: float) -> Node | None:
    """The element of one actuator; None, and a problem, for one that cannot be."""
    targets = [str(path) for path in source.targets(prim, "newton:targets")]
    found = source.stage.GetPrimAtPath(targets[0]) if targets else None
    turns = JOINTS.get(source.kind(found)) if found else None
    if turns is None:
        given = f"{targets[0]}, which is no such joint" if targets else "no target"
        source.problem(prim, "newton:targets", given, "a revolute or a prismatic joint", "name one, or deactivate the prim")
        return None
    for path in targets[1:]:
        source.log.ignored("NewtonActuator target", source.place(prim), "newton:targets", f"has {path} too; the first one is read")
    gain = source.mass * (source.length**2 if turns else 1.0)
    numbers = {name: _number(source, prim, name) for name in LAWS[law]}
    effort = source.mass * source.length ** (2 if turns else 1)
    offset = numbers["constEffort"] * effort
    values: dict[str, Any] = {"joint": targets[0], **_limits(source, prim, effort), **_delay(source, prim, step)}
    if law == "NewtonPDControlAPI":
        kp, kd = numbers["kp"] * gain, numbers["kd"] * gain
        values |= {"gaintype": "fixed", "gainprm": [kp], "biastype": "affine", "biasprm": [offset, -kp, -kd]}
        tag = "general"
    else:
        if offset:
            source.problem(prim, "newton:constEffort", f"{numbers['constEffort']:g}", "0 for a PID controller", "add it to the forces of joints")
        most = numbers["integralMax"] * (1.0 if turns else source.length)
        values |= {"kp": numbers["kp"] * gain, "kv": numbers["kd"] * gain, "ki": numbers["ki"] * gain}
        values |= {"imax": most} if math.isfinite(most) else {}
        tag = "pid"
    note = "has its target as its one control: the target's velocity is zero, and feedforward goes to control.joint_f"
    source.log.approximated("NewtonActuator", source.place(prim), law, note)
    return element(tag, source.path(prim), **values)


def _number(source: Source, prim: Any, name: str) -> float:
    """A number of a control law, not below zero but for a constant effort."""
    usual = math.inf if name == "integralMax" else 0.0
    value = source.number(prim, f"newton:{name}", usual)
    if (name != "constEffort" and value < 0.0) or (name != "integralMax" and not math.isfinite(value)):
        source.problem(prim, f"newton:{name}", str(value), "a finite number not below zero", "correct it")
        return usual
    return value


def _limits(source: Source, prim: Any, effort: float) -> dict[str, Any]:
    """The range of its force."""
    most = source.number(prim, "newton:maxEffort", math.inf) if "NewtonMaxEffortClampingAPI" in source.apis(prim) else math.inf
    if not most >= 0.0:
        source.problem(prim, "newton:maxEffort", str(most), "a number not below zero", "correct it")
    elif math.isfinite(most):
        return {"forcerange": [-most * effort, most * effort], "forcelimited": "true"}
    return {}


def _delay(source: Source, prim: Any, step: float) -> dict[str, Any]:
    """The buffer that its control waits in."""
    if "NewtonActuatorDelayAPI" not in source.apis(prim):
        return {}
    steps = source.get(prim, "newton:delaySteps", 1)
    if not isinstance(steps, int) or steps < 0:
        source.problem(prim, "newton:delaySteps", str(steps), "a whole number not below zero", "correct it")
        return {}
    return {"nsample": steps, "delay": steps * step} if steps else {}
