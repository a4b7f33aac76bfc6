"""Targets of actuators given by name: rows without an index take that of the dof, tendon or site of their target label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

__all__ = ["resolve_targets"]

JOINT, TENDON, SITE = 0, 2, 3


def resolve_targets(
    trntype: np.ndarray,
    trnid: np.ndarray,
    wanted: Sequence[str] | np.ndarray,
    names: Sequence[tuple[int, Sequence[str | None] | np.ndarray]],
) -> tuple[np.ndarray, np.ndarray]:
    """``actuator_trntype`` and ``actuator_trnid`` with targets found by name.

    Where a name stands once for every row that wants it, as in copies of a world, they are paired in order; else the first
    object of that name is taken.

    Args:
        trntype: Transmissions (n,).
        trnid: Indices (n, 2); the first is -1 where only the name is known.
        wanted: Target labels (n,).
        names: Names of the objects of each transmission, None for what is no target, in the order of the search.
    """
    rows: dict[str, list[int]] = defaultdict(list)
    for row in np.flatnonzero(trnid[:, 0] < 0).tolist():
        if wanted[row]:
            rows[str(wanted[row])].append(row)
    if not rows:
        return trntype, trnid
    trntype, trnid = trntype.copy(), trnid.copy()
    for name, of_name in rows.items():
        for kind, labels in names:
            found = [i for i, label in enumerate(labels) if label == name]
            if found:
                trntype[of_name] = kind
                trnid[of_name, 0] = found if len(found) == len(of_name) else found[0]
                break
    return trntype, trnid
