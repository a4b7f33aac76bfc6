"""Fields of a compiled model with what an identification found in them."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from newtonish.errors import UnsupportedError, problem
from newtonish.identification.parameters import KINDS, Parameter, field_values
from newtonish.identification.result import Estimate
from newtonish.mjw.from_file import read_compiled

__all__ = ["check_written", "delays_of", "found_fields", "index_of"]

_CLOSE = 1e-4


def index_of(compiled: Any, each: Estimate) -> int:
    """Number of an estimate's object; -1 without one."""
    names = [name or str(i) for i, name in enumerate(getattr(compiled, f"{KINDS[each.kind].owner}_names", []))]
    return names.index(each.object) if each.object in names else -1


def found_fields(compiled: Any, estimates: Sequence[Estimate]) -> dict[str, np.ndarray]:
    """Those that the estimates change, whole."""
    parameters = [
        Parameter(each.name, each.kind, each.object, index_of(compiled, each), each.unit, each.initial, each.value, each.value, 1.0) for each in estimates
    ]
    names = sorted({field for each in parameters for field in KINDS[each.kind].fields})
    nominal = {name: np.asarray(getattr(compiled, name), dtype=float) for name in names}
    found = field_values(compiled, parameters, nominal, np.array([[each.value for each in estimates]]))
    return {name: value[0] for name, value in found.items()}


def delays_of(compiled: Any, estimates: Sequence[Estimate]) -> dict[str, float]:
    """Seconds by which controls of actuators act late, by their names, as far as they were sought."""
    late = [each for each in estimates if each.kind == "delay"]
    return {name or str(i): each.value for each in late for i, name in enumerate(compiled.actuator_names) if each.object in ("", name or str(i))}


def check_written(path: str | PathLike[str], fields: dict[str, np.ndarray]) -> None:
    """Compile what was written, and look whether it says what was meant.

    Raises:
        UnsupportedError: It does not.
    """
    again = read_compiled(str(path))[0]
    for name, wanted in fields.items():
        got = np.asarray(getattr(again, name), dtype=float)
        if got.shape != wanted.shape or not np.allclose(got, wanted, rtol=_CLOSE, atol=1e-9):
            given = f"another {name} after compiling, because of settings of its compiler or classes"
            raise UnsupportedError(
                problem(f"merge '{path}'", given, "a file whose numbers count as they are written", "write it by 'newtonish convert --compiled' first")
            )
