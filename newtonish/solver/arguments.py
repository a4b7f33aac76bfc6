"""Arguments of a step, checked before kernels read them: every array of a state and a control must be the model's size.

Arrays are checked when a combination of them is first seen, so a loop over the same states pays nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.arguments import shown
from newtonish.errors import ModelError, problem, raise_all

__all__ = ["StepArguments", "check_flags", "check_model", "check_time_step"]

_STATE = ("joint_q", "joint_qd", "body_q", "body_qd", "body_f")
_OPTIONAL = ("body_q", "body_qd", "body_f")
_CONTROL = ("joint_f", "joint_target_q", "joint_target_qd")


def check_model(model: Any) -> None:
    """Raise ModelError unless ``model`` looks like a Newton model."""
    if not all(hasattr(model, name) for name in ("world_count", "joint_q", "body_q", "device")):
        remedy = "pass what ModelBuilder.finalize returns"
        raise ModelError(problem("SolverMuJoCo: model", f"a {type(model).__name__}", "a Model", remedy))


def check_time_step(dt: Any, name: str = "step") -> float:
    """The time step as a float, or a ModelError."""
    number = isinstance(dt, (int, float, np.number)) and not isinstance(dt, bool)
    if not (number and 0.0 < dt < 1e30):
        raise ModelError(problem(f"SolverMuJoCo.{name}: dt", shown(dt), "a positive number of seconds", "pass one"))
    return float(dt)


def check_flags(name: str, flags: Any, kind: type) -> int:
    """The bits of a flag enumeration as an integer, or a ModelError."""
    allowed = int(kind.ALL)
    known = isinstance(flags, (int, np.integer)) and not isinstance(flags, bool) and 0 <= int(flags) <= allowed
    if not known or int(flags) & ~allowed:
        remedy = f"combine members of {kind.__name__} by |"
        raise ModelError(problem(name, repr(flags), f"bits of {kind.__name__}, {allowed:#x} together", remedy))
    return int(flags)


class StepArguments:
    """Shapes and types that a solver's states and controls must have.

    Args:
        model: The Newton model.
        control: A control of it.
    """

    def __init__(self, model: Any, control: Any) -> None:
        template = model.state()
        self._device = wp.get_device(model.device)
        self._state = {name: getattr(template, name) for name in _STATE}
        self._control = {name: getattr(control, name, None) for name in _CONTROL}
        self._ctrl = {name: getattr(getattr(control, "mujoco", None), name, None) for name in ("ctrl", "ctrl_more")}

    def check(self, state_in: Any, state_out: Any, control: Any) -> None:
        """Raise ModelError with everything that does not fit the solver's model."""
        problems = self._state_problems("SolverMuJoCo.step: state_in", state_in)
        if state_out is not state_in:
            problems += self._state_problems("SolverMuJoCo.step: state_out", state_out)
        problems += self._control_problems("SolverMuJoCo.step: control", control)
        raise_all(ModelError, "SolverMuJoCo.step", problems)

    def check_state(self, name: str, state: Any) -> None:
        """Raise ModelError with everything of a state that does not fit."""
        raise_all(ModelError, name, self._state_problems(name, state))

    def _state_problems(self, name: str, state: Any) -> list[str]:
        if not all(hasattr(state, array) for array in _STATE):
            return [problem(name, f"a {type(state).__name__}", "a State of the solver's model", "make it with model.state()")]
        if type(state).__name__.endswith("Model"):  # it has arrays of the same names, but is no state
            return [problem(name, "a Model", "a State of the solver's model", "make it with model.state()")]
        problems = [
            line
            for array, template in self._state.items()
            for line in self._array_problems(f"{name}.{array}", getattr(state, array), template, array in _OPTIONAL, "state")
        ]
        if (state.body_q is None) != (state.body_qd is None):
            given = "one of body_q and body_qd is None"
            problems.append(problem(name, given, "both arrays, or None for both", "make it with model.state()"))
        return problems

    def _control_problems(self, name: str, control: Any) -> list[str]:
        if not hasattr(control, "joint_f"):
            allowed = "None, or a Control of the solver's model"
            return [problem(name, f"a {type(control).__name__}", allowed, "make it with model.control()")]
        pairs = [(array, getattr(control, array, None), template) for array, template in self._control.items()]
        namespace = getattr(control, "mujoco", None)
        pairs += [(f"mujoco.{name}", getattr(namespace, name, None), template) for name, template in self._ctrl.items()]
        return [line for array, value, template in pairs for line in self._array_problems(f"{name}.{array}", value, template, True, "control")]

    def _array_problems(self, name: str, array: Any, template: Any, optional: bool, maker: str) -> list[str]:
        """A line if ``array`` differs from ``template`` in size, type or device."""
        if template is None or (array is None and (optional or template.size == 0)):
            return []
        kind = template.dtype.__name__
        allowed = f"contiguous array of shape {template.shape} of {kind} on {self._device}"
        remedy = f"make it with model.{maker}(), with the model of the solver"
        if not isinstance(array, wp.array):
            return [problem(name, type(array).__name__, allowed, remedy)]
        fits = array.shape == template.shape and array.dtype == template.dtype and array.device == self._device
        if fits and array.is_contiguous:
            return []
        loose = "" if array.is_contiguous else "non-contiguous "
        given = f"{loose}array of shape {array.shape} of {array.dtype.__name__} on {array.device}"
        return [problem(name, given, allowed, remedy)]
