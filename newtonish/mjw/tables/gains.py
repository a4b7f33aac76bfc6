"""Force-space contact gains of a compiled model; MuJoCo's own models have none."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["contact_gains", "forced_geoms"]


def contact_gains(mjm: Any) -> dict[str, np.ndarray]:
    """The ``geom_gain``, ``geom_impedance`` and ``geom_kf`` fields."""
    count = int(mjm.ngeom)
    return {
        "geom_gain": np.asarray(getattr(mjm, "geom_gain", np.zeros((count, 2)))),
        "geom_impedance": np.asarray(getattr(mjm, "geom_impedance", np.zeros(count))),
        "geom_kf": np.asarray(getattr(mjm, "geom_kf", np.full(count, -1.0))),
    }


def forced_geoms(mjm: Any) -> int:
    """Number of geoms with force-space gains in any world."""
    own = contact_gains(mjm)["geom_gain"]
    gain = np.asarray(getattr(mjm, "batched", {}).get("geom_gain", own[None]))
    return int((gain[..., 0] > 0.0).any(axis=0).sum())
