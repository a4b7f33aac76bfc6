"""Forces on bodies from outside, and mocap bodies moved by hand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.model.transforms import quat_conjugate, quat_multiply, quat_rotate

__all__ = ["AppliedForce", "AppliedForces", "mocap_pose", "set_mocap_pose"]


class AppliedForce(NamedTuple):
    """Force and torque on some of the model's bodies, from one time to another."""

    bodies: np.ndarray
    wrench: np.ndarray
    start: float
    stop: float


class AppliedForces:
    """All forces on bodies, written into ``state.body_f`` before a step."""

    def __init__(self) -> None:
        self._standing: list[AppliedForce] = []
        self._now: list[AppliedForce] = []
        self._dirty = False

    def add(self, bodies: Any, wrench: Any, start: float, stop: float) -> None:
        """A push that begins and ends by itself."""
        self._standing.append(AppliedForce(np.atleast_1d(bodies), _wrench(wrench), start, stop))

    def add_now(self, bodies: Any, wrench: Any) -> None:
        """A push of the next step only."""
        self._now.append(AppliedForce(np.atleast_1d(bodies), _wrench(wrench), -np.inf, np.inf))

    def begin(self) -> None:
        """Forget pushes of the last step."""
        self._now.clear()

    def clear(self) -> None:
        """Forget all pushes."""
        self._standing.clear()
        self._now.clear()

    def write(self, state: Any, time: float) -> None:
        """Put what acts at a time [s] into ``state.body_f``."""
        acting = [*self._now, *(push for push in self._standing if push.start <= time < push.stop)]
        if state.body_f is None or not (acting or self._dirty):
            return
        host = np.zeros((len(state.body_f), 6), dtype=np.float32)
        for push in acting:
            host[push.bodies] += push.wrench
        state.body_f.assign(host)
        self._dirty = bool(acting)


def _wrench(value: Any) -> np.ndarray:
    """Force and torque; a force alone has no torque."""
    given = np.asarray(value, dtype=np.float64).ravel()
    if given.shape not in ((3,), (6,)) or not np.isfinite(given).all():
        allowed = "3 numbers (force), or 6 (force and torque), finite"
        raise ModelError(problem("push: force", str(value), allowed, "pass these"))
    return np.concatenate([given, np.zeros(6 - len(given))])


def _poses(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and quaternions (x, y, z, w) of rows of transforms."""
    return values[..., :3].astype(np.float64), values[..., 3:].astype(np.float64)


def mocap_pose(solver: Any, mocap: int, world: int) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion (w, x, y, z) of a mocap body, by its number among them."""
    joint = int(solver.compiled.maps.mjc_mocap[world, mocap])
    p, q = _poses(solver.model.joint_X_p.numpy()[joint])
    pc, qc = _poses(solver.model.joint_X_c.numpy()[joint])
    turned = quat_multiply(q, quat_conjugate(qc))
    return p - quat_rotate(turned, pc), np.roll(turned, 1)


def set_mocap_pose(solver: Any, mocap: int, position: Any, quaternion: Any, world: int | None = None) -> None:
    """Put a mocap body somewhere, in one world or in all; quaternion (w, x, y, z).

    The frame in which its joint to the world sits on the world's side is what steps read.
    """
    rows = np.atleast_1d(solver.compiled.maps.mjc_mocap[slice(None) if world is None else world, mocap])
    p = np.broadcast_to(np.asarray(position, dtype=np.float64), (len(rows), 3))
    q = np.roll(np.broadcast_to(np.asarray(quaternion, dtype=np.float64), (len(rows), 4)), -1, axis=-1)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    frames = solver.model.joint_X_p.numpy()
    pc, qc = _poses(solver.model.joint_X_c.numpy()[rows])
    frames[rows] = np.concatenate([p + quat_rotate(q, pc), quat_multiply(q, qc)], axis=-1)
    solver.model.joint_X_p.assign(frames)
