"""History buffers of actuators and sensors: attributes nsample, interp, delay and interval."""

from __future__ import annotations

import math
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.mjcf.language.read import Node

__all__ = ["read_history", "read_interval"]

INTERPOLATIONS = ("zoh", "linear", "cubic")
_MOST_SAMPLES = 100_000


def read_history(node: Node, values: dict[str, Any], log: Diagnostics) -> dict[str, Any]:
    """Return ``nsample``, ``interp`` and ``delay`` of an actuator or sensor, checked."""
    samples, delay = values.get("nsample", 0), values.get("delay", 0.0)
    if not 0 <= samples <= _MOST_SAMPLES:
        allowed = f"0 to {_MOST_SAMPLES}"
        log.problem(node.at("nsample"), f"{node.label}, nsample", str(samples), allowed, "correct it")
        samples = 0
    if not 0.0 <= delay < math.inf:
        log.problem(node.at("delay"), f"{node.label}, delay", str(delay), "a time >= 0", "correct it")
    elif delay > 0.0 and samples == 0:
        given, remedy = f"delay {delay} without a history buffer", "write nsample, e.g. the delay over the time step"
        log.problem(node.at("delay"), f"{node.label}, delay", given, "a delay with nsample > 0", remedy)
    return {"nsample": samples, "interp": INTERPOLATIONS.index(values.get("interp", "zoh")), "delay": delay}


def read_interval(node: Node, log: Diagnostics) -> list[float]:
    """Return the period and the phase of a sensor, checked."""
    given = node.values.get("interval", [])
    period, phase = (*(given if isinstance(given, list) else [given]), 0.0, 0.0)[:2]
    where, what = node.at("interval"), f"{node.label}, interval"
    if not 0.0 <= period < math.inf:
        log.problem(where, what, f"period {period}", "a time >= 0", "correct it")
    elif phase > 0.0 or not math.isfinite(phase):
        log.problem(where, what, f"phase {phase}", "a time <= 0, of an evaluation before the start", "correct it")
    elif period > 0.0 and phase <= -period:
        log.problem(where, what, f"phase {phase}", f"above -{period}, minus the period", "correct it")
    return [period, phase]
