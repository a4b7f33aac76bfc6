"""The surface on which sampled numbers are zero, by marching cubes (Lorensen and Cline 1987).

Every side of a cell whose ends differ in sign has one vertex, where the number between them would be zero. Around the cell these vertices
make loops, which are closed by triangles. On a square with two negative corners across from each other the negative parts stay apart, so that
cells agree on what they share and the surface is closed.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

__all__ = ["isosurface"]

_CORNERS = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])
_SIDES = [(a, b) for a, b in itertools.combinations(range(8), 2) if (a ^ b).bit_count() == 1]
_SIDES.sort(key=lambda side: ((side[0] ^ side[1]).bit_length(), side))
"""Sides of a cell as pairs of corners: those along x, then y, then z."""
_HUBS = (
    "00000000001000000200040000000000110002080020010000000100002000000400000000000100100002000020040000000000408000000200400000000000"
    "20000208000001000800100400100800000400200800100000800500010010400000000000100080010080000000000011000400000008000040080040000020"
    "0100200400400800a010000001010008000000004080008001003100000000002000040000800000200000000010000008100002200000080000008000000000"
    "00000000001000000200040000200200800001000000020000000100002000000400000000200c00820001040000000000800800100000800500102000400400"
    "10020000200080048000000000408000400000000002000010080080000000000400400400a00800000800020200200000020100400100801000001000040000"
    "02000000000400080000080004000000400400000004000040800000000000004000020000001000100200800020100001000000400000002000010000000000"
)
"""For the signs of a cell's corners the sides whose vertices its loops are fanned from, three hexadecimal digits for twelve bits; none: the first.

Any choice closes the surface. These are the diagonals that were seen in the meshes that MuJoCo 4.0 makes of its plugins' fields.
"""


_STRIPS = {
    23: "61a621251295", 43: "48242112717b", 77: "8368030b305b", 113: "a04a30390379",
    142: "a40a03309397", 178: "86383003b0b5", 212: "4284121721b7", 232: "6a1612215259",
}  # fmt: skip
"""The signs whose one loop of six is no fan but a strip there: the corners of its triangles, a digit each."""


def isosurface(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of the surface between negative and other numbers.

    Args:
        values: Numbers at the points of a grid, (nx, ny, nz).

    Returns:
        Vertices (n, 3) float32, in steps of the grid, in the order in which cells meet them (x fastest); triangles (m, 3), turned outwards.
    """
    shape = np.array(values.shape)
    inside = values < 0.0
    vertices, keys, numbers = [], [], []
    for axis in range(3):
        low = _cut(inside, axis, 0) != _cut(inside, axis, 1)
        at = np.argwhere(low)
        here, there = _cut(values, axis, 0)[low].astype(np.float32), _cut(values, axis, 1)[low].astype(np.float32)
        place = at.astype(np.float32)
        place[:, axis] += here / (here - there)
        others = np.arange(3) != axis
        first = np.where(others, np.maximum(at - 1, 0), at)  # the cell that meets it before the others
        vertices.append(place)
        keys.append((_flat(first, shape) * 3 + axis) * 4 + (at - first)[:, others] @ [1, 2])
        numbers.append(_flat(at, shape))
    order = np.argsort(np.concatenate(keys), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    ends = np.cumsum([len(number) for number in numbers])
    ranks = [rank[end - len(number) : end] for end, number in zip(ends, numbers)]
    return np.concatenate(vertices)[order], _triangles(inside, numbers, ranks)


def _triangles(inside: np.ndarray, numbers: list[np.ndarray], ranks: list[np.ndarray]) -> np.ndarray:
    """Triangles, cell by cell; ``numbers`` of the points where sides with vertices begin, by axis, and the ``ranks`` of the vertices."""
    shape = np.array(inside.shape)
    code = np.zeros(shape - 1, dtype=np.uint8)
    for bit, corner in enumerate(_CORNERS):
        code |= inside[tuple(slice(c, c + n - 1) for c, n in zip(corner, shape))].astype(np.uint8) << bit
    cells = np.argwhere((code > 0) & (code < 255))
    cells = cells[np.argsort(_flat(cells, shape), kind="stable")]
    codes = code[tuple(cells.T)]
    lists, counts = _table()
    owner = np.repeat(np.arange(len(cells)), counts[codes])
    turn = np.arange(len(owner)) - np.repeat(np.cumsum(counts[codes]) - counts[codes], counts[codes])
    sides = lists[codes[owner], turn]
    found = np.empty(sides.shape, dtype=np.int64)
    for side, (low, _) in enumerate(_SIDES):
        rows, column = np.nonzero(sides == side)
        axis = side // 4
        start = _flat(cells[owner[rows]] + _CORNERS[low], shape)
        found[rows, column] = ranks[axis][_find(numbers[axis], start)]
    return found


def _find(numbers: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each wanted number stands."""
    order = np.argsort(numbers)
    return order[np.searchsorted(numbers[order], wanted)]


def _cut(array: np.ndarray, axis: int, start: int) -> np.ndarray:
    """All but the last (``start`` 0) or the first (1) layer along an axis."""
    return array[tuple(slice(start, array.shape[k] - 1 + start) if k == axis else slice(None) for k in range(3))]


def _flat(at: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Numbers of points of the grid, x fastest."""
    return (at[:, 2] * shape[1] + at[:, 1]) * shape[0] + at[:, 0]


@cache
def _table() -> tuple[np.ndarray, np.ndarray]:
    """Triangles as sides of a cell (256, 5, 3) by the signs of its corners, and how many there are."""
    lists, counts = np.zeros((256, 5, 3), dtype=np.int64), np.zeros(256, dtype=np.int64)
    for code in range(256):
        hubs = int(_HUBS[3 * code : 3 * code + 3], 16)
        loops = [_from_hub(loop, hubs) for loop in _loops(code)]
        fans: list[tuple[int, ...]] = [(loop[0], loop[k], loop[k + 1]) for loop in loops for k in range(1, len(loop) - 1)]
        if code in _STRIPS:
            fans = [tuple(int(digit, 16) for digit in _STRIPS[code][k : k + 3]) for k in range(0, 12, 3)]
        counts[code] = len(fans)
        lists[code, : len(fans)] = fans or np.zeros((0, 3))
    return lists, counts


def _loops(code: int) -> list[list[int]]:
    """Loops of sides of a cell with these negative corners; counter-clockwise seen from where numbers are positive."""
    after: dict[int, int] = {}
    for axis, end in itertools.product(range(3), (0, 1)):
        one, two = 1 << (axis + 1) % 3, 1 << (axis + 2) % 3
        ring = [0, one, one | two, two] if end else [0, two, one | two, one]  # counter-clockwise seen from outside the cell
        ring = [corner | (end << axis) for corner in ring]
        signs = [code >> corner & 1 for corner in ring]
        for k in range(4):
            if signs[k] and not signs[k - 1]:  # a run of negative corners begins, and ends before the next positive one
                last = k
                while signs[(last + 1) % 4]:
                    last += 1
                begin, finish = _side(ring[k - 1], ring[k]), _side(ring[last % 4], ring[(last + 1) % 4])
                after[begin] = finish
    loops, waiting = [], set(after)
    while waiting:
        loop = [min(waiting)]
        while (following := after[loop[-1]]) != loop[0]:
            loop.append(following)
        waiting -= set(loop)
        loops.append(loop)
    return loops


def _from_hub(loop: list[int], hubs: int) -> list[int]:
    """The same loop from the side on that is fanned from."""
    first = next((k for k, side in enumerate(loop) if hubs >> side & 1), 0)
    return loop[first:] + loop[:first]


def _side(a: int, b: int) -> int:
    return _SIDES.index((min(a, b), max(a, b)))
