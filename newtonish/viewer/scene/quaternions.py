"""Rotation vectors and single quaternions, w x y z, in float64: what dragging a body about needs."""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL

__all__ = ["about", "rotation_vector"]


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
