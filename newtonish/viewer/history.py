"""Numbers over time, for plots: what each step did, and what its stages took."""

from __future__ import annotations

from collections import deque

import numpy as np

__all__ = ["History"]


class History:
    """The last values of any number of series, each with the simulation time it belongs to.

    Args:
        length: Values kept of each series.
    """

    def __init__(self, length: int = 400) -> None:
        self._length = length
        self._series: dict[str, deque[tuple[float, float]]] = {}

    def add(self, time: float, **values: float) -> None:
        """Append one value to each named series."""
        for name, value in values.items():
            self._series.setdefault(name, deque(maxlen=self._length)).append((time, float(value)))

    @property
    def names(self) -> list[str]:
        """Series there are, in the order in which they began."""
        return list(self._series)

    def series(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Times and values of a series, oldest first; empty for one that has not begun."""
        pairs = np.array(self._series.get(name, ()), dtype=np.float64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def last(self, name: str) -> float:
        """The newest value; NaN where there is none."""
        return self._series[name][-1][1] if self._series.get(name) else float("nan")

    def cut(self, time: float) -> None:
        """Forget what lies after a time, which has not happened yet once a simulation has gone back."""
        for values in self._series.values():
            while values and values[-1][0] > time:
                values.pop()

    def clear(self) -> None:
        """Forget everything."""
        self._series.clear()
