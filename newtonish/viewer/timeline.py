"""Going back in time: copies of everything that decides how a simulation continues, in a ring of limited memory.

A copy is taken before every step. Restoring one and stepping again under the same inputs gives the same bits, because steps
are repeatable and the copy holds all they read: positions, velocities, activations, warm start, histories, plastic rest
positions, user data, controls, mocap poses and the time.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from newtonish.mjw.states import PARTS

__all__ = ["Timeline", "arrays_of_moment", "restore", "take"]

MOST = 2000
"""Moments that are kept, where memory allows."""

BYTES = 256 << 20
"""Memory that all moments may take."""

_STATE = ("joint_q", "joint_qd", "body_q", "body_qd", "body_f")
_CONTROL = ("joint_target_q", "joint_target_qd", "joint_act", "joint_f")


def arrays_of_moment(model: Any, solver: Any, state: Any, control: Any) -> list[Any]:
    """Device arrays that hold a moment of a simulation, in a fixed order."""
    d = solver.mjw_data
    found = [getattr(d, name) for name in PARTS.values() if name in type(d).FLAT]
    found += [getattr(state, name, None) for name in _STATE]
    found += [getattr(control, name, None) for name in _CONTROL]
    found += [getattr(getattr(control, "mujoco", None), name, None) for name in ("ctrl", "ctrl_more")]
    if solver.compiled.nmocap:
        found.append(model.joint_X_p)  # where mocap bodies are
    return [array for array in found if array is not None and array.size]


def take(arrays: list[Any]) -> list[np.ndarray]:
    """Copies on the host."""
    return [array.numpy().copy() for array in arrays]


def restore(arrays: list[Any], moment: list[np.ndarray]) -> None:
    """Put copies back where they came from."""
    for array, kept in zip(arrays, moment, strict=True):
        array.assign(kept)


class Timeline:
    """Moments in their order, with the present among them.

    The present changes while it lasts (controls are moved), so its copy is taken when it is left: by a step, or by going elsewhere.

    Args:
        capacity: Most moments; None: as many as :data:`BYTES` hold, at most :data:`MOST`.
    """

    def __init__(self, capacity: int | None = None) -> None:
        self._capacity = capacity
        self._moments: deque[list[np.ndarray] | None] = deque([None])
        self._place = 0

    def __len__(self) -> int:
        return len(self._moments)

    @property
    def place(self) -> int:
        """Index of the present, 0 for the oldest moment that is kept."""
        return self._place

    @property
    def is_newest(self) -> bool:
        """Whether nothing lies ahead."""
        return self._place == len(self._moments) - 1

    def leave(self, present: list[np.ndarray]) -> None:
        """Go on to a new present that comes after this one; what lay ahead is forgotten."""
        while not self.is_newest:
            self._moments.pop()
        self._moments[-1] = present
        self._moments.append(None)
        size = max(1, sum(array.nbytes for array in present))
        most = self._capacity or max(2, min(MOST, BYTES // size))
        while len(self._moments) > most:
            self._moments.popleft()
        self._place = len(self._moments) - 1

    def move(self, by: int, present: list[np.ndarray]) -> list[np.ndarray] | None:
        """Go ``by`` moments ahead (back where negative), as far as there are any; None when there is nowhere to go."""
        place = min(max(self._place + by, 0), len(self._moments) - 1)
        if place == self._place:
            return None
        self._moments[self._place] = present
        self._place = place
        return self._moments[place]

    def clear(self) -> None:
        """Forget everything but the present."""
        self._moments.clear()
        self._moments.append(None)
        self._place = 0
