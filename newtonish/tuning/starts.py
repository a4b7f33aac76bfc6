"""Gains to begin with: those of a spring and damper on the joint's inertia that would meet the specification."""

from __future__ import annotations

import math

import numpy as np

from newtonish.tuning.rig import Rig
from newtonish.tuning.specification import Specification

__all__ = ["start_values"]

_LEAST_RATIO, _LARGEST_RATIO = 0.65, 1.0
"""Of critical damping: below it courses ring, above it they creep."""

_MARGIN = 1.15
"""By how much a start is faster than asked for."""


def start_values(rig: Rig, specification: Specification) -> np.ndarray:
    """Numbers to begin with, (targets, 2)."""
    return np.array([_drive(rig, t, specification) if target.kind == "drive" else _limit(rig, t, specification) for t, target in enumerate(rig.targets)])


def _ratio(overshoot: float | None) -> float:
    """Damping ratio of a second-order system that overshoots by half of what is allowed."""
    if overshoot is None:
        return 0.9
    log = math.log(max(0.5 * min(overshoot, 1.0), 1e-9))
    return min(max(-log / math.hypot(math.pi, log), _LEAST_RATIO), _LARGEST_RATIO)


def _drive(rig: Rig, t: int, specification: Specification) -> tuple[float, float]:
    """Of the frequency that settles or rises in time, stiff enough for gravity, within the force allowed; for the inertia of the heaviest scenario."""
    target, bounds = rig.targets[t], specification.bounds
    inertia, load = float(rig.inertia(t).max()), float(np.abs(rig.held(t)).max())
    own_stiffness, own_damping = float(rig.compiled.jnt_stiffness[target.joint]), float(rig.compiled.dof_damping[target.dof])
    ratio = _ratio(bounds.get("overshoot"))
    square = target.gear * target.gear
    wanted = [(target.authored[0] * square + own_stiffness) / inertia] if not {"settle", "rise"} & set(bounds) else []
    if "settle" in bounds:
        wanted.append((_MARGIN * (5.8 if ratio > 0.9 else 4.6) / (ratio * bounds["settle"])) ** 2)
    if "rise" in bounds:
        wanted.append((_MARGIN * (1.0 + 2.3 * ratio * ratio) / bounds["rise"]) ** 2)
    stiffness = inertia * max(wanted)
    if "steady" in bounds and load > 0.0:
        stiffness = max(stiffness, _MARGIN * load / bounds["steady"])
    if "force" in bounds:
        way = float(np.abs(rig.way.reshape(rig.shape)[t]).max())
        room = max(0.9 * bounds["force"] - load, 0.1 * bounds["force"])
        stiffness = min(stiffness, room / way)
    damping = 2.0 * ratio * math.sqrt(stiffness * inertia) - own_damping
    kp = max(stiffness - own_stiffness, 0.05 * stiffness) / square
    return kp, max(damping, 0.05 * 2.0 * ratio * math.sqrt(stiffness * inertia)) / square


def _limit(rig: Rig, t: int, specification: Specification) -> tuple[float, float]:
    """Of the time constant that stops a critically damped impact in the depth allowed: depth is speed/(e omega)."""
    target, bounds = rig.targets[t], specification.bounds
    omega = rig.motion.speed / (math.e * 0.8 * bounds["depth"]) if "depth" in bounds else 5.0 / bounds.get("settle", 0.1)
    least = 2.0 * rig.timestep  # refsafe lengthens shorter ones
    constant = max(1.0 / omega, least)
    return (constant, 1.0) if target.names[0] == "timeconst" else (1.0 / constant**2, 2.0 / constant)
