"""Simulated time beside wall time: how much is owed, how fast it went, and the speeds one can choose from."""

from __future__ import annotations

import time
from collections import deque

__all__ = ["LONGEST", "SPEEDS", "RealTime", "faster", "slower"]

SPEEDS = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16)
"""Factors of real time that ``slower`` and ``faster`` go through."""

LONGEST = 1 / 15
"""Seconds of wall time that a slow model may take of a frame, so that its window stays alive."""

_WINDOW = 1.0
"""Seconds of wall time over which the real-time factor is measured."""


def slower(speed: float) -> float:
    """The next lower of :data:`SPEEDS`."""
    return max((one for one in SPEEDS if one < speed), default=SPEEDS[0])


def faster(speed: float) -> float:
    """The next higher of :data:`SPEEDS`."""
    return min((one for one in SPEEDS if one > speed), default=SPEEDS[-1])


class RealTime:
    """What a simulation owes to the wall clock, and what it achieved lately."""

    def __init__(self) -> None:
        self.owed = 0.0
        self._frames: deque[tuple[float, float, float]] = deque()

    def note(self, wall: float, simulated: float) -> None:
        """Remember what was simulated in some wall time."""
        now = time.perf_counter()
        self._frames.append((wall, simulated, now))
        while len(self._frames) > 1 and now - self._frames[0][2] > _WINDOW:
            self._frames.popleft()

    def rest(self) -> None:
        """Forget the last second: the simulation stands still."""
        self._frames.clear()

    @property
    def factor(self) -> float:
        """Simulated seconds a second of wall time; NaN before it is known."""
        wall = sum(frame[0] for frame in self._frames)
        return sum(frame[1] for frame in self._frames) / wall if wall > 0.0 else float("nan")
