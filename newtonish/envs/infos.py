"""The dictionary ``info`` of a vectorised environment: arrays by name, and by name with an underscore the mask of worlds that have it."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["merged", "of_worlds"]

Part = dict[str, tuple[np.ndarray, np.ndarray]]


def of_worlds(info: dict[str, np.ndarray], mask: np.ndarray) -> Part:
    """Information that the worlds of a mask have."""
    return {name: (values, mask) for name, values in info.items()}


def merged(*parts: Part) -> dict[str, Any]:
    """One dictionary of parts that concern different worlds; worlds that lack a name have zero there."""
    result: dict[str, Any] = {}
    for part in parts:
        for name, (values, mask) in part.items():
            if not mask.any():
                continue
            if name not in result:
                result[name], result[f"_{name}"] = np.zeros_like(values), np.zeros(len(mask), dtype=bool)
            result[name][mask] = values[mask]
            result[f"_{name}"] |= mask
    return result
