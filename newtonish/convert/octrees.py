"""The signed distance field of a mesh as MuJoCo's compiler keeps it: an octree with the distance at the corners of its cells.

Cells that a triangle touches are divided, seven levels in all, and further ones until neighbours across a side differ by one level at most. A
corner that lies on a side of a larger cell has that cell's value there, so that the field has no steps; all others have their distance from
the mesh. Values and cells are those of MuJoCo 4.0; the cells of a level follow each other here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from newtonish.convert.distances import SurfaceDistance

__all__ = ["Octree", "octree"]

DEPTH = 6
"""Level of the smallest cells; the outermost cell has level 0."""
ROOM = 1.1
"""Size of the outermost cell, in sizes of the box around the mesh."""
_CORNERS = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])
_AROUND = np.concatenate([np.eye(3, dtype=np.int64), -np.eye(3, dtype=np.int64)])
_GRID = 1 << DEPTH
_CHUNK = 200_000


class Octree(NamedTuple):
    """Cells of an octree (n), the outermost one first.

    Attributes:
        level: Level of each cell.
        child: Its eight parts (n, 8), by which half of x, y and z they are in as bits 0, 1 and 2; -1: it is not divided.
        box: Its middle and half sizes (n, 6) [m].
        coeff: Signed distances at its corners (n, 8), in the order of its parts [m].
    """

    level: np.ndarray
    child: np.ndarray
    box: np.ndarray
    coeff: np.ndarray


def octree(vertices: np.ndarray, faces: np.ndarray) -> Octree:
    """The octree of a mesh: vertices (n, 3) [m], triangles (m, 3) that look outwards; in the frame of the vertices."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle, half = 0.5 * (low + high), ROOM * 0.5 * (high - low)
    origin = middle - half
    divided = _divided(vertices[faces], origin, half)
    cells = [np.zeros((1, 3), dtype=np.int64)]
    for split in divided:
        cells.append((2 * split[:, None] + _CORNERS).reshape(-1, 3))
    counts = np.array([len(level) for level in cells])
    level = np.repeat(np.arange(DEPTH + 1), counts)
    child = np.full((len(level), 8), -1, dtype=np.int32)
    starts = np.cumsum(counts) - counts
    for number, split in enumerate(divided):
        at = starts[number] + _rows(cells[number], split, number)
        child[at] = starts[number + 1] + np.arange(8 * len(split)).reshape(-1, 8)
    place = np.concatenate(cells)
    size = 2.0 * half / (1 << level)[:, None]
    box = np.concatenate([origin + (place + 0.5) * size, 0.5 * size], axis=1)
    corners = (place[:, None] + _CORNERS) * (_GRID >> level)[:, None, None]
    coeff = _values(vertices, faces, origin, half, level, child, box, corners)
    return Octree(level.astype(np.int32), child, box, coeff)


def _divided(corners: np.ndarray, origin: np.ndarray, half: np.ndarray) -> list[np.ndarray]:
    """Cells of each level that are divided (n, 3), by their number along each axis."""
    split = []
    cell, triangle = np.zeros((1, 3), dtype=np.int64), np.arange(len(corners))
    owner = np.zeros(len(corners), dtype=np.int64)
    for level in range(DEPTH):
        split.append(cell)
        below = (2 * cell[:, None] + _CORNERS).reshape(-1, 3)
        owner, triangle = (8 * owner[:, None] + np.arange(8)).ravel(), np.repeat(triangle, 8)
        reach = half / (2 << level)
        touched = _touching(corners, triangle, origin + (2 * below + 1) * reach, owner, reach)
        owner, triangle = owner[touched], triangle[touched]
        used, owner = np.unique(owner, return_inverse=True)
        cell = below[used]
    for level in range(DEPTH - 1, 0, -1):
        beside = (split[level][:, None] + _AROUND).reshape(-1, 3)
        beside = beside[((beside >= 0) & (beside < 1 << level)).all(axis=1)] // 2
        split[level - 1] = np.unique(np.concatenate([split[level - 1], beside]), axis=0)
    return split


def _touching(corners: np.ndarray, triangle: np.ndarray, middles: np.ndarray, cell: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Which triangles touch which cells of half sizes ``reach``: no axis parts them (Akenine-Möller 2001)."""
    touched = np.zeros(len(cell), dtype=bool)
    for begin in range(0, len(cell), _CHUNK):
        at = slice(begin, begin + _CHUNK)
        p = corners[triangle[at]] - middles[cell[at], None]
        near = ((p.min(axis=1) <= reach) & (p.max(axis=1) >= -reach)).all(axis=1)
        rows = np.flatnonzero(near)
        touched[begin + rows[_not_parted(p[rows], reach)]] = True
    return touched


def _not_parted(p: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Whether triangles (n, 3, 3) whose boxes meet the cell around the origin touch it."""
    sides = np.roll(p, -1, axis=1) - p
    normal = np.cross(sides[:, 0], sides[:, 1])
    touches = np.abs(np.einsum("ni,ni->n", normal, p[:, 0])) <= np.abs(normal) @ reach
    for axis in np.eye(3):
        across = np.cross(axis, sides)
        along = np.einsum("nsi,nci->nsc", across, p)
        width = np.abs(across) @ reach
        touches &= ((along.min(axis=2) <= width) & (along.max(axis=2) >= -width)).all(axis=1)
    return touches


def _rows(cells: np.ndarray, wanted: np.ndarray, level: int) -> np.ndarray:
    """Where each wanted cell of a level stands among its cells."""
    numbers = _number(cells, 1 << level)
    order = np.argsort(numbers)
    return order[np.searchsorted(numbers[order], _number(wanted, 1 << level))]


def _number(at: np.ndarray, width: int) -> np.ndarray:
    return (at[..., 0] * width + at[..., 1]) * width + at[..., 2]


def _values(
    vertices: np.ndarray, faces: np.ndarray, origin: np.ndarray, half: np.ndarray, level: np.ndarray, child: np.ndarray, box: np.ndarray, corners: np.ndarray
) -> np.ndarray:
    """Values at the corners (n, 8, 3) of cells, which are numbers of points on the grid of the smallest cells."""
    number = _number(corners, _GRID + 1)
    points, last, owner = np.unique(number.ravel()[::-1], return_index=True, return_inverse=True)
    cell = (number.size - 1 - last) // 8  # the last that has the corner, which is a smallest one
    owner = owner[::-1].reshape(number.shape)
    at = np.stack([points // (_GRID + 1) ** 2, points // (_GRID + 1) % (_GRID + 1), points % (_GRID + 1)], axis=1)
    width, first = _larger_cell(at, level, child, corners)
    own = width == 0
    values = np.zeros(len(points))
    distance = SurfaceDistance(vertices, faces)
    values[own] = distance.at(origin + at[own] * (2.0 * half / _GRID), cell[own], level, child, box)
    for size in sorted(set(width[~own].tolist()), reverse=True):
        rows = np.flatnonzero(width == size)
        share = (at[rows] - first[rows]) / size
        around = np.searchsorted(points, _number(first[rows, None] + size * _CORNERS, _GRID + 1))
        weights = np.where(_CORNERS == 1, share[:, None], 1.0 - share[:, None]).prod(axis=2)
        values[rows] = (weights * values[around]).sum(axis=1)
    return values[owner]


def _larger_cell(at: np.ndarray, level: np.ndarray, child: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Width of the largest undivided cell that has a point on its side and not at a corner, 0 for none, and the cell's first corner."""
    sizes = np.zeros((_GRID, _GRID, _GRID), dtype=np.int64)
    for number in range(1, DEPTH + 1):
        size = _GRID >> number
        lows = corners[(level == number) & (child[:, 0] < 0), 0]
        blocks = sizes.reshape(1 << number, size, 1 << number, size, 1 << number, size)
        low = lows // size
        blocks[low[:, 0], :, low[:, 1], :, low[:, 2], :] = size
    width, first = np.zeros(len(at), dtype=np.int64), np.zeros((len(at), 3), dtype=np.int64)
    for corner in _CORNERS:
        beside = at - corner
        rows = np.flatnonzero(((beside >= 0) & (beside < _GRID)).all(axis=1))
        size = sizes[tuple(beside[rows].T)]
        inside = ((at[rows] % size[:, None]) != 0).any(axis=1) & (size > width[rows])
        rows, size = rows[inside], size[inside]
        width[rows], first[rows] = size, beside[rows] // size[:, None] * size[:, None]
    return width, first
