"""How firmly limits hold joints and tendons: the impedance of their constraint rows, which colours them."""

from __future__ import annotations

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.viewer.scene.decor.draft import Draft

__all__ = ["impedance", "limit_impedance"]


def limit_impedance(draft: Draft, row_type: int, count: int, solimp: str) -> np.ndarray:
    """(shown, count) impedance of the limits of joints or tendons, 0 where none is active.

    Args:
        draft: What is drawn.
        row_type: Type of the constraint rows.
        count: Number of joints or tendons.
        solimp: Field with their impedance parameters.
    """
    found, shown = draft.found, draft.shown
    result = np.zeros((len(shown), count))
    rows = np.arange(found["efc.type"].shape[1])
    active = (found["efc.type"][shown] == row_type) & (rows < found["nefc"][shown][:, None])
    world, row = np.nonzero(active)
    if not len(row):
        return result
    owner = found["efc.id"][shown][world, row]
    position = (found["efc.pos"] - found["efc.margin"])[shown][world, row]
    parameters = draft.of(found.world(solimp))[world, owner]
    result[world, owner] = impedance(parameters, position)
    return result


def impedance(solimp: np.ndarray, position: np.ndarray) -> np.ndarray:
    """MuJoCo's impedance d(r) (documentation, chapter Modeling, "Solver parameters"): (n, 5) parameters, (n,) violations."""
    low, high = np.clip(solimp[:, 0], 1e-4, 0.9999), np.clip(solimp[:, 1], 1e-4, 0.9999)
    width, middle, power = np.maximum(solimp[:, 2], 0.0), np.clip(solimp[:, 3], 1e-4, 0.9999), np.maximum(solimp[:, 4], 1.0)
    x = np.clip(np.abs(position) / np.maximum(width, MINVAL), 0.0, 1.0)
    rising = x**power / middle ** (power - 1)
    falling = 1 - (1 - x) ** power / (1 - middle) ** (power - 1)
    y = np.where(power == 1, x, np.where(x <= middle, rising, falling))
    flat = (low == high) | (width <= MINVAL)
    return np.where(flat, 0.5 * (low + high), low + y * (high - low))
