"""Checks at the border: a model and a data that belong together, options that are simulated, counts that are integers.

Kernels index arrays without looking at their sizes, so a pair that does not fit would read foreign memory. The answer
for a pair is remembered in the data, which makes the check of an unchanged pair free.
"""

from __future__ import annotations

import math
import operator
from enum import IntEnum
from typing import Any

import numpy as np
import warp as wp

from newtonish.arguments import is_integer, shown
from newtonish.common.enums import (
    BroadphaseType,
    ConeType,
    DisableBit,
    EnableBit,
    EqType,
    IntegratorType,
    JacobianType,
    SolverType,
)
from newtonish.errors import ModelError, UnsupportedError, problem, raise_all
from newtonish.kernels.sleep.stage import may_sleep
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.packed import PACKED
from newtonish.mjw.capacity import OF_JACOBIAN, sizes_of
from newtonish.mjw.driver import check_driver
from newtonish.mjw.structure import check_structure

__all__ = ["check_options", "check_pair", "check_worlds", "get_device", "integer", "options", "positive"]

INTEGRATORS = tuple(IntegratorType)
UNSIMULATED_FLAGS = int(EnableBit.IPC)
BESIDE_FIELDS = int(EnableBit.SLEEP | EnableBit.SPECULATIVE)
"""Flags that do not go with signed distance fields."""
SOLVERS = tuple(SolverType)
# arrays of solvers, integrators, broadphases and the storage of the Jacobian, allocated when an option asks for them
OF_OPTIONS = (
    "njdual", "nLU", "nslope", "nv_efm", "nC_efm", "ntendon_efm", "nactuator_efm", "njmax_efm", "nswept", "nnearmax",
    "ntreesleep", "nbodysleep", "nvsleep", "nqsleep", "nasleep", "njntsleep", "ntendonsleep", "neqsleep", "nsensordatasleep", "ngeomahead",
    "nstart",
    *OF_JACOBIAN,
)  # fmt: skip
CONES = (ConeType.PYRAMIDAL, ConeType.ELLIPTIC)


def get_device(name: str, device: Any) -> wp.Device:
    """The Warp device called ``device`` (None: the current one), or a ModelError that lists those there are.

    One that cannot load the kernels is an UnsupportedError.
    """
    try:
        found = wp.get_device(device)
    except (ValueError, RuntimeError, TypeError, AttributeError):
        known = ", ".join(str(entry) for entry in wp.get_devices())
        raise ModelError(problem(f"{name}: device", repr(device), known, "choose one of these")) from None
    check_driver(f"{name}: device", found)
    return found


def integer(name: str, value: Any, least: int) -> int:
    """``value`` as an integer of at least ``least``, or a ModelError that names it."""
    allowed, remedy = f"an integer >= {least}", "pass a whole number in that range"
    try:
        number = operator.index(value)
    except TypeError:
        raise ModelError(problem(name, f"{value!r} of type {type(value).__name__}", allowed, remedy)) from None
    if number < least or isinstance(value, bool):
        raise ModelError(problem(name, repr(value), allowed, remedy))
    return number


def switch(name: str, value: Any) -> bool:
    """A flag.

    Raises:
        ModelError: It is neither True nor False, nor 0 or 1.
    """
    if isinstance(value, (bool, np.bool_)) or (is_integer(value) and value in (0, 1)):
        return bool(value)
    raise ModelError(problem(name, shown(value), "True or False", "pass one of these"))


def positive(name: str, value: Any) -> float:
    """``value`` as a finite number above 0, or a ModelError that names it."""
    try:
        number = math.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number > 0.0):
        raise ModelError(problem(name, repr(value), "a finite number above 0", "pass a number such as 1.5"))
    return number


def check_pair(name: str, m: Model, d: Data) -> None:
    """Raise ModelError unless ``m`` is a Model and ``d`` a Data of the same sizes on the same device.

    Args:
        name: function that was called, for the message.
        m: model.
        d: data.
    """
    last = getattr(d, "matched", None) if isinstance(d, Data) else None
    if isinstance(m, Model):
        check_structure(m)
    if last is not None and last[0] is m and last[1] == (m.version, d.version):
        return
    for label, given, kind, source in (("m", m, Model, "put_model or load"), ("d", d, Data, "make_data, put_data or load")):
        if not isinstance(given, kind):
            remedy = "the order of the arguments is m, d" if isinstance(given, (Model, Data)) else f"make it with {source}"
            text = problem(f"{name}: {label}", f"a {type(given).__name__}", f"a newtonish.mjw.{kind.__name__}", remedy)
            raise ModelError(text)
    if m.device != d.device:
        text = problem(f"{name}: d", f"data on {d.device}", f"{m.device}, where the model is", "make both on one device")
        raise ModelError(text)
    _check_sizes(name, m, d)
    check_worlds(m, d.nworld)
    _check_packed(name, m, d)
    d.matched = (m, (m.version, d.version))


def _check_sizes(name: str, m: Model, d: Data) -> None:
    """Every size that an array of Data has must be the model's."""
    wanted = sizes_of(m, 0, 0)
    wrong = [size for size, number in d.sizes.items() if wanted[size] != number and size not in OF_OPTIONS]
    if wrong:
        given = ", ".join(f"{size}={d.sizes[size]}" for size in wrong)
        allowed = ", ".join(f"{size}={wanted[size]}" for size in wrong)
        remedy = "call make_data with this model; d was made for another one"
        raise ModelError(problem(f"{name}: d", f"data with {given}", f"the model's {allowed}", remedy))


def _check_packed(name: str, m: Model, d: Data) -> None:
    """Entries of the last axis must lie one beside the other, as fused kernels take for granted on a CPU."""
    for g in PACKED.values():
        struct = getattr(m if g in m.GROUPS else d, g.name)
        for f in g.fields:
            array = None if f.dims is None else getattr(struct, f.name)
            if array is not None and array.strides[-1] != wp.types.type_size_in_bytes(f.dtype):
                given = f"an array with strides {array.strides} [bytes]"
                remedy = "copy it, for example with its method contiguous()"
                raise ModelError(problem(f"{name}: {g.flat_name(f)}", given, "a contiguous array", remedy))


def check_worlds(m: Model, nworld: int) -> None:
    """Every per-world field of ``m`` must have one value or ``nworld`` of them."""
    problems = []
    for g in m.GROUPS:
        for f in g.fields:
            if f.dims is None or not f.per_world:
                continue
            length = getattr(getattr(m, g.name), f.name).shape[0]
            if length not in (1, nworld):
                name = f"opt.{f.name}" if g.name == "opt" else g.flat_name(f)
                remedy = "give one value for all worlds or one for each"
                problems.append(problem(f"model field {name}", f"values for {length} worlds", f"1 or {nworld}", remedy))
    raise_all(ModelError, "model fields", problems)


def options(m: Model) -> bytes:
    """All of ``m.opt`` as one comparable value: numbers, and where its arrays are."""
    return bytes(m.opt.__ctype__())  # type: ignore[attr-defined]  # of Warp's structs


def _sleep_problems(m: Model) -> list[str]:
    """What does not go together with sleep."""
    if not may_sleep(m):
        return []
    problems, both = [], "SLEEP without it"
    if m.opt.enableflags & EnableBit.FWDINV:
        problems.append(problem("m.opt.enableflags", "FWDINV with SLEEP", both, "switch one of them off"))
    if not m.finds_contacts:
        given = "False with the flag SLEEP"
        problems.append(problem("m.opt.run_collision_detection", given, "True: contacts with what sleeps are passed over", "switch the flag off"))
    if m.size.neq > 0 and bool((m.eq.type.numpy() == EqType.TENDON).any()):
        given, remedy = "SLEEP with equality constraints of tendons", "switch the flag off, or remove them"
        problems.append(problem("m.opt.enableflags", given, f"{both}, as in MuJoCo", remedy))
    return problems


def check_options(m: Model) -> None:
    """Raise UnsupportedError for options that were set to something that is not simulated."""
    problems = []
    simulated: tuple[tuple[str, type[IntEnum], tuple[IntEnum, ...]], ...] = (
        ("integrator", IntegratorType, INTEGRATORS),
        ("cone", ConeType, CONES),
        ("solver", SolverType, SOLVERS),
        ("jacobian", JacobianType, tuple(JacobianType)),
    )
    for name, kind, members in simulated:
        number = int(getattr(m.opt, name))
        if number not in members:
            known = number in list(kind)
            names = ", ".join(f"{a.name} ({int(a)})" for a in members)
            text = f"{kind(number).name} ({number})" if known else str(number)
            problems.append(problem(f"m.opt.{name}", text, names, "set it to one of these"))
    for bit in EnableBit:
        if int(m.opt.enableflags) & bit & UNSIMULATED_FLAGS:
            problems.append(problem("m.opt.enableflags", str(bit.name), "the other flags", "switch the flag off"))
    if m.sdf.ncollide > 0 and int(m.opt.enableflags) & BESIDE_FIELDS:
        problems.append(problem("m.opt.enableflags", "SLEEP or SPECULATIVE", "neither with geoms of type sdf that collide", "switch the flag off"))
    if int(m.opt.disableflags) & DisableBit.NATIVECCD and (m.hull.nconvex > 0 or m.hfield.ncollide > 0):
        remedy = "leave the flag on; two boxes collide by MuJoCo's own function in any case"
        problems.append(problem("m.opt.disableflags", "NATIVECCD", "the other flags: there is one search for contacts", remedy))
    if m.filterparent == bool(int(m.opt.disableflags) & DisableBit.FILTERPARENT):
        allowed = f"{'on' if m.filterparent else 'off'}, as when the pairs of geoms were listed"
        problems.append(problem("m.opt.disableflags", "another FILTERPARENT", allowed, "set it in the model and put that"))
    missing = m.opt.broadphase == BroadphaseType.NXN and not m.pairs_listed
    if m.opt.broadphase not in list(BroadphaseType) or missing:
        text = "NXN (0)" if missing else str(m.opt.broadphase)
        names = ", ".join(f"{kind.name} ({int(kind)})" for kind in BroadphaseType)
        allowed = "SAP_TILE (1), as the model was put" if missing else names
        problems.append(problem("m.opt.broadphase", text, allowed, "pass broadphase=... to put_model"))
    problems += _sleep_problems(m)
    if m.opt.integrator == IntegratorType.DISCRETE and m.opt.enableflags & EnableBit.FWDINV:
        given, remedy = "FWDINV with integrator DISCRETE", "switch the flag off; mjw.inverse after forward tells the same"
        problems.append(problem("m.opt.enableflags", given, "FWDINV with the other integrators", remedy))
    raise_all(UnsupportedError, "m.opt", problems)
