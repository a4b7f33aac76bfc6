"""States that a script logs, behind the interface of a simulation, so that the same window shows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.errors import problem
from newtonish.model.fk import eval_fk
from newtonish.viewer.history import History
from newtonish.viewer.realtime import faster, slower

__all__ = ["ScriptSimulation"]

NOT_OURS = "the simulation belongs to a script"


class ScriptSimulation:
    """The last state of a script's own simulation. It can be paused and pushed; resetting and going back are the script's.

    Args:
        model: Newton's model, ours or the original.

    Attributes:
        state: The last state logged.
        contacts: The last contacts logged, or None.
        time: Of the frame [s].
        waiting: Steps that were asked for while paused.
    """

    solver: Any = None
    control: Any = None
    is_stale = False
    name = "script"
    moments = (0, 0)

    def __init__(self, model: Any) -> None:
        self.model, self.state, self.contacts = model, model.state(), None
        self.time, self.waiting, self.generation = 0.0, 0, 0
        self.paused, self.speed, self.world, self.profiling, self.perturbation = False, 1.0, 0, False, None
        self.history = History()
        self.messages: list[str] = []
        self.keyframes: list[str] = []
        self.stages: list[str] = []
        self._wrenches: dict[int, np.ndarray] = {}

    @property
    def worlds(self) -> int:
        """Number of worlds."""
        return max(1, int(getattr(self.model, "world_count", 1)))

    def advance(self, _seconds: float) -> int:
        """The script advances."""
        return 0

    def step(self) -> None:
        """Ask the script for one step."""
        self.waiting += 1

    def take_step(self) -> bool:
        """Whether the script should step now; takes one of the steps asked for."""
        if self.paused and not self.waiting:
            return False
        self.waiting = max(self.waiting - 1, 0) if self.paused else 0
        return True

    def back(self, _steps: int = 1) -> bool:
        """There is no past here."""
        return False

    def forward(self, _steps: int = 1) -> bool:
        """Nor a future."""
        return False

    def seek(self, _place: int) -> bool:
        """Nothing is kept."""
        return False

    def reset(self) -> None:
        """Left to the script."""

    def reload(self) -> str:
        """Why there is nothing to reload."""
        return problem("reload", NOT_OURS, "a model opened by `newtonish view`", "restart the script")

    def load(self, source: Any) -> str:
        """Why no other model can be shown."""
        return problem(str(source), NOT_OURS, "a window opened by `newtonish view`", "open the file there")

    def load_keyframe(self, _key: int | str) -> None:
        """There are none."""

    def slower(self) -> None:
        """The next lower speed, which scripts may look at."""
        self.speed = slower(self.speed)

    def faster(self) -> None:
        """The next higher one."""
        self.speed = faster(self.speed)

    def refresh(self) -> None:
        """Body poses after something was moved by hand."""
        eval_fk(self.model, self.state.joint_q, self.state.joint_qd, self.state)

    def apply_wrench(self, body: int, wrench: Any) -> None:
        """Remember a push for :meth:`write_forces`."""
        self._wrenches[body] = np.asarray(wrench, np.float32)

    def write_forces(self, state: Any) -> None:
        """Add the mouse's push to ``state.body_f``."""
        self._wrenches.clear()
        if self.perturbation is not None:
            self.perturbation.apply(self)
        if self._wrenches and state.body_f is not None:
            rows = state.body_f.numpy()
            for body, wrench in self._wrenches.items():
                rows[body] += wrench
            state.body_f.assign(rows)

    def statistics(self) -> dict[str, float]:
        """Only the time is known."""
        return {"time": self.time, "real-time factor": float("nan")}

    def controls(self) -> list[Any]:
        """None are known."""
        return []

    def physics(self) -> list[Any]:
        """None are known."""
        return []

    def joints(self) -> list[Any]:
        """None are known."""
        return []

    def sensors(self) -> list[Any]:
        """None are known."""
        return []

    def set_control(self, _index: int, _value: float, _world: int | None = None) -> None:
        """There are none."""
