"""The parts of a step under the names that Newton's solver has for them, for scripts that call one without the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.mjw.mjdata import put_worlds
from newtonish.solver.observables import outputs_of
from newtonish.solver.pull import pull
from newtonish.solver.push import push, push_worlds

__all__ = ["NewtonParts"]


class NewtonParts:
    """Part of a solver. ``data`` is its ``mjw_data``, or a ``mujoco.MjData`` of its ``mj_model``, which stands for the first world.

    ``push_state`` and ``pull_state`` are the same for ``mjw_data``, under names of their own.
    """

    model: Any
    mj_model: Any
    mjw_data: Any
    _m: Any
    _d: Any
    _maps: Any
    _inputs: Any
    _all_worlds: wp.array
    _default_control: Any
    _world_mask: Any
    _count: int

    def _update_mjc_data(self, data: Any, model: Any, state: Any, world_mask: wp.array | None = None) -> None:
        """Positions, velocities and poses of mocap bodies of a state into ``data``."""
        ours = self.mjw_data
        mask = self._world_mask(world_mask)
        push_worlds(self._m, ours, self._maps, self._all_worlds if mask is None else mask, state)
        _copy_out(ours, data, ("qpos", "qvel", "mocap_pos", "mocap_quat"))

    def _apply_mjc_control(self, model: Any, state: Any, control: Any, data: Any) -> None:
        """Forces on joints and bodies, and controls, into ``data``."""
        ours = self.mjw_data
        push(self._m, ours, self._maps, self._inputs, state, self._default_control if control is None else control, 0.0, follow=False)
        _copy_out(ours, data, ("ctrl", "qfrc_applied", "xfrc_applied"))

    def _update_newton_state(self, model: Any, state: Any, data: Any, state_prev: Any = None, observables: Any = None) -> None:
        """A state, and forces that it or ``observables`` have arrays for, from ``data``; kinematic joints keep what ``state_prev`` has."""
        from newtonish.kernels.bridge.outputs import write_outputs

        if data is not self._d:
            put_worlds(self._m, [self.mj_model], [data], self._d)
        write_outputs(self._m, self._d, self._maps, outputs_of(self, state, observables))
        pull(self._m, self._d, self._maps, self.model, state if state_prev is None else state_prev, state)


def _copy_out(ours: Any, data: Any, names: tuple[str, ...]) -> None:
    """The first world's arrays into an ``MjData``, if that is what was given."""
    if data is ours:
        return
    for name in names:
        source, target = getattr(ours, name), getattr(data, name).reshape(-1)
        if target.size:
            target[:] = np.asarray(source.numpy()[0]).reshape(-1)
