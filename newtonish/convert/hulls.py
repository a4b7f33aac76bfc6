"""Convex hull of a mesh: vertices and flat faces.

The hull is Qhull's (through SciPy). Triangles that lie in one plane within three milliradians become one face, as in
MuJoCo.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["ConvexHull", "bounded", "convex_hull", "thinned"]

_COPLANAR = 3e-3  # angle [rad] between the triangles of one face
_CORNERS = 24  # most corners of a face; what is clipped has room for that many


@dataclass
class ConvexHull:
    """A hull in the frame of its mesh."""

    vertices: np.ndarray
    faces: list[np.ndarray]
    normals: np.ndarray


def convex_hull(points: np.ndarray) -> ConvexHull:
    """Hull of points (n, 3); a flat set of points gets a hull of negligible thickness."""
    from scipy.spatial import ConvexHull as Qhull
    from scipy.spatial import QhullError

    points = points[_distinct(points)]
    try:
        hull = Qhull(points)
    except QhullError:
        hull = Qhull(points, qhull_options="QJ")
    local = np.full(len(points), -1)
    local[hull.vertices] = np.arange(len(hull.vertices))
    vertices, triangles, outward = points[hull.vertices], local[hull.simplices], hull.equations[:, :3]
    corners = vertices[triangles]
    turned = np.einsum("fi,fi->f", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), outward) < 0
    triangles[turned] = triangles[turned][:, ::-1]
    faces, normals = _flat_faces(vertices, triangles, outward, hull.neighbors)
    return ConvexHull(vertices, faces, normals)


def bounded(points: np.ndarray, maxhullvert: int) -> np.ndarray:
    """Indices of the vertices of a hull of a bounded number of them.

    Qhull adds the point farthest from a face of the hull so far, and stops; the order and the frame of the points
    decide where it begins, so MuJoCo's choice takes points as they are in the file.
    """
    from scipy.spatial import ConvexHull as Qhull
    from scipy.spatial import QhullError

    first = np.sort(_distinct(points))
    try:
        return first[Qhull(points[first], qhull_options=f"Qt Q9 TA{max(0, maxhullvert - 4)}").vertices]
    except QhullError:  # flat: its hull has no interior to lose
        return first


def _distinct(points: np.ndarray) -> np.ndarray:
    """Where each of the distinct points stands first, in the order of their coordinates."""
    order = np.lexsort(points.T[::-1])
    ordered = points[order]
    return order[np.concatenate([[True], np.any(ordered[1:] != ordered[:-1], axis=1)])] if len(points) else order


def _flat_faces(
    vertices: np.ndarray, triangles: np.ndarray, outward: np.ndarray, adjacent: np.ndarray
) -> tuple[list[np.ndarray], np.ndarray]:
    """Join coplanar triangles; corners of each face in order, and its normal."""
    taken = [False] * len(triangles)
    faces, normals = [], []
    corners, cosine = vertices[triangles], np.cos(_COPLANAR)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    alone = np.all(np.einsum("fi,fki->fk", outward, outward[adjacent]) <= cosine, axis=1).tolist()
    turned = (triangles.argmin(axis=1)[:, None] + np.arange(3)) % 3
    single = np.take_along_axis(triangles, turned, axis=1)
    around = adjacent.tolist()
    for seed in np.argsort(-area, kind="stable").tolist():  # from the largest on: its normal is the most certain
        if taken[seed]:
            continue
        taken[seed] = True
        if alone[seed]:  # most triangles of a round hull
            faces.append(single[seed])
            normals.append(outward[seed])
            continue
        members, front = [seed], [seed]
        while front:
            for other in around[front.pop()]:
                if not taken[other] and outward[other] @ outward[seed] > cosine:
                    taken[other] = True
                    members.append(other)
                    front.append(other)
        loop = _rim(triangles[members])
        if loop is None:  # rounding left a face with a hole: its triangles then
            faces.extend(triangles[members])
            normals.extend(outward[members])
        else:
            faces.append(loop)
            normals.append(outward[seed])
    return faces, np.array(normals)


def _rim(triangles: np.ndarray) -> np.ndarray | None:
    """Corners of the outline of joined triangles in order; None if it is not one simple loop."""
    sides = {(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)}
    following = {a: b for a, b in sides if (b, a) not in sides}
    number = sum((b, a) not in sides for a, b in sides)
    if not following or len(following) != number:
        return None
    loop = [next(iter(sorted(following)))]
    while len(loop) <= number:
        nxt = following.get(loop[-1])
        if nxt is None:
            return None
        if nxt == loop[0]:
            break
        loop.append(nxt)
    return np.array(loop) if len(loop) == number else None


def thinned(vertices: np.ndarray, loop: np.ndarray) -> np.ndarray:
    """At most 24 corners: those that cut off the least area go first."""
    while len(loop) > _CORNERS:
        p = vertices[loop]
        cut = np.linalg.norm(np.cross(np.roll(p, 1, axis=0) - p, np.roll(p, -1, axis=0) - p), axis=1)
        loop = np.delete(loop, int(np.argmin(cut)))
    return loop
