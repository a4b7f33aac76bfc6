"""What is tuned: stiffness and damping of the drive of a joint, or the two numbers of its limit's ``solref``."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from newtonish.common.enums import BiasType, JointType, TrnType
from newtonish.errors import ModelError, problem

__all__ = ["Target", "find_drives", "find_targets"]


@dataclass(frozen=True)
class Target:
    """Two positive numbers of one joint.

    Attributes:
        name: The joint's.
        kind: ``drive`` or ``limit``.
        unit: ``m`` or ``rad``.
        joint, dof, qpos: Its numbers.
        names: What the two numbers are called: kp and kv, timeconst and dampratio, or stiffness and damping.
        authored: The model's own.
        stiffener, damper: Actuators of a drive with the stiffness and with the damping, often the same.
        gear: Of the drive, on the joint.
        low, high: Where the joint may be commanded to [unit].
        sign: Side of a limit, 1 the upper.
    """

    name: str
    kind: str
    unit: str
    joint: int
    dof: int
    qpos: int
    names: tuple[str, str]
    authored: tuple[float, float]
    stiffener: int = -1
    damper: int = -1
    gear: float = 1.0
    low: float = -math.inf
    high: float = math.inf
    sign: int = 1

    def write(self, arrays: dict[str, np.ndarray], worlds: Any, values: np.ndarray) -> None:
        """Put values (worlds, 2) into copies of the model's arrays, world first."""
        first, second = values[..., 0], values[..., 1]
        if self.kind == "limit":
            sign = -1.0 if self.names[0] == "stiffness" else 1.0
            arrays["jnt_solref"][worlds, self.joint] = sign * values
            return
        gain, bias = arrays["actuator_gainprm"], arrays["actuator_biasprm"]
        gain[worlds, self.stiffener, 0] *= first / -bias[worlds, self.stiffener, 1]
        bias[worlds, self.stiffener, 1] = -first
        if self.damper != self.stiffener and np.all(bias[worlds, self.damper, 2] < 0.0):
            gain[worlds, self.damper, 0] *= second / -bias[worlds, self.damper, 2]
        bias[worlds, self.damper, 2] = -second


def find_targets(compiled: Any, patterns: Sequence[str], kind: str = "drive") -> list[Target]:
    """Drives or limits of joints by name.

    Args:
        compiled: The model.
        patterns: Names of joints, patterns with ``*`` and ``?``, or ``all``.
        kind: ``drive`` or ``limit``.

    Raises:
        ModelError: A name that no such joint has.
    """
    known = {target.name: target for target in (find_drives(compiled) if kind == "drive" else _limits(compiled))}
    found: dict[str, Target] = {}
    for pattern in patterns:
        names = list(known) if pattern == "all" else [pattern] if pattern in known else [name for name in known if _matches(name, pattern)]
        if not names:
            joints = [name for name in compiled.jnt_names if name]
            what = "with position control" if kind == "drive" else "with a limit"
            near = difflib.get_close_matches(pattern, [*known, *(name.rsplit("/", 1)[-1] for name in known)], n=2)
            given = repr(pattern) + (f", which is no hinge or slide {what}" if pattern in joints else "")
            listed = ", ".join(list(known)[:12]) + (f" and {len(known) - 12} others" if len(known) > 12 else "")
            remedy = f"did you mean {' or '.join(near)}?" if near else "name one of these, a pattern with * and ?, or all"
            raise ModelError(problem("joint", given, listed or f"none, the model has no hinge or slide {what}", remedy))
        found |= {name: known[name] for name in names}
    return list(found.values())


def _matches(name: str, pattern: str) -> bool:
    """Whether a name or the last part of a path is the pattern or follows it."""
    return fnmatchcase(name, pattern) or fnmatchcase(name.rsplit("/", 1)[-1], pattern)


def _scalar(compiled: Any, joint: int) -> dict[str, Any]:
    """What both kinds have in common."""
    slide = compiled.jnt_type[joint] == JointType.SLIDE
    return {
        "name": compiled.jnt_names[joint] or f"joint {joint}", "unit": "m" if slide else "rad", "joint": joint,
        "dof": int(compiled.jnt_dofadr[joint]), "qpos": int(compiled.jnt_qposadr[joint]),
    }  # fmt: skip


def find_drives(compiled: Any) -> list[Target]:
    """Hinges and slides with one actuator of a stiffness, and at most one other of a damping."""
    prm = np.asarray(compiled.actuator_biasprm)
    groups: dict[int, list[int]] = {}
    for i in range(compiled.nactuator):
        simple = compiled.actuator_biastype[i] == BiasType.AFFINE and compiled.actuator_outnum[i] == 1
        joint = int(compiled.actuator_trnid[i, 0])
        if simple and compiled.actuator_trntype[i] in (TrnType.JOINT, TrnType.JOINTINPARENT) and compiled.jnt_type[joint] in (JointType.SLIDE, JointType.HINGE):
            groups.setdefault(joint, []).append(i)
    found = []
    for joint, actuators in groups.items():
        stiff = [i for i in actuators if prm[i, 1] < 0.0]
        damped = [i for i in actuators if prm[i, 2] < 0.0 and i not in stiff]
        gears = [float(compiled.actuator_gear[int(compiled.actuator_outadr[i]), 0]) for i in stiff]
        if len(stiff) == 1 and len(damped) <= 1 and gears[0] != 0.0:
            found.append(_drive(compiled, joint, stiff[0], damped[0] if damped else stiff[0], gears[0]))
    return found


def _drive(compiled: Any, joint: int, stiffener: int, damper: int, gear: float) -> Target:
    prm, control = np.asarray(compiled.actuator_biasprm), int(compiled.actuator_ctrladr[stiffener])
    low, high = compiled.jnt_range[joint] if compiled.jnt_limited[joint] else (-math.inf, math.inf)
    if compiled.actuator_ctrllimited[control]:
        gain = float(compiled.actuator_gainprm[stiffener, 0])
        ends = sorted((gain * float(c) + prm[stiffener, 0]) / (-prm[stiffener, 1] * gear) for c in compiled.actuator_ctrlrange[control])
        low, high = max(low, ends[0]), min(high, ends[1])
    authored = float(-prm[stiffener, 1]), float(-prm[damper, 2])
    return Target(
        **_scalar(compiled, joint), kind="drive", names=("kp", "kv"), authored=authored, stiffener=stiffener, damper=damper, gear=gear,
        low=float(low), high=float(high),
    )  # fmt: skip


def _limits(compiled: Any) -> list[Target]:
    found = []
    for joint in np.flatnonzero(compiled.jnt_limited).tolist():
        if compiled.jnt_type[joint] in (JointType.SLIDE, JointType.HINGE):
            solref = np.asarray(compiled.jnt_solref[joint], dtype=float)
            names = ("stiffness", "damping") if solref[0] <= 0.0 else ("timeconst", "dampratio")
            low, high = map(float, compiled.jnt_range[joint])
            authored = (max(abs(float(solref[0])), 1e-4), max(abs(float(solref[1])), 1e-4))
            found.append(Target(**_scalar(compiled, joint), kind="limit", names=names, authored=authored, low=low, high=high))
    return found
