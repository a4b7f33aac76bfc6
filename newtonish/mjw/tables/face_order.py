"""The order in which MuJoCo looks at the triangles of a mesh: that of the leaves of its tree of boxes, the second half of a cell first.

Compiled models of MuJoCo's have the tree. For ours it is made by the same rule: a cell is halved at the median along its longest side, by the
centres of the circles around the triangles.
"""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.mjw.record import ModelRecord

__all__ = ["face_order"]

_EPS = 1e-14
_DIGITS = 8


def face_order(record: ModelRecord, mesh: int) -> np.ndarray:
    """Numbers of the triangles of a mesh, from 0."""
    count = int(record.mesh_facenum[mesh])
    begin = int(record.mesh_bvhadr[mesh]) if mesh < len(record.mesh_bvhadr) else -1
    if begin >= 0 and count:
        order = _leaves(record.bvh_child.reshape(-1, 2)[begin:], record.bvh_nodeid[begin:])
        if np.array_equal(np.sort(order), np.arange(count)):
            return order
    vertices = np.asarray(record.mesh_vert[int(record.mesh_vertadr[mesh]) :], dtype=np.float64)
    return _halved(vertices[record.mesh_face[int(record.mesh_faceadr[mesh]) :][:count]])


def _leaves(child: np.ndarray, leaf: np.ndarray) -> np.ndarray:
    """What the leaves of a tree hold, the second child of a node first."""
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if leaf[node] >= 0:
            found.append(int(leaf[node]))
        else:
            waiting += [int(below) for below in child[node] if below >= 0]
    return np.array(found, dtype=np.int64)


def _halved(corners: np.ndarray) -> np.ndarray:
    """The same order of triangles (m, 3, 3); numbers that differ by rounding are equal, and the first comes first."""
    centre, low, high = _circle_centres(corners), corners.min(axis=1), corners.max(axis=1)
    scale = max(float(np.abs(corners).max(initial=0.0)), MINVAL)
    steps = np.round(centre / scale, _DIGITS)
    found: list[int] = []
    waiting = [np.arange(len(corners))] if len(corners) else []
    while waiting:
        cell = waiting.pop()
        if len(cell) == 1:
            found.append(int(cell[0]))
            continue
        sides = high[cell].max(axis=0) - low[cell].min(axis=0)
        axis = 1 if sides[1] >= sides[0] + _EPS * scale else 0
        axis = 2 if sides[2] >= sides[axis] + _EPS * scale else axis
        ranked = cell[np.lexsort((cell, steps[cell, axis]))]
        half = len(cell) // 2
        waiting += [ranked[:half], ranked[half:]]
    return np.array(found, dtype=np.int64)


def _circle_centres(corners: np.ndarray) -> np.ndarray:
    """Centres of the circles around triangles (m, 3, 3); the middles of those without area."""
    a, b = corners[:, 0] - corners[:, 2], corners[:, 1] - corners[:, 2]
    normal = np.cross(a, b)
    square = np.einsum("ni,ni->n", normal, normal)
    squares = (np.einsum("ni,ni->n", side, side)[:, None] for side in (a, b))
    across = next(squares) * b - next(squares) * a
    away = np.cross(across, normal) / np.maximum(2.0 * square, MINVAL**2)[:, None]
    return np.where((square > MINVAL**2)[:, None], corners[:, 2] + away, corners.mean(axis=1))
