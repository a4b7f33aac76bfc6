"""Orientations as MJCF writes them, in float64 with quaternions w, x, y, z, and composition of frames.

Five ways: quat, axisangle, euler (any of 3 x 3 x 3 axis orders, small letters turn with the body and capitals stay
fixed), xyaxes and zaxis; and ``fromto``, which gives a position, an orientation and a length at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

__all__ = [
    "EPS",
    "compose",
    "from_axisangle",
    "from_euler",
    "from_matrix",
    "from_to",
    "from_xyaxes",
    "from_zaxis",
    "invert",
    "multiply",
    "normalize",
    "rotate",
    "to_matrix",
]

EPS = 1e-14
"""Vectors shorter than this have no direction."""

Vector: TypeAlias = "Sequence[float] | np.ndarray"
"""A few numbers, as a list or an array."""

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def normalize(vector: Vector, what: str) -> np.ndarray:
    """Return a unit vector.

    Raises:
        ValueError: When the vector is too short to have a direction, or not finite.
    """
    result = np.array(vector, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        length = float(np.linalg.norm(result))
    if not np.isfinite(length) or length < EPS:
        raise ValueError(f"{what} of length {length:g}")
    return result / length


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the quaternion that turns by ``b``, then by ``a``."""
    a0, a1, a2, a3 = _floats(a)
    b0, b1, b2, b3 = _floats(b)
    return np.array(
        [
            a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
            a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
            a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
            a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
        ]
    )


def _floats(values: np.ndarray) -> list[float]:
    """Python's own numbers, with which a few products take a third of the time of numpy's."""
    return values.tolist() if isinstance(values, np.ndarray) else [float(v) for v in values]


def to_matrix(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion; its columns are the turned axes."""
    w, x, y, z = _floats(q)
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def from_matrix(m: np.ndarray) -> np.ndarray:
    """Return the quaternion of a rotation matrix, dividing by its largest component (Shepperd 1978).

    That component is positive; where several are the largest it is the last of them, as in MuJoCo.
    """
    candidates = np.array(
        [
            1 + m[0, 0] + m[1, 1] + m[2, 2],
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    k = 0 if m[0, 0] + m[1, 1] + m[2, 2] > 0 else 3 - int(np.argmax(np.diag(m)[::-1]))
    twice = np.sqrt(max(candidates[k], 0.0))
    rows = np.array(
        [
            [candidates[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], candidates[1], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], candidates[2], m[2, 1] + m[1, 2]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], candidates[3]],
        ]
    )
    result = 0.5 * rows[k] / twice
    return result / np.linalg.norm(result)


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Turn a vector by a unit quaternion."""
    return to_matrix(q) @ v


def compose(pos: np.ndarray, quat: np.ndarray, child_pos: np.ndarray, child_quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the child's frame in the frame in which its parent's is given."""
    result = multiply(quat, child_quat)
    return pos + rotate(quat, child_pos), result / np.sqrt(result.dot(result))


def invert(pos: np.ndarray, quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the inverse of a frame."""
    back = quat * np.array([1.0, -1.0, -1.0, -1.0])
    return -rotate(back, pos), back


def from_axisangle(values: Sequence[float], degree: bool) -> np.ndarray:
    """Return the quaternion of an axis and an angle about it."""
    axis = normalize(values[:3], "an axis")
    angle = np.deg2rad(values[3]) if degree else values[3]
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


def from_euler(values: Vector, sequence: str, degree: bool) -> np.ndarray:
    """Return the quaternion of three angles about the axes of ``sequence``; capitals are fixed axes."""
    result = IDENTITY
    for letter, value in zip(sequence, values):
        angle = np.deg2rad(value) if degree else value
        turn = np.zeros(4)
        turn[0] = np.cos(angle / 2)
        turn[1 + "xyz".index(letter.lower())] = np.sin(angle / 2)
        result = multiply(result, turn) if letter.islower() else multiply(turn, result)
    return result / np.linalg.norm(result)


def from_xyaxes(values: Sequence[float]) -> np.ndarray:
    """Return the orientation whose x axis is the first vector; the second is made perpendicular to it."""
    x = normalize(values[:3], "an x axis")
    y = np.array(values[3:], dtype=np.float64)
    y = normalize(y - np.dot(x, y) * x, "a y axis beside the x axis")
    return from_matrix(np.column_stack([x, y, np.cross(x, y)]))


def from_zaxis(vector: Vector) -> np.ndarray:
    """Return the shortest turn that takes the z axis to ``vector``; for the opposite direction, half a turn about x."""
    z = normalize(vector, "a z axis")
    axis = np.array([-z[1], z[0], 0.0])
    sine = float(np.linalg.norm(axis))
    if sine < 1e-10:
        axis = np.array([1.0, 0.0, 0.0])
    else:
        axis = axis / sine
    angle = np.arctan2(sine, z[2])
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


def from_to(values: Sequence[float]) -> tuple[np.ndarray, np.ndarray, float]:
    """Return centre, orientation and half length of an object from one point to another; z points back to the first."""
    start, end = np.array(values[:3], dtype=np.float64), np.array(values[3:], dtype=np.float64)
    direction = start - end
    with np.errstate(over="ignore", invalid="ignore"):
        length = float(np.linalg.norm(direction))
    if not np.isfinite(length) or length < EPS:
        raise ValueError("two points in the same place")
    return 0.5 * (start + end), from_zaxis(direction), 0.5 * length
