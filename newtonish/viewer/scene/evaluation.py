"""What the equations of motion say of a state that is shown: contacts, forces, paths of tendons, sensors.

The solver's own data are those of its last step's beginning, and belong to no state that one steps back to, drags about while paused,
or reads from a file. So a second set of data is kept, into which the shown state is written and evaluated; the solver's stays untouched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common import frames

__all__ = ["Evaluation"]

_INPUTS = ("ctrl", "act", "qfrc_applied", "xfrc_applied", "eq_active", "qacc_warmstart", "time", "history", "plastic", "userdata")


class Evaluation:
    """Results of ``newtonish.mjw.forward`` for the state that is shown, as numpy arrays under MuJoCo's names, worlds in front.

    Args:
        solver: The solver of the model; its controls, activations and applied forces hold for the state.

    Attributes:
        compiled: The solver's model under MuJoCo's names; of its geoms, those that collide or all, as it was told.
    """

    def __init__(self, solver: Any) -> None:
        self._solver = solver
        self.compiled = solver.compiled
        self._data: Any = None
        self._seen: tuple[np.ndarray, ...] = ()
        self._arrays: dict[str, np.ndarray] = {}

    def update(self, state: Any) -> None:
        """Evaluate a state, unless it was the last one already."""
        from newtonish import mjw
        from newtonish.solver.push import push_worlds

        m, source = self._solver.mjw_model, self._solver.mjw_data
        self.compiled = self._solver.compiled  # edits of the model make a new one
        seen = tuple(array.numpy().copy() for array in (state.joint_q, state.joint_qd, source.ctrl, source.act, source.xfrc_applied))
        if self._data is not None and len(seen) == len(self._seen) and all(map(np.array_equal, seen, self._seen)):
            return
        if not self._solver.use_mujoco_contacts:  # they came from outside, and only the last step knows them
            self._data, self._seen, self._arrays = source, (), {}
            return
        if self._data is None:
            self._data = mjw.make_data(m, nworld=source.nworld)
        data = self._data
        for name in _INPUTS:
            target = getattr(data, name, None)
            if target is not None and target.size:
                target.assign(getattr(source, name))
        push_worlds(m, data, self._solver._maps, self._solver._all_worlds, state)
        self._move_mocaps()
        mjw.forward(m, data)
        self._seen, self._arrays = seen, {}

    def _move_mocaps(self) -> None:
        """Mocap bodies are where the model's fixed joints have them."""
        model, maps, data = self._solver.model, self.compiled.maps, self._data
        if not maps.mjc_mocap.size:
            return
        parent = frames.from_newton(model.joint_X_p.numpy()[maps.mjc_mocap])
        child = frames.invert(*frames.from_newton(model.joint_X_c.numpy()[maps.mjc_mocap]))
        position, quaternion = frames.compose(*parent, *child)
        data.mocap_pos.assign(position.astype(np.float32))
        data.mocap_quat.assign(quaternion.astype(np.float32))

    def __getitem__(self, name: str) -> np.ndarray:
        """An array of the data: ``xanchor``, ``contact.pos``, ``efc.force``."""
        if name not in self._arrays:
            holder = self._data
            for part in name.split("."):
                holder = getattr(holder, part)
            self._arrays[name] = holder.numpy()
        return self._arrays[name]

    def world(self, field: str) -> np.ndarray:
        """A field of the model with an axis for worlds in front, of length one where all are equal."""
        batched = self.compiled.batched
        return batched[field] if field in batched else getattr(self.compiled, field)[None]
