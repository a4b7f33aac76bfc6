"""Fits a primitive shape to a mesh: to the box of equal inertia, or to the bounding box along the mesh's principal axes."""

from __future__ import annotations

import numpy as np

from newtonish.importers import frames

__all__ = ["fit"]

Properties = tuple[float, np.ndarray, np.ndarray, np.ndarray]


def fit(kind: str, vertices: np.ndarray, properties: Properties, aabb: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return size and centre of a shape along the mesh's principal axes. MuJoCo: attribute ``mesh`` of ``geom``, ``fitaabb``.

    Args:
        kind: ``sphere``, ``capsule``, ``cylinder``, ``ellipsoid`` or ``box``.
        vertices: Of the mesh, shape (n, 3) [m].
        properties: Volume, centre, principal axes (w, x, y, z) and moments for density 1 of the mesh.
        aabb: Bound the box; otherwise resemble the inertia.

    Returns:
        Three sizes in MuJoCo's meaning [m]; the centre in the frame of the vertices [m].
    """
    volume, centre, axes, moments = properties
    if not aabb:
        half = np.sqrt(np.maximum(1.5 * (moments.sum() - 2.0 * moments) / volume, 0.0))
        return _like_a_box(kind, half), centre
    turn = frames.to_matrix(axes)
    points = (vertices - centre) @ turn
    low, high = points.min(axis=0), points.max(axis=0)
    middle = 0.5 * (low + high)
    return _around(kind, high - middle), centre + turn @ middle


def _like_a_box(kind: str, half: np.ndarray) -> np.ndarray:
    """Sizes that resemble a box of three half sizes."""
    radius = 0.5 * (half[0] + half[1])
    if kind == "sphere":
        return np.array([half.mean(), 0.0, 0.0])
    if kind == "capsule":
        return np.array([radius, max(0.0, half[2] - 0.5 * radius), 0.0])
    if kind == "cylinder":
        return np.array([radius, half[2], 0.0])
    return half


def _around(kind: str, half: np.ndarray) -> np.ndarray:
    """Sizes of the smallest shape whose bounding box contains one of three half sizes."""
    radius = float(half[:2].max())
    if kind == "sphere":
        return np.array([half.max(), 0.0, 0.0])
    if kind == "capsule":
        return np.array([radius, max(0.0, half[2] - radius), 0.0])
    if kind == "cylinder":
        return np.array([radius, half[2], 0.0])
    return half
