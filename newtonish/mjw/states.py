"""States as rows of one array: which parts, in which order, out of and into a Data, and from one Data to another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import warp as wp

from newtonish.arguments import checked
from newtonish.common.enums import State
from newtonish.errors import ModelError, problem
from newtonish.kernels.analysis.state_vector import as_floats, move_part, read_part, write_part
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.arguments import array_of, world_mask
from newtonish.mjw.capacity import sizes_of
from newtonish.mjw.matching import check_pair
from newtonish.mjw.sleeping import copy_sleep

__all__ = ["copy_state", "extract_state", "get_state", "parts_of", "set_state", "state_size"]

# arrays of Data in the order of the bits; a part that Data has no array of is empty
PARTS = {
    State.TIME: "time",
    State.QPOS: "qpos",
    State.QVEL: "qvel",
    State.ACT: "act",
    State.HISTORY: "history",
    State.WARMSTART: "qacc_warmstart",
    State.CTRL: "ctrl",
    State.QFRC_APPLIED: "qfrc_applied",
    State.XFRC_APPLIED: "xfrc_applied",
    State.EQ_ACTIVE: "eq_active",
    State.MOCAP_POS: "mocap_pos",
    State.MOCAP_QUAT: "mocap_quat",
    State.USERDATA: "userdata",
    State.PLUGIN: "plugin_state",
    State.PLASTIC: "plastic",
}


def _parts(name: str, sig: Any) -> list[State]:
    """The parts that ``sig`` names and that Data has an array of."""
    if isinstance(sig, bool) or not isinstance(sig, (int, np.integer)) or not 0 <= sig <= int(State.INTEGRATION):
        allowed = f"bits of State, 0 to {int(State.INTEGRATION)}"
        raise ModelError(problem(f"{name}: sig", repr(sig), allowed, "combine members of State by |"))
    return [part for part, array in PARTS.items() if int(sig) & part and array in Data.FLAT]


def _arrays(name: str, d: Data, sig: Any) -> list[tuple[State, wp.array]]:
    """Those parts with their arrays, without the empty ones."""
    found = [(part, getattr(d, PARTS[part])) for part in _parts(name, sig)]
    return [(part, array) for part, array in found if array.size]


def parts_of(name: str, m: Model, d: Data, sig: int) -> tuple[tuple[str, int], ...]:
    """Flat names of the arrays that ``sig`` names and that are not empty, each with its first column in a state vector."""
    result, first = [], 0
    for part, array in _arrays(name, d, sig):
        result.append((PARTS[part], first))
        first += _length(array)
    return tuple(result)


def _length(array: wp.array) -> int:
    return as_floats(array).shape[1]


@checked
def state_size(m: Model, sig: int) -> int:
    """Length of a state vector of these parts.

    Args:
        m: model.
        sig: bits of ``State``; ``State.FULLPHYSICS`` is what a step needs besides controls and forces, ``State.INTEGRATION``
            all that a step reads.

    MuJoCo: mj_stateSize.
    """
    sizes, total = sizes_of(m, 0, 0), 0
    for part in _parts("state_size", sig):
        field = Data.FLAT[PARTS[part]][1]
        lengths = [dim if isinstance(dim, int) else sizes[dim] for dim in (*(field.dims or ()), *getattr(field.dtype, "_shape_", ()))]
        total += math.prod(lengths)
    return total


def get_state(m: Model, d: Data, state: wp.array, sig: int, active: wp.array | None = None) -> None:
    """Copy parts of the state of every world into the rows of ``state``, one after another in the order of the bits.

    Args:
        m: model.
        d: data.
        state: (nworld, ``state_size(m, sig)``) float32 that receives them.
        sig: bits of ``State``.
        active: (nworld,) bool, worlds to copy; None: all.

    Raises:
        ModelError: an array of another shape, type or device, or unknown bits.

    MuJoCo: mj_getState.
    """
    for array, first, mask in _layout("get_state", m, d, state, sig, active):
        read_part(d, array, state, first, mask)


def set_state(m: Model, d: Data, state: wp.array, sig: int, active: wp.array | None = None) -> None:
    """Copy the rows of ``state`` back into the parts of the state that they were read from; as ``get_state``.

    MuJoCo: mj_setState.
    """
    for array, first, mask in _layout("set_state", m, d, state, sig, active):
        write_part(d, array, state, first, mask)


def _layout(name: str, m: Model, d: Data, state: Any, sig: int, active: Any) -> list[tuple[wp.array, int, wp.array]]:
    """Arrays, their first column in a state vector, and the mask of worlds."""
    check_pair(name, m, d)
    parts = _arrays(name, d, sig)
    total = sum(_length(array) for _, array in parts)
    array_of(f"{name}: state", d, state, wp.float32, (d.nworld, total))
    mask = world_mask(f"{name}: active", d, active)
    result, first = [], 0
    for _, array in parts:
        result.append((array, first, mask))
        first += _length(array)
    return result


def extract_state(m: Model, d: Data, src: wp.array, srcsig: int, dst: wp.array, dstsig: int) -> None:
    """Copy those parts of a state vector that ``dstsig`` names, all of them among ``srcsig``, into another one.

    Args:
        m: model.
        d: data, for the sizes.
        src: (nworld, ``state_size(m, srcsig)``) float32.
        srcsig: what ``src`` holds.
        dst: (nworld, ``state_size(m, dstsig)``) float32 that receives them.
        dstsig: what of it is wanted.

    MuJoCo: mj_extractState.
    """
    sources = {part: first for part, first in _offsets("extract_state", m, d, src, srcsig)}
    targets = _offsets("extract_state", m, d, dst, dstsig)
    missing = [part.name for part, _ in targets if part not in sources]
    if missing or int(dstsig) & ~int(srcsig):
        given = f"{int(dstsig)}" + (f", with {', '.join(map(str, missing))}" if missing else "")
        text = problem("extract_state: dstsig", given, f"bits of srcsig, {int(srcsig)}", "ask for parts that src holds")
        raise ModelError(text)
    for part, first in targets:
        length = _length(getattr(d, PARTS[part]))
        move_part(d, src, sources[part], dst, first, length)


def _offsets(name: str, m: Model, d: Data, state: Any, sig: int) -> list[tuple[State, int]]:
    layout = _layout(name, m, d, state, sig, None)
    return [(part, first) for (part, _), (_, first, _) in zip(_arrays(name, d, sig), layout, strict=True)]


def copy_state(m: Model, src: Data, dst: Data, sig: int = int(State.INTEGRATION)) -> None:
    """Copy parts of the state from one Data to another of the same model and number of worlds.

    Stepping or evaluating both afterwards gives the same bits, if they hold the same inputs; by default all inputs are
    copied as well. Along with positions goes who sleeps.

    Args:
        m: model of both.
        src: where from.
        dst: where to.
        sig: bits of ``State``.

    Raises:
        ModelError: the two have different sizes, or unknown bits.

    MuJoCo: mj_copyState.
    """
    check_pair("copy_state", m, src)
    check_pair("copy_state", m, dst)
    if src.nworld != dst.nworld:
        allowed = f"{src.nworld}, as src has"
        text = problem("copy_state: dst", f"data of {dst.nworld} worlds", allowed, "make it with as many worlds")
        raise ModelError(text)
    targets = dict(_arrays("copy_state", dst, sig))
    for part, array in _arrays("copy_state", src, sig):
        wp.copy(targets[part], array)
        if part == State.TIME:
            wp.copy(dst.time_low, src.time_low)
        if part == State.QPOS:
            copy_sleep(src, dst)
