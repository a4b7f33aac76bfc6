"""Putting all worlds of a solver somewhere: into a keyframe, or to given coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish import mjw
from newtonish.errors import ModelError, problem
from newtonish.viewer.applied_forces import set_mocap_pose
from newtonish.viewer.inputs import Inputs

__all__ = ["to_coordinates", "to_keyframe"]


def to_keyframe(solver: Any, state: Any, inputs: Inputs, index: int) -> None:
    """All worlds to a keyframe: coordinates, velocities, activations, controls, mocap poses and the time."""
    d = solver.mjw_data
    mjw.reset_data_keyframe(solver.mjw_model, d, index)
    for i in range(int(solver.compiled.nmocap)):
        set_mocap_pose(solver, i, d.mocap_pos.numpy()[:, i], d.mocap_quat.numpy()[:, i])
    inputs.write(d.ctrl.numpy().astype(np.float64))
    solver.pull_state(state)


def to_coordinates(solver: Any, state: Any, qpos: np.ndarray, qvel: np.ndarray | None) -> None:
    """All worlds where MuJoCo's coordinates say, (nq,) or (nworld, nq), and velocities likewise; None leaves those.

    Raises:
        ModelError: Another number of coordinates.
    """
    d = solver.mjw_data
    for name, array, value in (("qpos", d.qpos, qpos), ("qvel", d.qvel, qvel)):
        if value is None or not array.size:
            continue
        if np.shape(value)[-1:] != array.shape[1:]:
            given, allowed = f"rows of {np.shape(value)[-1:]}", f"rows of {array.shape[1:]}"
            raise ModelError(problem(f"set_coordinates: {name}", given, allowed, "pass those of this model"))
        array.assign(np.broadcast_to(np.asarray(value, dtype=np.float32), array.shape))
    solver.pull_state(state)
