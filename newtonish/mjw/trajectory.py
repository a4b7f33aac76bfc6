"""Trajectories of all worlds, recorded, and their adjoint: gradients of a cost of many steps by where they began and by the inputs of each."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

import warp as wp

from newtonish.arguments import checked_methods
from newtonish.common.enums import State
from newtonish.errors import ModelError, problem
from newtonish.kernels.derivative import trajectory as stages
from newtonish.kernels.derivative.course import Course
from newtonish.kernels.structs.container import Data, Model
from newtonish.memory import lent
from newtonish.mjw.arguments import array_of
from newtonish.mjw.differentiable import check_forgetful
from newtonish.mjw.gradient_fields import check_fields, copy_fields, prepare_fields
from newtonish.mjw.gradient_sensors import check_apart, prepare_sensors
from newtonish.mjw.gradients import _prepare, prepare_contacts, raise_for_contact
from newtonish.mjw.matching import check_pair, integer
from newtonish.mjw.replay import run
from newtonish.mjw.states import get_state, set_state, state_size
from newtonish.mjw.trajectory_arrays import TrajectoryArrays
from newtonish.mjw.trajectory_steps import backwards, forget, forwards

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
        lost: (nworld,) int32, 1 where the world was reset on the way because a number was not finite, or had stopped for it before.

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
        self._steps: dict[Any, Any] = {}
        self._arrays = TrajectoryArrays(m, d, self.nstep, every, partial(_forget, d, self._steps))
        self.every = self._arrays.every
        with lent("Trajectory: nstep", str(self.nstep), "take fewer steps or worlds, or a larger every"):
            self._present, self._first = (wp.zeros((d.nworld, state_size(m, sig)), dtype=wp.float32, device=d.device) for sig in (_ALL, _INPUTS))
            self._time_low, self._nonfinite = wp.zeros_like(d.time_low), wp.zeros_like(d.nonfinite)
        self._steps["forwards"], self._steps["again"] = (forwards(self._course, again) for again in (False, True))
        weakref.finalize(self, _forget, d, self._steps).atexit = False

    @property
    def _course(self) -> Course:
        return self._arrays.course

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
        run(self._steps["forwards"], self._m, self._d, self.nstep)

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
        sensor_bar: wp.array | None = None,
        fields: dict[str, wp.array] | None = None,
        kinks: wp.array | None = None,
    ) -> None:
        """Adjoint of the last ``rollout``: gradients of a cost of its states and sensors.

        What ``step_vjp`` does for one step: states are (qpos, qvel, act), positions in the tangent space (``to_tangent`` turns a gradient by ``qpos`` into it).
        The state of ``d`` stays as it is.

        Args:
            next_bar: gradient of the cost by the state after each step, (nstep, nworld, 2 nv + na) float32, or by that after the last one alone,
                (nworld, 2 nv + na).
            state_bar: (nworld, 2 nv + na) that receives the gradient by the state in which the first step began; None: not wanted.
            ctrl_bar: (nstep, nworld, nu), by the controls of each step.
            qfrc_applied_bar: (nstep, nworld, nv), by applied generalized forces.
            xfrc_applied_bar: (nstep, nworld, nbody) spatial_vector, by applied forces on bodies.
            sensor_bar: (nstep, nworld, nsensordata), gradient of the cost by ``sensordata``, on top of that by the states. Sensors are those of the states in
                which the steps began: those of the state after the last step are no part of it.
            fields: from names of the model's fields to arrays (nworld, and the shape of one world's) that receive the gradients by them, as of ``step_vjp``.
            kinks: (nstep, nworld) int32 that receives bits of ``Kink`` of the state in which each step began: why that step has no derivative there; 0:
                nothing is near. It takes another evaluation of ``forward`` for each step.

        A world that was reset or had stopped because a number in it was not finite has NaN for gradients.

        Raises:
            ModelError: an array of another shape, type or device, or there was no rollout.
            UnsupportedError: a contact between shapes without a derivative; inside a capture of the caller's that world's gradients are NaN instead. With
                ``sensor_bar`` a sensor without one, and with ``fields`` besides one that has one of them in its own law.
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
            self._arrays.take("vjp", "next_bar", next_bar, "next_bar")
        outputs = [
            ("state_bar", state_bar, "bar", (d.nworld, nx), wp.float32),
            ("ctrl_bar", ctrl_bar, "ctrl_bar", self._arrays.shape("ctrl_bar"), wp.float32),
            ("qfrc_applied_bar", qfrc_applied_bar, "qfrc_bar", self._arrays.shape("qfrc_bar"), wp.float32),
            ("xfrc_applied_bar", xfrc_applied_bar, "xfrc_bar", self._arrays.shape("xfrc_bar"), wp.spatial_vector),
            ("kinks", kinks, "kinks", self._arrays.shape("kinks"), wp.int32),
        ]
        for label, array, name, shape, dtype in outputs:
            if array is not None:
                array_of(f"Trajectory.vjp: {label}", d, array, dtype, shape)
                self._arrays.want("vjp", name)
        sensed = sensor_bar is not None and m.size.nsensordata > 0
        if sensor_bar is not None:
            self._arrays.take("vjp", "sensor_bar", sensor_bar, "sensor_bar")
        if sensed:
            prepare_sensors("Trajectory.vjp", m, d)
        if fields:
            fields = check_fields("Trajectory.vjp", m, d, fields)
            if sensed:
                check_apart("Trajectory.vjp", m, set(fields))
        self._sweep(self._back(bool(fields), sensed, kinks is not None))
        complete = prepare_contacts(d)
        if fields:
            complete = prepare_fields("Trajectory.vjp", m, d) and complete
        if not complete:
            self._sweep(self._back(bool(fields), sensed, kinks is not None))
        self._check_contacts()
        for _, array, name, _, _ in outputs:
            if array is not None and array.size:
                wp.copy(array, getattr(track, name))
        if fields:
            wp.copy(d.gradients.fields.everything, track.total)
            copy_fields(d, fields)

    def _back(self, by_fields: bool, by_sensors: bool, with_kinks: bool) -> Any:
        """The step back, with room for sums of gradients by fields where they are wanted."""
        if by_fields:
            self._arrays.want_total(self._d.gradients.fields.everything.shape[1])
        key = by_fields, by_sensors, with_kinks
        if key not in self._steps:
            self._steps[key] = backwards(self._course, *key)
        return self._steps[key]

    def _begin(self, call: str, ctrl: wp.array | None, qfrc_applied: wp.array | None, xfrc_applied: wp.array | None) -> None:
        """The present state and these inputs as those in which the trajectory begins."""
        m, d, track = self._m, self._d, self._course.track
        check_pair(f"Trajectory.{call}", m, d)
        _prepare(f"Trajectory.{call}", m, d)
        for name, given, label in (("ctrl", ctrl, "ctrl"), ("qfrc", qfrc_applied, "qfrc_applied"), ("xfrc", xfrc_applied, "xfrc_applied")):
            self._arrays.take(call, name, given, label)
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
                run(self._steps["again"], m, d, last - first - 1)
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


_ALL = int(State.INTEGRATION)
_INPUTS = int(State.CTRL | State.QFRC_APPLIED | State.XFRC_APPLIED | State.EQ_ACTIVE | State.MOCAP_POS | State.MOCAP_QUAT)
"""What stays as it is along a trajectory, or comes from its arrays."""


def _forget(d: Data, steps: dict[Any, Any]) -> None:
    """Let go of what was recorded of a trajectory, and of functions that hold arrays which were replaced."""
    forget(d, steps.values())
    for key in [key for key in steps if isinstance(key, tuple)]:
        del steps[key]


checked_methods(Trajectory)
