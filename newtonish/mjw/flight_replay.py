"""Replaying a flight record: every recorded step is taken again from what it began with, and compared with what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import warp as wp

from newtonish.arguments import checked
from newtonish.common.enums import NonfiniteType, OverflowType
from newtonish.errors import NewtonishError
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw import sealed
from newtonish.mjw.data import make_data
from newtonish.mjw.flights import FIELD, KIND, LAYOUT, NONFINITE, STATS, structure_of, widths, world_fields
from newtonish.mjw.pipeline import step
from newtonish.mjw.reset_origins import resets

__all__ = ["Flight", "FlightStep", "replay_flight"]

_AFTER = ("time", "time_low", "qpos", "qvel", "act", "qacc_warmstart")
"""What a step leaves, in the order of a row."""


@dataclass(frozen=True)
class FlightStep:
    """A recorded step of a world.

    Attributes:
        time: at its start [s].
        ncon, nefc, niter: contacts, rows and iterations of the solver.
        failure: what it failed for; empty: nothing.
        repeated: whether the replay came to the same bits; None: nothing follows it in the record. False also where the state was set
            by the program before the next step.
        largest_qvel: largest velocity at its start.
    """

    time: float
    ncon: int
    nefc: int
    niter: int
    failure: str
    repeated: bool | None
    largest_qvel: float


@dataclass(frozen=True)
class Flight:
    """The replay of a world's record.

    Attributes:
        world: number that it had.
        steps: its steps.
        qpos: (steps, nq) positions at their start, as recorded.
        ctrl: (steps, nu) controls.
    """

    world: int
    steps: tuple[FlightStep, ...]
    qpos: np.ndarray
    ctrl: np.ndarray


@checked
def replay_flight(path: str | PathLike[str], source: Any = None, device: Any = None) -> tuple[Model, Data, list[Flight]]:
    """Take the steps of a flight record again.

    Args:
        path: a file that ``FlightRecorder.dump`` wrote.
        source: what the model is read from, as of ``mjw.load``; None: the file that the record names.
        device: Warp device; None: Warp's current one.

    Returns:
        The model and the data of the recorded worlds, as they are after the last step, and the replay of each world.

    Raises:
        ModelError: the file is no flight record, is damaged, names no model, or is of another one.
        ImporterError: the model cannot be read.
        OSError: the file cannot be read.
    """
    from newtonish.mjw.from_file import load

    header, arrays = sealed.read(path, KIND)
    source = header.get("source") if source is None else source
    if source is None:
        sealed.refuse(path, KIND, "a record that names no model", "one with the model's file", "pass the model as source")
    worlds = [int(w) for w in header["worlds"]]
    m, d = load(source, nworld=len(worlds), device=device)
    if structure_of(m) != header["structure"] or widths(d) != header["widths"]:
        remedy = "pass the file that the simulation read, as it was then"
        sealed.refuse(path, KIND, "a record of another model", f"one of '{source}'", remedy)
    _take_over(path, m, header, arrays)
    capacity = {} if header["grows"] else header["capacities"]
    d = make_data(m, len(worlds), **capacity)
    rows = [arrays[f"rows/{k}"] for k in range(len(worlds))]
    stats = [arrays[f"stats/{k}"] for k in range(len(worlds))]
    if any(row.ndim != 2 or row.shape[1] != sum(header["widths"].values()) or len(row) != len(one) for row, one in zip(rows, stats, strict=True)):
        sealed.refuse(path, KIND, "rows of another width", "those of the model", "record it again")
    repeated, reasons = _again(m, d, rows)
    flights = []
    for k, world in enumerate(worlds):
        steps = [_told(m, rows[k][i], stats[k][i], header["widths"], repeated[k][i], reasons.get((k, i), "")) for i in range(len(rows[k]))]
        flights.append(Flight(world, tuple(steps), _part(rows[k], header["widths"], "qpos"), _part(rows[k], header["widths"], "ctrl")))
    return m, d, flights


def _take_over(path: Any, m: Model, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Fields and options as they were in the recorded worlds."""
    try:
        sealed.set_options(m, header["options"], arrays)
        for flat, old in world_fields(m).items():
            new = arrays[FIELD + flat]
            if not np.array_equal(np.broadcast_to(old, new.shape), new, equal_nan=new.dtype.kind == "f"):
                setattr(m, flat, new)
    except NewtonishError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        sealed.refuse(path, KIND, f"fields that do not fit ({' '.join(str(error).split())})", "those of the model", "record it again")


def _part(rows: np.ndarray, columns: dict[str, int], name: str) -> np.ndarray:
    """The columns of a part of a row."""
    first = sum(columns[one] for one in LAYOUT[: LAYOUT.index(name)])
    return rows[:, first : first + columns[name]]


def _again(m: Model, d: Data, rows: list[np.ndarray]) -> tuple[list[list[bool | None]], dict[tuple[int, int], str]]:
    """Take the steps of all worlds side by side, the last one of each at the end; whether each repeats, and why a world was reset."""
    columns = widths(d)
    longest = max(map(len, rows))
    count = sum(columns[name] for name in _AFTER)
    repeated: list[list[bool | None]] = [[None] * len(one) for one in rows]
    reasons: dict[tuple[int, int], str] = {}
    d.room.strict = False
    for k in range(longest):
        index = [k - longest + len(one) for one in rows]  # below 0: the record of this world begins later
        _set(d, np.stack([one[max(i, 0)] for one, i in zip(rows, index, strict=True)]), columns)
        d.nonfinite.zero_()
        d.history_resets.zero_()
        step(m, d)
        after = np.concatenate([getattr(d, name).numpy().reshape(d.nworld, -1) for name in _AFTER], axis=1)
        for reset in resets(m, d):
            reasons[reset.world, index[reset.world]] = reset.text.partition(" for ")[2]
        for w, i in enumerate(index):
            if 0 <= i < len(rows[w]) - 1:
                repeated[w][i] = after[w].tobytes() == rows[w][i + 1, :count].tobytes()
    return repeated, reasons


def _set(d: Data, rows: np.ndarray, columns: dict[str, int]) -> None:
    """Let every world begin with a row."""
    for name in LAYOUT:
        array, part = getattr(d, name), _part(rows, columns, name)
        if array.size:
            host = part.reshape(array.numpy().shape)
            array.assign(wp.array(host != 0.0 if array.dtype == wp.bool else host, dtype=array.dtype, ndim=array.ndim, device="cpu"))


def _told(m: Model, row: np.ndarray, stats: np.ndarray, columns: dict[str, int], repeated: bool | None, reason: str) -> FlightStep:
    found = dict(zip(STATS, map(int, stats), strict=True))
    why = []
    if found["failure"] & NONFINITE:
        kind = NonfiniteType(found["nonfinite_origin"] >> 24).name.lower()
        why.append(f"reset for {kind} {found['nonfinite_origin'] & 0xFFFFFF}" + f", here for {reason}" * bool(reason))
    if found["failure"] & ~NONFINITE:
        why.append("no room: " + ", ".join(str(bit.name).lower() for bit in OverflowType if bit and found["overflow"] & bit))
    qvel = _part(row[None], columns, "qvel")
    with np.errstate(invalid="ignore"):
        largest = float(np.abs(qvel).max(initial=0.0))
    return FlightStep(float(row[0]) + float(row[1]), found["ncon"], found["nefc"], found["solver_niter"], "; ".join(why), repeated, largest)
