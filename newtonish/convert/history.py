"""Where delays and plastic springs keep what they remember: addresses in MuJoCo's ``history`` and ``plastic`` vectors.

Each buffer holds a user slot, a cursor, the times and the values of its samples, actuators before sensors. A plastic
joint has as many entries as its spring has coordinates, a plastic tendon two, joints before tendons.
"""

from __future__ import annotations

import numpy as np

from newtonish.common.enums import JointType

__all__ = ["history_tables", "initial_plastic", "plastic_tables"]

Table = dict[str, np.ndarray]
_TENDON_ENTRIES = 2


def _addresses(sizes: np.ndarray, start: int = 0) -> np.ndarray:
    """First entry of each item, -1 for those of size zero."""
    return np.where(sizes > 0, start + np.cumsum(sizes) - sizes, -1).astype(np.int32)


def history_tables(t: Table) -> tuple[Table, dict[str, int]]:
    """``actuator_historyadr`` and ``sensor_historyadr``, and the size ``nhistory``."""
    sizes = []
    for samples, numbers in ((t["actuator_history"], t["actuator_ctrlnum"]), (t["sensor_history"], t["sensor_dim"])):
        count = np.maximum(samples[:, 0], 0)
        sizes.append(np.where(count > 0, 2 + count * (1 + numbers), 0))
    first = int(sizes[0].sum())
    tables = {"actuator_historyadr": _addresses(sizes[0]), "sensor_historyadr": _addresses(sizes[1], first)}
    return tables, {"nhistory": first + int(sizes[1].sum())}


def plastic_tables(t: Table) -> tuple[Table, dict[str, int]]:
    """``jnt_plasticadr`` and ``tendon_plasticadr``, and the size ``nplastic``; a threshold in any world makes a spring plastic."""
    joints = np.where(np.any(t["jnt_springyield"] > 0, axis=0), np.where(t["jnt_type"] == JointType.BALL, 4, 1), 0)
    tendons = np.where(np.any(t["tendon_springyield"] > 0, axis=0), _TENDON_ENTRIES, 0)
    first = int(joints.sum())
    tables = {"jnt_plasticadr": _addresses(joints), "tendon_plasticadr": _addresses(tendons, first)}
    return tables, {"nplastic": first + int(tendons.sum())}


def initial_plastic(t: Table, size: int) -> np.ndarray:
    """The plastic state of the template world after a reset."""
    result = np.zeros(size)
    for adr, q, kind in zip(t["jnt_plasticadr"], t["jnt_qposadr"], t["jnt_type"]):
        if adr >= 0:
            number = 4 if kind == JointType.BALL else 1
            result[adr : adr + number] = t["qpos_spring"][0, q : q + number]
    for tendon, adr in enumerate(t["tendon_plasticadr"]):
        if adr >= 0:
            result[adr : adr + _TENDON_ENTRIES] = t["tendon_lengthspring"][0, tendon]
    return result
