"""Under what a test is run: poses of the robot and masses that it carries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.common.enums import EqType, JointType
from newtonish.tuning.targets import Target

__all__ = ["Scenario", "carrier", "make_scenarios", "start_of"]

_MIDDLE = 0.7
"""Share of a joint's range that poses are drawn from."""

_UNLIMITED = 0.8
"""How far unlimited hinges are turned away from the first pose, at most [rad]."""


@dataclass(frozen=True)
class Scenario:
    """One pose and payload.

    Attributes:
        pose: Its number; 0 is the keyframe or reference pose.
        payload: [kg].
        qpos: Positions (nq).
        direction: 1 or -1, which way steps go.
    """

    pose: int
    payload: float
    qpos: np.ndarray
    direction: int


def make_scenarios(compiled: Any, keyframe: int | None, poses: int, payloads: Sequence[float], seed: int) -> list[Scenario]:
    """All poses with all payloads; poses after the first are drawn from the middle of the ranges of hinges and slides.

    Joints of equality constraints and free joints stay as they are in the first pose.
    """
    first = np.array(compiled.qpos0 if keyframe is None else compiled.key_qpos[keyframe], dtype=float).ravel()
    drawn = _drawn(compiled)
    random = np.random.default_rng(seed)
    found = []
    for pose in range(poses):
        qpos = first.copy()
        for joint in drawn if pose else ():
            place = int(compiled.jnt_qposadr[joint])
            low, high = compiled.jnt_range[joint] if compiled.jnt_limited[joint] else (-math.inf, math.inf)
            if compiled.jnt_limited[joint]:
                margin = 0.5 * (1.0 - _MIDDLE) * (high - low)
                qpos[place] = random.uniform(low + margin, high - margin)
            elif compiled.jnt_type[joint] == JointType.HINGE:
                qpos[place] = first[place] + random.uniform(-_UNLIMITED, _UNLIMITED)
        found += [Scenario(pose, float(payload), qpos, -1 if pose % 2 else 1) for payload in payloads]
    return found


def _drawn(compiled: Any) -> list[int]:
    coupled: set[int] = set()
    for e in range(compiled.neq):
        if compiled.eq_type[e] == EqType.JOINT:
            coupled |= {int(compiled.eq_obj1id[e]), int(compiled.eq_obj2id[e])}
    scalar = np.isin(compiled.jnt_type, (JointType.SLIDE, JointType.HINGE))
    return [joint for joint in np.flatnonzero(scalar).tolist() if joint not in coupled]


def carrier(compiled: Any, joint: int) -> int:
    """Body that carries the payload of a joint: the last one before its chain branches."""
    body = int(compiled.jnt_bodyid[joint])
    while True:
        children = [child for child in range(1, compiled.nbody) if compiled.body_parentid[child] == body and child != body]
        if len(children) != 1:
            return body
        body = children[0]


def start_of(target: Target, scenario: Scenario, size: float) -> tuple[float, float]:
    """Where a joint starts and how far it is commanded, so that both ends are in its range; its sign follows where there is room."""
    low, high = target.low, target.high
    start = float(np.clip(scenario.qpos[target.qpos], low, high))
    if math.isfinite(low) and math.isfinite(high):
        size = min(size, 0.5 * (high - low))
        start = float(np.clip(start, low + 0.1 * size, high - 0.1 * size))
    way = scenario.direction * size
    if not low <= start + way <= high:
        way = -way
    if not low <= start + way <= high:
        start = 0.5 * (low + high) - 0.5 * way
    return start, way
