"""Force-space contact gains of a compiled model; MuJoCo's own models have none."""

from __future__ import annotations

import numpy as np

from newtonish.mjw.record import ModelRecord

__all__ = ["contact_gains", "forced_geoms"]


def contact_gains(record: ModelRecord) -> dict[str, np.ndarray]:
    """The ``geom_gain``, ``geom_impedance`` and ``geom_kf`` fields."""
    return {
        "geom_gain": record.geom_gain,
        "geom_impedance": record.geom_impedance,
        "geom_kf": record.geom_kf,
    }


def forced_geoms(record: ModelRecord) -> int:
    """Number of geoms with force-space gains in any world."""
    own = contact_gains(record)["geom_gain"]
    gain = np.asarray(record.batched.get("geom_gain", own[None]))
    return int((gain[..., 0] > 0.0).any(axis=0).sum())
