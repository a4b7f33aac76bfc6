"""Pull: the arrays after a step into a Newton state.

Joint coordinates are converted in one launch; poses and velocities of the bodies then follow from the new coordinates by
forward kinematics, because MuJoCo's body poses after a step are still those of its start.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.kernels.bridge.frames import Maps
from newtonish.kernels.bridge.states import pull_kernel
from newtonish.kernels.runtime.launch import launch
from newtonish.model.fk import eval_fk
from newtonish.model.schedule import schedule

__all__ = ["Articulations", "pull", "pull_joints"]


class Articulations:
    """The articulations of each range of worlds, for forward kinematics of a part of the model.

    Args:
        model: The Newton model.
        nworld: Number of worlds.

    Attributes:
        complete: Whether every joint is in an articulation; else only the whole model can be evaluated.
    """

    def __init__(self, model: Any, nworld: int) -> None:
        count = int(model.articulation_count)
        world = np.maximum(model.articulation_world.numpy()[:count], 0) if count else np.zeros(0, dtype=np.int32)
        order = np.argsort(world, kind="stable").astype(np.int32)
        self._first = np.searchsorted(world[order], np.arange(nworld + 1))
        self._order: wp.array = wp.array(order, dtype=wp.int32, device=model.device)
        self.complete = not schedule(model).loose

    def of(self, first: int, count: int) -> wp.array:
        """Indices of the articulations of ``count`` worlds."""
        return self._order[int(self._first[first]) : int(self._first[first + count])]


def pull_joints(m: Any, d: Any, maps: Maps, before: Any, state: Any) -> None:
    """Write ``joint_q`` and ``joint_qd``; arguments as of :func:`pull`."""
    old, new = (before.joint_q, before.joint_qd), (state.joint_q, state.joint_qd)
    launch(pull_kernel, d, [m.size, m.jnt, maps, d.state, *old, *new])


def pull(m: Any, d: Any, maps: Maps, model: Any, before: Any, state: Any) -> None:
    """Write ``joint_q``, ``joint_qd``, ``body_q`` and ``body_qd`` of all worlds.

    Args:
        m: Model of ``newtonish.mjw``.
        d: Its Data.
        maps: Index maps on the device.
        model: The Newton model.
        before: Newton state at the start of the step, whose kinematic joints are carried over.
        state: Newton state to fill.
    """
    pull_joints(m, d, maps, before, state)
    if state.body_q is not None:
        eval_fk(model, state.joint_q, state.joint_qd, state)
