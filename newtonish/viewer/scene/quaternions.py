"""Single quaternions, w x y z, in float64: what dragging a body about needs."""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL

__all__ = ["about", "conjugate", "multiply", "rotation_vector", "to_matrix", "unit"]


def unit(q: np.ndarray) -> np.ndarray:
    """Of length one."""
    return q / np.linalg.norm(q)


def conjugate(q: np.ndarray) -> np.ndarray:
    """The inverse rotation."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """First b, then a."""
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def about(vector: np.ndarray) -> np.ndarray:
    """Rotation about a vector, by its length [rad]."""
    angle = np.linalg.norm(vector)
    if angle < MINVAL:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array([np.cos(0.5 * angle), *(np.sin(0.5 * angle) / angle * vector)])


def rotation_vector(q: np.ndarray) -> np.ndarray:
    """Axis times angle [rad], the angle at most half a turn."""
    sine = np.linalg.norm(q[1:])
    if sine < MINVAL:
        return np.zeros(3)
    angle = 2.0 * np.arctan2(sine, q[0])
    return q[1:] / sine * (angle - 2 * np.pi if angle > np.pi else angle)


def to_matrix(q: np.ndarray) -> np.ndarray:
    """(3, 3)."""
    w, v = q[0], q[1:]
    cross = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.eye(3) * (w * w - v @ v) + 2 * (np.outer(v, v) + w * cross)
