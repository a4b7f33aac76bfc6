"""Heightfields: Newton's height range and scale as MuJoCo's four sizes, samples from 0 to 1, alike or not between worlds.

Shapes with the same source and sizes in every world share one. MuJoCo measures heights from the lowest sample, so a geom
is moved up by that one's height. Where no base is given it is as thin as Newton makes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common import frames

__all__ = ["HeightfieldSet"]

THIN = 1e-4
"""Least elevation, and the base where none is given [m]."""


class HeightfieldSet:
    """The distinct heightfields of a model in order of first use, and their numbers in every distinct world.

    Args:
        count: Number of distinct worlds.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._ids: dict[tuple, int] = {}
        self._sources: list[list[Any]] = []
        self._sizes: list[np.ndarray] = []

    def add(self, sources: list[Any], scale: np.ndarray, base: np.ndarray) -> int:
        """Id of the heightfield of a shape.

        Args:
            sources: One in each distinct world, with grids of equal shape.
            scale: (worlds, 3) factors of the extents and heights.
            base: (worlds,) depth below the lowest sample [m]; negative: not given.
        """
        extent = np.array([[s.hx, s.hy, s.max_z - s.min_z] for s in sources]) * scale
        depth = np.where(base >= 0.0, base * scale[:, 2], THIN)
        size = np.concatenate([extent, depth[:, None]], axis=1)
        size[:, 2] = np.maximum(size[:, 2], THIN)
        key = (tuple(id(s) for s in sources), size.tobytes())
        if key not in self._ids:
            self._ids[key] = len(self._sources)
            self._sources.append(sources)
            self._sizes.append(size)
        return self._ids[key]

    def place(self, hfield: int, pos: np.ndarray, quat: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where a geom stands, its ``geom_size`` and its ``geom_aabb``, each per distinct world.

        Args:
            hfield: Id from ``add``.
            pos: (worlds, 3) origin of the shape.
            quat: (worlds, 4) its orientation, w first.
            scale: (worlds, 3) its scale.
        """
        lowest = np.zeros((self._count, 3))
        lowest[:, 2] = [s.min_z for s in self._sources[hfield]] * scale[:, 2]
        x, y, top, base = self._sizes[hfield].T
        zero = np.zeros_like(x)
        size = np.stack([x, y, 0.25 * top + 0.5 * base], axis=-1)  # what MuJoCo's compiler weighs
        aabb = np.stack([zero, zero, 0.5 * (top - base), x, y, 0.5 * (top + base)], axis=-1)
        return pos + frames.rotate(quat, lowest), size, aabb

    def radius(self, hfield: int) -> np.ndarray:
        """Radius of the ball about the origin that holds a heightfield, per distinct world."""
        x, y, top, base = self._sizes[hfield].T
        return np.sqrt(x * x + y * y + np.maximum(top, base) ** 2)

    def sizes(self) -> dict[str, int]:
        """``nhfield`` and ``nhfielddata``."""
        return {"nhfield": len(self._sources), "nhfielddata": sum(s[0].nrow * s[0].ncol for s in self._sources)}

    def tables(self) -> dict[str, np.ndarray]:
        """The ``hfield_*`` fields; the samples are those of the template world."""
        nrow, ncol = (np.array([getattr(s[0], name) for s in self._sources], dtype=np.int32) for name in ("nrow", "ncol"))
        return {
            "hfield_nrow": nrow,
            "hfield_ncol": ncol,
            "hfield_adr": np.cumsum(nrow * ncol) - nrow * ncol,
            "hfield_size": np.stack(self._sizes, axis=1) if self._sizes else np.zeros((self._count, 0, 4)),
            "hfield_data": self._samples(0),
        }

    def samples_by_world(self) -> np.ndarray | None:
        """Samples of every distinct world (worlds, nhfielddata), None where all have the same."""
        if all(source is s[0] for s in self._sources for source in s):
            return None
        rows = np.stack([self._samples(w) for w in range(self._count)])
        return None if np.array_equal(rows, np.broadcast_to(rows[:1], rows.shape)) else rows

    def _samples(self, world: int) -> np.ndarray:
        return np.concatenate([np.asarray(s[world].data, dtype=np.float32).ravel() for s in self._sources] or [np.zeros(0, dtype=np.float32)])
