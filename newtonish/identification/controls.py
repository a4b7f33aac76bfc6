"""Controls of a log as a simulation takes them: held from row to row, late by a delay that need not be a whole number of steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from newtonish.identification.logs import Log

__all__ = ["HeldControls"]


class HeldControls:
    """Controls of logs, averaged over time steps.

    A step takes the mean of the held control over its length. It hands over the same impulse as the held control itself, whatever its rate and delay, and changes smoothly with the delay, as
    derivatives need it. With a row for each step it is the control itself, and under a delay MuJoCo's linear interpolation of its buffer.

    Args:
        logs: the logs.
        names: columns in the order of the model's controls; those that a log does not have are zero.
    """

    def __init__(self, logs: Sequence[Log], names: Sequence[str]) -> None:
        self._count = len(names)
        self._time = [log.time for log in logs]
        self._value = [
            np.stack([log.columns.get(name, np.zeros(len(log.time))) for name in names], axis=-1) if names else np.zeros((len(log.time), 0)) for log in logs
        ]
        self._sum = [
            np.concatenate([np.zeros((1, self._count)), np.cumsum(value[:-1] * np.diff(time)[:, None], axis=0)]) for time, value in zip(self._time, self._value)
        ]

    def mean(self, log: int, begin: float, steps: int, step: float, delay: np.ndarray) -> np.ndarray:
        """Controls (steps, controls) from a time on.

        Args:
            log: number of the log.
            begin: time of the first step [s].
            steps: number of steps.
            step: length of a step [s].
            delay: (controls,) [s].
        """
        edges = begin + step * np.arange(steps + 1)
        result = np.empty((steps, self._count))
        for late in np.unique(delay):
            which = np.flatnonzero(delay == late)
            impulse = self._impulse(log, edges - late)[:, which]
            result[:, which] = np.diff(impulse, axis=0) / step
        return result

    def _impulse(self, log: int, time: np.ndarray) -> np.ndarray:
        """The integral of the held controls from the log's beginning; before it and behind its end they are as at its ends."""
        times = self._time[log]
        row = np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1)
        return self._sum[log][row] + self._value[log][row] * (time - times[row])[:, None]
