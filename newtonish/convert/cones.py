"""Cones as meshes, since MuJoCo has no cone: a tip, a rim of 32 points and the middle of the base, as Newton's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

__all__ = ["CONE", "ConeMesh", "unit_cone"]

CONE = 9  # Newton's GeoType
_SEGMENTS = 32


@dataclass(frozen=True)
class ConeMesh:
    """What the conversion reads of a mesh."""

    vertices: np.ndarray
    indices: np.ndarray
    maxhullvert: int | None = None


@cache
def unit_cone() -> ConeMesh:
    """A cone of radius 1 about z, from its base at z = -1 to its tip at z = 1."""
    angle = 2.0 * np.pi * np.arange(_SEGMENTS) / _SEGMENTS
    rim = np.stack([np.cos(angle), np.sin(angle), np.full(_SEGMENTS, -1.0)], axis=1)
    vertices = np.concatenate([rim, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    here = np.arange(_SEGMENTS)
    there = np.roll(here, -1)
    side = np.stack([here, there, np.full(_SEGMENTS, _SEGMENTS + 1)], axis=1)
    base = np.stack([there, here, np.full(_SEGMENTS, _SEGMENTS)], axis=1)
    return ConeMesh(vertices, np.concatenate([side, base]).reshape(-1))
