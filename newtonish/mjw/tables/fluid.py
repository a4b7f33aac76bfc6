"""Which bodies feel the medium, and by which model, from an ``MjModel``'s fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.constants import MINVAL
from newtonish.mjw.record import ModelRecord

__all__ = ["fluid_bodies", "notice_medium", "option_changed"]

INERTIA_BOX, ELLIPSOIDS = 1, 2


def fluid_bodies(record: ModelRecord, batched: dict[str, np.ndarray]) -> dict[str, Any]:
    """Model of fluid forces of each body (see ``BODY`` in ``newtonish.kernels.structs.model``), how many have one,
    and how many would have one in a medium.

    Args:
        record: compiled model.
        batched: its values that differ between worlds.
    """
    kind = np.zeros(record.nbody, dtype=np.int32)
    medium = any(np.any(np.asarray(batched.get(name, getattr(record.opt, name))) > 0.0) for name in ("density", "viscosity"))
    kind[record.body_mass >= MINVAL] = INERTIA_BOX
    on = record.geom_fluid.reshape(-1, 12)[:, 0] > 0.0
    carriers = record.geom_bodyid[on]
    kind[carriers] = np.where(kind[carriers] == INERTIA_BOX, ELLIPSOIDS, kind[carriers])
    kind[record.body_weldid == 0] = 0  # forces on what cannot move have no effect
    count = int(np.count_nonzero(kind))
    return {"body_fluid": kind, "nfluid": count if medium else 0, "nexposed": count}


def option_changed(m: Any, name: str, values: np.ndarray | None) -> None:
    """Steps are recorded again after a change of an option; one of the medium lets the bodies feel it from then on.

    Args:
        m: model.
        name: the option.
        values: its new values; None: they are on the device and are not read.
    """
    m.touch()
    if name in ("density", "viscosity") and m.size.nfluid == 0 and (values is None or np.any(values > 0.0)):
        m.size.nfluid = m.nexposed


def notice_medium(m: Any) -> bool:
    """Let bodies feel a medium that was written into the options' arrays in place; whether one was found. Reads the device."""
    if m.size.nfluid > 0 or m.nexposed == 0 or not any(np.any(a.numpy() > 0.0) for a in (m.opt.density, m.opt.viscosity)):
        return False
    m.size.nfluid = m.nexposed
    m.touch()
    return True
