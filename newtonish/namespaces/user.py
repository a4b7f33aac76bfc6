"""Numbers that a file carries for its user with each object; MuJoCo's ``nuser_*`` and ``*_user``.

Each object has the position of its numbers in a library that all worlds share, as an attribute ``user_<kind>``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

__all__ = ["KINDS", "SIZES", "USER", "user_arrays", "width_of"]

USER, SIZES = "mujoco:user", "mujoco:user_sizes"

KINDS: dict[str, str] = {
    "body": "body", "joint": "joint_dof", "shape": "shape", "camera": "mujoco:camera", "tendon": "mujoco:tendon", "actuator": "mujoco:actuator",
    "sensor": "mujoco:sensor",
}  # fmt: skip
"""Kind of object -> whose rows have the attribute; sites are shapes, a joint's numbers are those of its first dof."""


def width_of(word: str, rows: list[tuple[float, ...]], said: list[Mapping[str, int]]) -> int:
    """Numbers that each object of a kind has: what ``size`` says, or as many as the longest has.

    Args:
        word: MuJoCo's word for the kind, ``jnt`` for instance.
        rows: The numbers of the objects.
        said: What files say in ``size``.
    """
    given = max((one.get(word, -1) for one in said), default=-1)
    return max([given, *map(len, rows)]) if given >= 0 or rows else 0


def user_arrays(model: Any) -> dict[str, Callable[[], np.ndarray]]:
    """The numbers of each kind by row, (rows, as many as the longest has); what has none has zeros."""

    def make(kind: str) -> np.ndarray:
        library = model.libraries.rows(USER)
        at = getattr(model.mujoco, f"user_{kind}").numpy().tolist()
        return padded([library[i] if i >= 0 else () for i in at], max((len(library[i]) for i in at if i >= 0), default=0))

    return {f"{kind}_user": lambda kind=kind: make(kind) for kind in KINDS}


def padded(rows: list[tuple[float, ...]], width: int) -> np.ndarray:
    """Rows of numbers, filled up with zeros."""
    array = np.zeros((len(rows), width))
    for i, row in enumerate(rows):
        array[i, : len(row)] = row
    return array
