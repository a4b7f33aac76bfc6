"""Which tape records a step, and what may be on it; what is recorded is in ``taped``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import warp as wp

from newtonish.errors import UnsupportedError, problem, raise_all

__all__ = ["active_tape", "check_tapeable", "off_tape", "with_gradients"]

_STATE = ("joint_q", "joint_qd", "body_q", "body_qd")
_CONTROL = ("joint_f", "joint_target_q", "joint_target_qd")


def _runtime() -> Any:
    """Warp's state of this process, which knows the tape; Warp has no public way to ask for it."""
    return wp._src.context.runtime


def active_tape(state_in: Any, state_out: Any, control: Any) -> Any:
    """The tape that records now, if a step between these has something to record; else None."""
    tape = _runtime().tape
    return tape if tape is not None and with_gradients(state_in, state_out, control) else None


def with_gradients(state_in: Any, state_out: Any, control: Any) -> list[wp.array]:
    """All arrays of a step that have one."""
    namespace = getattr(control, "mujoco", None)
    found = [getattr(state_in, name, None) for name in (*_STATE[:2], "body_f")] + [getattr(state_out, name, None) for name in _STATE]
    found += [getattr(control, name, None) for name in _CONTROL] + [getattr(namespace, name, None) for name in ("ctrl", "ctrl_more")]
    return [array for array in found if isinstance(array, wp.array) and array.requires_grad and array.size]


def check_tapeable(solver: Any, state_in: Any, state_out: Any, outputs: list[Any]) -> None:
    """Raise UnsupportedError with all that keeps a step off a tape."""
    lines = []
    name, remedy = "SolverMuJoCo.step on a tape", "leave it out, or step outside of the tape"
    if solver.use_mujoco_cpu:
        lines.append(problem(f"{name}: use_mujoco_cpu", "True", "False", "make the solver without it"))
    if not solver.use_mujoco_contacts:
        lines.append(problem(f"{name}: use_mujoco_contacts", "False", "True: contacts from outside have no derivative", "make the solver without it"))
    if outputs:
        lines.append(problem(f"{name}: observables", ", ".join(kind for kind, _ in outputs), "None", remedy))
    same = [key for key in _STATE[:2] if getattr(state_in, key) is not None and getattr(state_in, key).ptr == getattr(state_out, key).ptr]
    if same and getattr(state_in, same[0]).size:
        lines.append(problem(f"{name}: state_out", "the arrays of state_in", "arrays of its own", "make a state for each step with model.state()"))
    raise_all(UnsupportedError, "SolverMuJoCo.step", lines)


@contextmanager
def off_tape(tape: Any) -> Iterator[None]:
    """Within it, nothing is recorded: a step launches kernels without adjoints."""
    _runtime().tape = None
    try:
        yield
    finally:
        _runtime().tape = tape
