"""Signed distances of points from a mesh, for many points in the cells of an octree at once.

The nearest triangle of a point in a cell is among those whose distance from the cell's middle is at most that of the nearest one and the
cell's diameter: each cell looks at what its parent kept. Inside is where the nearest place of the surface looks the other way, by the normal
of its triangle, side or corner, weighted by angles (Baerentzen and Aanaes 2005).
"""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL

__all__ = ["SurfaceDistance"]

_CHUNK = 200_000
_ROUNDING = 1e-9


class SurfaceDistance:
    """Distances from a mesh of vertices (n, 3) [m] and triangles (m, 3) that look outwards."""

    def __init__(self, vertices: np.ndarray, faces: np.ndarray) -> None:
        self._corners = vertices[faces]
        self._normals = _feature_normals(vertices, faces, self._corners)
        self._middle = self._corners.mean(axis=1)
        self._radius = np.linalg.norm(self._corners - self._middle[:, None], axis=2).max(axis=1)

    def at(self, points: np.ndarray, cell: np.ndarray, level: np.ndarray, child: np.ndarray, box: np.ndarray) -> np.ndarray:
        """Signed distances (k,) of points (k, 3), each within a ``cell`` of an octree with ``level``, ``child`` and ``box``; negative inside."""
        result = np.zeros(len(points))
        owner, triangle = np.zeros(len(self._corners), dtype=np.int64), np.arange(len(self._corners))
        for number in range(int(level.max()) + 1):
            owner, triangle = self._nearest(owner, triangle, box)
            rows = np.flatnonzero(level[cell] == number)
            if len(rows):
                result[rows] = self._signed(points[rows], *_runs(owner, triangle, cell[rows]))
            inner = child[owner, 0] >= 0
            owner, triangle = child[owner[inner]].astype(np.int64).ravel(), np.repeat(triangle[inner], 8)
            order = np.argsort(owner, kind="stable")
            owner, triangle = owner[order], triangle[order]
        return result

    def _nearest(self, owner: np.ndarray, triangle: np.ndarray, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of cells and triangles, by cell, without the triangles that are too far for every point of the cell."""
        far = np.empty(len(owner))
        for begin in range(0, len(owner), _CHUNK):
            at = slice(begin, begin + _CHUNK)
            apart = box[owner[at], :3] - self._middle[triangle[at]]
            far[at] = np.sqrt(np.einsum("ni,ni->n", apart, apart))
        kept = far - self._radius[triangle] <= _reach(owner, far, box)
        owner, triangle = owner[kept], triangle[kept]
        distance = np.empty(len(owner))
        for begin in range(0, len(owner), _CHUNK):
            at = slice(begin, begin + _CHUNK)
            distance[at] = np.linalg.norm(_offset(box[owner[at], :3], self._corners[triangle[at]])[0], axis=1)
        kept = distance <= _reach(owner, distance, box)
        return owner[kept], triangle[kept]

    def _signed(self, points: np.ndarray, row: np.ndarray, triangle: np.ndarray) -> np.ndarray:
        """Signed distances of points from the nearest of their triangles; ``row`` says whose, by point."""
        best, sign = np.empty(len(points)), np.empty(len(points))
        for begin, end in _pieces(row, _CHUNK):
            rows, faces = row[begin:end], triangle[begin:end]
            away, feature = _offset(points[rows], self._corners[faces])
            square = np.einsum("ni,ni->n", away, away)
            first = np.flatnonzero(np.diff(rows, prepend=-1))
            order = np.lexsort((square, rows))[first]
            at = rows[first]
            best[at] = np.sqrt(square[order])
            sign[at] = np.einsum("ni,ni->n", away[order], self._normals[faces[order], feature[order]])
        return np.where(sign < 0.0, -best, best)


def _reach(owner: np.ndarray, distance: np.ndarray, box: np.ndarray) -> np.ndarray:
    """For each pair how far its triangle may be: as far as the nearest one of its cell, and the cell's diameter more."""
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    reach = np.minimum.reduceat(distance, first) + 2.0 * np.linalg.norm(box[owner[first], 3:], axis=1)
    return np.repeat(reach * (1.0 + _ROUNDING), np.diff(np.append(first, len(owner))))


def _pieces(row: np.ndarray, size: int) -> list[tuple[int, int]]:
    """Ranges of about ``size`` that do not part equal numbers, which follow each other."""
    if not len(row):
        return []
    starts = np.flatnonzero(np.diff(row, prepend=-1))
    cuts = np.unique(starts[np.searchsorted(starts, np.arange(0, len(row), size), side="right") - 1])
    return list(zip(cuts.tolist(), [*cuts[1:].tolist(), len(row)]))


def _runs(owner: np.ndarray, triangle: np.ndarray, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each point's cell its triangles: the point's number and the triangle, point by point."""
    first = np.searchsorted(owner, cell)
    count = np.searchsorted(owner, cell, side="right") - first
    row = np.repeat(np.arange(len(cell)), count)
    return row, triangle[np.repeat(first - np.cumsum(count) + count, count) + np.arange(len(row))]


def _offset(points: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vectors from the nearest places of triangles (n, 3, 3) to points (n, 3), and the feature they are on.

    Features: 0 the face, 1 to 3 the side that begins at corner 0 to 2, 4 to 6 the corner.
    """
    side = np.roll(corners, -1, axis=1) - corners
    from_corner = points[:, None] - corners
    normal = np.cross(side[:, 0], side[:, 1])
    area = np.maximum(np.einsum("ni,ni->n", normal, normal), MINVAL**2)
    inside = np.einsum("nki,nki->nk", np.cross(normal[:, None], side), from_corner) >= 0.0
    along = np.einsum("nki,nki->nk", side, from_corner) / np.maximum(np.einsum("nki,nki->nk", side, side), MINVAL**2)
    to_side = from_corner - np.clip(along, 0.0, 1.0)[..., None] * side
    nearest = np.argmin(np.einsum("nki,nki->nk", to_side, to_side), axis=1)
    rows = np.arange(len(points))
    at = along[rows, nearest]
    feature = np.where(at <= 0.0, 4 + nearest, np.where(at >= 1.0, 4 + (nearest + 1) % 3, 1 + nearest))
    height = np.einsum("ni,ni->n", normal, from_corner[:, 0]) / area
    flat = inside.all(axis=1) & (area > MINVAL**2)
    away = np.where(flat[:, None], height[:, None] * normal, to_side[rows, nearest])
    return away, np.where(flat, 0, feature)


def _feature_normals(vertices: np.ndarray, faces: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Normals (m, 7, 3) of each triangle's face, sides and corners: of sides the sum of both faces', of corners of all by their angles."""
    side = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(side[:, 0], side[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), MINVAL)
    unit = side / np.maximum(np.linalg.norm(side, axis=2, keepdims=True), MINVAL)
    angle = np.arccos(np.clip(-np.einsum("nki,nki->nk", unit, np.roll(unit, 1, axis=1)), -1.0, 1.0))
    _, place = np.unique(vertices, axis=0, return_inverse=True)  # corners at one place are one
    faces = place.reshape(-1)[faces]
    at_corner = np.zeros((len(vertices), 3))
    np.add.at(at_corner, faces, angle[..., None] * normal[:, None])
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1), axis=-1)
    _, number = np.unique(ends[..., 0] * len(vertices) + ends[..., 1], return_inverse=True)
    number = number.reshape(faces.shape)
    at_side = np.zeros((int(number.max(initial=-1)) + 1, 3))
    np.add.at(at_side, number, np.broadcast_to(normal[:, None], (*faces.shape, 3)))
    return np.concatenate([normal[:, None], at_side[number], at_corner[faces]], axis=1)
