"""Options of mujoco_warp that no kernel reads: those that mean something here, and those of which a script is told that they do not."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import BroadphaseFilter, DeterminismType
from newtonish.errors import NewtonishWarning, problem
from newtonish.kernels.structs.container import Model
from newtonish.mjw.record import ModelRecord

__all__ = ["host_options"]

_WITHOUT_EFFECT = {
    "ccd_tolerance": "contacts of convex shapes are found to the rounding of float32",
    "broadphase_filter": "contacts do not depend on the bounds that are compared first",
    "contact_sensor_maxmatch": "contact sensors consider all contacts",
    "deterministic": "every result repeats bit by bit, always",
    "graph_conditional": "a step has no conditional graphs; results are the same",
    "run_qacc_smooth": "qacc_smooth is always computed",
    "warn_overflow": "warnings are Python's: filter NewtonishWarning",
}
"""What holds instead of each option that changes nothing."""


def host_options(m: Model, record: ModelRecord) -> dict[str, tuple[Any, Callable[[Any, Any], Any]]]:
    """Options beside the struct, as ``make_settable`` takes them: first value, and what keeps a value that is given.

    Args:
        m: model on the device.
        record: the compiled model that it comes from.
    """
    first = {
        "ccd_tolerance": record.opt.ccd_tolerance,
        "broadphase_filter": int(BroadphaseFilter.PLANE | BroadphaseFilter.SPHERE | BroadphaseFilter.OBB),
        "contact_sensor_maxmatch": 64,
        "deterministic": int(DeterminismType.ALL),
        "graph_conditional": True,
        "run_qacc_smooth": True,
        "warn_overflow": 0xFFF,
    }
    found: dict[str, tuple[Any, Callable[[Any, Any], Any]]] = {name: (value, _Ignored(name, value)) for name, value in first.items()}
    found["sdf_initpoints"] = (int(m.sdf.initpoints), _set_initpoints)
    found["sdf_iterations"] = (int(m.sdf.iterations), _set_descents)
    found["ccd_iterations"] = (int(m.hull.iterations), _set_iterations)
    found["sleep_tolerance"] = (record.opt.sleep_tolerance, _set_sleep_tolerance)
    found["run_collision_detection"] = (True, _set_finds_contacts)
    found["run_rne_postconstraint"] = (False, _set_measures_reactions)
    return found


def _set_iterations(m: Model, value: Any) -> int:
    m.hull.iterations = _whole("ccd_iterations", value)
    return int(m.hull.iterations)


def _set_initpoints(m: Model, value: Any) -> int:
    m.sdf.initpoints = _whole("sdf_initpoints", value)
    return int(m.sdf.initpoints)


def _set_descents(m: Model, value: Any) -> int:
    m.sdf.iterations = _whole("sdf_iterations", value)
    return int(m.sdf.iterations)


def _set_sleep_tolerance(m: Model, value: Any) -> Any:
    if isinstance(value, wp.array):
        m.sleep_tolerance = value
        return value
    try:
        speeds = np.atleast_1d(np.asarray(value, dtype=np.float32))
    except (TypeError, ValueError, OverflowError):
        speeds = np.full(1, np.nan, dtype=np.float32)
    if not np.all(speeds >= 0.0):
        raise ValueError(problem("m.opt.sleep_tolerance", repr(value), "a speed of at least 0, or one for each world [m/s]", "pass one"))
    m.sleep_tolerance = speeds
    return float(speeds[0]) if np.ndim(value) == 0 else m.sleep.tolerance


def _set_finds_contacts(m: Model, value: Any) -> bool:
    m.finds_contacts = bool(_whole("run_collision_detection", value))
    return m.finds_contacts


def _set_measures_reactions(m: Model, value: Any) -> bool:
    m.measures_reactions = bool(_whole("run_rne_postconstraint", value))
    return m.measures_reactions


def _whole(name: str, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(problem(f"m.opt.{name}", repr(value), "a whole number of at least 0, or a truth value", "pass one"))
    return number


class _Ignored:
    """Keeps the values of an option that changes nothing, and says so once if one differs from the first."""

    def __init__(self, name: str, first: Any) -> None:
        self._name, self._first, self._told = name, first, False

    def __call__(self, _m: Model, value: Any) -> Any:
        given = value.numpy() if isinstance(value, wp.array) else np.asarray(value)
        if given.dtype.kind not in "biuf":
            raise ValueError(problem(f"m.opt.{self._name}", repr(value), "a number, or an array of them", "leave it out: it has no effect"))
        if not self._told and not np.all(given.astype(np.float32) == np.float32(self._first)):
            self._told = True
            holds = _WITHOUT_EFFECT[self._name]
            text = problem(f"m.opt.{self._name}", f"{given}, which has no effect: {holds}", "any value", "leave it out, or ignore this")
            warnings.warn(text, NewtonishWarning, stacklevel=4)
        return value
