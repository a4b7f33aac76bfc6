"""Constructor arguments of SolverMuJoCo that cannot be honoured: refused together, each with what is offered instead."""

from __future__ import annotations

from typing import Any

from newtonish.errors import UnsupportedError, problem, raise_all
from newtonish.mjw.supported import unsimulated_options

__all__ = ["refuse", "refuse_unsimulated"]

# name -> values that change nothing, what is offered instead
_REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "njmax_nnz": ((None,), "leave it away: rows are stored dense, njmax alone is their capacity"),
    "use_mujoco_cpu": ((False,), "leave it away and put the model on device='cpu'"),
    "enable_sleeping": ((None, False), "leave it away: every tree is simulated in every step"),
    "nvmax": ((None,), "leave it away: it belongs to sleeping"),
    "sleep_tolerance": ((None,), "leave it away: it belongs to sleeping"),
    "update_data_interval": ((None, 1), "leave it away: the state is read in every step"),
    "save_to_mjcf": ((None,), "leave it away: models cannot be written as MJCF yet"),
    "use_speculative_contacts": ((False,), "leave it away, and use a smaller time step"),
}


def refuse(separate_worlds: bool | None, world_count: int, **given: Any) -> None:
    """Raise ``UnsupportedError`` once for all arguments that ask for something else than what is done.

    Args:
        separate_worlds: Whether each world of the model is simulated on its own.
        world_count: Number of worlds of the model.
        given: The arguments of ``_REFUSED`` by name.
    """
    problems = []
    if separate_worlds is False and world_count > 1:
        allowed = "None or True for a model of several worlds"
        problems.append(problem("SolverMuJoCo: separate_worlds", "False", allowed, "leave it away"))
    for name, value in given.items():
        neutral, remedy = _REFUSED[name]
        if not any(value is n or value == n for n in neutral):
            allowed = " or ".join(str(n) for n in neutral)
            problems.append(problem(f"SolverMuJoCo: {name}", str(value), allowed, remedy))
    raise_all(UnsupportedError, "SolverMuJoCo", problems)


def refuse_unsimulated(options: dict[str, Any], compiled: Any) -> None:
    """Raise ``UnsupportedError`` for options that the caller asked for and that are not simulated.

    The same options in a model file are a warning: their author may never have chosen them.

    Args:
        options: Constructor arguments by name; None: not given.
        compiled: The converted model, with the options in force.
    """
    asked = {name for name, value in options.items() if value is not None}
    raise_all(UnsupportedError, "SolverMuJoCo", [text for name, text in unsimulated_options(compiled) if name in asked])
