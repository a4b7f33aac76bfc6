"""Per-step statistics over all worlds, gathered without keeping the samples.

:class:`Tally` follows one quantity; :class:`Monitor` reads the counters of a simulation's data and remembers which
worlds overflowed a buffer or were reset because their state went non-finite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Monitor", "Tally"]

COUNTERS = {"contacts": "ncon", "rows": "nefc", "iterations": "solver_niter"}
"""What is followed, and the data field that holds it for each world."""


class Tally:
    """Mean, maximum and 95th percentile of small counts, kept as a histogram."""

    def __init__(self) -> None:
        self._histogram = np.zeros(64, dtype=np.int64)

    def add(self, values: np.ndarray) -> None:
        """Add one count a world."""
        histogram = np.bincount(np.asarray(values, dtype=np.int64).ravel())
        if len(histogram) > len(self._histogram):
            self._histogram = np.pad(self._histogram, (0, len(histogram) - len(self._histogram)))
        self._histogram[: len(histogram)] += histogram

    @property
    def samples(self) -> int:
        return int(self._histogram.sum())

    @property
    def mean(self) -> float:
        if not self.samples:
            return 0.0
        return float(np.arange(len(self._histogram)) @ self._histogram / self.samples)

    @property
    def maximum(self) -> int:
        present = np.flatnonzero(self._histogram)
        return int(present[-1]) if len(present) else 0

    def percentile(self, share: float) -> int:
        """Smallest count that at least ``share`` (0 to 1) of the samples do not exceed."""
        if not self.samples:
            return 0
        return int(np.searchsorted(np.cumsum(self._histogram), share * self.samples))

    def summary(self) -> dict[str, float]:
        return {"mean": self.mean, "p95": self.percentile(0.95), "max": self.maximum}


class Monitor:
    """Counters of a simulation, read after steps.

    Args:
        data: The array-level data with the fields of :data:`COUNTERS`, ``overflow`` and ``nonfinite``.
        nworld: Number of worlds.
    """

    def __init__(self, data: Any, nworld: int) -> None:
        self._data = data
        self.tallies = {name: Tally() for name in COUNTERS}
        self.overflowed = np.zeros(nworld, dtype=bool)
        self.nonfinite = np.zeros(nworld, dtype=bool)

    def sample(self) -> None:
        """Read every counter once."""
        for name, field in COUNTERS.items():
            self.tallies[name].add(getattr(self._data, field).numpy())
        self.overflowed |= self._data.overflow.numpy() != 0
        self.nonfinite |= self._data.nonfinite.numpy() != 0
