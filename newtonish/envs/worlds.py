"""The worlds of an environment: reading and writing their arrays as NumPy's, stepping them, putting some of them back.

On a CPU reading costs a copy within the memory, on a GPU a transfer to the host.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.arguments import checked_methods, shown
from newtonish.errors import ModelError, problem

__all__ = ["Worlds"]


class Worlds:
    """A simulation of ``num_worlds`` worlds of one model.

    Attributes:
        m: model, as of ``mjw.load``.
        d: data.
        frame_skip: steps of the simulation in a step of the environment.
        dt: time of a step of the environment [s].
        qpos0: reference positions (nq,).
        nq, nv, nu: numbers of positions, dofs and controls.
        goal: what each world is to reach, (nworld, k); (nworld, 0) if the task has no goals.
    """

    def __init__(self, source: Any, num_worlds: int, frame_skip: int, device: Any = None, headroom: float = 1.0) -> None:
        self.m, self.d = mjw.load(source, nworld=num_worlds, device=device, headroom=headroom)
        self.frame_skip = frame_skip
        self.dt = float(self.m.opt.timestep.numpy()[0]) * frame_skip
        self.qpos0 = self.m.qpos0.numpy()[0].astype(np.float64)
        self.nq, self.nv, self.nu = self.d.qpos.shape[1], self.d.qvel.shape[1], self.d.ctrl.shape[1]
        self.goal = np.zeros((num_worlds, 0))
        self._on_cpu = self.m.device.is_cpu

    @property
    def num_worlds(self) -> int:
        return self.d.nworld

    def read(self, name: str) -> np.ndarray:
        """A copy of an array of the data by its flat name, on the host."""
        return np.array(self._array(name).numpy())

    def _array(self, name: str) -> wp.array:
        array = getattr(self.d, name, None)
        if not isinstance(array, wp.array):
            raise ModelError(problem("Worlds: name", shown(name), "the flat name of an array of the data, such as qpos", "see the list of arrays"))
        return array

    def write(self, name: str, values: Any, mask: np.ndarray | None = None) -> None:
        """Set an array of the data, in the worlds of ``mask`` (bool, one a world) or in all of them."""
        array = self._array(name)
        host = array.numpy()  # on a CPU the memory itself
        rows = slice(None) if mask is None else _mask(name, mask, self.num_worlds)
        try:
            host[rows] = values
        except (TypeError, ValueError):
            allowed = f"numbers of shape {host[rows].shape}, or what can be repeated to it"
            raise ModelError(problem(f"Worlds.write: {name}", shown(values), allowed, "pass an array of that shape")) from None
        if not self._on_cpu:
            array.assign(host)

    @property
    def qpos(self) -> np.ndarray:
        """Positions (nworld, nq), float32."""
        return self.read("qpos")

    @property
    def qvel(self) -> np.ndarray:
        """Velocities (nworld, nv), float32."""
        return self.read("qvel")

    def step(self, action: np.ndarray) -> None:
        """One step of the environment under controls (nworld, nu)."""
        self.write("ctrl", action)
        mjw.step(self.m, self.d, nstep=self.frame_skip)

    def set_state(self, qpos: np.ndarray, qvel: np.ndarray, mask: np.ndarray) -> None:
        """Put the worlds of ``mask`` into a state, with everything else as after a reset.

        Args:
            qpos: positions of these worlds, (n, nq).
            qvel: velocities of these worlds, (n, nv).
            mask: (nworld,) bool.
        """
        mjw.reset_data(self.m, self.d, mask)
        self.write("cfrc_ext", 0.0, mask)
        self.write("qpos", qpos, mask)
        self.write("qvel", qvel, mask)

    def set_goal(self, world: int, goal: np.ndarray | None) -> None:
        """Give a world its goal, (k,); None: it has none."""
        if goal is None:
            return
        if self.goal.shape[1] != len(goal):
            self.goal = np.zeros((self.num_worlds, len(goal)))
        self.goal[world] = goal

    def index(self, kind: str, name: str) -> int:
        """Number of a body, joint (``jnt``), geom, site, actuator or sensor of the model.

        Raises:
            ModelError: it has no such kind of objects, or none of that name.
        """
        names = self.m.names.get(kind) if isinstance(kind, str) else None
        if names is None:
            text = problem("Worlds.index: kind", shown(kind), ", ".join(sorted(self.m.names)), "pass one of these")
            raise ModelError(text)
        if name not in names:
            near = get_close_matches(name, [one for one in names if one], n=3) if isinstance(name, str) else []
            allowed = f"the name of a {kind}" + (f", such as {', '.join(near)}" if near else "")
            raise ModelError(problem("Worlds.index: name", shown(name), allowed, "look at m.names"))
        return names.index(name)


def _mask(name: str, mask: np.ndarray, count: int) -> np.ndarray:
    """A mask of worlds, or an error that names what it is for."""
    mask = np.asarray(mask)
    if mask.shape != (count,) or mask.dtype != np.bool_:
        given = f"a mask of shape {mask.shape} of {mask.dtype}"
        raise ModelError(problem(f"Worlds.write: {name}", given, f"shape ({count},) of bool", "pass one boolean per world"))
    return mask


checked_methods(Worlds)
