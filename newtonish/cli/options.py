"""``--option NAME=VALUE``: solver options of a model from the command line, any field of ``m.opt``, by MJCF's words where there are such."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from newtonish.cli.arguments import UsageError
from newtonish.errors import problem

__all__ = ["Setting", "add_option", "apply_options", "apply_to_simulation", "setting"]

Setting = tuple[str, str]

_CHOICES = {"integrator": "IntegratorType", "cone": "ConeType", "solver": "SolverType", "jacobian": "JacobianType", "broadphase": "BroadphaseType"}
_FLAGS = {"disableflags": "DisableBit", "enableflags": "EnableBit"}
_DERIVED = ("meaninertia", "impratio_invsqrt")


def setting(text: str) -> Setting:
    """Read NAME=VALUE."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise argparse.ArgumentTypeError(f"got {text!r}; allowed: NAME=VALUE, such as timestep=0.001")
    return name.strip(), value.strip()


def add_option(parser: Any) -> None:
    """Add ``--option`` to a command."""
    about = "set a field of the model's options: timestep=0.001, integrator=implicitfast, gravity=0,0,-1.6; may be repeated"
    parser.add_argument("--option", type=setting, action="append", default=[], metavar="NAME=VALUE", help=about)


def _known() -> list[str]:
    from newtonish.kernels.structs.model import OPTION

    return [*(f.name for f in OPTION.fields if f.name not in _DERIVED), "impratio"]


def _members(kind: str) -> dict[str, int]:
    """Numbers by keyword of an enumeration."""
    from newtonish.common import enums

    return {member.name.lower(): int(member) for member in getattr(enums, kind)}


def _value(name: str, text: str) -> Any:
    """A value in Python: a keyword's number, flags by name, a number, or several."""
    if name in _CHOICES:
        members = _members(_CHOICES[name])
        return members[text.lower()] if text.lower() in members else _number(name, text, list(members))
    if name in _FLAGS:
        return _flags(name, text)
    if "," in text:
        return [float(_number(name, part.strip())) for part in text.split(",")]
    return _number(name, text)


def _number(name: str, text: str, words: Sequence[str] = ()) -> int | float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        allowed = ", ".join(words) if words else "a finite number, or several separated by commas"
        near = get_close_matches(text.lower(), words, n=1)
        raise UsageError(problem(f"--option {name}", repr(text), allowed, f"did you mean {near[0]}?" if near else "give one of these"))
    return int(value) if value.is_integer() else value


def _flags(name: str, text: str) -> int:
    """Bits by their names, separated by commas; or their sum."""
    if text.isdigit():
        return int(text)
    members = _members(_FLAGS[name])
    total = 0
    for word in (part.strip().lower() for part in text.split(",")):
        if word not in members:
            near = get_close_matches(word, members, n=1)
            raise UsageError(problem(f"--option {name}", repr(word), ", ".join(members), f"did you mean {near[0]}?" if near else "give some of these"))
        total |= members[word]
    return total


def apply_options(opt: Any, settings: Sequence[Setting]) -> None:
    """Set options of an array-level model.

    Raises:
        UsageError: There is no such option, or not this value for it.
    """
    known = _known() if settings else []
    for name, text in settings:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            raise UsageError(problem("--option", repr(name), ", ".join(known), f"did you mean {near[0]}?" if near else "name one of these"))
        value = _value(name, text)
        if name == "impratio":
            if not isinstance(value, (int, float)) or value <= 0:
                raise UsageError(problem("--option impratio", repr(text), "a number above 0", "give one"))
            name, value = "impratio_invsqrt", value**-0.5
        try:
            setattr(opt, name, value)
        except (ValueError, TypeError) as error:
            raise UsageError(f"--option {name}={text}: {' '.join(str(error).split())}") from error


def apply_to_simulation(simulation: Any, settings: Sequence[Setting]) -> None:
    """Set options of a viewer's simulation, whose time step is its own."""
    if not settings:
        return
    opt = simulation.solver.mjw_model.opt
    apply_options(opt, settings)
    if any(name == "timestep" for name, _ in settings):
        simulation.dt = float(opt.timestep.numpy().ravel()[0])
    simulation.evaluate()
