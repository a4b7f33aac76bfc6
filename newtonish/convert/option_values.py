"""Which values the options that a caller passes may have: names or numbers of enumerations, counts, magnitudes, vectors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from newtonish.errors import problem

__all__ = ["NAMES", "number_of", "wrong_values"]

NAMES = {
    "solver": ("pgs", "cg", "newton"),
    "integrator": ("euler", "rk4", "implicit", "implicitfast", "discrete"),
    "cone": ("pyramidal", "elliptic"),
    "jacobian": ("dense", "sparse", "auto"),
}
"""MuJoCo's enumerations in the order of their numbers."""

_COUNTS = ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_initpoints", "sdf_iterations")
_MAGNITUDES = ("tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "density", "viscosity")
_POSITIVE = ("impratio", "timestep")
_VECTORS = ("wind", "magnetic", "gravity")
_SWITCHES = (
    "enable_multiccd", "disable_contacts", "disable_sensors", "enable_sleeping", "include_sites", "skip_visual_only_geoms",
)  # fmt: skip


def number_of(name: str, value: Any) -> Any:
    """The number of an enumeration's member given by name; other values pass."""
    return NAMES[name].index(value.lower()) if isinstance(value, str) and name in NAMES else value


def wrong_values(given: dict[str, Any]) -> list[str]:
    """One four-part line for each option whose value cannot be used."""
    problems = []
    for name, value in given.items():
        allowed = _allowed(name, value)
        if allowed:
            problems.append(problem(f"option '{name}'", repr(value), allowed, "pass such a value, or leave it out"))
    return problems


def _allowed(name: str, value: Any) -> str:
    """What the option may be, if it is something else; else nothing."""
    if name in NAMES:
        fits = value.lower() in NAMES[name] if isinstance(value, str) else _integer(value) in range(len(NAMES[name]))
        return "" if fits else f"{', '.join(NAMES[name])}, or a number from 0 to {len(NAMES[name]) - 1}"
    if name in _COUNTS:
        return "" if _integer(value) >= 0 else "a whole number >= 0"
    if name in _MAGNITUDES:
        return "" if _finite(value, ()) and float(value) >= 0.0 else "a finite number >= 0"
    if name in _POSITIVE:
        return "" if _finite(value, ()) and float(value) > 0.0 else "a finite number > 0"
    if name in _VECTORS:
        return "" if _finite(value, (3,)) else "three finite numbers"
    if name in _SWITCHES:
        return "" if isinstance(value, (bool, np.bool_)) or _integer(value) in (0, 1) else "True or False"
    return ""


def _integer(value: Any) -> int:
    """An integer, -1 for what is none (a truth value is none either)."""
    if isinstance(value, (bool, np.bool_)):
        return -1
    try:
        return operator.index(value)
    except TypeError:
        return -1


def _finite(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a value is an array of finite numbers of that shape."""
    try:
        array = np.asarray(value)
        return array.shape == shape and array.dtype.kind in "iuf" and bool(np.isfinite(array).all())
    except (TypeError, ValueError):
        return False
