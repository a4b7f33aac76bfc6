"""The shape of a rope that hangs between two points."""

from __future__ import annotations

import numpy as np

__all__ = ["hanging"]


def hanging(start: np.ndarray, end: np.ndarray, gravity: np.ndarray, length: float, count: int) -> np.ndarray:
    """Points along a rope of a length between two ends, (count, 3); the ends alone where it is taut.

    With h the horizontal and v the vertical distance of the ends, the rope is ``y = b cosh((x - a) / b)`` with b from
    ``sqrt(length^2 - v^2) = 2 b sinh(h / 2 b)`` (any book on mechanics); b is found by bisection, which always ends. Where one end hangs
    below the other the rope goes straight down and up again.

    Args:
        start, end: Its ends [m].
        gravity: Which way it hangs [m/s^2].
        length: [m].
        count: Number of points, evenly spaced across.
    """
    up = -gravity / np.linalg.norm(gravity)
    apart = end - start
    if np.linalg.norm(apart) >= length:
        return np.stack([start, end])
    v = float(apart @ up)
    level = apart - v * up
    h = float(np.linalg.norm(level))
    if h < 1e-4 * length:  # down to the lowest point and up again
        lowest = 0.5 * (start + end) - 0.5 * (length - 0.0) * up
        return np.stack([start, lowest, end])
    target = np.sqrt(length**2 - v**2) / h  # sinh(u) / u with u = h / 2b
    low, high = 1e-9, 1.0
    while np.sinh(high) / high < target:
        high *= 2.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.sinh(middle) / middle < target else (low, middle)
    b = 0.5 * h / (0.5 * (low + high))
    a = 0.5 * h - b * np.arcsinh(v / (2 * b * np.sinh(0.5 * h / b)))
    x = np.linspace(0.0, h, count)
    y = b * (np.cosh((x - a) / b) - np.cosh(a / b))
    return start + x[:, None] * (level / h) + y[:, None] * up
