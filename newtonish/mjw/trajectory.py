"""Trajectories of all worlds, recorded, and their adjoint: gradients of a cost of many steps by where they began and by the inputs of each."""

from __future__ import annotations

import math
import weakref
from typing import Any

import warp as wp

from newtonish.arguments import checked_methods
from newtonish.common.enums import State
from newtonish.errors import ModelError, problem
from newtonish.kernels.derivative import trajectory as stages
from newtonish.kernels.derivative.trajectory import TRACK, Course
from newtonish.kernels.forward import step
from newtonish.kernels.structs.container import Data, Model
from newtonish.memory import check_memory, lent
from newtonish.mjw.arguments import array_of
from newtonish.mjw.differentiable import check_forgetful
from newtonish.mjw.gradient_fields import check_fields, copy_fields, prepare_fields
from newtonish.mjw.gradients import _adjoint, _adjoint_by_fields, _prepare, raise_for_contact
from newtonish.mjw.matching import check_pair, integer
from newtonish.mjw.replay import run
from newtonish.mjw.states import get_state, set_state, state_size

__all__ = ["Trajectory"]


class Trajectory:
    """``nstep`` steps of every world under controls of their own, with what the adjoint needs to go back through them.

    ``rollout`` steps from the present state of ``d`` and records; ``vjp`` takes the gradient of a cost by the recorded states back to the first state
    and to the inputs of each step. Both run on the device from beginning to end, and become part of a capture of the caller's.

    Args:
        m: model, as ``step_vjp`` takes it.
        d: data; the trajectory is that of its worlds.
        nstep: number of steps.
        every: what a step begins with is kept of every so many steps, and the steps between are taken once more on the way back, with the same bits. 1:
            of all, and no step is taken again; a longer way takes less memory. None: 1 where that takes no more memory than ``d`` itself, else the
            square root of ``nstep``.

    Attributes:
        nstep: Number of steps.
        every: Steps from one kept state to the next.
        ctrl: (nstep, nworld, nu) float32, controls of each step, as the last ``rollout`` had them.
        qpos: (nstep, nworld, nq), position after each step; qvel: (nstep, nworld, nv); act: (nstep, nworld, na).
        sensordata: (nstep, nworld, nsensordata), sensors of the states in which the steps began, as ``step`` leaves them.
        lost: (nworld,) int32, 1 where the world was reset on the way because a number was not finite.

    Raises:
        ModelError: ``nstep`` or ``every`` is no whole number of at least 1.
        UnsupportedError: the model has something without a derivative.
        CapacityError: there is no memory.

    MuJoCo: no equivalent.
    """

    def __init__(self, m: Model, d: Data, nstep: int, every: int | None = None) -> None:
        check_pair("Trajectory", m, d)
        self.nstep = integer("Trajectory: nstep", nstep, 1)
        self._m, self._d, self._began = m, d, False
        _prepare("Trajectory", m, d)
        check_forgetful("Trajectory", m)
        if every is None:
            every = 1 if self._bytes(1) <= d.nbytes() else math.isqrt(self.nstep - 1) + 1
        self.every = min(integer("Trajectory: every", every, 1), self.nstep)
        check_memory("Trajectory: nstep", self.nstep, self._bytes(self.every), d.device, "take fewer steps or worlds, or a larger every")
        self._course = Course(TRACK.struct(), self.every, self._kept(self.every))
        with lent("Trajectory: nstep", str(self.nstep), "take fewer steps or worlds, or a larger every"):
            for f in TRACK.fields:
                setattr(self._course.track, f.name, self._zeros(f))
            self._present, self._first = (wp.zeros((d.nworld, state_size(m, sig)), dtype=wp.float32, device=d.device) for sig in (_ALL, _INPUTS))
            self._time_low, self._nonfinite = wp.zeros_like(d.time_low), wp.zeros_like(d.nonfinite)
        self._functions = _functions(self._course)
        weakref.finalize(self, _forget, d, self._functions).atexit = False

    @property
    def ctrl(self) -> wp.array:
        return self._course.track.ctrl

    @property
    def lost(self) -> wp.array:
        return self._course.track.lost

    @property
    def qpos(self) -> wp.array:
        return self._course.track.qpos

    @property
    def qvel(self) -> wp.array:
        return self._course.track.qvel

    @property
    def act(self) -> wp.array:
        return self._course.track.act

    @property
    def sensordata(self) -> wp.array:
        return self._course.track.sensordata

    def rollout(self, ctrl: wp.array | None = None, qfrc_applied: wp.array | None = None, xfrc_applied: wp.array | None = None) -> None:
        """Take all steps from the present state of ``d``, which ends in that after the last one.

        Args:
            ctrl: (nstep, nworld, nu) float32, controls of each step; None: those of ``d`` throughout.
            qfrc_applied: (nstep, nworld, nv), applied generalized forces; None: those of ``d``.
            xfrc_applied: (nstep, nworld, nbody) spatial_vector, applied forces on bodies, force first, world frame; None: those of ``d``.

        Raises:
            ModelError: an array of another shape, type or device.
        """
        self._begin("rollout", ctrl, qfrc_applied, xfrc_applied)
        run(self._functions["forwards"], self._m, self._d, self.nstep)

    def start(
        self, ctrl: wp.array | None = None, qfrc_applied: wp.array | None = None, xfrc_applied: wp.array | None = None, *, lost: wp.array | None = None
    ) -> None:
        """As ``rollout``, without taking the steps, which ``vjp`` then takes: for a trajectory whose states are known already.

        Args:
            ctrl, qfrc_applied, xfrc_applied: as of ``rollout``.
            lost: (nworld,) int32, worlds whose gradient is NaN, as ``lost`` of the Trajectory that found its states; None: none.

        Raises:
            ModelError: as of ``rollout``, or ``every`` is less than ``nstep``, so that states between would be missing.
        """
        if self.every < self.nstep:
            remedy = "make the Trajectory with every=nstep"
            raise ModelError(problem("Trajectory.start: every", str(self.every), f"nstep, which is {self.nstep}", remedy))
        self._begin("start", ctrl, qfrc_applied, xfrc_applied)
        if lost is not None:
            wp.copy(self._course.track.lost, array_of("Trajectory.start: lost", self._d, lost, wp.int32, (self._d.nworld,)))

    def vjp(
        self,
        next_bar: wp.array,
        state_bar: wp.array | None = None,
        ctrl_bar: wp.array | None = None,
        qfrc_applied_bar: wp.array | None = None,
        xfrc_applied_bar: wp.array | None = None,
        *,
        fields: dict[str, wp.array] | None = None,
    ) -> None:
        """Adjoint of the last ``rollout``: gradients of a cost of its states.

        What ``step_vjp`` does for one step: states are (qpos, qvel, act), positions in the tangent space (``tangent_bar`` turns a gradient by ``qpos`` into it).
        The state of ``d`` stays as it is.

        Args:
            next_bar: gradient of the cost by the state after each step, (nstep, nworld, 2 nv + na) float32, or by that after the last one alone,
                (nworld, 2 nv + na).
            state_bar: (nworld, 2 nv + na) that receives the gradient by the state in which the first step began; None: not wanted.
            ctrl_bar: (nstep, nworld, nu), by the controls of each step.
            qfrc_applied_bar: (nstep, nworld, nv), by applied generalized forces.
            xfrc_applied_bar: (nstep, nworld, nbody) spatial_vector, by applied forces on bodies.
            fields: from names of the model's fields to arrays (nworld, and the shape of one world's) that receive the gradients by them, as of ``step_vjp``.

        A world that was reset on the way because a number in it was not finite has NaN for gradients.

        Raises:
            ModelError: an array of another shape, type or device, or there was no rollout.
            UnsupportedError: a contact between shapes without a derivative; inside a capture of the caller's that world's gradients are NaN instead.
        """
        m, d, track = self._m, self._d, self._course.track
        check_pair("Trajectory.vjp", m, d)
        _prepare("Trajectory.vjp", m, d)
        if not self._began:
            raise ModelError(problem("Trajectory.vjp", "a trajectory without steps", "one after a rollout", "call rollout first"))
        nx = 2 * m.nv + m.size.na
        if isinstance(next_bar, wp.array) and next_bar.ndim == 2:
            array_of("Trajectory.vjp: next_bar", d, next_bar, wp.float32, (d.nworld, nx))
            track.next_bar.zero_()
            wp.copy(track.next_bar[self.nstep - 1], next_bar)
        else:
            wp.copy(track.next_bar, array_of("Trajectory.vjp: next_bar", d, next_bar, wp.float32, self._shape(nx)))
        outputs = [
            ("state_bar", state_bar, "bar", (d.nworld, nx), wp.float32),
            ("ctrl_bar", ctrl_bar, "ctrl_bar", self._shape("nu"), wp.float32),
            ("qfrc_applied_bar", qfrc_applied_bar, "qfrc_bar", self._shape("nv"), wp.float32),
            ("xfrc_applied_bar", xfrc_applied_bar, "xfrc_bar", self._shape("nbody"), wp.spatial_vector),
        ]
        for label, array, name, shape, dtype in outputs:
            if array is not None:
                array_of(f"Trajectory.vjp: {label}", d, array, dtype, shape)
                self._room("vjp", name)
        if fields:
            fields = check_fields("Trajectory.vjp", m, d, fields)
            self._sweep(self._by_fields())
            if not prepare_fields("Trajectory.vjp", m, d):  # contacts have got more room
                self._sweep(self._by_fields())
        else:
            self._sweep(self._functions["backwards"])
        self._check_contacts()
        for _, array, name, _, _ in outputs:
            if array is not None and array.size:
                wp.copy(array, getattr(track, name))
        if fields:
            wp.copy(d.gradients.fields.everything, track.total)
            copy_fields(d, fields)

    def _by_fields(self) -> Any:
        """The step back that adds gradients by fields up, and room for their sums."""
        width = self._d.gradients.fields.everything.shape[1]
        if "backwards by fields" not in self._functions or self._course.track.total.shape[1] != width:
            _forget(self._d, self._functions)
            self._course.replace("total", wp.zeros((self._d.nworld, width), dtype=wp.float32, device=self._d.device))
            self._functions["backwards by fields"] = _backwards(self._course, True)
        return self._functions["backwards by fields"]

    def _begin(self, call: str, ctrl: wp.array | None, qfrc_applied: wp.array | None, xfrc_applied: wp.array | None) -> None:
        """The present state and these inputs as those in which the trajectory begins."""
        m, d, track = self._m, self._d, self._course.track
        check_pair(f"Trajectory.{call}", m, d)
        _prepare(f"Trajectory.{call}", m, d)
        self._take(call, "ctrl", ctrl, self._shape("nu"))
        self._take(call, "qfrc", qfrc_applied, self._shape("nv"), "qfrc_applied")
        self._take(call, "xfrc", xfrc_applied, self._shape("nbody"), "xfrc_applied")
        if ctrl is None and track.ctrl.size:
            for t in range(self.nstep):
                wp.copy(track.ctrl[t], d.ctrl)
        get_state(m, d, self._first, _INPUTS)
        stages.begin(m, d, self._course)
        self._began = True

    def _sweep(self, backwards: Any) -> None:
        """Go back through all steps; the state of ``d`` is kept meanwhile."""
        m, d, course = self._m, self._d, self._course
        get_state(m, d, self._present, _ALL)
        wp.copy(self._time_low, d.time_low)
        wp.copy(self._nonfinite, d.nonfinite)
        set_state(m, d, self._first, _INPUTS)
        stages.begin_sweep(m, d, course)
        last = self.nstep
        for first in range((self.nstep - 1) // self.every * self.every, -1, -self.every):
            stages.rewind(m, d, course, first)
            if last - first > 1:
                run(self._functions["again"], m, d, last - first - 1)
            run(backwards, m, d, last - first)
            last = first
        set_state(m, d, self._present, _ALL)
        wp.copy(d.time_low, self._time_low)
        wp.copy(d.nonfinite, self._nonfinite)

    def _check_contacts(self) -> None:
        """Raise for a contact whose geometry has no derivative; waits for the device."""
        d, track = self._d, self._course.track
        if d.device.is_capturing:
            return
        blind = track.blind.numpy()
        if blind.any():
            world = int(blind.nonzero()[0][0])
            raise_for_contact("Trajectory.vjp", self._m, world, track.pair.numpy()[world], f" in step {blind[world] - 1}")

    def _take(self, call: str, name: str, given: Any, shape: tuple[int, ...], label: str | None = None) -> None:
        """Copy inputs of all steps to where the steps find them."""
        track, field = self._course.track, next(f for f in TRACK.fields if f.name == name)
        if given is not None:
            array_of(f"Trajectory.{call}: {label or name}", self._d, given, field.dtype, shape)
            self._room(call, name)
            if given.size:
                wp.copy(getattr(track, name), given)
        elif name != "ctrl" and getattr(track, name).shape[0]:  # those of the state from now on
            self._replace(call, name, 0)

    def _room(self, call: str, name: str) -> None:
        """Arrays that are made when they are first wanted."""
        array = getattr(self._course.track, name)
        if name != "bar" and not array.shape[0]:
            self._replace(call, name, self.nstep)

    def _replace(self, call: str, name: str, nstep: int) -> None:
        d = self._d
        if d.device.is_capturing:
            remedy = f"call {call} once with the same arguments before the capture"
            raise ModelError(problem(f"Trajectory.{call}: {name}", "other arguments than in the call before", "the same in a capture", remedy))
        field = next(f for f in TRACK.fields if f.name == name)
        self._course.replace(name, wp.zeros((nstep, *self._dims(field)[1:]), dtype=field.dtype, device=d.device))
        _forget(d, self._functions)

    def _kept(self, every: int) -> int:
        return (self.nstep - 1) // every + 1

    def _bytes(self, every: int) -> int:
        """Memory of the states that are kept [bytes]."""
        m = self._m
        return 4 * self._d.nworld * (self._kept(every) + every - 1) * (2 + m.nq + 2 * m.nv + m.size.na)

    def _shape(self, last: str | int) -> tuple[int, int, int]:
        return self.nstep, self._d.nworld, last if isinstance(last, int) else int(getattr(self._m.size, last))

    def _dims(self, field: Any) -> list[int]:
        size = self._m.size
        own = {
            "nworld": self._d.nworld,
            "nstep": self.nstep,
            "nkept": self._kept(self.every) + self.every - 1,
            "nrow": 2 + size.nq + 2 * size.nv + size.na,
            "nx": 2 * size.nv + size.na,
            "nqfrc": 0,
            "nxfrc": 0,
            "nqfrcbar": 0,
            "nxfrcbar": 0,
            "nfield": 0,
        }
        return [own[dim] if dim in own else int(getattr(size, dim)) for dim in field.dims]

    def _zeros(self, field: Any) -> wp.array:
        shape = (self._d.nworld, *self._dims(field)) if field.per_world else tuple(self._dims(field))
        return wp.zeros(shape, dtype=field.dtype, device=self._d.device)


_ALL = int(State.INTEGRATION)
_INPUTS = int(State.CTRL | State.QFRC_APPLIED | State.XFRC_APPLIED | State.EQ_ACTIVE | State.MOCAP_POS | State.MOCAP_QUAT)
"""What stays as it is along a trajectory, or comes from its arrays."""


def _functions(course: Course) -> dict[str, Any]:
    """Functions of (m, d) for one step: the first time, once more, and back. All hold the arrays and not the Trajectory, which may go before them."""

    def rollout(m: Model, d: Data) -> None:
        stages.before(m, d, course)
        step(m, d)
        stages.after(m, d, course, False)

    def again(m: Model, d: Data) -> None:
        stages.before(m, d, course)
        step(m, d)
        stages.after(m, d, course, True)

    for function in (rollout, again):
        function.__dict__["overwrites"] = course.track.clock, course.track.lost
    return {"forwards": rollout, "again": again, "backwards": _backwards(course, False)}


def _backwards(course: Course, by_fields: bool) -> Any:
    """One step back."""
    adjoint = _adjoint_by_fields if by_fields else _adjoint

    def vjp(m: Model, d: Data) -> None:
        work = d.gradients.view(d.first_world, d.first_world + d.nworld, d.first_slot)
        stages.back(m, d, course, work)
        adjoint(m, d)
        stages.gather(m, d, course, work, by_fields)

    track = course.track
    vjp.__dict__["works_on"] = adjoint.__dict__["works_on"]
    vjp.__dict__["overwrites"] = (track.clock, track.blind, track.pair, track.bar) + ((track.total,) if by_fields else ())
    return vjp


def _forget(d: Data, functions: dict[str, Any]) -> None:
    """Let go of what was recorded of these functions."""
    for function in functions.values():
        d.recordings.pop(function, None)


checked_methods(Trajectory)
