"""A whole step, push and pull included, recorded for the arrays it was called with and replayed on all cores.

Scripts step between the same one or two states over and over. For such a combination of arrays the launches are recorded
like those of ``mjw.step``: on a CPU one graph a thread over a slice of the worlds, on a GPU one graph. Combinations beyond
the first few are launched plainly, so that a script that makes a new state for every step does not fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import warp as wp

from newtonish import mjw
from newtonish.collector import paused
from newtonish.kernels.bridge import states
from newtonish.kernels.bridge.frames import Maps
from newtonish.kernels.forward import diagnose, forward, integrate
from newtonish.kernels.forward import step as step_stage
from newtonish.kernels.runtime.launch import launch_on
from newtonish.kernels.runtime.modules import Build, builds_of, load_modules
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.growth import complete
from newtonish.mjw.replay import modules_of_step, run, run_plainly
from newtonish.model import fk
from newtonish.model.fk import eval_fk, fk_launches
from newtonish.solver.arguments import StepArguments
from newtonish.solver.pull import Articulations, pull, pull_joints
from newtonish.solver.push import Inputs, push, slice_maps

if TYPE_CHECKING:
    from newtonish.kernels.bridge.outside import OutsideContacts
    from newtonish.solver.outside import Outside

__all__ = ["Stepper", "contacts_from"]

Outputs = list[tuple[str, wp.array]]
"""Kinds and arrays of what a step is to report beside the new state."""

_MOST = 8
"""Number of combinations of arrays that are recorded."""


def load_kernels(m: Model, d: Data, outside: Outside | None) -> None:
    """Compile what a step and the bridge launch side by side, so that the first step may be captured."""
    with paused(), contacts_from(d, None if outside is None else outside.any_writer()):
        more = [] if outside is None else outside.builds(d)
        load_modules(d.device, [*modules_of_step(m, d), *builds_of(states, d), *more])
    wp.load_module(fk, device=d.device)


def load_more(d: Data, outputs: bool, partial: bool) -> None:
    """The modules of what not every step does: arrays beside the new state, or a push without coordinates."""
    found: list[Build] = []
    if outputs:
        from newtonish.kernels.bridge import outputs as output_kernels
        from newtonish.kernels.smooth import rne_postconstraint

        found += [*builds_of(output_kernels, d), *builds_of(rne_postconstraint, d)]
    if partial:
        from newtonish.kernels.bridge import partial as push_kernels

        found += builds_of(push_kernels, d)
    load_modules(d.device, found)


@contextmanager
def contacts_from(d: Data, writer: Callable[[Any, Any], None] | None) -> Iterator[None]:
    """Within it, contacts of ``d`` are those that ``writer(m, d)`` writes; None: those that the step finds."""
    d.outside = writer
    try:
        yield
    finally:
        d.outside = None


def _stages(m: Model, d: Data, maps: Maps, outputs: Outputs) -> None:
    """A step, with what it found out written before the state moves on."""
    if not outputs:
        step_stage(m, d)
        return
    from newtonish.kernels.bridge.outputs import write_outputs

    forward(m, d)
    diagnose(m, d)
    write_outputs(m, d, maps, outputs)
    integrate(m, d)


class Stepper:
    """Steps of one solver.

    Args:
        model: The Newton model.
        m: Model of ``newtonish.mjw``.
        d: Its Data.
        maps: Index maps on the device.
        inputs: Reads a control's arrays.
        arguments: What states and controls must be like.
        outside: Takes contacts from outside; None: contacts are found by the step.
    """

    def __init__(self, model: Any, m: Model, d: Data, maps: Maps, inputs: Inputs, arguments: StepArguments, outside: Outside | None = None) -> None:
        load_kernels(m, d, outside)
        self._outside = outside
        self._model, self._m, self._d, self._maps, self._inputs = model, m, d, maps, inputs
        self._arguments = arguments
        self._articulations = Articulations(model, d.nworld)
        self._recorded: dict[tuple[Any, ...], Callable[[Model, Data], None]] = {}

    def __call__(self, state_in: Any, state_out: Any, control: Any, dt: float, outputs: Outputs, follow: bool, contacts: Any = None) -> None:
        """Advance all worlds by ``dt`` [s].

        Args:
            state_in: State at the start.
            state_out: State at the end.
            control: Inputs.
            dt: Time step [s].
            outputs: Kinds and arrays of what else is wanted.
            follow: Whether positions and velocities are taken from ``state_in``, or stay what the last step made them.
            contacts: Contacts from outside, for steps that take them.
        """
        m, d = self._m, self._d
        flat = None
        if self._outside is not None:
            flat = self._outside.take(contacts)
            self._outside.sort(flat)
        if not d.device.is_capturing:
            function = self._function(state_in, state_out, control, outputs, follow, flat)
            if function is not None:
                m.opt.timestep.fill_(dt)
                run(function, m, d)
                if not self._articulations.complete and state_out.body_q is not None:
                    eval_fk(self._model, state_out.joint_q, state_out.joint_qd, state_out)
                return
        self._arguments.check(state_in, state_out, control)
        push(m, d, self._maps, self._inputs, state_in, control, dt, follow)
        if flat is None and not outputs:
            mjw.step(m, d)
        else:
            self._step_plainly(outputs, flat)
        pull(m, d, self._maps, self._model, state_in, state_out)

    def _step_plainly(self, outputs: Outputs, flat: OutsideContacts | None) -> None:
        """A step that fills arrays or takes contacts, not recorded: a recording would hold these arrays."""
        m, d = self._m, self._d
        if not d.device.is_capturing:
            complete(m, d)
        with contacts_from(d, None if flat is None else self._outside.writer(flat)):
            if d.device.is_capturing or d.device.is_cuda:
                _stages(m, d, self._maps, outputs)
            else:
                run_plainly(lambda m, d: _stages(m, d, self._maps, outputs), m, d)
        d.room.look()

    def _function(
        self, state_in: Any, state_out: Any, control: Any, outputs: Outputs, follow: bool, flat: OutsideContacts | None
    ) -> Callable[[Model, Data], None] | None:
        """The step to record for these arrays; None if enough others are recorded already."""
        try:
            key = (*self._key(state_in, state_out, control), *((kind, array.ptr) for kind, array in outputs), follow)
            key += () if flat is None else self._outside.key(flat)
        except AttributeError:  # something that is no state, control or array
            self._arguments.check(state_in, state_out, control)
            raise
        if key not in self._recorded and len(self._recorded) < _MOST:
            self._arguments.check(state_in, state_out, control)
            held = _hold(state_in), _hold(state_out), _hold_control(control)
            self._recorded[key] = self._make(*held, outputs, follow, flat)
        return self._recorded.get(key)

    def _key(self, state_in: Any, state_out: Any, control: Any) -> tuple[Any, ...]:
        """Where the arrays of a step are, and how long."""
        arrays = [state_in.joint_q, state_in.joint_qd, self._inputs.wrenches(state_in), *self._inputs.of(control)]
        arrays += [state_out.joint_q, state_out.joint_qd, state_out.body_q, state_out.body_qd]
        return tuple(None if array is None else (array.ptr, array.shape) for array in arrays)

    def _make(self, state_in: Any, state_out: Any, control: Any, outputs: Outputs, follow: bool, flat: OutsideContacts | None) -> Callable[[Model, Data], None]:
        """A step of any slice of the worlds between two states."""
        writer = None if flat is None else self._outside.writer(flat)

        def function(m: Model, d: Data) -> None:
            first = d.first_world
            maps = slice_maps(self._maps, first, d.nworld)
            push(m, d, maps, self._inputs, state_in, control, 0.0, follow)
            with contacts_from(d, writer):
                _stages(m, d, maps, outputs)
            pull_joints(m, d, maps, state_in, state_out)
            if state_out.body_q is not None and self._articulations.complete:
                part = self._articulations.of(first, d.nworld)
                for launched in fk_launches(self._model, state_out.joint_q, state_out.joint_qd, state_out, indices=part):
                    launch_on(launched[0], d.device, *launched[1:])

        pairs = (state_in.joint_q, state_out.joint_q), (state_in.joint_qd, state_out.joint_qd)
        overwritten = [a for a, b in pairs if a is not None and b is not None and a.size and a.ptr == b.ptr]
        function.__dict__["overwrites"] = tuple(overwritten)
        return function


class _Held:
    """The arrays of a state or control at the time of recording, whatever becomes of the object they came from."""

    mujoco: Any = None


def _hold(state: Any) -> _Held:
    held = _Held()
    for name in ("joint_q", "joint_qd", "body_q", "body_qd", "body_f"):
        setattr(held, name, getattr(state, name))
    return held


def _hold_control(control: Any) -> _Held:
    held = _Held()
    for name in ("joint_f", "joint_target_q", "joint_target_qd"):
        setattr(held, name, getattr(control, name, None))
    namespace = getattr(control, "mujoco", None)
    if namespace is not None:
        held.mujoco = _Held()
        held.mujoco.ctrl = getattr(namespace, "ctrl", None)
        held.mujoco.ctrl_more = getattr(namespace, "ctrl_more", None)
    return held
