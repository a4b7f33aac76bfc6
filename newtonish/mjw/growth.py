"""Growing a Data between steps: for more contacts, rows and pairs, and for what other options need.

A graph that the caller captured still reads the arrays that are replaced: ``retired`` keeps them as long as the Data lives.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import BroadphaseType
from newtonish.errors import ModelError, problem
from newtonish.kernels.structs.collision import NEAR, SDF_STATE
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.data import CONTACT, EFC, IMPLICIT_STATE, ISLAND, SOLVE
from newtonish.kernels.structs.field import Group
from newtonish.kernels.structs.grouped import allocate
from newtonish.kernels.structs.metric import METRIC
from newtonish.kernels.structs.sleep import SLEEP_STATE
from newtonish.kernels.structs.speculative import AHEAD
from newtonish.memory import lent
from newtonish.mjw.capacity import SPARE, first_hessian, is_sparse, sizes_of
from newtonish.mjw.sleeping import begin_awake

_SOLUTION = ("qacc", "qfrc_constraint", "Ma")
"""What the next solve starts from."""
# group, one of its arrays, and the size of that array: zero without the option
_OF_OPTIONS = (
    ("near", "key", "nnearmax"), ("sol", "A", "njdual"), ("imp", "qLU", "nLU"), ("imp", "slope", "nslope"), ("efm", "M", "nC_efm"),
    ("efm", "D", "njmax_efm"), ("sleep", "tree_asleep", "ntreesleep"),
    ("ahead", "travel", "ngeomahead"), ("overlap", "point", "nstart"),
)  # fmt: skip


def grow(m: Model, d: Data, contacts: int, rows: int, hessian: int) -> None:
    """Give every world room for more contacts, rows and floats of a Hessian; what was found so far is kept."""
    groups = (CONTACT, EFC, SOLVE, ISLAND, METRIC, AHEAD)
    for g, old in zip(groups, _renew(d, groups, sizes_of(m, contacts, rows, hessian)), strict=True):
        for f in g.fields:
            _keep(getattr(getattr(d, g.name), f.name), getattr(old, f.name))


def _renew(d: Data, groups: tuple[Group, ...], sizes: dict[str, int]) -> list[Any]:
    """Reallocate groups; returns the old ones."""
    old = [getattr(d, g.name) for g in groups]
    d.retired.append(old)
    for g in groups:
        setattr(d, g.name, g.struct())
    with lent("room for more contacts and rows", f"{d.nworld} worlds", "give nconmax and njmax to make_data, or take fewer worlds"):
        allocate(groups, d, sizes)
    d.room.follow(d)
    d.touch()
    return old


def _keep(target: wp.array, source: wp.array) -> None:
    """Copy what an array held into the beginning of a larger one."""
    if source.size:
        window = tuple(slice(0, length) for length in source.shape)
        wp.copy(target[window] if target.shape != source.shape else target, source)


def larger_near(m: Model, d: Data) -> int:
    """Near pairs that the sweep of a world is to have room for, with room to spare if some world had more than there was room for."""
    room: int = d.near.key.shape[1]
    if m.opt.broadphase == BroadphaseType.NXN or not room:
        return room
    wanted = int(d.near.needed.numpy().max(initial=0))
    return room if wanted <= room else int(SPARE * wanted)


def give_room_to_pairs(m: Model, d: Data, room: int) -> None:
    """Let the sweep of every world list that many near pairs."""
    if room > d.near.key.shape[1]:
        _make_near(m, d, room)


def _make_near(m: Model, d: Data, room: int) -> None:
    """Make the lists of the sweep again."""
    _renew(d, (NEAR,), sizes_of(m, 0, 0) | {"nnearmax": room})


def complete(m: Model, d: Data) -> None:
    """Allocate the scratch that the solver, integrator or broadphase of ``m`` needs and ``d`` was made without.

    Options may be changed after ``make_data``; nothing is read from a device.
    """
    if d.sparse != is_sparse(m):
        _change_jacobian(m, d)
    sizes = sizes_of(m, d.nconmax, d.njmax, d.nhessian)
    lacking = _lacking(d, sizes)
    if "near" in lacking:
        _make_near(m, d, sizes["nnearmax"])
    if lacking & {"sol", "imp"}:
        _keep_solution(d, _renew(d, (SOLVE, IMPLICIT_STATE), sizes)[0])
    if "efm" in lacking:
        _renew(d, (METRIC,), sizes)
    if "sleep" in lacking:
        _renew(d, (SLEEP_STATE,), sizes)
        begin_awake(m, d)
    if "overlap" in lacking:
        _renew(d, (SDF_STATE,), sizes)
    if "ahead" in lacking:
        _renew(d, (AHEAD,), sizes)
        m.surfaces.put(m)


def _lacking(d: Data, sizes: dict[str, int]) -> set[str]:
    """Groups of which an option asks for more than they have room for."""
    return {group for group, field, size in _OF_OPTIONS if getattr(getattr(d, group), field).shape[1] < sizes[size]}


def check_complete(name: str, m: Model, d: Data) -> None:
    """Raise ModelError where ``complete`` would have to allocate: a graph that is being captured has no use for that.

    Args:
        name: function that was called.
        m: model.
        d: data.
    """
    if d.sparse == is_sparse(m) and not _lacking(d, sizes_of(m, d.nconmax, d.njmax, d.nhessian)):
        return
    given = "data made before an option of solver, integrator, Jacobian or broadphase was set, in a capture"
    allowed = "data that has the arrays of these options"
    raise ModelError(problem(f"{name}: d", given, allowed, "call it once before the capture, or make new data"))


def _change_jacobian(m: Model, d: Data) -> None:
    """Arrays for the other storage of the Jacobian; rows are forgotten, the state and the last solution stay."""
    old = _renew(d, (EFC, SOLVE, ISLAND), sizes_of(m, d.nconmax, d.njmax, first_hessian(m)))
    _keep_solution(d, old[1])
    for name in ("ne", "nf", "nl", "nefc"):
        getattr(d.status, name).zero_()


def _keep_solution(d: Data, old: Any) -> None:
    for name in _SOLUTION:
        wp.copy(getattr(d.sol, name), getattr(old, name))
