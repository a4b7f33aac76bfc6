"""What can be identified: kinds of parameters, their names, units, ranges and the model fields that they stand for.

A parameter is called by kind and object, ``damping:elbow``. Where worlds are candidates, each of them has its own row of the fields, so that
nothing is compiled between candidates.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from newtonish.common.enums import JointType
from newtonish.errors import ModelError, problem
from newtonish.identification.columns import Columns

__all__ = ["DEFAULT", "KINDS", "Parameter", "field_values", "find_parameters"]

DEFAULT = ("mass", "armature", "damping", "frictionloss")
"""Kinds that are fitted where nothing else is asked for."""

Fields = dict[str, np.ndarray]


@dataclass(frozen=True)
class Parameter:
    """A number that is sought.

    Attributes:
        name: kind and object, such as ``mass:shin``.
        kind: one of ``KINDS``.
        object: the object's name; empty for the delay of all actuators.
        index: its number in the model; -1 without one.
        unit: of the number.
        initial: what the model says.
        low: least value allowed.
        high: largest.
        scale: a change of this size would matter: what numbers are divided by, so that they compare.
    """

    name: str
    kind: str
    object: str
    index: int
    unit: str
    initial: float
    low: float
    high: float
    scale: float


class Kind(NamedTuple):
    """A kind of parameter: whose it is, what it is measured in, and how fields follow from it."""

    owner: str  # body, jnt, actuator, geom, column
    unit: str
    fields: tuple[str, ...]
    initial: Callable[[Any, int], float]
    write: Callable[[Fields, Any, int, np.ndarray], None]
    range: Callable[[Any, int, float], tuple[float, float, float]]  # low, high, scale


def _dofs(c: Any, joint: int) -> np.ndarray:
    return np.flatnonzero(np.asarray(c.dof_jntid) == joint)


def _factors(c: Any, i: int, value: float) -> tuple[float, float, float]:
    ends = sorted((0.2 * value, 5.0 * value))
    return ends[0], ends[1], abs(value)


def _from_zero(size: Callable[[float], float]) -> Callable[[Any, int, float], tuple[float, float, float]]:
    """From nothing to five times the model's value, or times what the inertia of the joint makes of a usual one."""

    def found(c: Any, joint: int, value: float) -> tuple[float, float, float]:
        usual = size(float(np.mean(np.asarray(c.dof_M0)[_dofs(c, joint)])))
        scale = value if value > 0.0 else usual
        return 0.0, 5.0 * max(value, usual), scale

    return found


def _dof_kind(field: str, unit: str, size: Callable[[float], float]) -> Kind:
    def initial(c: Any, joint: int) -> float:
        return float(np.asarray(getattr(c, field)).reshape(int(c.nv), -1)[_dofs(c, joint)[0], 0])

    def write(f: Fields, c: Any, joint: int, value: np.ndarray) -> None:
        f[field][:, _dofs(c, joint)] = value[:, None]

    return Kind("jnt", unit, (field,), initial, write, _from_zero(size))


def _write_mass(f: Fields, c: Any, body: int, value: np.ndarray) -> None:
    f["body_mass"][:, body] = value
    f["body_inertia"][:, body] *= (value / float(c.body_mass[body]))[:, None]


def _write_inertia(f: Fields, c: Any, body: int, value: np.ndarray) -> None:
    f["body_inertia"][:, body] *= value[:, None]


def _write_gain(f: Fields, c: Any, actuator: int, value: np.ndarray) -> None:
    ratio = value / float(c.actuator_gainprm[actuator, 0])
    f["actuator_gainprm"][:, actuator] *= ratio[:, None]
    f["actuator_biasprm"][:, actuator] *= ratio[:, None]


def _write_kp(f: Fields, c: Any, actuator: int, value: np.ndarray) -> None:
    f["actuator_gainprm"][:, actuator, 0] = value
    f["actuator_biasprm"][:, actuator, 1] = -value


def _write_kv(f: Fields, c: Any, actuator: int, value: np.ndarray) -> None:
    f["actuator_biasprm"][:, actuator, 2] = -value


def _component(field: str, k: int) -> Callable[[Fields, Any, int, np.ndarray], None]:
    def write(f: Fields, c: Any, i: int, value: np.ndarray) -> None:
        f[field][:, i, k] = value

    return write


def _nothing(f: Fields, c: Any, i: int, value: np.ndarray) -> None:
    """Delays and biases are no fields of the model."""


def _kv_range(c: Any, i: int, value: float) -> tuple[float, float, float]:
    scale = value if value > 0.0 else max(abs(float(c.actuator_gainprm[i, 0])) * 0.1, 1e-6)
    return 0.0, 5.0 * scale, scale


def _fixed(low: float, high: float, scale: float) -> Callable[[Any, int, float], tuple[float, float, float]]:
    return lambda c, i, value: (min(low, value), max(high, value), scale)


_ACTUATOR = ("actuator_gainprm", "actuator_biasprm")
KINDS: dict[str, Kind] = {
    "mass": Kind("body", "kg", ("body_mass", "body_inertia"), lambda c, b: float(c.body_mass[b]), _write_mass, _factors),
    "inertia": Kind("body", "", ("body_inertia",), lambda c, b: 1.0, _write_inertia, _factors),
    "armature": _dof_kind("dof_armature", "kg m^2", lambda inertia: 0.2 * inertia),
    "damping": _dof_kind("dof_damping", "N m s/rad", lambda inertia: inertia * 1.0),
    "frictionloss": _dof_kind("dof_frictionloss", "N m", lambda inertia: inertia * 2.0),
    "gain": Kind("actuator", "", _ACTUATOR, lambda c, a: float(c.actuator_gainprm[a, 0]), _write_gain, _factors),
    "kp": Kind("actuator", "", _ACTUATOR, lambda c, a: float(c.actuator_gainprm[a, 0]), _write_kp, _factors),
    "kv": Kind("actuator", "", _ACTUATOR, lambda c, a: -float(c.actuator_biasprm[a, 2]), _write_kv, _kv_range),
    "delay": Kind("actuator", "s", (), lambda c, a: float(np.asarray(c.actuator_delay)[max(a, 0)]), _nothing, _fixed(0.0, 0.1, 0.01)),
    "bias": Kind("column", "", (), lambda c, i: 0.0, _nothing, _fixed(-1e6, 1e6, 1.0)),
    "friction": Kind("geom", "", ("geom_friction",), lambda c, g: float(c.geom_friction[g, 0]), _component("geom_friction", 0), _factors),
    "contact_timeconst": Kind("geom", "s", ("geom_solref",), lambda c, g: float(c.geom_solref[g, 0]), _component("geom_solref", 0), _factors),
    "contact_dampratio": Kind("geom", "", ("geom_solref",), lambda c, g: float(c.geom_solref[g, 1]), _component("geom_solref", 1), _factors),
    "contact_stiffness": Kind("geom", "", ("geom_solref",), lambda c, g: float(c.geom_solref[g, 0]), _component("geom_solref", 0), _factors),
    "contact_damping": Kind("geom", "", ("geom_solref",), lambda c, g: float(c.geom_solref[g, 1]), _component("geom_solref", 1), _factors),
}
"""Every kind. ``mass`` takes the rotational inertia along, ``inertia`` is a factor on it; ``gain`` is the actuator's first gain and takes its bias along, ``kp`` and
``kv`` are those of a servo; contact kinds are the two numbers of a geom's ``solref``, positive or negative."""


def _names_of(c: Any, owner: str, columns: Sequence[str]) -> list[str]:
    if owner == "column":
        return list(columns)
    names = list(getattr(c, f"{owner}_names"))
    return [name or str(i) for i, name in enumerate(names)]


def _fits(c: Any, kind: str, i: int, exact: bool) -> bool:
    """Whether a pattern means an object: fixed bodies, free joints and actuators of another kind only if they are called by their name."""
    if kind in ("mass", "inertia"):
        return float(c.body_mass[i]) > 0.0 and (exact or int(c.body_dofnum[i]) > 0)
    if KINDS[kind].owner == "jnt":
        return exact or len(_dofs(c, i)) == 1
    if kind == "gain":
        return float(c.actuator_gainprm[i, 0]) != 0.0
    if kind in ("kp", "kv"):
        gain, bias = c.actuator_gainprm[i], c.actuator_biasprm[i]
        return float(gain[0]) != 0.0 and float(gain[0]) == -float(bias[1])
    if kind.startswith("contact_"):
        return (float(c.geom_solref[i, 0]) > 0.0) == (kind in ("contact_timeconst", "contact_dampratio"))
    return True


def find_parameters(
    compiled: Any, columns: Columns, measured: Sequence[str], fit: Sequence[str] = DEFAULT, bounds: Mapping[str, tuple[float, float]] | None = None,
    initial: Mapping[str, float] | None = None,
) -> list[Parameter]:  # fmt: skip
    """The parameters that kinds and patterns mean.

    Args:
        compiled: compiled arrays.
        columns: names of columns.
        measured: columns that the logs have, for ``bias``.
        fit: kinds, each for all of its objects, or ``kind:pattern`` with ``*`` and ``?``; ``delay`` alone is one number for all actuators.
        bounds: least and largest value by name or pattern.
        initial: where to begin, by name or pattern, instead of what the model says.

    Raises:
        ModelError: nothing fits a pattern, or a range is empty.
    """
    found: dict[str, Parameter] = {}
    for word in fit:
        kind, _, pattern = word.partition(":")
        if kind not in KINDS:
            near = difflib.get_close_matches(kind, KINDS, n=1)
            raise ModelError(problem(f"fit {word!r}", f"kind {kind!r}", ", ".join(KINDS), f"did you mean {near[0]}?" if near else "choose among these"))
        some = _matching(compiled, columns, measured, kind, pattern)
        if not some:
            names = _names_of(compiled, KINDS[kind].owner, measured)
            allowed = ", ".join(names[:12]) or f"none, the model has no {KINDS[kind].owner}"
            raise ModelError(problem(f"fit {word!r}", "nothing of that kind and name", allowed, "name objects of the model, or leave it out"))
        found |= {each.name: each for each in some}
    result = [_ranged(each, bounds or {}, initial or {}) for each in found.values()]
    for label, given in (("bounds", bounds), ("initial", initial)):
        for pattern in given or {}:
            if not any(fnmatchcase(each.name, pattern) for each in result):
                raise ModelError(problem(f"{label} {pattern!r}", "no such parameter", ", ".join(list(found)[:12]), "name one that is fitted"))
    return result


def _matching(c: Any, columns: Columns, measured: Sequence[str], kind: str, pattern: str) -> list[Parameter]:
    how = KINDS[kind]
    if kind == "delay" and not pattern:
        return [_parameter(c, kind, "", -1)] if int(c.nu) else []
    if kind == "bias" and pattern:
        pattern = columns.resolve("fit", pattern) if not set("*?") & set(pattern) else pattern
    names = _names_of(c, how.owner, measured)
    chosen = [
        i for i, name in enumerate(names) if (not pattern or fnmatchcase(name, pattern)) and (how.owner == "column" or _fits(c, kind, i, name == pattern))
    ]
    return [_parameter(c, kind, names[i], i) for i in chosen]


def _parameter(c: Any, kind: str, name: str, index: int) -> Parameter:
    how = KINDS[kind]
    value = how.initial(c, index)
    low, high, scale = how.range(c, index, value)
    unit = how.unit
    if how.owner == "jnt" and int(c.jnt_type[index]) == JointType.SLIDE:
        unit = {"kg m^2": "kg", "N m s/rad": "N s/m", "N m": "N"}[unit]
    return Parameter(f"{kind}:{name}" if name else kind, kind, name, index, unit, value, low, high, scale)


def _ranged(each: Parameter, bounds: Mapping[str, tuple[float, float]], initial: Mapping[str, float]) -> Parameter:
    """The parameter within the caller's range, from the caller's beginning."""
    for pattern, value in initial.items():
        if fnmatchcase(each.name, pattern):
            low, high = min(each.low, 0.2 * value), max(each.high, 5.0 * value)
            each = replace(each, initial=float(value), low=low, high=high)
    for pattern, (low, high) in bounds.items():
        if fnmatchcase(each.name, pattern):
            if not (np.isfinite([low, high]).all() and low < high):
                raise ModelError(problem(f"bounds {pattern!r}", f"{low} to {high}", "finite numbers, the smaller first", "swap them"))
            each = replace(each, low=float(low), high=float(high), initial=float(np.clip(each.initial, low, high)))
    return each


def field_values(compiled: Any, parameters: Sequence[Parameter], nominal: Fields, values: np.ndarray) -> Fields:
    """Model fields of candidates.

    Args:
        compiled: compiled arrays.
        parameters: what varies.
        nominal: the model's own values by field, without an axis of worlds.
        values: (candidates, parameters).

    Returns:
        The fields, (candidates, ...).
    """
    fields = {name: np.repeat(value[None].astype(float), len(values), axis=0) for name, value in nominal.items()}
    order = sorted(range(len(parameters)), key=lambda p: list(KINDS).index(parameters[p].kind))  # mass before inertia, gain before kp and kv
    for p in order:
        KINDS[parameters[p].kind].write(fields, compiled, parameters[p].index, values[:, p])
    return fields
