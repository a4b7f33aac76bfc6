"""Solver options: argument, else ``model.mujoco.<name>``, else the table's default; under mjOption's names.

Flags become the two bit fields. Options of world frequency may differ between worlds.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish.common.enums import EnableBit
from newtonish.convert.option_values import number_of, wrong_values
from newtonish.convert.source import Source
from newtonish.convert.worlds import world_rows
from newtonish.errors import ModelError, problem, raise_all

__all__ = ["CONVERT_ONLY", "plain", "resolve_options"]

_PER_WORLD = (
    "impratio", "tolerance", "ls_tolerance", "ccd_tolerance", "sleep_tolerance", "density", "viscosity", "wind",
    "magnetic",
)  # fmt: skip
_ONCE = (
    "timestep", "noslip_tolerance", "integrator", "cone", "jacobian", "solver", "iterations", "ls_iterations",
    "noslip_iterations", "ccd_iterations", "disableactuator", "sdf_initpoints", "sdf_iterations", "o_margin",
    "o_solref", "o_solimp", "o_friction",
)  # fmt: skip
_DISABLE_NAMES = (
    "constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart filterparent actuation "
    "refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd"
)
_DISABLE = {name: 1 << bit for bit, name in enumerate(_DISABLE_NAMES.split())}
_ENABLE = {
    "override": 1, "energy": 2, "fwdinv": 4, "invdiscrete": 8, "diagexact": 32, "ipc": 64, "speculative": 128,
}  # fmt: skip
CONVERT_ONLY = ("include_sites", "skip_visual_only_geoms")
_SWITCHES = {
    "enable_multiccd": ("multiccd", True),
    "disable_contacts": ("contact", False),
    "disable_sensors": ("sensor", False),
    "enable_sleeping": ("sleep", True),
    "use_speculative_contacts": ("speculative", True),
}


def resolve_options(source: Source, arguments: dict[str, Any] | None) -> tuple[SimpleNamespace, dict[str, np.ndarray]]:
    """The template world's options and those that differ between worlds.

    Args:
        source: The model.
        arguments: Values that override the model's; None values count as absent. Enumerations may be given by name.
    """
    given = {k: v for k, v in (arguments or {}).items() if v is not None}
    allowed = (*_PER_WORLD, *_ONCE, "gravity", *_SWITCHES, *CONVERT_ONLY)
    unknown = sorted(set(given) - set(allowed))
    raise_all(
        ModelError,
        "options",
        [problem(f"option '{k}'", repr(given[k]), ", ".join(allowed), "correct the name") for k in unknown],
    )
    raise_all(ModelError, "options", wrong_values(given))
    opt, batched = SimpleNamespace(), {}
    for name in _ONCE:
        rows = source.custom(name)
        value = number_of(name, given[name]) if name in given else rows.reshape(-1, *rows.shape[1:])[0]
        setattr(opt, name, plain(value))
    values = {name: source.custom(name) for name in _PER_WORLD}
    for name, rows in {**values, "gravity": source.array("gravity")}.items():
        rows = np.asarray(given[name], dtype=np.float64)[None] if name in given else rows
        if name == "impratio" and not np.all(rows > 0.0):
            wrong, remedy = f"{float(rows[~(rows > 0.0)][0])}", "set a ratio, or leave it at 1"
            raise ModelError(problem("model.mujoco.impratio", wrong, "a number > 0 for each world", remedy))
        setattr(opt, name, plain(rows[0]))
        flat = world_rows(source, rows)
        if np.any(flat != flat[:1]):
            batched[name] = flat.reshape(-1, *rows.shape[1:]).copy()
    if "impratio" in batched:  # the kernels scale friction rows by this
        batched["impratio_invsqrt"] = 1.0 / np.sqrt(batched["impratio"])
    opt.disableflags, opt.enableflags = _flags(source, given)
    return opt, batched


def plain(value: Any) -> Any:
    """Python numbers for scalars, float64 arrays for vectors; float32 storage is undone to the shortest decimal."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.vectorize(lambda x: float(str(np.float32(x))), otypes=[np.float64])(array)
    return array.item() if array.ndim == 0 else array.astype(np.float64)


def _flags(source: Source, given: dict[str, Any]) -> tuple[int, int]:
    """``disableflags`` and ``enableflags``."""
    state = {name: bool(source.custom(f"flag_{name}").ravel()[0]) for name in (*_DISABLE, *_ENABLE)}
    state["sleep"] = bool(source.custom("enable_sleeping").ravel()[0])
    for switch, (flag, on) in _SWITCHES.items():
        if switch in given:
            state[flag] = bool(given[switch]) == on
    disable = sum(bit for name, bit in _DISABLE.items() if not state[name])
    enable = sum(bit for name, bit in _ENABLE.items() if state[name]) + (EnableBit.SLEEP if state["sleep"] else 0)
    return disable, enable
