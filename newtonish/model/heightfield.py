"""Heightfields: terrain as a grid of heights over a rectangle."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.arguments import checked_methods
from newtonish.errors import ModelError, problem

__all__ = ["Heightfield"]


class Heightfield:
    """A grid of heights over a rectangle; one object may be the source of many shapes.

    The numbers given are scaled to 0 ... 1; a sample then stands at ``min_z + data * (max_z - min_z)``. Equal numbers all
    become 0, so that a flat field stands at ``min_z``.

    Args:
        data: Heights, (nrow, ncol) or flat, row by row; the first row is at -y, the first column at -x.
        nrow: Number of rows, along y, at least 2.
        ncol: Number of columns, along x, at least 2.
        hx: Half extent along x [m].
        hy: Half extent along y [m].
        min_z: Height of the lowest number [m]; by default that number.
        max_z: Height of the highest number [m]; given together with ``min_z`` or not at all.

    Raises:
        ModelError: The numbers do not make a grid, or a size is not positive.
    """

    def __init__(
        self,
        data: Any,
        nrow: int,
        ncol: int,
        hx: float = 1.0,
        hy: float = 1.0,
        min_z: float | None = None,
        max_z: float | None = None,
    ) -> None:
        if nrow < 2 or ncol < 2:
            _refuse(f"nrow={nrow}, ncol={ncol}", "at least 2 rows and 2 columns", "give more samples")
        if not (0.0 < hx < np.inf and 0.0 < hy < np.inf):
            _refuse(f"hx={hx}, hy={hy}", "positive half extents", "give them in metres")
        if (min_z is None) != (max_z is None):
            _refuse(f"min_z={min_z}, max_z={max_z}", "both or none", "give both, or leave both to the numbers")
        self.nrow, self.ncol = int(nrow), int(ncol)
        self.hx, self.hy = float(hx), float(hy)
        self._data, low, high = self._scaled(data)
        self.min_z = low if min_z is None else float(min_z)
        self.max_z = high if max_z is None else float(max_z)
        if not (np.isfinite(self.min_z) and self.min_z <= self.max_z < np.inf):
            _refuse(f"min_z={min_z}, max_z={max_z}", "finite heights, the first not above the second", "correct them")

    def _scaled(self, data: Any) -> tuple[np.ndarray, float, float]:
        """Samples from 0 to 1, and the lowest and highest number given."""
        try:
            raw = np.array(data, dtype=np.float32)
        except (TypeError, ValueError, OverflowError, RuntimeError):
            raw = np.empty(0, dtype=np.float32)
        if raw.size != self.nrow * self.ncol or not np.isfinite(raw).all():
            given = f"{raw.size} numbers" if raw.size != self.nrow * self.ncol else "numbers that are not finite"
            _refuse(given, f"{self.nrow * self.ncol} finite numbers, nrow times ncol", "correct the array")
        raw = raw.reshape(self.nrow, self.ncol)
        low, high = raw.min(), raw.max()
        scaled = (raw - low) / (high - low) if high > low else np.zeros_like(raw)
        return scaled, float(low), float(high)

    @property
    def data(self) -> np.ndarray:
        """Samples from 0 to 1, float32, (nrow, ncol); setting it takes other heights over, ``min_z`` and ``max_z`` too."""
        return self._data

    @data.setter
    def data(self, value: Any) -> None:
        self._data, self.min_z, self.max_z = self._scaled(value)


def _refuse(given: str, allowed: str, remedy: str) -> None:
    raise ModelError(problem("heightfield", given, allowed, remedy))


checked_methods(Heightfield)
