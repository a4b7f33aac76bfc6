"""Rotations of many things at once: quaternions x, y, z, w as states have them, and matrices."""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL

__all__ = ["from_wxyz", "from_z", "matrices", "turn"]


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """(..., 3, 3) matrices of quaternions (..., 4), x y z w; those that are not of unit length are made so."""
    q = quaternions * np.sqrt(2.0 / np.maximum(np.einsum("...i,...i->...", quaternions, quaternions), 1e-30))[..., None]
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    result = np.empty((*q.shape[:-1], 3, 3), dtype=q.dtype)
    xx, yy, zz, xy, xz, yz, wx, wy, wz = x * x, y * y, z * z, x * y, x * z, y * z, w * x, w * y, w * z
    result[..., 0, 0], result[..., 0, 1], result[..., 0, 2] = 1 - yy - zz, xy - wz, xz + wy
    result[..., 1, 0], result[..., 1, 1], result[..., 1, 2] = xy + wz, 1 - xx - zz, yz - wx
    result[..., 2, 0], result[..., 2, 1], result[..., 2, 2] = xz - wy, yz + wx, 1 - xx - yy
    return result


def from_wxyz(quaternions: np.ndarray) -> np.ndarray:
    """The same of quaternions w x y z, as MuJoCo's tables have them."""
    return matrices(np.asarray(quaternions)[..., [1, 2, 3, 0]])


def from_z(directions: np.ndarray) -> np.ndarray:
    """(..., 3, 3) least rotations that turn z into directions (..., 3) of any length; none for those of no length."""
    length = np.linalg.norm(directions, axis=-1, keepdims=True)
    unit = np.where(length > MINVAL, directions / np.maximum(length, 1e-300), np.array([0.0, 0.0, 1.0]))
    x, y, z = unit[..., 0], unit[..., 1], unit[..., 2]
    back = z < -1.0 + 1e-12  # straight down: half a turn about x
    share = 1.0 / np.where(back, 1.0, 1.0 + z)
    result = np.empty((*unit.shape, 3))
    result[..., 0, 0], result[..., 0, 1], result[..., 0, 2] = 1 - x * x * share, -x * y * share, x
    result[..., 1, 0], result[..., 1, 1], result[..., 1, 2] = -x * y * share, 1 - y * y * share, y
    result[..., 2, 0], result[..., 2, 1], result[..., 2, 2] = -x, -y, z
    result[back] = np.diag([1.0, -1.0, -1.0])
    return result


def turn(rotations: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Rotated vectors (..., 3); leading axes broadcast."""
    return np.einsum("...ij,...j->...i", rotations, vectors)
