"""The options of a running simulation, to be read and changed by hand: numbers, choices and flags under MuJoCo's names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np

from newtonish import mjw
from newtonish.common.constants import MINVAL
from newtonish.common.enums import JacobianType
from newtonish.errors import ModelError, problem

__all__ = ["PhysicsOption", "physics_options", "set_option"]

_NUMBERS = ("tolerance", "ls_tolerance", "noslip_tolerance", "density", "viscosity", "o_margin")
_VECTORS = ("gravity", "wind", "magnetic", "o_solref", "o_solimp", "o_friction")
_COUNTS = ("iterations", "ls_iterations", "noslip_iterations")
_CHOICES: dict[str, type[IntEnum]] = {
    "integrator": mjw.IntegratorType, "cone": mjw.ConeType, "solver": mjw.SolverType, "jacobian": JacobianType,
}  # fmt: skip
_FLAGS: dict[str, type[IntFlag]] = {"disable": mjw.DisableBit, "enable": mjw.EnableBit}


@dataclass(frozen=True)
class PhysicsOption:
    """One option as a panel shows it.

    Attributes:
        name: Name in ``m.opt``, with the number of a component (``gravity 2``) or the name of a flag (``disable contact``).
        value: A number, the name of a choice, or whether a flag is set; in the world shown.
        choices: Names one can choose from; empty for numbers and flags.
    """

    name: str
    value: float | int | str | bool
    choices: tuple[str, ...] = ()


def physics_options(simulation: Any) -> list[PhysicsOption]:
    """Every option of a Simulation."""
    opt, w = simulation.solver.mjw_model.opt, simulation.world
    found = [PhysicsOption("timestep", float(simulation.dt))]
    found += [
        PhysicsOption(name, members(int(getattr(opt, name))).name.lower(), tuple(one.name.lower() for one in members)) for name, members in _CHOICES.items()
    ]
    found += [PhysicsOption(name, int(getattr(opt, name))) for name in _COUNTS]
    found.append(PhysicsOption("impratio", 1.0 / max(float(_row(opt.impratio_invsqrt, w)), MINVAL) ** 2))
    found += [PhysicsOption(name, float(_row(getattr(opt, name), w))) for name in _NUMBERS]
    found += [PhysicsOption(f"{name} {k}", float(value)) for name in _VECTORS for k, value in enumerate(_row(getattr(opt, name), w))]
    for word, members in _FLAGS.items():
        bits = int(getattr(opt, f"{word}flags"))
        found += [PhysicsOption(f"{word} {bit.name.lower()}", bool(bits & bit)) for bit in members if bit.name and bit.value]
    return found


def set_option(simulation: Any, name: str, value: Any) -> None:
    """Change an option in all worlds, from the next step on.

    Raises:
        ModelError: There is no such option, or it cannot have this value.
    """
    opt, (word, _, part) = simulation.solver.mjw_model.opt, name.partition(" ")
    try:
        if word == "timestep":
            opt.timestep = float(value)
            simulation.dt = float(value)
        elif word == "impratio":
            opt.impratio_invsqrt = 1.0 / np.sqrt(float(value))
        elif word in _CHOICES:
            setattr(opt, word, int(_CHOICES[word][str(value).upper()]))
        elif word in _FLAGS:
            bit = int(_FLAGS[word][part.upper()])
            flags = int(getattr(opt, f"{word}flags"))
            setattr(opt, f"{word}flags", flags | bit if value else flags & ~bit)
        elif word in _VECTORS:
            rows = getattr(opt, word).numpy().copy()
            rows[:, int(part)] = float(value)
            setattr(opt, word, rows)
        elif word in _COUNTS:
            setattr(opt, word, int(value))
        elif word in _NUMBERS:
            setattr(opt, word, float(value))
        else:
            raise KeyError(name)
    except (AttributeError, IndexError, KeyError, ValueError, ZeroDivisionError) as error:
        said = str(error) if isinstance(error, ValueError | AttributeError) else problem("option", repr(name), "the names that physics() lists", "choose one")
        raise ModelError(said) from error


def _row(array: Any, world: int) -> Any:
    """What counts for a world."""
    host = array.numpy()
    return host[world if len(host) > 1 else 0]
