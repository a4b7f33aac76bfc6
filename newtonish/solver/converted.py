"""A solver that stands on a converted model: conversion, device arrays, and taking over edits of the Newton model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import warp as wp

from newtonish import mjw
from newtonish.common.enums import EnableBit
from newtonish.convert import convert
from newtonish.errors import NewtonishWarning, problem
from newtonish.mjw.capacity import estimate
from newtonish.mjw.coupling import couple, couples_more
from newtonish.mjw.growth import grow
from newtonish.mjw.length_range import length_range_options, set_length_range
from newtonish.model.by_name import KINDS, set_by_name
from newtonish.model.enums import ModelFlags
from newtonish.solver.arguments import StepArguments, check_time_step
from newtonish.solver.base import SolverBase
from newtonish.solver.baseline import set_gain_baseline
from newtonish.solver.clamped import clamped, creeping
from newtonish.solver.contacts import ContactExport
from newtonish.solver.direct import DirectEdits
from newtonish.solver.newton_names import NewtonNames
from newtonish.solver.notify import check_notifiable, restart_equalities, take_over
from newtonish.solver.pull import pull
from newtonish.solver.push import Inputs, make_maps, push, push_worlds
from newtonish.solver.recorded import Stepper, load_more

__all__ = ["ConvertedSolver"]

_NO_BOUND = 1 << 30  # contacts


def _put_awake(compiled: Any, device: Any) -> mjw.Model:
    """The converted model on the device; its trees do not sleep, since every step writes their state."""
    m = mjw.put_model(compiled, device=device, strict=False)
    if m.opt.enableflags & EnableBit.SLEEP:
        m.opt.enableflags = int(m.opt.enableflags) & ~int(EnableBit.SLEEP)
        given, remedy = "enable_sleeping, which has no effect", "step the model with newtonish.mjw to let it sleep"
        warnings.warn(problem("SolverMuJoCo: model", given, "off: every tree is simulated in every step", remedy), NewtonishWarning, stacklevel=4)
    return m


class ConvertedSolver(NewtonNames, SolverBase):
    """What SolverMuJoCo keeps of its model.

    Args:
        model: The Newton model.
        options: Arguments of the conversion, by SolverMuJoCo's names; None: not given.
        interval: After how many steps the state is read again; 0: never.
        use_mujoco_contacts: Whether contacts are found by the solver.
        njmax: Constraint rows of each world; None: estimated.
        nconmax: Contacts of each world; None: estimated.
        on_nonfinite: What becomes of worlds that go wrong, as of ``newtonish.mjw.make_data``.

    Attributes:
        compiled: The converted model, numpy arrays under MuJoCo's names.
        mjw_model: Its arrays on the device.
        mjw_data: State and results of all worlds on the device.
    """

    def __init__(
        self, model: Any, options: dict[str, Any], interval: int, use_mujoco_contacts: bool, njmax: int | None, nconmax: int | None,
        on_nonfinite: str = "reset",
    ) -> None:  # fmt: skip
        super().__init__(model)
        self._options, self._interval = options, interval
        self.use_mujoco_contacts = use_mujoco_contacts
        set_gain_baseline(model)
        self.compiled = convert(model, options=self._options)
        self.mjw_model = _put_awake(self.compiled, model.device)
        set_length_range(self.mjw_model, **length_range_options(getattr(model, "mujoco", None)))
        worlds = max(1, int(model.world_count))
        if not self.use_mujoco_contacts:
            self.mjw_model.contact_bound = _NO_BOUND  # the pairs of geoms say nothing about contacts from outside
        self.mjw_data = mjw.make_data(self.mjw_model, nworld=worlds, nconmax=nconmax, njmax=njmax, on_nonfinite=on_nonfinite)
        self._maps = make_maps(model, self.compiled.maps)
        self._inputs = Inputs(model, self.compiled.maps)
        self._contacts = ContactExport(self.compiled.maps, model)
        self._default_control = model.control(clone_variables=False)
        self._arguments = StepArguments(model, self._default_control)
        self._outside = None if self.use_mujoco_contacts else self._prepare_outside()
        parts = self._maps, self._inputs, self._arguments, self._outside
        self._stepper = Stepper(model, self.mjw_model, self.mjw_data, *parts)
        self._reports: Any = None
        self._clamped_reported = False
        self._articulations = wp.zeros(int(model.articulation_count), dtype=wp.bool, device=model.device)
        self._all_worlds = wp.ones(worlds, dtype=wp.bool, device=model.device)
        self._replaced: list[Any] = []
        self._direct = DirectEdits(model)
        self._direct.note(self.mjw_model, self.compiled)
        requested: Any = getattr(model, "get_requested_state_attributes", list)()
        load_more(self.mjw_data, bool(requested), self._interval != 1)
        if self._interval != 1:
            push_worlds(self.mjw_model, self.mjw_data, self._maps, self._all_worlds, model)

    def _prepare_outside(self) -> Any:
        """Room for sorting contacts from outside."""
        from newtonish.solver.outside import Outside  # its kernels are for those who need them

        worlds = self.mjw_data.nworld
        room = max(worlds * self.mjw_data.nconmax, int(getattr(self.model, "rigid_contact_max", 0) or 0))
        return Outside(self.model, self.compiled, worlds, room)

    def _make_reports(self) -> None:
        """What fills observables after a step, made when first asked for."""
        if self._reports is None:
            from newtonish.solver.reports import Reports  # its kernels are for those who need them

            self._reports = Reports(self.mjw_model, self.mjw_data, self._contacts, self._outside)

    def push_state(self, state: Any, control: Any = None) -> None:
        """Write a state and a control into ``mjw_data``, as a step begins; ``newtonish.mjw`` can evaluate it then.

        Args:
            state: ``joint_q``, ``joint_qd`` and ``body_f``.
            control: Inputs; None: the model's own.
        """
        self._arguments.check_state("SolverMuJoCo.push_state: state", state)
        control = self._default_control if control is None else control
        push(self.mjw_model, self.mjw_data, self._maps, self._inputs, state, control, 0.0)

    def pull_state(self, state: Any) -> None:
        """Write positions and velocities of ``mjw_data`` into a state, after they were changed there and not by a step.

        Args:
            state: Receives ``joint_q``, ``joint_qd``, ``body_q`` and ``body_qd``; kinematic joints keep what it has.
        """
        self._arguments.check_state("SolverMuJoCo.pull_state: state", state)
        pull(self.mjw_model, self.mjw_data, self._maps, self.model, state, state)

    def clamped_gains(self, dt: float) -> list[str]:
        """Joints and shapes whose force-space gains are softened to fit time step ``dt`` [s], and springs that it makes unstable, a line each."""
        return clamped(self.compiled, check_time_step(dt, "clamped_gains"))

    def _report_clamped(self, dt: float) -> None:
        if self._clamped_reported:
            return
        self._clamped_reported = True
        lines = self.clamped_gains(dt) + creeping(self.compiled)
        if lines:
            warnings.warn("\n".join(lines), NewtonishWarning, stacklevel=3)

    def notify_model_changed(self, flags: ModelFlags | int) -> None:
        """Take over edits of the model's arrays.

        What an edit costs goes by what was edited since the last conversion, and in how many worlds:

        ==================================================================  ==========================================================
        ``joint_damping``, ``joint_friction``                               these arrays, and a look at the other properties of joints
        ``shape_material_mu``, ``mu_torsional``, ``mu_rolling`` of shapes   these arrays, and a look at the other properties of shapes
        ``gravity``                                                         this array
        other numbers of joints (limits, stiffness, armature, gains),       a conversion of the worlds in which they were edited
        of actuators (gains, ranges, forces, gears) and of bodies (mass,
        centre of mass, inertia)
        everything else, or an array of the solver edited by itself         a conversion of the whole model
        ==================================================================  ==========================================================

        The whole model is converted as well where actuators have a share in damping or armature, and where something that all worlds
        have in common changes, such as whether a joint is limited. The result is the same to the bit.

        Values are copied into the arrays on the device, so that graphs captured before see them. There are two exceptions, after
        which graphs captured by the caller must be captured again: a value that was the same in all worlds and now differs, whose
        array is replaced; and a centre of mass that leaves the origin of a body, where the mass matrix needs more entries.

        Args:
            flags: Kinds of properties that were edited.

        Raises:
            UnsupportedError: The edit changes structure, for instance which shapes may collide.
            ModelError: A graph is being captured.
        """
        value = check_notifiable(self.model, flags, int(self.compiled.ntendon))
        if not value:
            return
        replaced = self._direct.take_over(self.mjw_model, self.compiled, value)
        if replaced is not None:
            self._replaced += replaced
            self._make_room()
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewtonishWarning)  # what is left out was said when the solver was made
            self.compiled = convert(self.model, options=self._options)
            new = _put_awake(self.compiled, self.model.device)
        if couples_more(self.mjw_model, new):
            self._replaced += couple(self.mjw_model, self.mjw_data, new)
            text = "the edit couples dofs that were free of each other; graphs that you captured before it must be captured again"
            warnings.warn(text, NewtonishWarning, stacklevel=2)
        self._replaced += take_over(self.mjw_model, new, value, self.compiled)
        if value & ModelFlags.CONSTRAINT_PROPERTIES:
            restart_equalities(self.mjw_model, self.mjw_data.eq_active)
        self._make_room()
        self._direct.note(self.mjw_model, self.compiled)

    def set(self, *, world: int | Sequence[int] | None = None, **what: Any) -> None:
        """Set gains, limits, materials and masses by name, as ``Model.set``, and take them over.

        ``solver.set(joint="knee", ke=[80.0, 120.0])`` gives two worlds target stiffnesses of their own.

        Args:
            world: The only world or worlds to change.
            what: One of ``joint``, ``shape``, ``body``, ``tendon`` and ``actuator`` with names or patterns, and the properties to set.

        Raises:
            ModelError: No such object or property, or values that do not fit.
        """
        objects = {kind: what.pop(kind, None) for kind in KINDS}
        self.notify_model_changed(set_by_name(self.model, world, objects, what))

    def _make_room(self) -> None:
        """Edits can add rows of friction loss and limits: let estimated capacities follow."""
        m, d = self.mjw_model, self.mjw_data
        contacts, rows = estimate(m, None if d.grow_contacts else d.nconmax, None if d.grow_rows else d.njmax)
        if rows > d.njmax:
            grow(m, d, max(contacts, d.nconmax), rows, d.nhessian)
