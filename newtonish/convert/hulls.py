"""Convex hull of a mesh: vertices and faces, as MuJoCo's compiler makes them.

The hull is Qhull's (through SciPy), of the points as they are in the file, before any scale or pose: there Qhull begins, and there
triangles are joined to faces. Triangles whose normals round to the same two angles, azimuth and inclination in steps of 0.01, form
a face wherever they hang together; what remains of their sides, as later triangles take away those they share with earlier ones, is
its outline. Geometry counts after scale and pose; the normal of a face is that of its outline (Newell's).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.convert.hash_order import hash_order

__all__ = ["ConvexHull", "convex_hull", "thinned"]

STEP = 0.01
"""Angles of normals are rounded to multiples of this [rad]."""
TIE = 1.0 + 1e-4
"""Areas that differ by less are equal."""
ROUNDING = 1e-6
"""Share of the largest coordinate by which rounding may have moved a point."""
POLE = 1.0 - 1e-7
"""Above this, the third number of a normal is one, and it has no azimuth."""


@dataclass
class ConvexHull:
    """A hull in the frame of its mesh.

    Attributes:
        vertices: (n, 3).
        faces: Corners of each face, counter-clockwise seen from outside.
        normals: Outward normals of the faces.
        triangles: The hull's triangles (m, 3), turned outwards.
    """

    vertices: np.ndarray
    faces: list[np.ndarray]
    normals: np.ndarray
    triangles: np.ndarray


def convex_hull(points: np.ndarray, maxhullvert: int = -1, placed: np.ndarray | None = None) -> ConvexHull:
    """Hull of points (n, 3); a flat set of points gets a hull of negligible thickness.

    Args:
        points: The points as they are in the file.
        maxhullvert: Most vertices, -1 for no bound.
        placed: Where the points are, scaled and moved, perhaps mirrored; None: as in the file.
    """
    placed = points if placed is None else _unrounded(points, placed)
    triangles = _triangles(points, maxhullvert)
    loops = _faces(points, triangles)
    corners = placed[triangles]
    middle = corners.reshape(-1, 3).mean(axis=0)
    if np.linalg.det(corners - middle).sum() < 0.0:  # mirrored
        triangles, loops = triangles[:, ::-1], [np.concatenate([loop[:1], loop[:0:-1]]) for loop in loops]
    used = np.unique(triangles)
    local = np.full(len(points), -1)
    local[used] = np.arange(len(used))
    lengths = np.array([len(loop) for loop in loops])
    corner = np.concatenate(loops)
    ends, numbers = np.cumsum(lengths).tolist(), local[corner]
    faces = [numbers[start:end] for start, end in zip([0, *ends], ends)]
    return ConvexHull(placed[used], faces, _normals(placed[corner], lengths), local[triangles])


def _unrounded(points: np.ndarray, placed: np.ndarray) -> np.ndarray:
    """Where points are, without the rounding to single precision, which turns the normals of thin faces."""
    rows = np.column_stack([points, np.ones(len(points))])
    moved = rows @ np.linalg.lstsq(rows, placed, rcond=None)[0]
    off = np.abs(moved - placed).max(initial=0.0)
    return moved if off <= ROUNDING * np.abs(placed).max(initial=0.0) else placed


def _triangles(points: np.ndarray, maxhullvert: int) -> np.ndarray:
    """Triangles of the hull in Qhull's order, turned outwards.

    Where the number of vertices is bounded, Qhull adds the point farthest from a face of the hull so far, and stops; the order
    and the frame of the points decide where it begins.
    """
    from scipy.spatial import ConvexHull as Qhull
    from scipy.spatial import QhullError

    options = "Qt" if maxhullvert < 0 else f"Qt Q9 TA{max(0, maxhullvert - 4)}"
    try:
        hull = Qhull(points, qhull_options=options)
    except QhullError:
        hull = Qhull(points, qhull_options="QJ")
    triangles = hull.simplices.copy()
    turned = _turned(triangles, hull.neighbors, _outwards(points[triangles], hull.equations[:, :3]))
    triangles[turned, :2] = triangles[turned, 1::-1]
    return triangles


def _outwards(corners: np.ndarray, outward: np.ndarray) -> np.ndarray:
    """Twice the areas of triangles (n, 3, 3), negative for those that are turned inwards."""
    return np.einsum("fi,fi->f", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), outward)


def _turned(triangles: np.ndarray, adjacent: np.ndarray, area: np.ndarray) -> np.ndarray:
    """Which triangles have to be turned over, so that all lie as the largest one does once it looks outwards.

    Neighbours run through their common side in opposite directions. Areas alone do not tell of triangles that are very thin: where
    neighbours contradict them, the search goes from side to side.
    """
    seen = area < 0.0
    sides = np.roll(triangles, -1, axis=1), np.roll(triangles, -2, axis=1)  # across from corner k: where it begins and ends
    other = triangles[adjacent]
    along = ((other == sides[0][..., None]) & (np.roll(other, -1, axis=2) == sides[1][..., None])).any(axis=2)
    if np.array_equal(seen[adjacent], seen[:, None] ^ along):
        return seen
    first = int(np.argmax(np.abs(area)))
    rows, around = triangles.tolist(), adjacent.tolist()
    turned: list[bool | None] = [None] * len(rows)
    turned[first] = bool(area[first] < 0.0)
    front = [first]
    while front:
        here = front.pop()
        for k, there in enumerate(around[here]):  # the neighbour across from corner k
            if turned[there] is None:
                one, other = rows[here][(k + 1) % 3], rows[here][(k + 2) % 3]
                along = rows[there][(rows[there].index(one) + 1) % 3] == other
                turned[there] = turned[here] ^ along
                front.append(there)
    return np.array(turned, dtype=bool)


def _faces(points: np.ndarray, triangles: np.ndarray) -> list[np.ndarray]:
    """Outlines of the faces, in MuJoCo's order."""
    corners = points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    kept = length >= MINVAL
    groups: dict[tuple[float, float], list[int]] = {}
    angles = _angles(normal[kept] / length[kept, None] + 0.0)
    for row, key in zip(np.flatnonzero(kept).tolist(), map(tuple, angles.tolist())):
        groups.setdefault(key, []).append(row)
    loops: list[np.ndarray] = []
    for key in hash_order(groups):
        rows = groups[key]
        if len(rows) == 1:  # most triangles of a round hull
            loops.append(triangles[rows[0]])
            continue
        outline = _Outline()
        for corner in triangles[rows].tolist():
            outline.insert(corner)
        loops += [np.array(loop) for loop in outline.loops()]
    return loops


def _angles(normals: np.ndarray) -> np.ndarray:
    """Azimuth and inclination of unit vectors (n, 3) in whole steps, halves rounded away from zero; (n, 2)."""
    pole = np.abs(normals[:, 2]) > POLE
    azimuth = np.where(pole, 0.0, np.arctan2(normals[:, 1], normals[:, 0]))
    inclination = np.where(pole, np.where(normals[:, 2] < 0.0, np.pi, 0.0), np.arccos(np.clip(normals[:, 2], -1.0, 1.0)))
    steps = np.stack([azimuth, inclination], axis=1) / STEP
    return np.copysign(np.floor(np.abs(steps) + 0.5), steps) + 0.0


@dataclass
class _Outline:
    """Outer sides of triangles of one direction, and the part that each belongs to; parts hang together by sides.

    Attributes:
        sides: From corner to corner, in the order in which they came.
        part: Number of each side's part.
        parts: Number of parts.
    """

    sides: list[tuple[int, int]] = field(default_factory=list)
    part: list[int] = field(default_factory=list)
    parts: int = 0

    def insert(self, corners: list[int]) -> None:
        """Add a triangle: sides that it shares with others are no outer sides any more."""
        own = [(corners[k], corners[(k + 1) % 3]) for k in range(3)]
        outer, to = [], -1
        for start, end in own:
            if (end, start) not in self.sides:
                outer.append((start, end))
                continue
            at = self.sides.index((end, start))
            found = self.part[at]
            if to < 0:
                to = found
            elif found != to:
                to = self._joined(to, found)
            del self.sides[at], self.part[at]
        if to < 0:
            to = self.parts
            self.parts += 1
        self.sides += outer
        self.part += [to] * len(outer)

    def _joined(self, one: int, other: int) -> int:
        """Make two parts one, and renumber the parts."""
        low, high = min(one, other), max(one, other)
        self.part = [low if p == high else p - (p > high) for p in self.part]
        self.parts -= 1
        return low

    def loops(self) -> list[list[int]]:
        """Corners of each part in order; a part that does not close has none."""
        found = []
        for part in range(self.parts):
            following: dict[int, int] = {}
            for (start, end), p in zip(self.sides, self.part):
                if p == part:
                    following.setdefault(start, end)
            first = next(iter(following), None)
            if first is None:
                continue
            loop = [first]
            while len(loop) <= len(following) and (end := following.get(loop[-1], first)) != first:
                loop.append(end)
            if following.get(loop[-1]) == first and len(loop) >= 3:
                found.append(loop)
        return found


def _normals(corners: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Unit normals (n, 3) of outlines whose corners follow each other, each so long."""
    first = np.cumsum(lengths) - lengths
    arm = corners - np.repeat(corners[first], lengths, axis=0)
    after = np.roll(arm, -1, axis=0)
    after[first + lengths - 1] = 0.0
    normal = np.add.reduceat(np.cross(arm, after), first, axis=0)
    length = np.linalg.norm(normal, axis=1)
    normal[length < MINVAL**2] = (0.0, 0.0, 1.0)
    return normal / np.where(length < MINVAL**2, 1.0, length)[:, None]


def thinned(vertices: np.ndarray, loop: np.ndarray, most: int) -> np.ndarray:
    """At most ``most`` corners: those that cut off the least area go first, of equal ones the first."""
    while len(loop) > most:
        p = vertices[loop]
        cut = np.linalg.norm(np.cross(np.roll(p, 1, axis=0) - p, np.roll(p, -1, axis=0) - p), axis=1)
        loop = np.delete(loop, int(np.argmax(cut <= TIE * cut.min())))
    return loop
