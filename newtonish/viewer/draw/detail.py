"""Coarser copies of meshes for what is small in a picture: on a processor that draws, triangles are what costs.

Corners are gathered in the cells of a grid, and each cell keeps the one nearest to its middle (J. Rossignac and P. Borrel, Multi-resolution
3D approximations for rendering complex scenes, 1993). A kept corner lies on the surface, so round things stay as large as they are.
"""

from __future__ import annotations

import numpy as np

from newtonish.viewer.scene import Triangles

__all__ = ["CELLS", "FEW", "coarser", "level_of"]

CELLS = (5, 8, 12, 18, 28, 44)
"""Cells along the longest side, from the coarsest copy to the finest."""

SPLIT = 12
"""Up to this many cells a cell has one corner, whichever way it faces."""

FEW = 100
"""Entries with no more triangles than this are drawn as they are."""


def level_of(size: np.ndarray, pixels: float) -> np.ndarray:
    """Which copy will do: an index into ``CELLS``, or its length for the entry itself.

    Args:
        size: (n,) longest sides in the picture [pixels].
        pixels: Largest side of a cell [pixels].
    """
    return np.searchsorted(np.array(CELLS), size / pixels)


def coarser(entry: Triangles, cells: int) -> Triangles:
    """The entry with one corner a cell, and without the triangles that have become lines or points."""
    positions = np.asarray(entry.positions, np.float64)
    low, size = positions.min(axis=0), max(float(np.ptp(positions, axis=0).max()), 1e-12)
    places = np.minimum((positions - low) / size * cells, cells - 1e-6).astype(np.int64)
    keys = (places[:, 0] * cells + places[:, 1]) * cells + places[:, 2]
    if cells > SPLIT:  # both sides of a thin wall are kept
        normals = np.asarray(entry.normals)
        axis = np.abs(normals).argmax(axis=1)
        keys = keys * 6 + 2 * axis + (np.take_along_axis(normals, axis[:, None], axis=1)[:, 0] > 0)
    _, group = np.unique(keys, return_inverse=True)
    count = np.bincount(group)
    middle = np.stack([np.bincount(group, positions[:, k]) for k in range(3)], axis=1) / count[:, None]
    away = ((positions - middle[group]) ** 2).sum(axis=1)
    order = np.lexsort((away, group))
    kept = order[np.concatenate(([0], np.flatnonzero(np.diff(group[order])) + 1))]
    corners = group[np.asarray(entry.indices)]
    # an edge between walls is one point with several normals: what has vanished is found by cells
    of = ((places[:, 0] * cells + places[:, 1]) * cells + places[:, 2])[np.asarray(entry.indices)]
    whole = (of[:, 0] != of[:, 1]) & (of[:, 1] != of[:, 2]) & (of[:, 2] != of[:, 0])
    corners = np.unique(np.ascontiguousarray(corners[whole], np.int32), axis=0)
    uvs = None if entry.uvs is None else np.asarray(entry.uvs)[kept]
    return Triangles(positions[kept].astype(np.float32), np.asarray(entry.normals, np.float32)[kept], corners, uvs, entry.capped)
