"""Control signals for many worlds: zero, or seeded uniform samples held for a few steps.

A sample is drawn for all worlds with one call of NumPy's generator, so that making controls costs far less than
stepping with them. Actuators without a control range are driven within [-1, 1].
"""

from __future__ import annotations

import numpy as np

__all__ = ["HOLD", "Controls", "control_limits"]

HOLD = 10
"""Steps for which one sample is held; white noise at every step would average out over the actuators."""


def control_limits(ctrlrange: np.ndarray, ctrllimited: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limits to sample from.

    Args:
        ctrlrange: Ranges, shape (nu, 2) or (nworld or 1, nu, 2).
        ctrllimited: Whether each actuator's range holds, shape (nu,).

    Returns:
        Two float32 arrays that broadcast to (nworld, nu).
    """
    ranges = np.asarray(ctrlrange, dtype=np.float32)
    ranges = ranges.reshape(-1, ranges.shape[-2], 2) if ranges.size else np.zeros((1, 0, 2), np.float32)
    limited = np.asarray(ctrllimited).astype(bool).reshape(1, -1)
    low = np.where(limited, ranges[..., 0], np.float32(-1.0))
    high = np.where(limited, ranges[..., 1], np.float32(1.0))
    return low, high


class Controls:
    """A reproducible sequence of control samples, one for each block of :data:`HOLD` steps.

    Args:
        kind: ``zero`` or ``random``.
        low: Lower limits, broadcastable to (nworld, nu).
        high: Upper limits, broadcastable to (nworld, nu).
        nworld: Number of worlds.
        seed: Seed of the generator.
    """

    def __init__(self, kind: str, low: np.ndarray, high: np.ndarray, nworld: int, seed: int) -> None:
        self.kind = kind
        self._low = low
        self._span = high - low
        self._shape = (nworld, low.shape[-1])
        self._random = np.random.default_rng(seed)

    def sample(self) -> np.ndarray:
        """Draw the next sample, float32 of shape (nworld, nu)."""
        if self.kind == "zero":
            return np.zeros(self._shape, np.float32)
        block = self._random.random(self._shape, dtype=np.float32)
        block *= self._span
        block += self._low
        return block
