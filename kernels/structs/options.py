"""Setting options of a model: ``m.opt.timestep = 0.001``, ``m.opt.gravity = (0, 0, -1.6)``, or an array with a value a world.

A Warp struct takes arrays of exactly its type. The options of a Model also take plain numbers, for all worlds, and anything
numpy understands, with a world axis in front or without; and the Model learns of the change. Options that no kernel reads stand
beside the struct: the host looks after them.
"""

from __future__ import annotations

import difflib
import operator
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import warp as wp

from newtonish.kernels.structs.field import Field
from newtonish.kernels.structs.model import OPTION

_FIELDS = {f.name: f for f in OPTION.fields}
COUNTS = ("iterations", "ls_iterations", "noslip_iterations")
_KINDS: dict[type, type] = {}


def make_settable(
    opt: Any, owner: Any, changed: Callable[[Any, str, np.ndarray | None], None], beside: dict[str, tuple[Any, Callable[[Any, Any], Any]]]
) -> None:
    """Let ``opt`` take numbers, and call ``changed(owner, name, values)`` after each change.

    Args:
        opt: the options of ``owner``.
        owner: a Model.
        changed: ``values`` are those on the host, None for an array that was given on the device.
        beside: options that are no fields, by name: first value, and a function of (owner, value) that returns what is kept of one
            that is given.
    """
    kind = type(opt)
    if kind not in _KINDS:
        _KINDS[kind] = type("Options", (kind,), {"__setattr__": _set, "__doc__": __doc__})
    opt.__dict__["_owner"] = weakref.ref(owner)
    opt.__dict__["_changed"] = changed
    opt.__dict__["_beside"] = {name: take for name, (_, take) in beside.items()}
    opt.__dict__.update({name: first for name, (first, _) in beside.items()})
    object.__setattr__(opt, "__class__", _KINDS[kind])


def copy_options(opt: Any, owner: Any) -> Any:
    """The same options, which belong to another Model; arrays are shared."""
    other = OPTION.struct()
    for name in _FIELDS:
        setattr(other, name, getattr(opt, name))
    private = ("_changed", "_beside", *opt.__dict__["_beside"])
    other.__dict__.update({name: opt.__dict__[name] for name in private}, _owner=weakref.ref(owner))
    object.__setattr__(other, "__class__", type(opt))
    return other


def _set(opt: Any, name: str, value: Any) -> None:
    """Set one option."""
    owner, f = opt.__dict__["_owner"](), _FIELDS.get(name)
    beside = opt.__dict__["_beside"]
    if name in beside:
        opt.__dict__[name] = beside[name](owner, value)
        if owner is not None:
            opt.__dict__["_changed"](owner, name, None)
        return
    if f is None:
        near = difflib.get_close_matches(name, [*_FIELDS, *beside], n=3)
        remedy = f"did you mean {' or '.join(near)}?" if near else "see the list of arrays for their names"
        raise AttributeError(f"m.opt.{name}: got an unknown option; allowed: {', '.join(_FIELDS)}; {remedy}")
    host = None
    if f.dims is None:
        value = _integer(f, value)
    elif isinstance(value, wp.array):
        _check(f, value, owner)
        if f.name == "timestep" and not value.device.is_capturing:
            _check_time_step(f, value.numpy())
    else:
        host = _values(f, value)
        value = wp.array(host, dtype=f.dtype, ndim=1, device=opt.timestep.device)
    type(opt).__mro__[1].__setattr__(opt, name, value)
    if owner is not None:
        opt.__dict__["_changed"](owner, name, host)


def _integer(f: Field, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        _refuse(f, f"{value!r} of type {type(value).__name__}", f"an integer ({f.doc})", "pass a whole number")
    if number < 0 and f.name in COUNTS:
        _refuse(f, repr(value), f"0 or more ({f.doc})", "pass such a number")
    return number


def _components(f: Field) -> tuple[int, ...]:
    return tuple(getattr(f.dtype, "_shape_", ()))


def _values(f: Field, value: Any) -> np.ndarray:
    """Numbers with a world axis in front."""
    tail = _components(f)
    try:
        host = np.asarray(value, dtype=np.float32)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        host = np.zeros((0, 0, 0))  # of no allowed shape
    if host.shape == tail:
        host = host[None]
    if host.ndim != 1 + len(tail) or host.shape[1:] != tail or not len(host) or np.isnan(host).any():
        what = "a number" if not tail else f"{tail[0]} numbers"
        given = f"shape {np.shape(value)}" if isinstance(value, np.ndarray) else f"{value!r}"
        _refuse(f, given, f"{what}, or an array of shape ({', '.join(['nworld', *map(str, tail)])})", "pass one of these")
    if f.name == "timestep":
        _check_time_step(f, host)
    return host


def _check_time_step(f: Field, seconds: np.ndarray) -> None:
    wrong = seconds[~((seconds > 0.0) & np.isfinite(seconds))]
    if wrong.size:
        _refuse(f, f"{wrong[0]:g}", "finite numbers above 0, in seconds", "set the time that a step takes")


def _check(f: Field, array: wp.array, owner: Any) -> None:
    """An array on the device must have the field's type and one axis."""
    place = array.device if owner is None else owner.device
    if array.dtype != f.dtype or array.ndim != 1 or array.device != place or not array.is_contiguous or not array.size:
        given = f"array of shape {array.shape} of {array.dtype.__name__} on {array.device}"
        allowed = f"contiguous array of shape (1 or nworld,) of {f.dtype.__name__} on {place}"
        _refuse(f, given, allowed, "convert it, or pass numbers")


def _refuse(f: Field, given: str, allowed: str, remedy: str) -> NoReturn:
    raise ValueError(f"m.opt.{f.name}: got {given}; allowed: {allowed}; {remedy}.")
