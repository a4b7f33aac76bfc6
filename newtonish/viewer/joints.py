"""Hinges and slides as sliders: where each joint is, and putting it elsewhere by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.common.enums import JointType
from newtonish.errors import ModelError, problem
from newtonish.viewer.keyframes import to_coordinates

__all__ = ["JointSlider", "joint_sliders", "set_joint"]

_OF_ONE = (JointType.SLIDE, JointType.HINGE)
"""Types of joints that have one coordinate."""


@dataclass(frozen=True)
class JointSlider:
    """One coordinate as a panel shows it.

    Attributes:
        index: MuJoCo's number of the joint.
        name: Its name.
        low, high: Its range; half a turn or a metre to each side of the reference where it has none.
        value: Where it is in the world shown [rad, m].
    """

    index: int
    name: str
    low: float
    high: float
    value: float


def joint_sliders(solver: Any, world: int) -> list[JointSlider]:
    """Every hinge and slide of a model, as the last step or evaluation left it."""
    compiled = solver.compiled
    if not int(compiled.njnt):
        return []
    values, found = solver.mjw_data.qpos.numpy()[world], []
    for joint in np.flatnonzero(np.isin(compiled.jnt_type, _OF_ONE)).tolist():
        at = int(compiled.jnt_qposadr[joint])
        reach = np.pi if compiled.jnt_type[joint] == JointType.HINGE else 1.0
        middle = float(compiled.qpos0[at])
        low, high = (float(v) for v in compiled.jnt_range[joint]) if compiled.jnt_limited[joint] else (middle - reach, middle + reach)
        found.append(JointSlider(joint, compiled.jnt_names[joint] or f"joint {joint}", low, high, float(values[at])))
    return found


def set_joint(solver: Any, state: Any, control: Any, index: int, value: float, world: int | None) -> None:
    """Put a hinge or slide somewhere, in one world or in all; velocities stay.

    Raises:
        ModelError: There is no such joint, or it has more than one coordinate.
    """
    compiled = solver.compiled
    count = int(compiled.njnt)
    if not 0 <= index < count:
        raise ModelError(problem("joint", str(index), f"0 to {count - 1}" if count else "none", "choose another"))
    if compiled.jnt_type[index] not in _OF_ONE:
        raise ModelError(problem(f"joint {compiled.jnt_names[index]!r}", "free or ball", "hinges and slides", "use set_coordinates"))
    solver.push_state(state, control)
    qpos = solver.mjw_data.qpos.numpy()
    qpos[slice(None) if world is None else world, int(compiled.jnt_qposadr[index])] = value
    to_coordinates(solver, state, qpos, None)
