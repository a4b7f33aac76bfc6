"""Frames of prims: the rigid part of a transform, and what is left of it for the shapes to take up."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from newtonish.importers import frames

__all__ = ["Pose", "axis_turn", "closeness", "local", "rigid"]

MIRROR = np.array([-1.0, 1.0, 1.0])
SMALL = 1e-12
"""Scale below which a transform has no inverse."""
SHEAR = 1e-5
"""Cosine between two axes of a frame above which it is sheared."""


class Pose(NamedTuple):
    """A frame in SI units.

    Attributes:
        pos: Origin [m].
        quat: Orientation, w, x, y, z.
        shape: (3, 3), from the prim's own coordinates to metres along the frame's axes; diagonal but for shear.
        sheared: Whether it is not.
    """

    pos: np.ndarray
    quat: np.ndarray
    shape: np.ndarray
    sheared: bool = False

    @property
    def frame(self) -> tuple[np.ndarray, np.ndarray]:
        """Position and orientation."""
        return self.pos, self.quat

    @property
    def scale(self) -> np.ndarray:
        """(3,) length in metres of each of the prim's own unit vectors."""
        return np.linalg.norm(self.shape, axis=0)

    def point(self, position: np.ndarray) -> np.ndarray:
        """A point given in the prim's own coordinates, in the frame's axes [m]."""
        return self.shape @ position


def rigid(matrix: np.ndarray, length: float) -> Pose | None:
    """Split a matrix for columns; None for one that has no inverse.

    A mirror image keeps its sign in ``shape``: the first axis of the frame points the other way.

    Args:
        matrix: (4, 4), in the stage's unit.
        length: Metres in that unit.
    """
    linear = matrix[:3, :3]
    squares = (linear.T @ linear).tolist()
    if not np.isfinite(matrix).all() or min(squares[k][k] for k in range(3)) < SMALL**2:
        return None
    lengths = [math.sqrt(squares[k][k]) for k in range(3)]
    sheared = any(abs(squares[i][j]) > SHEAR * lengths[i] * lengths[j] for i, j in ((0, 1), (0, 2), (1, 2)))
    if sheared:
        left, _, right = np.linalg.svd(linear)
        turn = left @ right
    else:
        turn = linear / lengths
    if _triple(turn.tolist()) < 0:
        turn = turn * MIRROR
        lengths[0] = -lengths[0]
    shape = turn.T @ linear * length if sheared else np.diag(lengths) * length
    return Pose(matrix[:3, 3] * length, frames.from_matrix(turn), shape, sheared)


def _triple(rows: list[list[float]]) -> float:
    """Determinant of a small matrix."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def local(base: tuple[np.ndarray, np.ndarray], pose: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The frame ``pose`` in the frame ``base``, both given in one space."""
    return frames.compose(*frames.invert(*base), *pose)


def closeness(frame: tuple[np.ndarray, np.ndarray]) -> tuple[float, float]:
    """Distance [m] and angle [rad] of a frame from the identity."""
    pos, quat = frame
    return float(np.linalg.norm(pos)), 2.0 * float(np.arctan2(np.linalg.norm(quat[1:]), abs(quat[0])))


def axis_turn(axis: str) -> np.ndarray:
    """The quaternion that takes the z axis to the axis X, Y or Z, by even permutation of the axes."""
    return {
        "X": np.array([0.5, 0.5, 0.5, 0.5]),
        "Y": np.array([0.5, -0.5, -0.5, -0.5]),
    }.get(axis, frames.IDENTITY.copy())
