"""Rigid transforms in float64 numpy, and conversion of what users pass as vectors, poses and matrices.

A transform is seven numbers, position then quaternion x, y, z, w (Newton's order). All functions work on the last axis
and broadcast over the others, so that one call moves one body or the bodies of a thousand worlds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import warp as wp

from newtonish.arguments import shown
from newtonish.errors import ModelError, problem
from newtonish.model.enums import Axis

Vec3: TypeAlias = Sequence[float] | np.ndarray | wp.vec3
Transform: TypeAlias = Sequence[Any] | np.ndarray | wp.transform
Mat33: TypeAlias = Sequence[Any] | np.ndarray | wp.mat33
AxisType: TypeAlias = Axis | str | int

_NO_NUMBERS = (TypeError, ValueError, OverflowError, RuntimeError)
"""What NumPy and Warp raise for something that is no array of numbers."""

IDENTITY = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def as_vector(value: Any, size: int, what: str) -> np.ndarray:
    """Return ``value`` as ``size`` float64 numbers, or raise with ``what`` as the name of the culprit."""
    try:
        result = np.array(value, dtype=np.float64).reshape(-1)
    except _NO_NUMBERS:
        result = np.empty(0)
    if result.size != size:
        raise ModelError(problem(what, shown(value), f"{size} number{'s' * (size > 1)}", "pass a sequence of that length"))
    return result


def as_axis(value: AxisType | Vec3, what: str) -> np.ndarray:
    """Return a unit vector from an axis letter, an :class:`Axis`, or any non-zero vector."""
    if isinstance(value, (Axis, str, int, np.integer)):
        return np.array(Axis.from_any(value).to_vector())
    vector = as_vector(value, 3, what)
    norm = float(np.linalg.norm(vector))
    if not np.isfinite(norm) or norm == 0.0:
        raise ModelError(problem(what, f"axis {vector.tolist()}", "a vector of non-zero length", "give a direction"))
    return vector / norm


def as_transform(value: Transform | None, what: str) -> np.ndarray:
    """Return seven numbers with a unit quaternion; ``None`` is the identity, a pair is (position, quaternion)."""
    if value is None:
        return IDENTITY.copy()
    if isinstance(value, (list, tuple)) and len(value) == 2:
        value = np.concatenate([as_vector(value[0], 3, what), as_vector(value[1], 4, what)])
    result = as_vector(value, 7, what)
    norm = float(np.linalg.norm(result[3:]))
    if not np.all(np.isfinite(result)) or norm < 1e-6:
        raise ModelError(problem(what, f"transform {result.tolist()}", "finite numbers and a quaternion of length one", "correct it"))
    result[3:] /= norm
    return result


def as_matrix(value: Mat33 | None, what: str) -> np.ndarray:
    """Return a 3x3 matrix from nine numbers, three rows or three diagonal numbers; ``None`` is zero."""
    if value is None:
        return np.zeros((3, 3))
    try:
        result = np.array(value, dtype=np.float64)
    except _NO_NUMBERS:
        result = np.empty(0)
    if result.size == 3:
        return np.diag(result.reshape(3))
    if result.size != 9:
        raise ModelError(problem(what, f"inertia {shown(value)}", "nine numbers, three rows or three diagonal numbers", "pass that"))
    return result.reshape(3, 3)


def quat_multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the quaternion that turns by ``b`` first and by ``a`` second."""
    av, aw, bv, bw = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + np.cross(av, bv)
    scalar = aw * bw - np.sum(av * bv, axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def quat_conjugate(q: np.ndarray) -> np.ndarray:
    """Return the inverse of unit quaternions."""
    return np.concatenate([-q[..., :3], q[..., 3:]], axis=-1)


def quat_rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Turn vectors by unit quaternions."""
    t = 2.0 * np.cross(q[..., :3], v)
    return v + q[..., 3:] * t + np.cross(q[..., :3], t)


def quat_to_matrix(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of one unit quaternion; its columns are the turned axes."""
    return quat_rotate(np.asarray(q, dtype=np.float64), np.eye(3)).T


def quat_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the shortest rotation that takes the unit vector ``a`` to the unit vector ``b``."""
    w = 1.0 + float(np.dot(a, b))
    if w < 1e-12:
        helper = np.eye(3)[int(np.argmin(np.abs(a)))]
        vector, w = np.cross(a, helper), 0.0
    else:
        vector = np.cross(a, b)
    q = np.append(vector, w)
    return q / np.linalg.norm(q)


def transform_multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compose transforms: apply ``b``, then ``a``."""
    position = a[..., :3] + quat_rotate(a[..., 3:], b[..., :3])
    rotation = quat_multiply(a[..., 3:], b[..., 3:])
    return np.concatenate([position, rotation], axis=-1)


def transform_inverse(a: np.ndarray) -> np.ndarray:
    """Return the inverse transforms."""
    q = quat_conjugate(a[..., 3:])
    return np.concatenate([-quat_rotate(q, a[..., :3]), q], axis=-1)


def transform_point(a: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Move points by transforms."""
    return a[..., :3] + quat_rotate(a[..., 3:], p)


def world_grid(count: int, spacing: Sequence[float], up_axis: Axis) -> np.ndarray:
    """Return offsets (count, 3) of copies on a centred grid over the axes whose spacing is not zero.

    The last axis varies slowest; along the up axis the grid starts at zero, so that no copy sinks into the ground.
    """
    step = np.array(spacing, dtype=np.float64)
    axes = np.flatnonzero(step)
    offsets = np.zeros((count, 3))
    if not count or not len(axes):
        return offsets
    side = int(np.ceil(count ** (1.0 / len(axes)) - 1e-9))
    rest = np.arange(count)
    for k, axis in enumerate(axes):
        last = k == len(axes) - 1
        offsets[:, axis] = (rest if last else rest % side) * step[axis]
        rest = rest // side
    centre = 0.5 * (offsets.min(axis=0) + offsets.max(axis=0))
    centre[int(up_axis)] = 0.0
    return offsets - centre
