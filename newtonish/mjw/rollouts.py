"""Many steps in one call under controls that change from step to step, with the states and sensors on the way written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp

from newtonish.arguments import checked
from newtonish.common.enums import State
from newtonish.errors import ModelError, problem
from newtonish.kernels.analysis import rollout as rows
from newtonish.kernels.analysis.state_vector import as_floats
from newtonish.kernels.forward import step
from newtonish.kernels.runtime.launch import is_gpu
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.matching import check_pair, integer
from newtonish.mjw.replay import run
from newtonish.mjw.states import parts_of, state_size

__all__ = ["rollout"]

_FLOAT = 4  # bytes
_WORDS = 1 << 64
_NAMES = ("ctrl", "states", "sensordata", "initial_state", "initial_warmstart")
"""Arguments by the kind of row that they hold."""
_OUT = (rows.STATE, rows.SENSORS)
_Parts = tuple[tuple[str, int], ...]
"""Flat names of arrays of Data, and the column of a row from which each of them lies."""
_Function = Callable[[Model, Data], None]


@checked
def rollout(
    m: Model,
    d: Data,
    ctrl: wp.array | None = None,
    nstep: int | None = None,
    *,
    control_spec: int = int(State.CTRL),
    initial_state: wp.array | None = None,
    initial_warmstart: wp.array | None = None,
    states: wp.array | None = None,
    state_spec: int = int(State.FULLPHYSICS),
    sensordata: wp.array | None = None,
) -> None:
    """Take ``nstep`` steps in every world, each under controls of its own, and write down what comes of them.

    The result is that of as many calls of ``step`` with the controls set in between, to the bit. On a CPU, worlds go through ten steps in groups
    that fit into the cache, and threads share out the worlds. Arrays may be others in every call: nothing is recorded anew for them.

    Args:
        m: model.
        d: data; afterwards it is in the last state, with the last controls.
        ctrl: (nstep, nworld or 1, width of ``control_spec``) float32, what is set before each step, for each world or the same for all; None:
            inputs stay as they are.
        nstep: number of steps; None: as many as the arrays have.
        control_spec: what ``ctrl`` sets, bits of ``State`` within ``State.USER``.
        initial_state: (nworld or 1, width of ``State.FULLPHYSICS``) float32, where worlds begin, each of its own or all of one; None: where
            they are.
        initial_warmstart: (nworld or 1, nv) float32, the acceleration [m/s^2, rad/s^2] that the solver begins with; None: zero with an
            ``initial_state``, else that of ``d``.
        states: (nstep, nworld, width of ``state_spec``) float32 that receives the state after each step.
        state_spec: what ``states`` holds, bits of ``State``.
        sensordata: (nstep, nworld, nsensordata) float32 that receives the sensors of each step, which are those of the state before it.

    Raises:
        ModelError: an array of another shape, type or device, or with gaps in its last axis; other bits; no number of steps, or another one than
            that of the arrays; inside a capture, a first call with this choice of arrays and bits.
        CapacityError, NonfiniteError: as of ``step``.

    A world whose numbers become infinite is reset as in ``step``; ``d.nonfinite`` counts how often.

    MuJoCo: its Python module rollout, and ``Batch.rollout``.
    """
    check_pair("rollout", m, d)
    arrays = ctrl, states, sensordata, initial_state, initial_warmstart
    key = control_spec, state_spec, tuple(array is not None for array in arrays)
    plan = d.rollouts.get(key)
    if plan is None:
        plan = _new_plan(m, d, control_spec, state_spec, key[2])
    count = _number_of_steps(nstep, {"ctrl": ctrl, "states": states, "sensordata": sensordata})
    plan.point_to(d, count, arrays)
    d.rollouts[key] = plan
    run(plan.begin, m, d)
    run(plan.advance, m, d, count)


def _number_of_steps(nstep: int | None, arrays: dict[str, Any]) -> int:
    """As many steps as were asked for, or as the arrays have."""
    if nstep is not None:
        return integer("rollout: nstep", nstep, 1)
    lengths = [int(array.shape[0]) for array in arrays.values() if isinstance(array, wp.array) and array.ndim]
    if not lengths:
        remedy = f"pass nstep, or one of {', '.join(arrays)}"
        raise ModelError(problem("rollout: nstep", "None, without an array that tells", "an integer >= 1", remedy))
    return integer("rollout: number of steps", lengths[0], 1)


def _new_plan(m: Model, d: Data, control_spec: int, state_spec: int, given: tuple[bool, ...]) -> _Plan:
    """The plan of a first call with such arguments."""
    if int(control_spec) & ~int(State.USER):
        text, allowed = f"{State(int(control_spec))!r}", f"bits of State.USER, {int(State.USER)}"
        raise ModelError(problem("rollout: control_spec", text, allowed, "pass what begins a rollout as initial_state"))
    if d.device.is_capturing:
        remedy = "call rollout with arrays like these once before the capture"
        raise ModelError(problem("rollout: capture", "a choice of arrays and bits that is new", "one that it has been called with", remedy))
    parts: dict[int, _Parts] = {
        rows.CONTROL: parts_of("rollout: control_spec", m, d, control_spec),
        rows.STATE: parts_of("rollout: state_spec", m, d, state_spec),
        rows.SENSORS: (("sensordata", 0),),
        rows.START: parts_of("rollout: initial_state", m, d, int(State.FULLPHYSICS)),
        rows.WARMSTART: (("qacc_warmstart", 0),),
    }
    specs = control_spec, state_spec, 0, int(State.FULLPHYSICS), int(State.WARMSTART)
    widths = tuple(d.sensordata.shape[1] if kind == rows.SENSORS else state_size(m, spec) for kind, spec in enumerate(specs))
    return _Plan(d, {kind: parts[kind] for kind in parts if given[kind] and widths[kind]}, widths)


class _Plan:
    """What steps launch for one choice of arrays and bits, and the table of where the arrays are.

    Args:
        d: data.
        parts: by kind of row, what it holds; other rows are neither read nor written.
        widths: of each kind of row.

    Attributes:
        begin: Puts worlds where they begin.
        advance: Is a step, with what goes in and out.
    """

    def __init__(self, d: Data, parts: dict[int, _Parts], widths: tuple[int, ...]) -> None:
        self._widths = widths
        self._table = wp.zeros((rows.KINDS, 3), dtype=wp.uint64, device=d.device)
        self._steps = wp.zeros(d.nworld, dtype=int, device=d.device)
        self._host = None if d.device.is_cuda else self._table.numpy()
        self._kept: list[wp.array] = []
        inputs, starts = parts.get(rows.CONTROL, ()), parts.get(rows.START, ())
        outputs = [(kind, part) for kind in (rows.STATE, rows.SENSORS) for part in parts.get(kind, ())]

        def rollout_begin(m: Model, d: Data) -> None:
            rows.count(d, self._of(d), begins=True)
            for name, begin in starts:
                self._take(d, name, rows.START, begin)
            if starts:
                rows.clear(d, as_floats(d.state.time_low))
            if rows.WARMSTART in parts:
                self._take(d, "qacc_warmstart", rows.WARMSTART, 0)
            elif starts:
                rows.clear(d, as_floats(d.state.qacc_warmstart))

        def rollout_step(m: Model, d: Data) -> None:
            for name, begin in inputs:
                self._take(d, name, rows.CONTROL, begin)
            step(m, d)
            for kind, (name, begin) in outputs:
                rows.give(d, as_floats(_array(d, name)), self._table, self._of(d), kind, begin)
            rows.count(d, self._of(d))

        self.begin: _Function = rollout_begin
        self.advance: _Function = rollout_step
        self.advance.__dict__["overwrites"] = (self._steps,)

    def _of(self, d: Data) -> wp.array:
        """The counts of these worlds."""
        return self._steps[d.first_world : d.first_world + d.nworld]

    def _take(self, d: Data, name: str, kind: int, begin: int) -> None:
        rows.take(d, as_floats(_array(d, name)), self._table, self._of(d), kind, begin)

    def point_to(self, d: Data, nstep: int, arrays: tuple[wp.array | None, ...]) -> None:
        """Let the next steps read and write these arrays, one of each kind of row, which live as long as they are needed; errors as of ``rollout``."""
        capturing = d.device.is_capturing
        for kind, array in enumerate(arrays):
            if array is not None:
                self._check(d, kind, nstep, array)
        if not capturing:
            self._kept.clear()
        for kind, array in enumerate(arrays):
            if array is None:
                continue
            self._kept.append(array)
            strides = (0, *array.strides)[-3:]
            row = array.ptr or 0, 0 if array.shape[-2] == 1 else strides[1] % _WORDS, strides[0] % _WORDS  # strides may be negative
            if self._host is not None and not capturing and not is_gpu(d.device):
                self._host[kind] = row
            else:
                rows.place(self._table, kind, *row)

    def _check(self, d: Data, kind: int, nstep: int, array: Any) -> None:
        """Raise ModelError unless ``array`` is one of rows of this kind, for so many steps where it is of several, and these worlds."""
        width = self._widths[kind]
        if isinstance(array, wp.array) and array.device == d.device and array.dtype == wp.float32 and (not width or array.strides[-1] == _FLOAT):
            shape = array.shape
            worlds = shape[-2] if len(shape) >= 2 else 0
            if shape == ((nstep, worlds, width) if kind < rows.START else (worlds, width)) and (worlds == d.nworld or (worlds == 1 and kind not in _OUT)):
                return
        steps = (nstep,) if kind < rows.START else ()
        shapes = [(*steps, worlds, width) for worlds in dict.fromkeys((d.nworld,) if kind in _OUT else (d.nworld, 1))]
        allowed = f"an array of shape {' or '.join(map(str, shapes))} of float32 on {d.device}, contiguous in its last axis"
        if isinstance(array, wp.array):
            given = f"an array of shape {array.shape} and strides {array.strides} [bytes] of {array.dtype.__name__} on {array.device}"
        else:
            given = f"a {type(array).__name__}"
        raise ModelError(problem(f"rollout: {_NAMES[kind]}", given, allowed, "make it with wp.zeros or wp.array of that shape"))


def _array(d: Data, name: str) -> wp.array:
    """An array by its flat name, of a view as well; nobody looks at it."""
    g, f = Data.FLAT[name]
    array: wp.array = getattr(d.__dict__[g.name], f.name)
    return array
