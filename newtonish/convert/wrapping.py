"""Shortest paths around spheres and cylinders in float64, one at a time; the twin of ``kernels/tendon/wrap.py``.

Method: MuJoCo documentation, chapter Computation, "Tendons": tangents of a circle in the plane of the path, and for side
sites inside the geom Newton's method for the one point in which the path touches it.
"""

from __future__ import annotations

import math

import numpy as np

from newtonish.common.constants import MINVAL

__all__ = ["wrap"]

INSIDE_ITERATIONS, INSIDE_TOLERANCE = 20, 1e-6
Points = tuple[float, np.ndarray, np.ndarray]


def _cross(a: np.ndarray, b: np.ndarray) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def _turn(a: np.ndarray, b: np.ndarray) -> float:
    """Angle from ``a`` to ``b`` about the origin, counterclockwise positive."""
    return math.atan2(_cross(a, b), float(a @ b))


def _segments_cross(a0: np.ndarray, a1: np.ndarray, b0: np.ndarray, b1: np.ndarray) -> bool:
    """Whether the segments a0-a1 and b0-b1 intersect."""
    u, v, offset = a1 - a0, b1 - b0, a0 - b0
    area = -_cross(v, u)
    if abs(area) < MINVAL:
        return False
    return 0.0 <= _cross(v, offset) / area <= 1.0 and 0.0 <= _cross(u, offset) / area <= 1.0


def _tangent_point(end: np.ndarray, radius: float, sign: float) -> np.ndarray:
    """Point of the circle whose tangent goes through ``end``; ``sign`` chooses one of the two."""
    square = float(end @ end)
    tangent = math.sqrt(max(square - radius * radius, 0.0))
    return radius / square * (radius * end + sign * tangent * np.array([end[1], -end[0]]))


def _outside(end0: np.ndarray, end1: np.ndarray, side: np.ndarray | None, radius: float) -> Points | None:
    """Path around a circle about the origin: its length on the circle and where it touches; None: straight."""
    gap = end1 - end0
    square = float(gap @ gap)
    if radius < MINVAL or square < MINVAL or min(float(end0 @ end0), float(end1 @ end1)) < radius * radius:
        return None
    nearest = end0 + np.clip(-float(gap @ end0) / square, 0.0, 1.0) * gap
    clear = float(nearest @ nearest) > radius * radius
    winding = 0.0
    if side is not None:
        winding = _turn(end0, side) + _turn(side, end1)
        clear = clear and abs(winding - _turn(end0, end1)) < math.pi
    if clear:
        return None
    candidates = []
    for sign in (1.0, -1.0):
        first, second = _tangent_point(end0, radius, sign), _tangent_point(end1, radius, -sign)
        crosses = _segments_cross(end0, first, end1, second)
        candidates.append((10000.0 if crosses else float((first - second) @ (first - second)), crosses, first, second))
    counterclockwise = winding > 0.0 if side is not None else candidates[0][0] >= candidates[1][0]
    _, crosses, first, second = candidates[int(counterclockwise)]
    if crosses:
        return None
    if side is not None:
        return radius * abs(winding - _turn(end0, first) - _turn(second, end1)), first, second
    turned = _turn(first, second)
    angle = abs(turned)
    if angle > 1e-6 and (turned < 0.0) == counterclockwise:
        angle = 2.0 * math.pi - angle
    return radius * angle, first, second


def _inside(end0: np.ndarray, end1: np.ndarray, radius: float) -> Points | None:
    """Path through the inside of a circle about the origin, touching it in one point."""
    len0, len1 = float(np.linalg.norm(end0)), float(np.linalg.norm(end1))
    gap = end1 - end0
    square = float(gap @ gap)
    if len0 <= radius or len1 <= radius or radius < MINVAL:
        return None
    if square > MINVAL:
        along = -float(gap @ end0) / square
        if 0.0 < along < 1.0 and float(np.linalg.norm(end0 + along * gap)) <= radius:
            return None
    middle = 0.5 * (end0 + end1)
    point = radius * middle / max(float(np.linalg.norm(middle)), MINVAL)
    cos_apart = (len0 * len0 + len1 * len1 - square) / (2.0 * len0 * len1)
    if cos_apart < -1.0 + MINVAL:
        return None
    if cos_apart > 1.0 - MINVAL:
        return 0.0, point, point
    phi = _touching_angle(radius / len0, radius / len1, math.acos(cos_apart))
    if phi is not None:
        start, ratio = (end0, radius / len0) if _cross(end0, end1) > 0.0 else (end1, radius / len1)
        angle = phi - math.asin(ratio * math.sin(phi))
        start = start / float(np.linalg.norm(start))
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        point = radius * turn @ start
    return 0.0, point, point


def _touching_angle(ratio0: float, ratio1: float, apart: float) -> float | None:
    """Root of asin(a sin x) + asin(b sin x) - 2 x + c by Newton's method from the right; None: not found."""
    phi = 0.5 * math.pi
    f = math.asin(ratio0) + math.asin(ratio1) - math.pi + apart
    if f > 0.0:
        return None
    for _ in range(INSIDE_ITERATIONS):
        if abs(f) <= INSIDE_TOLERANCE:
            return phi
        z = math.sin(phi)
        roots = [max(MINVAL, math.sqrt(max(1.0 - z * z * r * r, 0.0))) for r in (ratio0, ratio1)]
        slope = math.cos(phi) * (ratio0 / roots[0] + ratio1 / roots[1]) - 2.0
        if slope > -MINVAL or phi - f / slope > phi:
            return None
        phi -= f / slope
        f = math.asin(ratio0 * math.sin(phi)) + math.asin(ratio1 * math.sin(phi)) - 2.0 * phi + apart
        if f > INSIDE_TOLERANCE:
            return None
    return None


def _plane(p0: np.ndarray, p1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two axes of the plane through both points and the centre of a sphere, the first towards ``p0``."""
    first = p0 / np.linalg.norm(p0)
    normal = np.cross(first, p1)
    if np.linalg.norm(normal) < MINVAL:
        away = np.ones(3)
        away[int(np.argmax(np.abs(first)))] = 0.0
        normal = np.cross(first, away)
    second = np.cross(normal / np.linalg.norm(normal), first)
    return first, second / np.linalg.norm(second)


def wrap(
    x0: np.ndarray,
    x1: np.ndarray,
    pos: np.ndarray,
    mat: np.ndarray,
    radius: float,
    cylinder: bool,
    side: np.ndarray | None,
) -> Points | None:
    """Path from ``x0`` to ``x1`` around a geom: its length on the geom and where it touches; None: it goes straight."""
    p0, p1 = mat.T @ (x0 - pos), mat.T @ (x1 - pos)
    if min(float(np.linalg.norm(p0)), float(np.linalg.norm(p1))) < MINVAL:
        return None
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) if cylinder else np.stack(_plane(p0, p1))
    end0, end1 = axes @ p0, axes @ p1
    flat_side = None
    local_side = None if side is None else mat.T @ (side - pos)
    if local_side is not None:
        flat_side = axes @ local_side
        norm = float(np.linalg.norm(flat_side))
        flat_side = radius * (flat_side / norm if norm >= MINVAL else np.array([1.0, 0.0]))
    if local_side is not None and float(np.linalg.norm(local_side)) < radius:
        arc = _inside(end0, end1, radius)
    else:
        arc = _outside(end0, end1, flat_side, radius)
    if arc is None:
        return None
    length, first, second = arc
    t0, t1 = first @ axes, second @ axes
    if cylinder:  # a helix: height grows evenly along the flat path
        before = float(np.linalg.norm(end0 - first))
        total = max(before + length + float(np.linalg.norm(end1 - second)), MINVAL)
        t0[2] = p0[2] + (p1[2] - p0[2]) * before / total
        t1[2] = p0[2] + (p1[2] - p0[2]) * (before + length) / total
        length = math.hypot(length, t1[2] - t0[2])
    return length, pos + mat @ t0, pos + mat @ t1
