"""In which order joints can be evaluated: each articulation root first, loose joints after them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ModelError, problem


@dataclass(frozen=True)
class Schedule:
    """Joints in the order in which they can be evaluated.

    Attributes:
        start: First entry of each group in ``order``, closed by the total; articulations come first.
        order: Joint indices, each one after the joint that holds its parent body.
        loose: Number of groups after the articulations.
        longest: Most joints in one group.
    """

    start: wp.array
    order: wp.array
    loose: int
    longest: int


def schedule(model: Any) -> Schedule:
    """Return the order of evaluation of a model's joints; it is made once and kept on the model."""
    kept = model.__dict__.get("_fk_schedule")
    if kept is None:
        kept = _make_schedule(model)
        model.__dict__["_fk_schedule"] = kept  # views of a model refuse attributes that the model does not have
    return kept


def _make_schedule(model: Any) -> Schedule:
    parent, child = model.joint_parent.numpy(), model.joint_child.numpy()
    tree = model.joint_articulation.numpy()
    first = model.articulation_start.numpy()[: model.articulation_count]
    last = model.articulation_end.numpy()
    holder = np.full(model.body_count + 1, -1, dtype=np.int64)
    inside = np.flatnonzero(tree >= 0)
    holder[child[inside]] = inside
    above = holder[parent]
    above[parent < 0] = -1
    groups = [np.arange(a, b) for a, b in zip(first, last)]
    unordered = np.unique(tree[(tree >= 0) & (above > np.arange(len(tree)))])
    for group in unordered.tolist():
        groups[group] = _root_first(groups[group], above)
    placed = np.zeros(model.body_count, dtype=bool)
    placed[child[inside]] = True
    loose_joints = []
    outside = np.flatnonzero(tree < 0)
    # a joint to the world places its child rather than one between bodies; what is left closes loops
    for joint in outside[np.argsort(parent[outside] >= 0, kind="stable")].tolist():
        if not placed[child[joint]]:
            placed[child[joint]] = True
            holder[child[joint]] = joint
            loose_joints.append(joint)
    if loose_joints:
        above = holder[parent]
        above[parent < 0] = -1
        groups.append(_root_first(np.array(loose_joints), above))
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    order = np.concatenate(groups) if groups else np.empty(0)
    device = model.device
    return Schedule(
        start=wp.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32), dtype=wp.int32, device=device),
        order=wp.array(order.astype(np.int32), dtype=wp.int32, device=device),
        loose=int(bool(loose_joints)),
        longest=int(sizes.max(initial=0)),
    )


def _root_first(joints: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Return joints so that each one comes after the joint above it, otherwise in their old order."""
    members = set(joints.tolist())
    done: set[int] = set()
    result: list[int] = []
    for joint in joints.tolist():
        chain = []
        while joint in members and joint not in done and joint not in chain:
            chain.append(joint)
            joint = int(above[joint])
        done.update(chain)
        result.extend(reversed(chain))
    return np.array(result, dtype=np.int64)


def check_selection(name: str, mask: Any, indices: Any) -> None:
    """Raise if articulations are selected in two ways at once."""
    if mask is not None and indices is not None:
        raise ModelError(problem(name, "mask and indices", "one of them", "leave the other away"))
