"""Which vertices of a convex hull can be the farthest one, for the directions through each cell of a cube's sides.

A vertex is left out of a cell if one that is farthest in a corner of the cell is farther in all four corners: then it is farther
along every direction through the cell. Cells are split into four as long as their lists are long, so each list is made from a
short one: at first all of a hull's, then, where a face has a finely rounded rim, those by themselves that have more than a dozen.
"""

from __future__ import annotations

import numpy as np

from newtonish.kernels.structs.collision import MOST_CELLS

_ENOUGH = 4.0
"""Mean length of the lists from which on cells are split no further."""
_LONG = 12
"""Length of a list from which on its cell is split by itself."""
_HALVINGS = 4
"""Times that is done at most: of directions along the normal of a round face, all of its rim stays farthest."""
_ROUNDING = 1e-6
"""Difference over the size of the hull that is no difference to a kernel."""


def extremes(points: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """The vertices that can be the farthest ones.

    Args:
        points: Vertices of a hull (n, 3).

    Returns:
        Cells along an edge of the cube; for each cell where its list begins, and where the last one ends; the lists, vertices in
        increasing order. The cells are those of the cube's sides, +x, -x, +y, ..., and behind these 6 cells² four for each that is split
        once more, by its halves along rows, then columns. Its list has one entry, the number of the first of these four, made negative.
    """
    cells, cell, vertex = _even(points)
    slack = _slack(points)
    number, total = cell, 6 * cells * cells
    numbers, entries = [], []
    for _ in range(_HALVINGS):
        parents, length = np.unique(number, return_counts=True)
        parents = parents[length > _LONG]
        long = np.isin(number, parents)
        first = total + 4 * np.arange(len(parents))
        numbers += [number[~long], parents]
        entries += [vertex[~long], -first]
        parent = number[long]
        cell, vertex, quarter, source = _split(cell[long], vertex[long], cells)
        number = first[np.searchsorted(parents, parent[source])] + quarter
        cells_now = 2 * cells
        kept = _farthest(_values(points, cell, vertex, cells_now), cell, slack)
        cell, vertex, number, cells = cell[kept], vertex[kept], number[kept], cells_now
        total += 4 * len(parents)
    every, entry = np.concatenate([*numbers, number]), np.concatenate([*entries, vertex])
    order = np.argsort(every, kind="stable")
    return cells >> _HALVINGS, np.searchsorted(every[order], np.arange(total + 1)), entry[order]


def _even(points: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """Cells along an edge of the cube, of one size, and the cell and vertex of each entry of their lists."""
    cells = 1
    cell, vertex = np.repeat(np.arange(6), len(points)), np.tile(np.arange(len(points)), 6)
    while True:
        kept = _farthest(_values(points, cell, vertex, cells), cell, _slack(points))
        cell, vertex = cell[kept], vertex[kept]
        if 2 * cells > MOST_CELLS or len(cell) <= _ENOUGH * 6 * cells * cells:
            return cells, cell, vertex
        cell, vertex, _, _ = _split(cell, vertex, cells)
        cells *= 2


def _slack(points: np.ndarray) -> float:
    return _ROUNDING * float(np.abs(points).max(initial=0.0))


def _values(points: np.ndarray, cell: np.ndarray, vertex: np.ndarray, cells: int) -> list[np.ndarray]:
    """How far vertices (n,) are along the directions through each of the four corners of their cells, (n,) each."""
    side, row, column = np.unravel_index(cell, (6, cells, cells))
    axis = side // 2
    p = points.ravel()
    at, ends = 3 * vertex, [-1.0, 2.0 / cells - 1.0]
    along = np.where(side % 2 == 0, 1.0, -1.0) * p[at + axis]
    across, upward = p[at + (axis + 1) % 3], p[at + (axis + 2) % 3]
    first = [along + across * (2.0 * row / cells + end) for end in ends]
    second = [upward * (2.0 * column / cells + end) for end in ends]
    return [one + other for one in first for other in second]


def _farthest(values: list[np.ndarray], cell: np.ndarray, slack: float) -> np.ndarray:
    """Whether each entry can be the farthest one of its cell; entries of a cell stand together."""
    begin = np.flatnonzero(np.diff(cell, prepend=-1))
    counts = np.diff(begin, append=len(cell))
    number = np.repeat(np.arange(len(begin)), counts)
    kept = np.ones(len(cell), dtype=bool)
    for value in values:
        top = np.flatnonzero(value == np.repeat(np.maximum.reduceat(value, begin), counts))
        best = np.empty(len(begin), dtype=int)
        best[number[top]] = top
        near = np.zeros(len(cell), dtype=bool)
        for other in values:
            near |= other >= np.repeat(other[best] - slack, counts)
        kept &= near
    return kept


def _split(cell: np.ndarray, vertex: np.ndarray, cells: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Each entry four times, in the four parts of its cell: the part's number in the finer grid, the vertex, which of the four it is, and of which entry."""
    side, row, column = np.unravel_index(np.tile(cell, 4), (6, cells, cells))
    quarter = np.repeat(np.arange(4), len(cell))
    parts = np.ravel_multi_index((side, 2 * row + quarter // 2, 2 * column + quarter % 2), (6, 2 * cells, 2 * cells))
    order = np.argsort(parts, kind="stable")
    source = order % max(len(cell), 1)
    return parts[order], vertex[source], quarter[order], source
