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
from newtonish.solver.native import NativeWorlds
from newtonish.solver.native_step import NativeStepper
from newtonish.solver.newton_names import NewtonNames
from newtonish.solver.newton_parts import NewtonParts
from newtonish.solver.notify import check_notifiable, restart_equalities, take_over
from newtonish.solver.options import refuse_given_contacts
from newtonish.solver.pull import pull
from newtonish.solver.push import Inputs, make_maps, place_mocap, push, push_worlds
from newtonish.solver.recorded import Stepper, contacts_from, load_more
from newtonish.solver.shown import shown_model

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


def _no_contacts(m: mjw.Model, d: mjw.Data) -> None:
    """What stands for contacts from outside as long as none were given."""
    d.status.ncon.zero_()


class ConvertedSolver(NewtonNames, NewtonParts, SolverBase):
    """What SolverMuJoCo keeps of its model.

    Args:
        model: The Newton model.
        options: Arguments of the conversion, by SolverMuJoCo's names; None: not given.
        interval: After how many steps the state is read again; 0: never.
        use_mujoco_contacts: Whether contacts are found by the solver.
        njmax: Constraint rows of each world; None: estimated.
        nconmax: Contacts of each world; None: estimated.
        on_nonfinite: What becomes of worlds that go wrong, as of ``newtonish.mjw.make_data``.
        native: Whether MuJoCo's C code does the steps.

    Attributes:
        compiled: The converted model, numpy arrays under MuJoCo's names.
    """

    def __init__(
        self, model: Any, options: dict[str, Any], interval: int, use_mujoco_contacts: bool, njmax: int | None, nconmax: int | None,
        on_nonfinite: str = "reset", native: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(model)
        self.use_mujoco_cpu = native
        self._options, self._interval = options, interval
        self.use_mujoco_contacts = use_mujoco_contacts
        set_gain_baseline(model)
        self.compiled = convert(model, options=self._options)
        if native and not use_mujoco_contacts:
            refuse_given_contacts(self.compiled)
        self._m = _put_awake(self.compiled, model.device)
        self._shown = shown_model(self._m, max(1, int(model.world_count)))
        set_length_range(self._m, **length_range_options(getattr(model, "mujoco", None)))
        worlds = max(1, int(model.world_count))
        if not self.use_mujoco_contacts:
            self._m.contact_bound = _NO_BOUND  # the pairs of geoms say nothing about contacts from outside
        self._d = mjw.make_data(self._m, nworld=worlds, nconmax=nconmax, njmax=njmax, on_nonfinite=on_nonfinite)
        self._maps = make_maps(model, self.compiled.maps)
        self._inputs = Inputs(model, self.compiled.maps)
        self._contacts = ContactExport(self.compiled.maps, model)
        self._default_control = model.control(clone_variables=False)
        self._arguments = StepArguments(model, self._default_control)
        self._outside = None if self.use_mujoco_contacts else self._prepare_outside()
        self._native = NativeWorlds(self, worlds, "SolverMuJoCo: use_mujoco_cpu") if native else None
        self._all_worlds = wp.ones(worlds, dtype=wp.bool, device=model.device)
        self._begun = self._evaluated = native  # whether a state is in the Data, and was evaluated since
        self._stepper = self._make_stepper()
        self._reports: Any = None
        self._taped: Any = None  # steps on a tape, made for the first of them
        self._clamped_reported = False
        self._articulations = wp.zeros(int(model.articulation_count), dtype=wp.bool, device=model.device)
        self._replaced: list[Any] = []
        self._direct = DirectEdits(model)
        self._direct.note(self._m, self.compiled)
        requested: Any = getattr(model, "get_requested_state_attributes", list)()
        load_more(self._d, bool(requested), self._interval != 1)
        if self._interval != 1:
            push_worlds(self._m, self._d, self._maps, self._all_worlds, model)

    def _prepare_outside(self) -> Any:
        """Room for sorting contacts from outside."""
        from newtonish.solver.outside import Outside  # its kernels are for those who need them

        worlds = self._d.nworld
        room = max(worlds * self._d.nconmax, int(getattr(self.model, "rigid_contact_max", 0) or 0))
        return Outside(self.model, self.compiled, worlds, room)

    def _make_stepper(self) -> Stepper | NativeStepper:
        """What does the steps: our kernels, or MuJoCo's C code."""
        parts = self.model, self._m, self._d, self._maps, self._inputs, self._arguments
        native = self._native
        if native is None:
            return Stepper(*parts, self._outside)
        self._push_initial()
        native.read_all(self._d, range(self._d.nworld))
        native.forward()
        native.write_results(self._m, self._d)
        return NativeStepper(*parts, native)

    def _push_initial(self) -> None:
        """Put the state that the model begins with into the Data."""
        push_worlds(self._m, self._d, self._maps, self._all_worlds, self.model)
        place_mocap(self._d, self._maps)

    @property
    def mjw_model(self) -> mjw.Model:
        """The model's arrays on the device. With several worlds, a field that may differ between them has a value of each, once it is read from here."""
        return self._shown

    @property
    def mjw_data(self) -> mjw.Data:
        """State and results of all worlds on the device; before the first step those of the state that the model begins with."""
        if not self._evaluated and not self._d.device.is_capturing:
            self._evaluated = True
            if not self._begun:
                self._begun = True
                self._push_initial()
            before = wp.clone(self._d.qacc_warmstart)
            with contacts_from(self._d, None if self._outside is None else _no_contacts):
                mjw.forward(self._m, self._d)
            wp.copy(self._d.qacc_warmstart, before)  # a look changes nothing: the first step starts as it would have
        return self._d

    def _make_reports(self) -> None:
        """What fills observables after a step, made when first asked for."""
        if self._reports is None:
            from newtonish.solver.reports import Reports  # its kernels are for those who need them

            self._reports = Reports(self._m, self._d, self._contacts, self._outside)

    def push_state(self, state: Any, control: Any = None) -> None:
        """Write a state and a control into ``mjw_data``, as a step begins; ``newtonish.mjw`` can evaluate it then.

        Args:
            state: ``joint_q``, ``joint_qd`` and ``body_f``.
            control: Inputs; None: the model's own.
        """
        self._arguments.check_state("SolverMuJoCo.push_state: state", state)
        control = self._default_control if control is None else control
        self._begun = self._evaluated = True
        push(self._m, self._d, self._maps, self._inputs, state, control, 0.0)

    def pull_state(self, state: Any) -> None:
        """Write positions and velocities of ``mjw_data`` into a state, after they were changed there and not by a step.

        Args:
            state: Receives ``joint_q``, ``joint_qd``, ``body_q`` and ``body_qd``; kinematic joints keep what it has.
        """
        self._arguments.check_state("SolverMuJoCo.pull_state: state", state)
        pull(self._m, self._d, self._maps, self.model, state, state)

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
        self._take_over(value)
        if self._taped is not None:
            self._taped.follow(self.compiled)
        self._evaluated &= self._count > 0 or self.use_mujoco_cpu  # who looks before the first step is to see the edit
        if value & ModelFlags.JOINT_PROPERTIES:
            place_mocap(self._d, self._maps)
        if self._native is not None:
            self._native.follow()
            self._native.read_mocap(self._d)
            if value & ModelFlags.CONSTRAINT_PROPERTIES:
                self._native.read_active(self._d)

    def _take_over(self, value: int) -> None:
        """Write the model's numbers of these kinds into the arrays on the device."""
        replaced = self._direct.take_over(self._m, self.compiled, value)
        if replaced is not None:
            self._replaced += replaced
            self._make_room()
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewtonishWarning)  # what is left out was said when the solver was made
            self.compiled = convert(self.model, options=self._options)
            new = _put_awake(self.compiled, self.model.device)
        if couples_more(self._m, new):
            self._replaced += couple(self._m, self._d, new)
            text = "the edit couples dofs that were free of each other; graphs that you captured before it must be captured again"
            warnings.warn(text, NewtonishWarning, stacklevel=3)
        self._replaced += take_over(self._m, new, value, self.compiled)
        if value & ModelFlags.CONSTRAINT_PROPERTIES:
            restart_equalities(self._m, self._d.eq_active)
        self._make_room()
        self._direct.note(self._m, self.compiled)

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
        m, d = self._m, self._d
        contacts, rows = estimate(m, None if d.grow_contacts else d.nconmax, None if d.grow_rows else d.njmax)
        if rows > d.njmax:
            grow(m, d, max(contacts, d.nconmax), rows, d.nhessian)
