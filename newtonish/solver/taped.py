"""Steps that a ``wp.Tape`` records: gradients by states, forces, controls and numbers of the model, in Newton's convention.

States and controls are made with ``requires_grad=True``, each step has a state of its own, and ``tape.backward`` goes back through all of them.
Between Newton's arrays and MuJoCo's, Warp differentiates the conversions; the step itself has the adjoint of ``newtonish.mjw``, by fields of the model too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import warp as wp

from newtonish import mjw
from newtonish.errors import ModelError, problem
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.data import STATE
from newtonish.kernels.structs.field import variant
from newtonish.model.fk import fk_launches
from newtonish.solver.bridge_adjoint import add_kernel, fk_kernel, load_adjoints, pull_kernel, push_kernel
from newtonish.solver.pull import pull
from newtonish.solver.push import Inputs, push
from newtonish.solver.taped_fields import FieldLinks, wanted_arrays
from newtonish.solver.tapes import off_tape, with_gradients

__all__ = ["Taped"]

_ALL = int(mjw.State.INTEGRATION)


def _driven(m: Model) -> list[tuple[int, Any]]:
    """Numbers of controls, generalized forces and forces on bodies, and their types."""
    return [(m.nu, wp.float32), (m.nv, wp.float32), (m.nbody, wp.spatial_vector)]


@dataclass
class _Step:
    """What the way back needs of a step.

    Attributes:
        number: of the taped step, link: of the run of steps that go on from each other, and edits: of the model before it.
        follow: whether it read positions and velocities of the state; otherwise they are what the step before left.
        begin: all that the step read.
        qpos, qvel: (nworld, nq), (nworld, nv), what it made of positions and velocities.
        lost: worlds that it reset.
    """

    number: int
    link: int
    edits: int
    follow: bool
    dt: float
    begin: wp.array
    qpos: wp.array
    qvel: wp.array
    lost: wp.array


class Taped:
    """Steps of one solver on tapes.

    Args:
        model: The Newton model.
        m: Model of ``newtonish.mjw``.
        d: Its Data.
        maps: Index maps on the device.
        inputs: Reads a control's arrays.
        compiled: The conversion of the model.
    """

    def __init__(self, model: Any, m: Model, d: Data, maps: Any, inputs: Inputs, compiled: Any) -> None:
        self._model, self._m, self._d, self._maps, self._inputs = model, m, d, maps, inputs
        self._step = mjw.Trajectory(m, d, 1)
        self._edits = 0
        self._links: FieldLinks | None = None
        self.follow(compiled)
        load_adjoints(d.device)
        zeros = lambda *shape, dtype=float: wp.zeros((d.nworld, *shape), dtype=dtype, device=d.device, requires_grad=True)  # noqa: E731
        names = {"qpos": m.nq, "qvel": m.nv, "ctrl": m.nu, "qfrc_applied": m.nv}
        self._wide = {name: zeros(size) for name, size in names.items()} | {"xfrc_applied": zeros(m.nbody, dtype=wp.spatial_vector)}
        self._state = variant(STATE, d.state, **self._wide)
        nx = 2 * m.nv + m.size.na
        self._next_bar, self._state_bar, self._present = (zeros(n) for n in (nx, nx, mjw.state_size(m, _ALL)))
        self._timestep = wp.clone(m.opt.timestep)
        self._ctrl_bar, self._qfrc_bar, self._xfrc_bar = (wp.zeros((1, d.nworld, n), dtype=kind, device=d.device) for n, kind in _driven(m))
        self._number = self._link = 0
        self._swept: tuple[int, int, bool] | None = None

    def follow(self, compiled: Any) -> None:
        """The model was edited, and converted again or in part."""
        self._edits += 1
        self._compiled, self._links = compiled, None

    def _fields(self) -> FieldLinks:
        """Where numbers of the model stand that want gradients now."""
        arrays = wanted_arrays(self._model)
        if self._links is None or arrays != self._links.arrays:
            if self._d.device.is_capturing:
                given, remedy = "a model that was edited since the last step on a tape", "take one such step before the capture"
                raise ModelError(problem("SolverMuJoCo.step on a tape, in a capture", given, "a model that was looked at", remedy))
            self._links = FieldLinks(self._model, self._compiled, self._m, self._d, arrays)
        return self._links

    def cut(self) -> None:
        """The next step does not go on from the last one that a tape recorded."""
        self._link += 1

    def __call__(self, tape: Any, state_in: Any, state_out: Any, control: Any, dt: float, follow: bool) -> None:
        """Advance all worlds by ``dt`` [s] and record how to go back; ``follow``: from positions and velocities of ``state_in``."""
        m, d = self._m, self._d
        arrays = [*with_gradients(state_in, state_out, control), *self._fields().arrays.values()]
        with off_tape(tape):
            push(m, d, self._maps, self._inputs, state_in, control, dt, follow)
            begin = wp.zeros((d.nworld, mjw.state_size(m, _ALL)), dtype=float, device=d.device)
            mjw.get_state(m, d, begin, _ALL)
            self._step.rollout()
            pull(m, d, self._maps, self._model, state_in, state_out)
            step = _Step(self._number, self._link, self._edits, follow, dt, begin, wp.clone(d.qpos), wp.clone(d.qvel), wp.clone(self._step.lost))
        self._number += 1
        tape.record_func(partial(self._back, step, state_in, state_out, control), arrays)

    def _back(self, step: _Step, state_in: Any, state_out: Any, control: Any) -> None:
        """From gradients by the state at the end to those by the state and the inputs at the beginning."""
        m, d = self._m, self._d
        if step.edits != self._edits:
            given, remedy = "a model that was edited since", "call tape.backward before notify_model_changed, and take the steps again after it"
            raise ModelError(problem("SolverMuJoCo.step on a tape, backward", given, "the model that the step was taken with", remedy))
        mjw.get_state(m, d, self._present, _ALL)
        wp.copy(self._timestep, m.opt.timestep)
        for array in self._wide.values():
            array.grad.zero_()
        self._through_kinematics(state_out)
        self._through_pull(step, state_in, state_out)
        self._through_step(step)
        self._through_push(step, state_in, control)
        mjw.set_state(m, d, self._present, _ALL)
        wp.copy(m.opt.timestep, self._timestep)
        self._swept = step.number, step.link, step.follow

    def _through_kinematics(self, state: Any) -> None:
        """From poses and velocities of bodies to joints."""
        if state.body_q is None or not (state.body_q.requires_grad or state.body_qd.requires_grad):
            return
        with wp.Tape() as tape:
            for _, dim, inputs in fk_launches(self._model, state.joint_q, state.joint_qd, state):
                wp.launch(fk_kernel, dim=dim, inputs=inputs, device=self._d.device)
        tape.backward()

    def _through_pull(self, step: _Step, state_in: Any, state_out: Any) -> None:
        """From joints to MuJoCo's numbers after the step."""
        wp.copy(self._wide["qpos"], step.qpos)
        wp.copy(self._wide["qvel"], step.qvel)
        joints = [state_in.joint_q, state_in.joint_qd, state_out.joint_q, state_out.joint_qd]
        with wp.Tape() as tape:
            wp.launch(pull_kernel, self._d.nworld, [self._m.size, self._m.jnt, self._maps, self._state, *joints], device=self._d.device)
        tape.backward()

    def _through_step(self, step: _Step) -> None:
        """From MuJoCo's numbers after the step to those before it."""
        m, d, nv, wide = self._m, self._d, self._m.nv, self._wide
        if self._swept is None or self._swept[:2] != (step.number + 1, step.link):  # the step after this one came not just before it
            self._state_bar.zero_()
        wp.copy(self._next_bar, self._state_bar)  # whose activations are the ones that this step leaves
        mjw.to_tangent(m, step.qpos, wide["qpos"].grad, self._next_bar)
        if nv:
            wp.copy(self._next_bar[:, nv : 2 * nv], wide["qvel"].grad)
            if self._swept is not None and not self._swept[2]:  # it began with positions and velocities of this one, too
                wp.launch(add_kernel, (d.nworld, 2 * nv), [self._state_bar, self._next_bar], device=d.device)
        mjw.set_state(m, d, step.begin, _ALL)
        m.opt.timestep.fill_(step.dt)
        self._step.start(lost=step.lost)
        links = self._fields()
        self._step.vjp(self._next_bar, self._state_bar, self._ctrl_bar, self._qfrc_bar, self._xfrc_bar, fields=links.bars or None)
        links.collect()

    def _through_push(self, step: _Step, state: Any, control: Any) -> None:
        """From MuJoCo's numbers before the step to joints, forces and controls."""
        m, d, nv, wide = self._m, self._d, self._m.nv, self._wide
        with wp.Tape() as tape:
            given = self._inputs.given(state, control)
            wp.launch(push_kernel, d.nworld, [m.size, m.body, m.jnt, m.actuator, self._maps, given, self._state], device=d.device)
        if not step.follow:  # these were not the state's
            wide["qpos"].grad.zero_()
            wide["qvel"].grad.zero_()
        elif nv:
            mjw.from_tangent(m, wide["qpos"], self._state_bar, wide["qpos"].grad)
            wp.copy(wide["qvel"].grad, self._state_bar[:, nv : 2 * nv])
        for name, bar in (("ctrl", self._ctrl_bar), ("qfrc_applied", self._qfrc_bar), ("xfrc_applied", self._xfrc_bar)):
            if bar.size:
                wp.copy(wide[name].grad, bar[0])
        tape.backward()
