"""Bounds of geoms from sizes that were changed on the device: of primitive shapes from ``geom_size``, of heightfields from ``hfield_size``.

MuJoCo: mj_setConst, which derives the same. Bounds of meshes and fields, and planes, which have none, stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import GeomType
from newtonish.common.geoms import GEOMS, bounding_radii, half_extents

__all__ = ["bounds"]

_SIZED = [row.type for row in GEOMS.values() if row.half is not None]


def bounds(m: Any, t: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """``geom_size``, ``geom_rbound`` and ``geom_aabb`` in float64, with a world axis in front.

    Args:
        m: model.
        t: its ``geom_type`` (ngeom,) and ``geom_size`` (W, ngeom, 3) [m].
    """
    kind, known = t["geom_type"], m.geom_aabb.numpy().astype(np.float64)
    extents, dataid = m.hfield_size.numpy().astype(np.float64), m.geom_dataid.numpy()
    fields = np.flatnonzero(kind == GeomType.HFIELD)
    worlds = max(len(t["geom_size"]), len(m.geom_rbound), len(known), *((len(extents), len(dataid)) if len(fields) else ()))
    size, radius = _spread(t["geom_size"], worlds), _spread(m.geom_rbound.numpy().astype(np.float64), worlds)
    box = _spread(known, worlds) if known.size else np.zeros((worlds, len(kind), 2, 3))  # models of other makers may have none
    sized = np.isin(kind, _SIZED)
    box[:, sized] = np.stack([np.zeros_like(size), half_extents(kind, size)], axis=2)[:, sized]
    every = np.arange(worlds)
    for g in fields:
        x, y, top, base = extents[every % len(extents), dataid[every % len(dataid), g]].T
        size[:, g] = np.stack([x, y, 0.25 * top + 0.5 * base], axis=-1)
        radius[:, g] = np.sqrt(x * x + y * y + np.maximum(top, base) ** 2)
        box[:, g, 0] = np.stack([0.0 * x, 0.0 * y, 0.5 * (top - base)], axis=-1)
        box[:, g, 1] = np.stack([x, y, 0.5 * (top + base)], axis=-1)
    return {"geom_size": size, "geom_rbound": bounding_radii(kind, size, radius), "geom_aabb": box}


def _spread(array: np.ndarray, worlds: int) -> np.ndarray:
    """A copy with one entry for each world."""
    return np.array(np.broadcast_to(array, (worlds, *array.shape[1:])))
