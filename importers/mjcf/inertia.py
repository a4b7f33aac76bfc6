"""Mass properties as MuJoCo's compiler computes them, in float64.

Volume and principal moments of the primitive shapes, the sum over the geoms of a body, and the eigenvalue
decomposition of a 3 x 3 matrix with MuJoCo's choice of axes: decreasing eigenvalues, and the quaternion that a
sequence of plane rotations (Jacobi) from the identity arrives at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from newtonish.importers import frames

__all__ = ["MassProperties", "combine", "eigen3", "full_matrix", "primitive"]


_SQRT_HALF = math.sqrt(0.5)


class MassProperties:
    """Mass, centre, and principal moments with their axes, in the frame of a body.

    Attributes:
        mass: [kg]
        pos: Centre of mass [m].
        quat: Principal axes, w, x, y, z.
        diag: Principal moments [kg·m²].
    """

    def __init__(
        self,
        mass: float = 0.0,
        pos: frames.Vector = (0.0, 0.0, 0.0),
        quat: frames.Vector = (1.0, 0.0, 0.0, 0.0),
        diag: frames.Vector = (0.0, 0.0, 0.0),
    ) -> None:
        self.mass = float(mass)
        self.pos = np.array(pos, dtype=np.float64)
        self.quat = np.array(quat, dtype=np.float64)
        self.diag = np.array(diag, dtype=np.float64)

    def matrix(self) -> np.ndarray:
        """Inertia about the centre of mass in the body's axes."""
        turn = frames.to_matrix(self.quat)
        return turn @ np.diag(self.diag) @ turn.T


def full_matrix(values: frames.Vector) -> np.ndarray:
    """Return the matrix of MJCF's six numbers: xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=np.float64)


def eigen3(matrix: np.ndarray, noise: float = 4e-15) -> tuple[np.ndarray, np.ndarray]:
    """Return decreasing eigenvalues of a symmetric matrix and the quaternion of their axes.

    Each sweep removes the largest off-diagonal element by a rotation in its plane, accumulated as a quaternion; then
    axes are swapped by quarter turns until the eigenvalues decrease.

    Args:
        matrix: Symmetric matrix, shape (3, 3).
        noise: Share of the largest element below which an off-diagonal one counts as zero, and eigenvalues as equal.
    """
    quat = frames.IDENTITY.copy()
    work = np.array(matrix, dtype=np.float64)
    size = float(np.abs(work).max())
    for _ in range(100):
        turn = frames.to_matrix(quat)
        work = turn.T @ matrix @ turn
        off = {(0, 1): abs(work[0, 1]), (0, 2): abs(work[0, 2]), (1, 2): abs(work[1, 2])}
        row, column = max(off, key=lambda key: (off[key], -key[0] - key[1]))
        if not off[row, column] > noise * size:
            break
        rotation = 3 - row - column
        slope = (work[column, column] - work[row, row]) / (2 * work[row, column])
        tangent = 1.0 / (slope + math.copysign(math.sqrt(1 + slope * slope), slope))
        half = 0.5 * math.atan(tangent)
        step = np.zeros(4)
        step[0] = math.cos(half)
        step[rotation + 1] = math.sin(half) if rotation == 1 else -math.sin(half)
        quat = frames.multiply(quat, step)
        quat /= np.linalg.norm(quat)
    values = np.diag(work).copy()
    for k in (0, 1, 0):
        if values[k] + max(noise, 1e-12) * size < values[k + 1]:
            values[k], values[k + 1] = values[k + 1], values[k]
            step = np.zeros(4)
            step[0] = _SQRT_HALF
            step[(k + 2) % 3 + 1] = _SQRT_HALF
            quat = frames.multiply(quat, step)
            quat /= np.linalg.norm(quat)
    return values, quat


def primitive(kind: str, size: frames.Vector, shell: bool = False) -> tuple[float, np.ndarray]:
    """Return volume [m³] and principal moments for density 1 [m⁵] of a shape; for shells, area [m²] and [m⁴]."""
    a, b, c = size
    if kind == "sphere":
        volume = 4 * math.pi * a * a if shell else 4 / 3 * math.pi * a**3
        return volume, np.full(3, (2 / 3 if shell else 2 / 5) * volume * a * a)
    if kind == "capsule":
        return _capsule(a, 2 * b, shell)
    if kind == "cylinder":
        return _cylinder(a, 2 * b, shell)
    if kind == "ellipsoid":
        return _ellipsoid(np.array([a, b, c]), shell)
    if kind == "box":
        return _box(np.array([a, b, c]), shell)
    return 0.0, np.zeros(3)


def _capsule(radius: float, height: float, shell: bool) -> tuple[float, np.ndarray]:
    """Cylinder of full ``height`` with a half sphere at both ends."""
    r, h = radius, height
    if shell:
        side, balls = 2 * math.pi * r * h, 4 * math.pi * r * r
        # Half a spherical shell has its centre at r/2 and 2/3 m r² about the sphere's centre.
        cross = side * (6 * r * r + h * h) / 12 + balls * (2 / 3 * r * r + h * h / 4 + h * r / 2)
        return side + balls, np.array([cross, cross, side * r * r + balls * 2 / 3 * r * r])
    side, balls = math.pi * r * r * h, 4 / 3 * math.pi * r**3
    cross = side * (3 * r * r + h * h) / 12 + balls * (2 / 5 * r * r + h * h / 4 + 3 / 8 * h * r)
    return side + balls, np.array([cross, cross, side * r * r / 2 + balls * 2 / 5 * r * r])


def _cylinder(radius: float, height: float, shell: bool) -> tuple[float, np.ndarray]:
    """Cylinder of full ``height`` along z."""
    r, h = radius, height
    if shell:
        side, caps = 2 * math.pi * r * h, 2 * math.pi * r * r
        cross = side * (6 * r * r + h * h) / 12 + caps * (r * r / 4 + h * h / 4)
        return side + caps, np.array([cross, cross, side * r * r + caps * r * r / 2])
    volume = math.pi * r * r * h
    cross = volume * (3 * r * r + h * h) / 12
    return volume, np.array([cross, cross, volume * r * r / 2])


def _others(values: np.ndarray) -> np.ndarray:
    """Sum of the two other elements, for each."""
    return values.sum() - values


def _ellipsoid(axes: np.ndarray, shell: bool) -> tuple[float, np.ndarray]:
    """Ellipsoid of three half axes; a shell is the difference to one grown by a small thickness."""
    volume = 4 / 3 * math.pi * float(np.prod(axes))
    if not shell:
        return volume, volume * _others(axes * axes) / 5
    area = _ellipsoid_area(axes)
    grown = axes + 1e-6
    outer = 4 / 3 * math.pi * float(np.prod(grown))
    moments = (outer * _others(grown * grown) - volume * _others(axes * axes)) / 5
    return area, moments * (area / (outer - volume)) if outer > volume else moments


def _ellipsoid_area(axes: np.ndarray) -> float:
    """Surface of an ellipsoid by Thomsen's formula, whose error is below 1.1 %."""
    p = 1.6075
    a, b, c = axes**p
    return 4 * math.pi * ((a * b + b * c + c * a) / 3) ** (1 / p)


def _box(half: np.ndarray, shell: bool) -> tuple[float, np.ndarray]:
    """Box of three half sizes."""
    if not shell:
        volume = 8 * float(np.prod(half))
        return volume, volume * _others(half * half) / 3
    squares = half * half
    moments = np.zeros(3)
    area = 0.0
    for k in range(3):
        faces = 8 * float(np.prod(np.delete(half, k)))
        spread = squares / 3
        spread[k] = squares[k]
        moments += faces * _others(spread)
        area += faces
    return area, moments


def combine(parts: Sequence[MassProperties]) -> MassProperties:
    """Return the sum of mass properties that are given in one frame; parts without mass do not count."""
    parts = [part for part in parts if part.mass > 1e-14]
    if not parts:
        return MassProperties()
    if len(parts) == 1:
        only = parts[0]
        return MassProperties(only.mass, only.pos, only.quat, only.diag)
    mass = sum(part.mass for part in parts)
    centre = np.asarray(sum(part.mass * part.pos for part in parts) / mass)
    total = np.zeros((3, 3))
    for part in parts:
        arm = part.pos - centre
        total += part.matrix() + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    diag, quat = eigen3(total)
    return MassProperties(mass, centre, quat, diag)
