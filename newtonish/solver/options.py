"""Constructor arguments of SolverMuJoCo that cannot be honoured: refused together, each with what is offered instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.common.enums import DisableBit
from newtonish.errors import ModelError, UnsupportedError, problem, raise_all

__all__ = ["check_hints", "refuse", "refuse_given_contacts"]

# name -> values that change nothing, what is offered instead
_REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "enable_sleeping": ((None, False), "leave it out: every tree is simulated in every step"),
    "nvmax": ((None,), "leave it out: it belongs to sleeping"),
    "sleep_tolerance": ((None,), "leave it out: it belongs to sleeping"),
}


def refuse(separate_worlds: bool | None, world_count: int, ahead_of_given: bool, **given: Any) -> None:
    """Raise ``UnsupportedError`` once for all arguments that ask for something else than what is done.

    Args:
        separate_worlds: Whether each world of the model is simulated on its own.
        world_count: Number of worlds of the model.
        ahead_of_given: Whether contacts that the step is given are to act before the shapes touch.
        given: The arguments of ``_REFUSED`` by name.
    """
    problems = []
    if separate_worlds is False and world_count > 1:
        what, allowed = f"False for {world_count} worlds", "None or True, as every world is simulated on its own"
        remedy = "leave it out, or build one world that holds everything"
        problems.append(problem("SolverMuJoCo: separate_worlds", what, allowed, remedy))
    if ahead_of_given:
        what, allowed = "True with use_mujoco_contacts=False", "True with contacts that the solver finds"
        problems.append(problem("SolverMuJoCo: use_speculative_contacts", what, allowed, "leave one of them out"))
    for name, value in given.items():
        neutral, remedy = _REFUSED[name]
        if not any(value is n or value == n for n in neutral):
            allowed = " or ".join(str(n) for n in neutral)
            problems.append(problem(f"SolverMuJoCo: {name}", str(value), allowed, remedy))
    raise_all(UnsupportedError, "SolverMuJoCo", problems)


def refuse_given_contacts(compiled: Any) -> None:
    """Raise ``UnsupportedError`` unless contacts are disabled: MuJoCo's C code finds its own, and takes none."""
    if not compiled.opt.disableflags & DisableBit.CONTACT:
        what, allowed = "True with use_mujoco_contacts=False", "True with use_mujoco_contacts=True, or with disable_contacts=True"
        raise UnsupportedError(problem("SolverMuJoCo: use_mujoco_cpu", what, allowed, "leave one of them out"))


def check_hints(njmax_nnz: Any, update_data_interval: Any) -> int:
    """Check the arguments that are honoured in part; returns after how many steps the state is read again, 0 for never.

    Args:
        njmax_nnz: Room for the entries of sparse rows; here their capacity is that of the rows.
        update_data_interval: That number of steps; None: 1.

    Raises:
        ModelError: A number that is negative or none.
    """
    for name, value in (("njmax_nnz", njmax_nnz), ("update_data_interval", update_data_interval)):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
        if value is not None and not (whole and value >= 0):
            allowed = "None or a whole number from 0 on"
            raise ModelError(problem(f"SolverMuJoCo: {name}", repr(value), allowed, "leave it out"))
    return 1 if update_data_interval is None else int(update_data_interval)
