"""Where many worlds are drawn."""

from __future__ import annotations

import numpy as np

__all__ = ["grid_offsets"]


def grid_offsets(count: int, spacing: float, up: np.ndarray | None = None) -> np.ndarray:
    """(count, 3) origins of worlds on a square grid on the ground, its middle at the origin; one world stays where it is.

    Args:
        count: Number of worlds.
        spacing: Distance of neighbours [m].
        up: (3, 3) turns z-up axes into the model's.
    """
    side = int(np.ceil(np.sqrt(count)))
    rows = int(np.ceil(count / side))
    at = np.arange(count)
    places = np.zeros((count, 3))
    places[:, 0] = (at % side - 0.5 * (side - 1)) * spacing
    places[:, 1] = (at // side - 0.5 * (rows - 1)) * spacing
    return (places if up is None else places @ up.T).astype(np.float32)
