"""Moving a body directly: mocap bodies always, floating ones and what is attached to them while the simulation is paused."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common import frames
from newtonish.model.enums import JointType
from newtonish.model.fk import eval_fk

__all__ = ["set_pose"]


def set_pose(maker: Any, state: Any, perturbation: Any, paused: bool) -> bool:
    """Put the selected body where its reference is, if it is one that is moved directly; returns whether it is."""
    body = perturbation.body
    world = maker.body_world[body]
    offset = maker.offsets[world] if world >= 0 else 0.0
    # the reference is of the principal axes at the centre of mass
    inertial = (maker.body_com[body].astype(float), maker.inertial_quat(body))
    goal = frames.compose(perturbation.refpos - offset, perturbation.refquat, *frames.invert(*inertial))
    root = _root_joint(maker.model, body)
    kind, model = int(root["type"]), maker.model
    if root["above"] == body and maker.is_mocap(body):
        _move_mocap(model, state, root["joint"], goal)
        return True
    if not paused or kind != JointType.FREE:
        return False
    if root["above"] != body:  # carry the whole tree so that this body arrives
        poses = state.body_q.numpy()
        now, top = frames.from_newton(poses[body]), frames.from_newton(poses[root["above"]])
        goal = frames.compose(*goal, *frames.compose(*frames.invert(*now), *top))
    _move_floating(model, state, root["joint"], goal)
    return True


def _root_joint(model: Any, body: int) -> dict[str, int]:
    """The joint by which a body's tree is attached to the world, its type, and the body right below it."""
    children, parents, kinds = (getattr(model, f"joint_{name}").numpy() for name in ("child", "parent", "type"))
    above = {int(child): joint for joint, child in reversed(list(enumerate(children.tolist())))}
    seen = set()
    while parents[above[body]] >= 0 and body not in seen:
        seen.add(body)
        body = int(parents[above[body]])
    return {"joint": above[body], "type": int(kinds[above[body]]), "above": body}


def _newton(pose: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Position and quaternion w x y z as Newton's seven numbers."""
    position, q = pose
    return np.concatenate([position, q[1:], q[:1]]).astype(np.float32)


def _move_mocap(model: Any, state: Any, joint: int, goal: tuple[np.ndarray, np.ndarray]) -> None:
    """By the joint's frame in the world, which steps read."""
    child = frames.from_newton(model.joint_X_c.numpy()[joint])
    rows = model.joint_X_p.numpy()
    rows[joint] = _newton(frames.compose(*goal, *child))
    model.joint_X_p.assign(rows)
    eval_fk(model, state.joint_q, state.joint_qd, state)


def _move_floating(model: Any, state: Any, joint: int, goal: tuple[np.ndarray, np.ndarray]) -> None:
    """By the joint's coordinates."""
    parent = frames.from_newton(model.joint_X_p.numpy()[joint])
    child = frames.from_newton(model.joint_X_c.numpy()[joint])
    start = int(model.joint_q_start.numpy()[joint])
    values = state.joint_q.numpy()
    values[start : start + 7] = _newton(frames.compose(*frames.invert(*parent), *frames.compose(*goal, *child)))
    state.joint_q.assign(values)
    eval_fk(model, state.joint_q, state.joint_qd, state)
