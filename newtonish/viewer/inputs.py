"""Controls of a simulation as one list under MuJoCo's numbers, whichever array of Newton's Control holds them.

MuJoCo has one ``ctrl`` for each input of an actuator. Newton keeps those of joint drives among the targets of the joints and
all others in ``control.mujoco.ctrl``; the conversion's index maps say which is where.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem

__all__ = ["Inputs", "Slider"]

_TARGET_Q, _TARGET_QD, _CTRL, _CTRL_MORE, _NONE = range(5)


@dataclass(frozen=True)
class Slider:
    """One control as a panel shows it.

    Attributes:
        index: Its number in MuJoCo's ``ctrl``.
        name: Name of its actuator, with a number where an actuator has several controls.
        low, high: Range; from -1 to 1 where the actuator has none.
        limited: Whether the range holds in the simulation.
        value: Present value in the world shown.
        group: Group of its actuator.
        settable: False for the drives of ball joints, whose target is a rotation.
    """

    index: int
    name: str
    low: float
    high: float
    limited: bool
    value: float
    group: int
    settable: bool


class Inputs:
    """Reads and writes all controls of all worlds.

    Args:
        solver: A SolverMuJoCo.
        control: The control that its steps are given.
    """

    def __init__(self, solver: Any, control: Any) -> None:
        self._control = control
        compiled, maps = solver.compiled, solver.compiled.maps
        self._compiled = compiled
        worlds, nu = solver.mjw_data.nworld, int(compiled.nu)
        self.shape = (worlds, nu)
        self._kind = np.full(nu, _NONE)
        self._row = np.zeros((worlds, nu), dtype=np.int64)
        self._part = np.zeros(nu, dtype=np.int64)
        self._offset = np.zeros(nu)
        self.names = [""] * nu
        self.groups = np.zeros(nu, dtype=np.int64)
        for a in range(int(compiled.nactuator)):
            first, count = int(compiled.actuator_ctrladr[a]), int(compiled.actuator_ctrlnum[a])
            name = compiled.actuator_names[a] or f"actuator {a}"
            for k in range(count):
                u = first + k
                self.names[u] = name if count == 1 else f"{name} {k}"
                self.groups[u] = int(compiled.actuator_group[a])
                self._row[:, u] = np.asarray(maps.actuator_index)[:, a]
                self._part[u] = k - 1
                self._kind[u], self._offset[u] = self._place(compiled, int(maps.actuator_source[a]), a, k)

    @staticmethod
    def _place(compiled: Any, source: int, a: int, k: int) -> tuple[int, float]:
        """Which array holds a control of an actuator, and what MuJoCo's value has in addition."""
        if source not in (_TARGET_Q, _TARGET_QD):
            return (_CTRL if k == 0 else _CTRL_MORE), 0.0
        joint = int(compiled.actuator_trnid[a][0])
        if int(compiled.jnt_type[joint]) < 2:  # free and ball: the target is a rotation
            return _NONE, 0.0
        return source, float(compiled.qpos0[compiled.jnt_qposadr[joint]]) if source == _TARGET_Q else 0.0

    def _array(self, kind: int) -> Any:
        if kind == _TARGET_Q:
            return self._control.joint_target_q
        if kind == _TARGET_QD:
            return self._control.joint_target_qd
        return self._control.mujoco.ctrl if kind == _CTRL else self._control.mujoco.ctrl_more

    def read(self) -> np.ndarray:
        """All controls, (nworld, nu) float64; NaN where a control cannot be read as one number."""
        values = np.full(self.shape, np.nan)
        for kind in np.unique(self._kind[self._kind != _NONE]):
            which = np.flatnonzero(self._kind == kind)
            host, rows = self._array(kind).numpy(), self._row[:, which]
            values[:, which] = host[rows, self._part[which]] if kind == _CTRL_MORE else host[rows] + self._offset[which]
        return values

    def write(self, values: np.ndarray) -> None:
        """Set all controls from (nworld, nu) numbers; what cannot be set as one number is left alone."""
        for kind in np.unique(self._kind[self._kind != _NONE]):
            which = np.flatnonzero(self._kind == kind)
            array, rows = self._array(kind), self._row[:, which]
            host = array.numpy()
            if kind == _CTRL_MORE:
                host[rows, self._part[which]] = values[:, which]
            else:
                host[rows] = values[:, which] - self._offset[which]
            array.assign(host)

    def set(self, index: int, value: float, world: int | None = None) -> None:
        """Set one control, in one world or in all.

        Raises:
            ModelError: There is no such control, or it cannot be set as one number.
        """
        if not 0 <= index < self.shape[1]:
            raise ModelError(problem("control", str(index), f"0 to {self.shape[1] - 1}" if self.shape[1] else "none", "choose another"))
        if self._kind[index] == _NONE:
            allowed, remedy = "controls of one number", "set control.joint_target_q"
            raise ModelError(problem(f"control {self.names[index]!r}", "the drive of a ball joint", allowed, remedy))
        values = self.read()
        values[slice(None) if world is None else world, index] = value
        self.write(values)

    def sliders(self, world: int) -> list[Slider]:
        """Every control as a panel shows it."""
        values, found = self.read()[world], []
        for u, name in enumerate(self.names):
            limited = bool(self._compiled.actuator_ctrllimited[u])
            low, high = map(float, self._compiled.actuator_ctrlrange[u]) if limited else (-1.0, 1.0)
            settable = bool(self._kind[u] != _NONE)
            value = float(values[u]) if settable else 0.0
            found.append(Slider(u, name, low, high, limited, value, int(self.groups[u]), settable))
        return found
