"""Steps as a function of a state and inputs, and its adjoint, on Warp arrays: what PyTorch and JAX call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import warp as wp

from newtonish.errors import ModelError, problem
from newtonish.mjw import Data, Model, State, Trajectory, from_tangent, get_state, set_state, to_tangent

__all__ = ["StepResult", "Steps"]


class StepResult(NamedTuple):
    """What a step leaves, in the arrays of a framework.

    ``qpos`` is the position, (nworld, nq), ``qvel`` the velocity, (nworld, nv), ``act`` the activation, (nworld, na). ``sensordata``, (nworld, nsensordata), has
    the sensors of the state in which the last step began, as ``mjw.step`` leaves them, and no gradient. ``qacc_warmstart``, (nworld, nv), is what the solver
    starts from in the next step, if it is given to it; it has no gradient, as the solver's minimum does not depend on it.

    With ``record=True`` all but the warm start have an axis of steps, in front.
    """

    qpos: Any
    qvel: Any
    act: Any
    sensordata: Any
    qacc_warmstart: Any


RESULTS = StepResult._fields
SMOOTH = ("qpos", "qvel", "act")
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

    Attributes:
        inputs: Shape of each input, in order.
        results: The same of results.
        worlds: Which axis of each of them is that of worlds, inputs and results.
    """

    def __init__(self, m: Model, d: Data, nstep: int, record: bool) -> None:
        self.m, self.d, self.record = m, d, record
        self.trajectory = Trajectory(m, d, nstep, nstep)
        nq, nv, nu, na, nstep, n = m.nq, m.nv, m.nu, m.size.na, self.trajectory.nstep, d.nworld
        self.inputs: dict[str, tuple[int, ...]] = {
            "qpos": (n, nq),
            "qvel": (n, nv),
            "act": (n, na),
            "ctrl": (nstep, n, nu),
            "qfrc_applied": (nstep, n, nv),
            "xfrc_applied": (nstep, n, m.nbody, 6),
            "qacc_warmstart": (n, nv),
        }
        lead = (nstep, n) if record else (n,)
        widths = {"qpos": nq, "qvel": nv, "act": na, "sensordata": m.size.nsensordata}
        self.results: dict[str, tuple[int, ...]] = {name: (*lead, width) for name, width in widths.items()} | {"qacc_warmstart": (n, nv)}
        self.worlds = ({name: int(name in DRIVEN) for name in self.inputs}, {name: int(record and name != "qacc_warmstart") for name in self.results})
        self._bars = [wp.zeros(shape, dtype=float, device=d.device) for shape in ((nstep, n, 2 * nv + na), (n, 2 * nv + na))]
        self._constant: wp.array | None = None

    def forward(self, inputs: Mapping[str, wp.array], results: Mapping[str, wp.array]) -> tuple[wp.array, wp.array]:
        """Take the steps.

        Args:
            inputs: arrays of float32, of the shapes of the attribute; those that are not there are 0, as is the warm start.
            results: arrays that receive what comes of them.

        Returns:
            What ``backward`` needs beside: which worlds were reset on the way, and what of ``d`` is not among the inputs.
        """
        way = self.trajectory
        self._load(inputs)
        constant = self.constants()
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
        """
        m, d, nv = self.m, self.d, self.m.nv
        next_bar, state_bar = self._bars
        self._load(inputs)
        if kept[1].size:
            set_state(m, d, kept[1], _CONSTANT)
        self.trajectory.start(*self._driven(inputs), lost=kept[0])
        next_bar.zero_()
        last = next_bar if self.record else next_bar[self.trajectory.nstep - 1]
        if "qpos" in bars:
            to_tangent(m, qpos, bars["qpos"], last)
        for name, first, width in (("qvel", nv, nv), ("act", 2 * nv, m.size.na)):
            if name in bars and width:
                columns = slice(first, first + width)
                wp.copy(last[:, :, columns] if self.record else last[:, columns], bars[name])
        driven = [wanted.get(name) for name in DRIVEN]
        self.trajectory.vjp(next_bar, state_bar, *(None if array is None else _wrenches(array) if array.ndim == 4 else array for array in driven))
        if "qpos" in wanted:
            from_tangent(m, inputs["qpos"], state_bar, wanted["qpos"])
        for name, first, width in (("qvel", nv, nv), ("act", 2 * nv, m.size.na)):
            if name in wanted and width:
                wp.copy(wanted[name], state_bar[:, first : first + width])

    def names(self, given: Iterable[str], call: str) -> None:
        """Raise for a name that is no input's."""
        for name in given:
            if name not in self.inputs:
                raise ModelError(problem(f"{call}: {name}", "no such input", ", ".join(self.inputs), "leave it out"))

    def _load(self, inputs: Mapping[str, wp.array]) -> None:
        """The state in which the first step begins; no forces but those of the inputs."""
        d = self.d
        for name in ("qpos", "qvel", "act", "qacc_warmstart"):
            array = getattr(d, name)
            if name in inputs and array.size:
                wp.copy(array, inputs[name])
            elif array.size:
                array.zero_()
        for array in (d.ctrl, d.qfrc_applied, d.xfrc_applied):
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
