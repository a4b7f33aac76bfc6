"""SolverMuJoCo: MuJoCo's physics for a Newton model, as push, step and pull."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.errors import CapacityError, ModelError, UnsupportedError, problem
from newtonish.model.enums import StateFlags
from newtonish.namespaces import mujoco as namespace
from newtonish.solver import enums
from newtonish.solver.arguments import check_flags, check_model, check_time_step
from newtonish.solver.converted import ConvertedSolver
from newtonish.solver.coupled import Coupled, joined
from newtonish.solver.native import import_mujoco
from newtonish.solver.observables import KINDS, Observables, outputs_of
from newtonish.solver.options import check_hints, refuse
from newtonish.solver.push import push_worlds
from newtonish.solver.recorded import load_more
from newtonish.solver.reset import reset_state
from newtonish.solver.tapes import active_tape, check_tapeable, off_tape

__all__ = ["SolverMuJoCo"]


class SolverMuJoCo(Coupled, ConvertedSolver):
    """Simulates every world of a model with MuJoCo's equations, on the model's device.

    The model is converted once. A step reads the state and the control, advances all worlds, and writes the new state;
    nothing is allocated and the host is never waited for, so that steps can be captured in a graph.

    An option is taken from the constructor, else from ``model.mujoco.<option>``, else it is MuJoCo's default.

    Attributes:
        compiled: The converted model, numpy arrays under MuJoCo's names.
        use_mujoco_cpu: Whether MuJoCo's C code does the steps.
    """

    TrnType: ClassVar[type] = enums.TrnType
    CtrlSource: ClassVar[type] = enums.CtrlSource
    CtrlType: ClassVar[type] = enums.CtrlType
    EqType: ClassVar[type] = enums.EqType
    SleepPolicy: ClassVar[type] = enums.SleepPolicy
    OverflowBits: ClassVar[type] = enums.OverflowBits
    ObservableKind: ClassVar[type] = enums.ObservableKind
    Observables: ClassVar[type] = Observables
    SUPPORTED_OBSERVABLES: ClassVar[frozenset[str]] = frozenset(KINDS)

    def __new__(cls, model: Any = None, *args: Any, **kwargs: Any) -> SolverMuJoCo:
        """A solver, which can take part in couplings of the model's package where a script uses them."""
        return super().__new__(joined(cls, model))

    def __init__(
        self,
        model: Any,
        *,
        separate_worlds: bool | None = None,
        njmax: int | None = None,
        njmax_nnz: int | None = None,
        nconmax: int | None = None,
        iterations: int | None = None,
        ls_iterations: int | None = None,
        ccd_iterations: int | None = None,
        sdf_iterations: int | None = None,
        sdf_initpoints: int | None = None,
        solver: int | str | None = None,
        integrator: int | str | None = None,
        cone: int | str | None = None,
        jacobian: int | str | None = None,
        impratio: float | None = None,
        tolerance: float | None = None,
        ls_tolerance: float | None = None,
        ccd_tolerance: float | None = None,
        density: float | None = None,
        viscosity: float | None = None,
        wind: tuple | None = None,
        magnetic: tuple | None = None,
        use_mujoco_cpu: bool = False,
        enable_multiccd: bool | None = None,
        enable_sleeping: bool | None = None,
        nvmax: int | None = None,
        sleep_tolerance: float | None = None,
        disable_contacts: bool | None = None,
        disable_sensors: bool | None = None,
        update_data_interval: int | None = None,
        save_to_mjcf: str | None = None,
        use_mujoco_contacts: bool = True,
        use_speculative_contacts: bool = False,
        include_sites: bool = True,
        skip_visual_only_geoms: bool = True,
        deterministic: Any = None,
        strict_capacity: bool = False,
        kinematic_switchable_roots: bool = True,
        on_nonfinite: str = "reset",
    ) -> None:
        """Convert the model and allocate everything that steps need.

        Args:
            model: Our own Model, or anything with the attributes of Newton's.
            separate_worlds: None or True; False only for a model of one world.
            njmax: Constraint rows of each world; None: estimated, and grown between steps.
            njmax_nnz: Any count; sparse rows have room by ``njmax``.
            nconmax: Contacts of each world; None: estimated, and grown between steps.
            iterations: Largest number of solver iterations.
            ls_iterations: Largest number of line-search iterations.
            ccd_iterations: Largest number of iterations of convex collisions.
            sdf_iterations: The same of signed distance fields.
            sdf_initpoints: Their number of starting points.
            solver: ``"newton"``, or its number.
            integrator: ``"euler"``, ``"rk4"``, ``"implicit"``, ``"implicitfast"`` or ``"discrete"``, or its number.
            cone: ``"pyramidal"`` or ``"elliptic"``, or its number.
            jacobian: ``"dense"``, ``"sparse"`` or ``"auto"``; the result is the same.
            impratio: Ratio of frictional to normal impedance of contacts.
            tolerance: The solver stops below this scaled improvement.
            ls_tolerance: The line search stops below this fraction.
            ccd_tolerance: Tolerance of convex collisions.
            density: Density of the medium [kg/m^3].
            viscosity: Viscosity of the medium [Pa s].
            wind: Velocity of the medium [m/s].
            magnetic: Magnetic flux.
            use_mujoco_cpu: Steps are done by MuJoCo's C code, of the package ``mujoco``, which has to be installed: one world after another, on
                the host, and not captured. ``mj_data`` is the first world's. False: by newtonish's own kernels, on CPUs too.
            enable_multiccd: Several contacts for each pair of convex geoms.
            enable_sleeping: Not supported.
            nvmax: Not supported.
            sleep_tolerance: Not supported.
            disable_contacts: Whether contacts are left out.
            disable_sensors: Whether sensors are left out.
            update_data_interval: Number of steps after which positions and velocities are read from the state again; None: 1;
                0: never, once the model's own have been read. Between, they stay what the last step made them.
            save_to_mjcf: File that the first world is written to as MJCF.
            use_mujoco_contacts: Whether contacts are found by the solver; False: ``step`` is given them.
            use_speculative_contacts: Contacts of fast shapes before they touch, as of MuJoCo's flag ``speculative``; the solver's own, not those that the
                step is given. False: as the model says.
            include_sites: Whether sites are converted; those that actuators, tendons and equality constraints act on are in any case.
            skip_visual_only_geoms: Whether shapes that collide with nothing are left out.
            deterministic: Any value: results are always repeatable.
            strict_capacity: Raise ``CapacityError`` after a step in which contacts or rows did not fit; on a GPU this
                waits for every step.
            kinematic_switchable_roots: Any value: flags of bodies can be changed by ``notify_model_changed``.
            on_nonfinite: What becomes of a world in which a number is not finite: ``"reset"``: it is put back into the reference pose;
                ``"stop"``: it stays in the state before that step, until ``reset``; ``"raise"``: it is reset, and ``NonfiniteError`` is raised,
                on a CPU by the step, on a GPU at the next one or when an array of ``mjw_data`` is read.

        Raises:
            UnsupportedError: An argument asks for something that is not done.
            ModelError: A value is out of range.

        Warns:
            NewtonishWarning: Once, with everything in the model that is not simulated.
        """
        check_model(model)
        refused = dict(enable_sleeping=enable_sleeping, nvmax=nvmax, sleep_tolerance=sleep_tolerance)
        refuse(separate_worlds, int(model.world_count), bool(use_speculative_contacts and not use_mujoco_contacts), **refused)
        interval = check_hints(njmax_nnz, update_data_interval)
        options = dict(
            iterations=iterations, ls_iterations=ls_iterations, ccd_iterations=ccd_iterations, sdf_iterations=sdf_iterations,
            sdf_initpoints=sdf_initpoints, solver=solver, integrator=integrator, cone=cone, jacobian=jacobian, impratio=impratio,
            tolerance=tolerance, ls_tolerance=ls_tolerance, ccd_tolerance=ccd_tolerance, density=density, viscosity=viscosity, wind=wind,
            magnetic=magnetic, enable_multiccd=enable_multiccd, disable_contacts=disable_contacts, disable_sensors=disable_sensors,
            include_sites=include_sites, skip_visual_only_geoms=skip_visual_only_geoms, use_speculative_contacts=use_speculative_contacts or None,
        )  # fmt: skip
        self._count = 0  # steps so far
        self._strict_capacity = bool(strict_capacity)
        super().__init__(model, options, interval, bool(use_mujoco_contacts), njmax, nconmax, on_nonfinite, bool(use_mujoco_cpu))
        if save_to_mjcf is not None:
            from newtonish.exporters.mjcf import save_to_mjcf as save

            save(self.compiled, save_to_mjcf)

    @classmethod
    def register_custom_attributes(cls, builder: Any) -> None:
        """Declare every ``mujoco:*`` attribute and frequency on a builder; a second call changes nothing.

        Raises:
            ModelError: Bodies or joints were added before: call it first.
        """
        namespace.register_first(builder)

    def step(
        self,
        state_in: Any,
        state_out: Any,
        control: Any,
        contacts: Any,
        dt: float,
        *,
        observables: Any = None,
    ) -> None:
        """Advance all worlds by one time step.

        Args:
            state_in: ``joint_q``, ``joint_qd`` and ``body_f`` at the start of the step.
            state_out: Receives ``joint_q``, ``joint_qd``, ``body_q`` and ``body_qd`` at its end; may be ``state_in``.
            control: ``joint_f``, ``joint_target_q``, ``joint_target_qd`` and ``mujoco.ctrl``; None: the model's own.
            contacts: With ``use_mujoco_contacts=False`` the contacts, as ``model.collide(state_in)`` returns them; they may
                serve for several steps. Otherwise None, or a container that is left alone (see ``update_contacts``) unless
                ``observables`` ask for ``contact_f``.
            dt: Time step [s].
            observables: None, or a container of :meth:`observables` to fill. Where the model requested ``body_qdd``,
                ``body_parent_f`` or ``mujoco:qfrc_actuator`` for its states, those of ``state_out`` are filled as well.
        """
        dt = check_time_step(dt)
        control = self._default_control if control is None else control
        self._report_clamped(dt)
        follow = self._interval > 0 and self._count % self._interval == 0
        self.validate_observables(observables, contacts)
        outputs = outputs_of(self, state_out, observables)
        if observables is not None:
            self._reports.begin(observables)
        self._begun = self._evaluated = True
        tape = active_tape(state_in, state_out, control)
        if tape is None:
            self._stepper(state_in, state_out, control, dt, outputs, follow, contacts)
            if self._taped is not None:
                self._taped.cut()
        else:
            self._on_tape(tape, state_in, state_out, control, dt, outputs, follow)
        if observables is not None:
            self._reports.finish(observables, contacts)
        self._count += 1
        if self._strict_capacity and not self.device.is_capturing:
            self._check_capacity()

    def _on_tape(self, tape: Any, state_in: Any, state_out: Any, control: Any, dt: float, outputs: Any, follow: bool) -> None:
        """A step that a tape records."""
        check_tapeable(self, state_in, state_out, outputs)
        self._arguments.check(state_in, state_out, control)
        if self._taped is None:
            from newtonish.solver.taped import Taped  # its kernels are for those who need them

            with off_tape(tape):
                self._taped = Taped(self.model, self._m, self._d, self._maps, self._inputs, self.compiled)
        self._taped(tape, state_in, state_out, control, dt, follow)

    @property
    def update_data_interval(self) -> int:
        """After how many steps positions and velocities are read from the state again; see the constructor."""
        return self._interval

    @update_data_interval.setter
    def update_data_interval(self, value: int) -> None:
        self._interval = check_hints(None, value)
        load_more(self._d, False, self._interval != 1)

    @property
    def supported_observables(self) -> frozenset[str]:
        """Names of what steps of this solver can report beside the new state; MuJoCo's C code has no buffers that overflow."""
        return self.SUPPORTED_OBSERVABLES - {"overflow"} if self.use_mujoco_cpu else self.SUPPORTED_OBSERVABLES

    def observables(self, kinds: Iterable[str], *, contacts: Any = None, requires_grad: bool | None = None) -> Observables:
        """Arrays for ``step(observables=...)`` to fill with what it finds out beside the new state.

        Args:
            kinds: Members of ``SolverMuJoCo.ObservableKind``; forces and accelerations are those at the start of the step.
            contacts: With ``"contact_f"`` the contacts whose rows it has: those given to the solver, or a container with room
                for ``get_max_contact_count()``, into which steps then write the contacts that they find.
            requires_grad: Not needed; observables have no gradients.

        Raises:
            UnsupportedError: Another kind.
            ModelError: ``"contact_f"`` without contacts.
            CapacityError: The contacts have too little room.
        """
        made = Observables(self, kinds, contacts)
        load_more(self._d, True, False)
        self._make_reports()
        return made

    def validate_observables(self, observables: Any, contacts: Any = None) -> None:
        """Raise ModelError unless ``observables`` are None or this solver's, and fit the contacts of the step."""
        if observables is None:
            return
        if not isinstance(observables, Observables) or observables.solver is not self:
            given = "another solver's" if isinstance(observables, Observables) else f"a {type(observables).__name__}"
            allowed = "None, or what this solver's observables() made"
            raise ModelError(problem("SolverMuJoCo.step: observables", given, allowed, "make it with solver.observables"))
        if observables.contact_f is not None:
            observables.follow(contacts, "SolverMuJoCo.step: contacts")

    def _check_capacity(self) -> None:
        """Raise if any world had more contacts or rows than room."""
        worlds = np.flatnonzero(self._d.overflow.numpy())
        if len(worlds):
            d = self._d
            given = f"{len(worlds)} worlds with more contacts or rows than fit, the first is world {worlds[0]}"
            allowed = f"nconmax={d.nconmax} contacts and njmax={d.njmax} rows"
            raise CapacityError(problem("SolverMuJoCo.step", given, allowed, "pass larger nconmax and njmax"))

    def reset(self, state: Any, world_mask: wp.array | None = None, flags: StateFlags | int | None = None) -> None:
        """Put worlds back to the model's initial values, and forget what the solver remembers of them.

        Warm start, activations, applied forces, controls and the status of overflows are always cleared.

        Args:
            state: The state, modified in place.
            world_mask: Boolean per world (a further entry, as Newton's masks have, is not used); None: all worlds.
            flags: Arrays of the state: JOINT_Q, JOINT_QD, BODY_F, and BODY_Q or BODY_QD, which follow from the joints;
                None: all of them.
        """
        self._arguments.check_state("SolverMuJoCo.reset: state", state)
        mask = self._world_mask(world_mask)
        mask = self._all_worlds if mask is None else mask
        self._begun = self._evaluated = True
        value = check_flags("SolverMuJoCo.reset: flags", StateFlags.ALL if flags is None else flags, StateFlags)
        reset_state(self.model, self._maps, state, mask, self._articulations, value)
        mjw.reset_data(self._m, self._d, mask[: self._d.nworld])
        if self._taped is not None:
            self._taped.cut()
        if self._interval != 1:  # the next step may not read the state
            push_worlds(self._m, self._d, self._maps, mask, state)
        if self._native is not None:
            self._native.read_all(self._d, np.flatnonzero(mask.numpy()[: self._d.nworld]))

    def update_contacts(self, contacts: Any, state: Any = None) -> None:
        """Write the contacts of the last step into Newton's ``rigid_contact_*`` arrays, all worlds one after another.

        ``rigid_contact_force`` is the force on the second shape [N]; ``contacts.force``, where the container has it
        (``model.request_contact_attributes("force")``), force and torque on the first shape, world frame [N, N m].

        Args:
            contacts: Container with room for ``get_max_contact_count()`` contacts.
            state: Not needed.
        """
        self._contacts.write(self._m, self._d, contacts)

    def get_max_contact_count(self) -> int:
        """Number of contacts that all worlds together have room for."""
        return self._d.nworld * self._d.nconmax

    @staticmethod
    def import_mujoco() -> tuple[Any, Any]:
        """The package ``mujoco``, and ``newtonish.mjw`` in the place of mujoco_warp, as Newton's solver returns its two.

        Raises:
            UnsupportedError: MuJoCo is not installed.
        """
        return import_mujoco("SolverMuJoCo.import_mujoco"), mjw

    def render_mujoco_viewer(
        self,
        show_left_ui: bool = True,
        show_right_ui: bool = True,
        show_contact_points: bool = True,
        show_contact_forces: bool = False,
        show_transparent_geoms: bool = True,
    ) -> None:
        """Not done: MuJoCo's viewer needs MuJoCo.

        Raises:
            UnsupportedError: Always.
        """
        remedy = "write the model with save_to_mjcf and open it in MuJoCo's viewer, or show state.body_q in Newton's"
        raise UnsupportedError(problem("SolverMuJoCo.render_mujoco_viewer", "a call", "no viewer", remedy))

    def close_mujoco_viewer(self) -> None:
        """Nothing to close: there is no viewer."""
