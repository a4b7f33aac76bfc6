"""Frame algebra in float64: quaternions are w, x, y, z (MuJoCo's order), the last axis is the value.

Every function works on any number of leading axes, so that one call serves all worlds. ``eig3`` is the cyclic choice
of rotations that MuJoCo's compiler makes when it diagonalises an inertia (largest off-diagonal element first,
eigenvalues sorted in decreasing order): a textbook Jacobi iteration (Golub and Van Loan, Matrix Computations, 8.5)
whose pivot rule fixes the order and the signs of the axes.
"""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL

__all__ = [
    "FRAME_EPS",
    "compose",
    "conjugate",
    "cross",
    "eig3",
    "from_newton",
    "invert",
    "is_identity",
    "is_same_quat",
    "mat_from_quat",
    "quat_mul",
    "rotate",
    "unit",
]

FRAME_EPS = 1e-6
"""Frames whose numbers differ by less than this are the same frame (MuJoCo's constant)."""

_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def unit(value: np.ndarray) -> np.ndarray:
    """Scale quaternions or vectors to unit length; a zero quaternion becomes the identity, a zero vector z."""
    norm = np.linalg.norm(value, axis=-1, keepdims=True)
    fallback = _IDENTITY if value.shape[-1] == 4 else np.array([0.0, 0.0, 1.0])
    near_one = np.abs(norm - 1.0) < MINVAL
    return np.where(norm < 1e-14, fallback, np.where(near_one, value, value / np.where(norm < 1e-14, 1.0, norm)))


def from_newton(transform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split Newton transforms (position, quaternion xyzw) into positions and unit quaternions wxyz, float64."""
    transform = np.asarray(transform, dtype=np.float64)
    return transform[..., :3].copy(), unit(transform[..., [6, 3, 4, 5]])


def quat_mul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Hamilton product of quaternions wxyz."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: np.ndarray) -> np.ndarray:
    """The inverse of unit quaternions."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross products of vectors of three, as ``np.cross`` gives them at a fraction of its cost for few vectors."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    x = ay * bz - az * by
    result = np.empty((*x.shape, 3))
    result[..., 0], result[..., 1], result[..., 2] = x, az * bx - ax * bz, ax * by - ay * bx
    return result


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Rotate vectors by unit quaternions."""
    t = 2.0 * cross(q[..., 1:], v)
    return v + q[..., :1] * t + cross(q[..., 1:], t)


def compose(pos: np.ndarray, quat: np.ndarray, pos2: np.ndarray, quat2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frame 2, given in frame 1, expressed where frame 1 is expressed."""
    return pos + rotate(quat, pos2), unit(quat_mul(quat, quat2))


def invert(pos: np.ndarray, quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of a frame transformation."""
    conj = conjugate(quat)
    return -rotate(conj, pos), conj


def mat_from_quat(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def is_same_quat(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether quaternions are the same rotation within FRAME_EPS, either sign."""
    return np.all(np.abs(a - b) < FRAME_EPS, axis=-1) | np.all(np.abs(a + b) < FRAME_EPS, axis=-1)


def is_identity(pos: np.ndarray | None, quat: np.ndarray | None) -> np.ndarray:
    """Whether the given parts of a frame are those of the identity; a part that is None is not considered."""
    same: np.ndarray | bool = True
    if pos is not None:
        same = same & np.all(np.abs(pos) < FRAME_EPS, axis=-1)
    if quat is not None:
        same = same & is_same_quat(quat, _IDENTITY)
    return np.asarray(same)


def _pivot(d: np.ndarray) -> tuple[int, int, int]:
    """Row, column and rotation axis of the largest off-diagonal element."""
    xy, xz, yz = abs(d[0, 1]), abs(d[0, 2]), abs(d[1, 2])
    if xy > xz and xy > yz:
        return 0, 1, 2
    return (0, 2, 1) if xz > yz else (1, 2, 0)


def eig3(matrix: np.ndarray, noise: float = MINVAL) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (descending) of a symmetric 3x3 matrix and the quaternion of its principal axes.

    Args:
        matrix: Symmetric matrix, shape (3, 3).
        noise: Differences below this share of the trace are none: off-diagonal elements are zero, eigenvalues equal.
    """
    limit = noise * np.trace(matrix)
    quat = _IDENTITY.copy()
    for _ in range(500):
        axes = mat_from_quat(quat)
        d = axes.T @ matrix @ axes
        row, col, axis = _pivot(d)
        if abs(d[row, col]) <= limit:
            break
        tau = (d[col, col] - d[row, row]) / (2.0 * d[row, col])
        t = 1.0 / (tau + np.sqrt(1.0 + tau * tau)) if tau >= 0 else -1.0 / (-tau + np.sqrt(1.0 + tau * tau))
        c = 1.0 / np.sqrt(1.0 + t * t)
        if c > 1.0 - MINVAL:
            break
        half = np.sqrt(0.5 - 0.5 * c) * (-1.0 if tau >= 0 else 1.0) * (-1.0 if axis == 1 else 1.0)
        step = np.zeros(4)
        step[0], step[axis + 1] = np.sqrt(1.0 - half * half), half
        quat = unit(quat_mul(quat, step))
    values = np.diag(d).copy()
    for lead in (0, 1, 0):
        if values[lead] + limit < values[lead + 1]:
            values[lead], values[lead + 1] = values[lead + 1], values[lead]
            step = np.zeros(4)
            step[0] = step[(lead + 2) % 3 + 1] = np.sqrt(0.5)
            quat = unit(quat_mul(quat, step))
    return values, quat
