"""Colours of surfaces, which are linear, and those of screens and MuJoCo (the transfer function of sRGB, IEC 61966-2-1); numbers from 0 to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["display", "linear"]


def display(colour: Any) -> np.ndarray:
    """A linear colour as screens and MuJoCo have it."""
    own = np.clip(np.nan_to_num(colour), 0.0, 1.0)
    return np.where(own <= 0.0031308, 12.92 * own, 1.055 * own ** (1 / 2.4) - 0.055)


def linear(colour: Any) -> np.ndarray:
    """A colour of screens as surfaces have it, the inverse of :func:`display`."""
    shown = np.clip(np.asarray(colour, dtype=np.float64), 0.0, 1.0)
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
