"""Damping and armature of actuators, added to that of the joints and tendons they act on.

An actuator's damping and inertia act on its output; seen from the joint or tendon they are larger by the gear squared.
Device arrays hold the sum, so that a step costs nothing more. MuJoCo: XML Reference, actuator attributes damping, armature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.common.enums import TrnType
from newtonish.mjw.record import ModelRecord

__all__ = ["NAMES", "Reflected", "follow_actuators", "reflect", "with_actuators"]

NAMES = ("damping", "dampingpoly", "armature")
"""What actuators add: ``actuator_<name>`` to ``dof_<name>`` and ``tendon_<name>``."""


def with_actuators(record: ModelRecord, batched: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """``batched`` with ``dof_*`` and ``tendon_*`` damping and armature replaced by sums, if any actuator adds to them.

    Args:
        record: The compiled model.
        batched: Arrays with a world axis of fields that differ between worlds.
    """
    if not record.nactuator:
        return batched
    added = [name for name in NAMES if np.any(_values(record, batched, f"actuator_{name}") != 0.0)]
    result = dict(batched)
    gear = _values(record, batched, "actuator_gear")[..., 0]
    for name in added:
        own = _values(record, batched, f"actuator_{name}")
        for kind in ("dof", "tendon"):
            if kind == "tendon" and not record.ntendon:
                continue
            total = _values(record, batched, f"{kind}_{name}")
            nworld = max(len(total), len(own), len(gear))
            total = np.array(np.broadcast_to(total, (nworld, *total.shape[1:])))
            for a in range(record.nactuator):
                square = gear[:, int(record.actuator_outadr[a])] ** 2
                share = own[:, a] * (square if own.ndim == 2 else square[:, None])
                for i in _targets(record, a, kind):
                    total[:, i] += share
            result[f"{kind}_{name}"] = total
    return result


@dataclass
class Reflected:
    """What actuators add to the joints and tendons they act on, with a world axis in front.

    Attributes:
        gear: First number of each actuator's gear, with which the device's sums were made.
        own: Damping and armature of the actuators themselves; those that are zero for all are left out.
        targets: Dofs ("dof") and tendons ("tendon") of each actuator.
    """

    gear: np.ndarray
    own: dict[str, np.ndarray]
    targets: dict[str, list[list[int]]]

    @classmethod
    def of(cls, record: ModelRecord, batched: dict[str, np.ndarray]) -> Reflected | None:
        """What the actuators of a compiled model add; None if it has none. ``batched`` as for ``with_actuators``."""
        count = record.nactuator
        if not count:
            return None
        own = {name: _values(record, batched, f"actuator_{name}") for name in NAMES}
        own = {name: array for name, array in own.items() if np.any(array != 0.0)}
        gear = _values(record, batched, "actuator_gear")[:, record.actuator_outadr[:count], 0]
        return cls(gear, own, {kind: [_targets(record, a, kind) for a in range(count)] for kind in ("dof", "tendon")})


def follow_actuators(m: Any) -> None:
    """Let damping and armature of joints and tendons on the device follow gears and ``actuator_*`` that were written there in place."""
    if m.reflected is None:
        return
    _follow_gears(m)
    for name in NAMES:
        written, known = getattr(m, f"actuator_{name}").numpy(), m.reflected.own.get(name)
        if np.any(written != (0.0 if known is None else known.astype(np.float32))):
            reflect(m, name, written)


def _follow_gears(m: Any) -> None:
    """Let damping and armature of joints and tendons on the device follow gears that were changed there."""
    parts = m.reflected
    if parts is None or not parts.own:
        return
    gear = _gears(m)
    if not np.any(gear.astype(np.float32) != parts.gear.astype(np.float32)):  # those of the source may have more digits
        return
    change = gear**2 - parts.gear**2
    for name, own in parts.own.items():
        _add(m, name, own * (change if own.ndim == 2 else change[..., None]))
    parts.gear = gear


def reflect(m: Any, name: str, own: np.ndarray) -> None:
    """Let damping and armature of joints and tendons on the device follow another ``actuator_<name>``, a value a world or one for all."""
    parts = m.reflected
    if parts is None:
        return
    _follow_gears(m)
    parts.gear = _gears(m)
    square = parts.gear**2
    own = own.astype(np.float64)
    _add(m, name, (own - parts.own.get(name, np.zeros_like(own[:1]))) * (square if own.ndim == 2 else square[..., None]))
    parts.own = parts.own | {name: own}  # copies of the model keep theirs


def _gears(m: Any) -> np.ndarray:
    """First number of each actuator's gear, with a world axis in front."""
    return m.actuator_gear.numpy().astype(np.float64)[:, m.actuator_outadr.numpy(), 0]


def _add(m: Any, name: str, added: np.ndarray) -> None:
    """Add to damping or armature of the joints and tendons that each actuator acts on."""
    for kind, targets in m.reflected.targets.items():
        total = getattr(m, f"{kind}_{name}").numpy().astype(np.float64)
        if not total.size or not any(targets):
            continue
        sums = np.array(np.broadcast_to(total, (max(len(total), len(added)), *total.shape[1:])))
        for a, places in enumerate(targets):
            sums[:, places] += added[:, a, None]
        setattr(m, f"{kind}_{name}", sums.astype(np.float32))
    if name == "armature" and m.ntendon:
        m.ntenarmature = int((m.tendon_armature.numpy() != 0.0).any(axis=0).sum())


def _values(record: ModelRecord, batched: dict[str, np.ndarray], name: str) -> np.ndarray:
    """A field with a world axis in front."""
    return np.asarray(batched[name] if name in batched else getattr(record, name)[None], dtype=np.float64)


def _targets(record: ModelRecord, actuator: int, kind: str) -> list[int]:
    """Dofs or tendons that an actuator acts on directly."""
    transmission, target = int(record.actuator_trntype[actuator]), int(record.actuator_trnid[actuator][0])
    if kind == "tendon":
        return [target] if transmission == TrnType.TENDON else []
    if transmission not in (TrnType.JOINT, TrnType.JOINTINPARENT):
        return []
    return np.flatnonzero(record.dof_jntid == target).tolist()
