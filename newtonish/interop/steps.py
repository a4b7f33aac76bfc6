"""Steps as a function of a state, inputs and fields of the model, and its adjoint, on Warp arrays: what PyTorch and JAX call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import warp as wp

from newtonish.errors import ModelError, UnsupportedError, problem
from newtonish.interop.model_fields import FieldInputs
from newtonish.mjw import Data, Model, State, Trajectory, from_tangent, get_state, set_state, to_tangent
from newtonish.mjw.differentiable import check_forgetful
from newtonish.mjw.matching import check_pair, integer, switch

__all__ = ["StepResult", "Steps"]


class StepResult(NamedTuple):
    """What a step leaves, in the arrays of a framework.

    ``qpos`` is the position, (nworld, nq), ``qvel`` the velocity, (nworld, nv), ``act`` the activation, (nworld, na). ``sensordata``, (nworld, nsensordata), has
    the sensors of the state in which the last step began, as ``mjw.step`` leaves them; who goes back through a sensor without a derivative is told which it
    is. ``qacc_warmstart``, (nworld, nv), is what the solver starts from in the next step, if it is given to it; it has no gradient, as the solver's minimum
    does not depend on it.

    With ``record=True`` all but the warm start have an axis of steps, in front.
    """

    qpos: Any
    qvel: Any
    act: Any
    sensordata: Any
    qacc_warmstart: Any


RESULTS = StepResult._fields
SMOOTH = ("qpos", "qvel", "act", "sensordata")
"""Results with a gradient."""
DRIVEN = ("ctrl", "qfrc_applied", "xfrc_applied")
"""Inputs of each step."""
_CONSTANT = int(State.EQ_ACTIVE | State.MOCAP_POS | State.MOCAP_QUAT)


class Steps:
    """``nstep`` steps of the worlds of a Data.

    Args:
        m: model, as ``mjw.step_vjp`` takes it.
        d: data; it is worked with: each call begins with its inputs, and leaves what it ends with.
        nstep: steps of a call.
        record: give the state after each step, and not only the last one.
        fields: names of the model's fields that are inputs too.
        call: function that is called, for errors.

    Attributes:
        inputs: Shape of each input, in order; fields of the model at the end.
        fields: Names of those.
        results: The same of results.
        worlds: Which axis of each of them is that of worlds, inputs and results.

    Raises:
        ModelError, UnsupportedError, CapacityError: as of ``mjw.Trajectory``; also worlds that stop.
    """

    def __init__(self, m: Model, d: Data, nstep: int, record: bool, fields: Any, call: str) -> None:
        check_pair(call, m, d)
        nstep = integer(f"{call}: nstep", nstep, 1)
        self.d, self.record, self.call = d, switch(f"{call}: record", record), call
        check_forgetful(call, m)
        if d.guard is not None and d.guard.stops:
            given = 'data made with on_nonfinite="stop", whose worlds do not begin with what they are given once they have stopped'
            raise UnsupportedError(problem(f"{call}: d", given, '"reset" or "raise"', 'call make_data with on_nonfinite="reset"'))
        self._fields = FieldInputs(m, d, fields, call)
        self.fields = tuple(self._fields.shapes)
        self.trajectory = Trajectory(self._fields.model(), d, nstep, nstep)
        self.m = self._fields.model()
        nq, nv, nu, na, n = m.nq, m.nv, m.nu, m.size.na, d.nworld
        self.inputs: dict[str, tuple[int, ...]] = {
            "qpos": (n, nq),
            "qvel": (n, nv),
            "act": (n, na),
            "ctrl": (nstep, n, nu),
            "qfrc_applied": (nstep, n, nv),
            "xfrc_applied": (nstep, n, m.nbody, 6),
            "qacc_warmstart": (n, nv),
        } | self._fields.shapes
        lead = (nstep, n) if self.record else (n,)
        widths = {"qpos": nq, "qvel": nv, "act": na, "sensordata": m.size.nsensordata}
        self.results: dict[str, tuple[int, ...]] = {name: (*lead, width) for name, width in widths.items()} | {"qacc_warmstart": (n, nv)}
        recorded = {name: int(self.record and name != "qacc_warmstart") for name in self.results}
        self.worlds = {name: int(name in DRIVEN) for name in self.inputs}, recorded
        widths = {"next": 2 * nv + na, "sensordata": m.size.nsensordata}
        self._bars = {name: wp.zeros((nstep, n, width), dtype=float, device=d.device) for name, width in widths.items()}
        self._state_bar = wp.zeros((n, 2 * nv + na), dtype=float, device=d.device)
        self._constant: wp.array | None = None

    def forward(self, inputs: Mapping[str, wp.array], results: Mapping[str, wp.array]) -> tuple[wp.array, wp.array]:
        """Take the steps.

        Args:
            inputs: arrays of float32, of the shapes of the attribute; those that are not there are 0, as is the warm start, and fields those of the model.
            results: arrays that receive what comes of them.

        Returns:
            What ``backward`` needs beside: which worlds were reset on the way, and what of ``d`` is not among the inputs.
        """
        self._load(inputs)
        way, constant = self.trajectory, self.constants()
        way.rollout(*self._driven(inputs))
        for name in RESULTS[:-1]:
            if results[name].size:
                found = getattr(way, name)
                wp.copy(results[name], found if self.record else found[way.nstep - 1])
        wp.copy(results["qacc_warmstart"], self.d.qacc_warmstart)
        return wp.clone(way.lost), constant

    def backward(
        self, inputs: Mapping[str, wp.array], qpos: wp.array, kept: tuple[wp.array, wp.array], bars: Mapping[str, wp.array], wanted: Mapping[str, wp.array]
    ) -> None:
        """Adjoint of the same steps, which are taken again where there are several.

        Args:
            inputs: those of ``forward``.
            qpos: the result of it.
            kept: what it returned.
            bars: gradients by results; those that are not there are 0.
            wanted: arrays that receive gradients by inputs.

        Raises:
            UnsupportedError: a contact without a derivative; with a gradient by sensors, a sensor without one.
        """
        d = self.d
        self._load(inputs)
        if kept[1].size:
            set_state(self.m, d, kept[1], _CONSTANT)
        self.trajectory.start(*self._driven(inputs), lost=kept[0])
        sensor_bar = self._bar("sensordata") if "sensordata" in bars and bars["sensordata"].size else None
        if sensor_bar is not None:
            wp.copy(sensor_bar[1], bars["sensordata"])
        driven = [wanted.get(name) for name in DRIVEN]
        self.trajectory.vjp(
            self._by_states(qpos, bars),
            self._state_bar,
            *(None if array is None else _wrenches(array) if array.ndim == 4 else array for array in driven),
            sensor_bar=None if sensor_bar is None else sensor_bar[0],
            fields={name: self._fields.typed(name, wanted[name]) for name in self.fields if name in wanted} or None,
        )
        if "qpos" in wanted:
            from_tangent(self.m, inputs["qpos"], self._state_bar, wanted["qpos"])
        for name, first, width in self._parts():
            if name in wanted and width:
                wp.copy(wanted[name], self._state_bar[:, first : first + width])

    def given_fields(self, fields: Any) -> dict[str, Any]:
        """What a call is given for fields of the model, each a field that it was said to be given."""
        if fields is None:
            return {}
        if not isinstance(fields, Mapping):
            given = f"a {type(fields).__name__}"
            raise ModelError(problem(f"{self.call}: fields", given, "a dict from names of fields to their values", 'pass {"body_mass": values}'))
        wrong = [name for name in fields if name not in self.fields]
        if wrong:
            allowed = ", ".join(self.fields) or "none, as there were none at the start"
            raise ModelError(
                problem(f"{self.call}: fields", ", ".join(map(repr, wrong)), allowed, f"name it when you make the function: {self.call}(..., fields=...)")
            )
        return {name: value for name, value in fields.items() if value is not None}

    def _by_states(self, qpos: wp.array, bars: Mapping[str, wp.array]) -> wp.array:
        """Gradients by results as those by states, in the tangent space."""
        next_bar, last = self._bar("next")
        if "qpos" in bars:
            to_tangent(self.m, qpos, bars["qpos"], last)
        for name, first, width in self._parts():
            if name in bars and width:
                columns = slice(first, first + width)
                wp.copy(last[:, :, columns] if self.record else last[:, columns], bars[name])
        return next_bar

    def _bar(self, name: str) -> tuple[wp.array, wp.array]:
        """An array of zeros for gradients by all steps, and the part of it that is given."""
        array = self._bars[name]
        array.zero_()
        return array, array if self.record else array[self.trajectory.nstep - 1]

    def _parts(self) -> tuple[tuple[str, int, int], ...]:
        """Parts of the state behind positions: name, first number and how many."""
        nv = self.m.nv
        return ("qvel", nv, nv), ("act", 2 * nv, self.m.size.na)

    def _load(self, inputs: Mapping[str, wp.array]) -> None:
        """The state in which the first step begins, at time 0; no forces but those of the inputs; fields of the model."""
        d, m = self.d, self._fields.model()
        if m is not self.m:  # options were changed
            self.m, self.trajectory = m, Trajectory(m, d, self.trajectory.nstep, self.trajectory.nstep)
        self._fields.load(inputs)
        for name in ("qpos", "qvel", "act", "qacc_warmstart"):
            array = getattr(d, name)
            if name in inputs and array.size:
                wp.copy(array, inputs[name])
            elif array.size:
                array.zero_()
        for array in (d.time, d.time_low, d.ctrl, d.qfrc_applied, d.xfrc_applied):
            array.zero_()

    def _driven(self, inputs: Mapping[str, wp.array]) -> list[wp.array | None]:
        """Inputs of each step."""
        found = [inputs.get(name) for name in DRIVEN]
        return [None if array is None else _wrenches(array) if array.ndim == 4 else array for array in found]

    def constants(self) -> wp.array:
        """A copy of what is not among the inputs: poses of mocap bodies, and which equalities hold."""
        if self._constant is None:
            width = self.m.size.neq + 7 * self.m.size.nmocap
            self._constant = wp.zeros((self.d.nworld, width), dtype=float, device=self.d.device)
        if not self._constant.size:
            return self._constant
        get_state(self.m, self.d, self._constant, _CONSTANT)
        return wp.clone(self._constant)


def _wrenches(array: wp.array) -> wp.array:
    """Floats (nstep, nworld, nbody, 6) as spatial vectors in the same memory."""
    view: Any = wp.array(ptr=array.ptr, shape=array.shape[:3], dtype=wp.spatial_vector, device=array.device)
    view._ref = array  # keeps the memory
    return view
