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
    # rounded, so that corners that differ by a rounding, as at the seam of a sphere, share their cell
    places = np.minimum(((positions - low) / size * cells).round(4), cells - 1e-6).astype(np.int64)
    cell = (places[:, 0] * cells + places[:, 1]) * cells + places[:, 2]
    where = positions[_nearest_to_middle(cell, positions)]  # one place a cell, so that no cracks open
    _, of_cell = np.unique(cell, return_inverse=True)
    # but a corner for each way a surface faces, and for each part of a picture on it
    keys = cell
    normals = np.asarray(entry.normals)
    if cells > SPLIT:
        axis = np.abs(normals).argmax(axis=1)
        keys = keys * 6 + 2 * axis + (np.take_along_axis(normals, axis[:, None], axis=1)[:, 0] > 0)
    if entry.uvs is not None:
        part = np.clip((np.asarray(entry.uvs) * 4).astype(np.int64), -8, 7) + 8
        keys = (keys * 16 + part[:, 0]) * 16 + part[:, 1]
    kept = _nearest_to_middle(keys, positions)
    _, group = np.unique(keys, return_inverse=True)
    indices = np.asarray(entry.indices)
    of = of_cell[indices]
    whole = (of[:, 0] != of[:, 1]) & (of[:, 1] != of[:, 2]) & (of[:, 2] != of[:, 0])
    corners = np.ascontiguousarray(group[indices[whole]], np.int32)
    uvs = None if entry.uvs is None else np.asarray(entry.uvs)[kept]
    return Triangles(where[of_cell[kept]].astype(np.float32), normals[kept].astype(np.float32), corners, uvs, entry.capped)


def _nearest_to_middle(keys: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """For each different key, in ascending order, which of its corners is nearest to the middle of them all."""
    _, group = np.unique(keys, return_inverse=True)
    count = np.bincount(group)
    middle = np.stack([np.bincount(group, positions[:, k]) for k in range(3)], axis=1) / count[:, None]
    order = np.lexsort((((positions - middle[group]) ** 2).sum(axis=1), group))
    return order[np.concatenate(([0], np.flatnonzero(np.diff(group[order])) + 1))]
