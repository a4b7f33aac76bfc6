"""Where rays meet the library's shapes: the built-in ones in closed form, meshes triangle by triangle.

Every function takes n rays in the shapes' own axes, ``start`` and ``along`` (n, 3), and the shapes' scales (n, 3), and gives the n distances
to the first point that is not behind, infinity where there is none. Lengths are those of ``along``, which is a unit vector. The formulas are
those of any book on ray tracing (Shirley and others, Fundamentals of Computer Graphics); planes are seen from above only, as MuJoCo's.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.viewer.scene.arrays import Triangles

__all__ = ["CLOSED_FORMS", "triangles_hit"]

Form = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def _roots(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both solutions of a x^2 + 2 b x + c = 0, the smaller first; NaN where there is none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(b * b - a * c)
        a = np.where(np.abs(a) < MINVAL, np.nan, a)
        return (-b - root) / a, (-b + root) / a


def _first(*candidates: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The least of several distances, each with whether it counts, that is not behind."""
    best = np.full(len(candidates[0][0]), np.inf)
    for distance, counts in candidates:
        with np.errstate(invalid="ignore"):
            good = counts & (distance >= 0.0)
        best = np.where(good & (np.nan_to_num(distance, nan=np.inf) < best), distance, best)
    return best


def _ellipsoid(start: np.ndarray, along: np.ndarray, scale: np.ndarray) -> np.ndarray:
    p, v = start / scale, along / scale
    near, far = _roots((v * v).sum(1), (p * v).sum(1), (p * p).sum(1) - 1.0)
    yes = np.ones(len(p), dtype=bool)
    return _first((near, yes), (far, yes))


def _tube(start: np.ndarray, along: np.ndarray, scale: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The round side of cylinders and capsules."""
    p, v = start[:, :2] / scale[:, :2], along[:, :2] / scale[:, :2]
    found = _roots((v * v).sum(1), (p * v).sum(1), (p * p).sum(1) - 1.0)
    return [(t, np.abs(start[:, 2] + t * along[:, 2]) <= scale[:, 2]) for t in found]


def _cylinder(start: np.ndarray, along: np.ndarray, scale: np.ndarray) -> np.ndarray:
    lids = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for side in (-1.0, 1.0):
            t = (side * scale[:, 2] - start[:, 2]) / along[:, 2]
            at = (start[:, :2] + t[:, None] * along[:, :2]) / scale[:, :2]
            lids.append((t, (at * at).sum(1) <= 1.0))
        return _first(*_tube(start, along, scale), *lids)


def _capsule(start: np.ndarray, along: np.ndarray, scale: np.ndarray) -> np.ndarray:
    caps = []
    for side in (-1.0, 1.0):
        p = start - np.stack([0 * scale[:, 2], 0 * scale[:, 2], side * scale[:, 2]], axis=1)
        for t in _roots((along * along).sum(1), (p * along).sum(1), (p * p).sum(1) - scale[:, 0] ** 2):
            with np.errstate(invalid="ignore"):
                caps.append((t, side * (start[:, 2] + t * along[:, 2]) >= scale[:, 2]))
    with np.errstate(invalid="ignore"):
        return _first(*_tube(start, along, scale), *caps)


def _box(start: np.ndarray, along: np.ndarray, scale: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        sides = np.stack([(-scale - start) / along, (scale - start) / along])
        flat, outside = along == 0.0, np.abs(start) > scale
        near, far = np.min(sides, axis=0), np.max(sides, axis=0)
    near = np.where(flat, np.where(outside, np.inf, -np.inf), near).max(axis=1)
    far = np.where(flat, np.where(outside, -np.inf, np.inf), far).min(axis=1)
    hit = near <= far
    return _first((near, hit), (far, hit))


def _plane(start: np.ndarray, along: np.ndarray, scale: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        t = -start[:, 2] / along[:, 2]
        at = np.abs(start[:, :2] + t[:, None] * along[:, :2])
        return _first((t, (along[:, 2] < 0.0) & (at <= scale[:, :2]).all(axis=1)))


CLOSED_FORMS: dict[str, Form] = {"sphere": _ellipsoid, "capsule": _capsule, "cylinder": _cylinder, "box": _box, "plane": _plane,
                                 "ground": _plane}  # fmt: skip
"""By name of the library's built-in shape."""


def triangles_hit(mesh: Triangles, start: np.ndarray, along: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Distances to triangles (Moller and Trumbore, 1997), seen from either side; meshes whose ball is missed are left out."""
    result = np.full(len(start), np.inf)
    corners = mesh.positions[mesh.indices].astype(float)
    middle = 0.5 * (mesh.positions.min(axis=0) + mesh.positions.max(axis=0)).astype(float)
    for at in range(len(start)):
        radius = np.linalg.norm((mesh.positions - middle) * scale[at], axis=1).max()
        away = middle * scale[at] - start[at]
        if away @ away - (away @ along[at]) ** 2 > radius**2:
            continue
        first, second, third = (corners[:, k] * scale[at] for k in range(3))
        one, two = second - first, third - first
        across = np.cross(along[at], two)
        volume = (one * across).sum(1)
        with np.errstate(invalid="ignore", divide="ignore"):
            from_first = start[at] - first
            u = (from_first * across).sum(1) / volume
            turned = np.cross(from_first, one)
            v = turned @ along[at] / volume
            t = (two * turned).sum(1) / volume
            hit = (np.abs(volume) > 1e-300) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)
        if hit.any():
            result[at] = t[hit].min()
    return result
