"""A flight recorder: the last steps of every world on the device, kept of worlds that fail and written to a file that can be replayed.

Recording launches two small kernels a step and never waits for the device; ``failed`` and ``dump`` do.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import weakref
from os import PathLike
from typing import Any

import numpy as np
import warp as wp

from newtonish.arguments import checked, checked_methods
from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.kernels.sleep.stage import may_sleep
from newtonish.kernels.structs.container import Data, Model
from newtonish.memory import check_memory
from newtonish.mjw import sealed
from newtonish.mjw.matching import check_pair, integer

__all__ = ["FlightRecorder", "flight_recorder"]

KIND = sealed.Kind("newtonish flight", 1, "flight record", "mjw.FlightRecorder.dump")
LAYOUT = (
    "time", "time_low", "qpos", "qvel", "act", "qacc_warmstart", "ctrl", "qfrc_applied", "xfrc_applied", "eq_active", "mocap_pos",
    "mocap_quat", "history", "plastic",
)  # fmt: skip
"""What a row has of a step, by flat name, in this order (kernels/guard/flight.py)."""
STATS = ("ncon", "nefc", "solver_niter", "overflow", "failure", "nonfinite_origin")
"""Integers of a step."""
NONFINITE, OVERFLOW = 1, 2
FIELD = "field/"
"""What the names of arrays of a model's fields begin with."""


@checked
def flight_recorder(m: Model, d: Data, steps: int = 100, source: str | PathLike[str] | None = None) -> FlightRecorder:
    """Let every step of ``d`` from now on be recorded, in the place of a recorder that it had.

    Of each world the last ``steps`` steps are kept: state, controls and forces before the step, contacts, rows and iterations of the solver in
    it. The record of a world that was reset for a number that is not finite, or that lacked room for contacts or rows, ends with that step, and
    goes on after ``clear``.

    Args:
        m: model.
        d: data.
        steps: number of steps that are kept.
        source: the file that the model was read from, which ``newtonish replay`` reads again; None: it has to be told.

    Raises:
        ModelError: the model and the data do not belong together, or ``steps`` is below 1.
        CapacityError: the record does not fit in the free memory of the device.
    """
    check_pair("flight_recorder", m, d)
    if may_sleep(m):
        remedy = "switch the flag off; a step is taken again without knowing who slept"
        raise UnsupportedError(problem("flight_recorder: m.opt.enableflags", "SLEEP", "SLEEP off", remedy))
    recorder = FlightRecorder(m, d, integer("flight_recorder: steps", steps, 1), source)
    d.recorder = recorder
    d.touch()  # steps are recorded anew
    return recorder


class FlightRecorder:
    """The record of a Data; made by :func:`flight_recorder`.

    Attributes:
        steps: Steps of each world that are kept.
    """

    def __init__(self, m: Model, d: Data, steps: int, source: str | PathLike[str] | None) -> None:
        self.steps = steps
        self._model, self._data = m, weakref.ref(d)
        self._source = None if source is None else os.fspath(source)
        width = sum(widths(d).values())
        check_memory("flight_recorder: steps", steps, 4 * d.nworld * steps * (width + len(STATS)), d.device, "keep fewer steps")
        self._ring = wp.zeros((d.nworld, steps, width), dtype=wp.float32, device=d.device)
        self._stats = wp.zeros((d.nworld, steps, len(STATS)), dtype=wp.int32, device=d.device)
        self._marks = wp.zeros((d.nworld, 4), dtype=wp.int32, device=d.device)

    def of(self, first: int, count: int) -> tuple[wp.array, wp.array, wp.array]:
        """The arrays of ``count`` worlds, for kernels."""
        part = slice(first, first + count)
        return self._ring[part], self._stats[part], self._marks[part]

    def arrays(self) -> list[wp.array]:
        """What a step changes and the next one reads."""
        return [self._marks]

    def failed(self) -> list[int]:
        """Worlds whose record has ended with a failure; waits for the device."""
        return [int(w) for w in np.flatnonzero(self._marks.numpy()[:, 1])]

    def clear(self, worlds: Any = None) -> None:
        """Begin the records of these worlds anew; None: of all."""
        marks = self._marks.numpy()
        marks[slice(None) if worlds is None else _worlds("FlightRecorder.clear", self._marks.shape[0], worlds), :2] = 0
        self._marks.assign(marks)

    def close(self) -> None:
        """Record no more."""
        d = self._data()
        if d is not None and d.recorder is self:
            d.recorder = None
            d.touch()

    def dump(self, path: str | PathLike[str], worlds: Any = None) -> list[int]:
        """Write the records of worlds to a file for ``newtonish replay``; a failure leaves the file that was there.

        It holds their steps, what the model's fields are in these worlds now, and the options.

        Args:
            path: the file; ``.npz`` is usual, and nothing is added to it.
            worlds: which; None: those that failed.

        Returns:
            The worlds that were written.

        Raises:
            ModelError: there are no such worlds, or none that has a record.
            OSError: the file cannot be written.
        """
        chosen = self.failed() if worlds is None else _worlds("FlightRecorder.dump", self._marks.shape[0], worlds)
        d, marks = self._data(), self._marks.numpy()
        chosen = [w for w in chosen if marks[w, 0] > 0]
        if not chosen or d is None:
            remedy = "name worlds to write those that did not fail" if worlds is None else "write after a step"
            raise ModelError(problem("FlightRecorder.dump: worlds", "none with a record", "worlds that have taken steps", remedy))
        ring, stats = self._ring.numpy(), self._stats.numpy()
        arrays: dict[str, np.ndarray] = {}
        for k, w in enumerate(chosen):
            count = min(int(marks[w, 0]), self.steps)
            order = np.arange(marks[w, 0] - count, marks[w, 0]) % self.steps
            arrays[f"rows/{k}"], arrays[f"stats/{k}"] = ring[w, order], stats[w, order]
        m = self._model
        arrays |= {FIELD + name: array[chosen if len(array) > 1 else [0]] for name, array in world_fields(m).items()}
        arrays |= {name: array[chosen] if len(array) == d.nworld and d.nworld > 1 else array for name, array in sealed.option_arrays(m).items()}
        capacities = {name: int(getattr(d, name)) for name in ("nconmax", "njmax")}
        header = {
            "source": None if self._source is None else os.path.abspath(self._source) if os.path.exists(self._source) else self._source,
            "structure": structure_of(m),
            "worlds": chosen,
            "widths": widths(d),
            "capacities": capacities,
            "grows": bool(d.grow_contacts or d.grow_rows or d.pool is not None),
            "options": sealed.option_numbers(m),
        }
        sealed.write(path, KIND, header, arrays)
        return chosen


checked_methods(FlightRecorder, (Model, Data))


def widths(d: Data) -> dict[str, int]:
    """Numbers that each part of a row has."""
    arrays = {flat: getattr(getattr(d, Data.FLAT[flat][0].name), Data.FLAT[flat][1].name) for flat in LAYOUT}
    return {flat: math.prod((*array.shape[1:], *getattr(array.dtype, "_shape_", ()))) for flat, array in arrays.items()}


def world_fields(m: Model) -> dict[str, np.ndarray]:
    """Fields that may differ from world to world, by flat name."""
    found = {flat: getattr(getattr(m, g.name), f.name) for flat, (g, f) in m.FLAT.items() if f.dims is not None and f.per_world}
    return {flat: array.numpy() for flat, array in found.items() if array.size}


def structure_of(m: Model) -> str:
    """SHA-256 of sizes, names and fields that are the same in all worlds."""
    result = hashlib.sha256(json.dumps(m.names, sort_keys=True).encode())
    for flat, (g, f) in m.FLAT.items():
        array = getattr(getattr(m, g.name), f.name)
        if f.dims is None or f.per_world:
            continue
        host = np.ascontiguousarray(array.numpy())
        result.update(f"{flat}:{host.dtype.str}{host.shape};".encode())
        result.update(host.tobytes())
    return result.hexdigest()


def _worlds(name: str, nworld: int, worlds: Any) -> list[int]:
    """Numbers of worlds, or a ModelError."""
    try:
        found = np.unique(np.asarray(worlds))
        fits = found.ndim == 1 and found.dtype.kind in "iu" and (not found.size or (found[0] >= 0 and found[-1] < nworld))
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise ModelError(problem(f"{name}: worlds", repr(worlds), f"integers from 0 to {nworld - 1}", "pass a list of worlds"))
    return [int(w) for w in found]
