"""SolverBase: what every solver of a Newton model offers, so that scripts can exchange one for another.

A solver is made for one model. ``step`` reads one state and writes another; everything else has a default, so that the
smallest solver defines ``step`` alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import warp as wp

from newtonish.errors import ModelError, UnsupportedError, problem, raise_all
from newtonish.model.enums import ModelFlags, StateFlags
from newtonish.solver.enums import BaseObservableKind

if TYPE_CHECKING:
    from newtonish.model.builder import ModelBuilder
    from newtonish.model.model import Model
    from newtonish.model.state import Contacts, Control, State

__all__ = ["SolverBase"]


class SolverBase:
    """Base class of solvers.

    Attributes:
        model: The model that the solver was made for.
    """

    ObservableKind: ClassVar[type] = BaseObservableKind
    SUPPORTED_OBSERVABLES: ClassVar[frozenset[str]] = frozenset()
    """Names of what steps of this class can report beside the new state."""
    supports_collision_pipeline: ClassVar[bool] = False
    supports_body_pair_reduced_contacts: ClassVar[bool] = False

    def __init__(self, model: Model, *, collision_pipeline: Any = None, collision_frequency: Any = None, collision_frequency_type: Any = None) -> None:
        self.model = model
        given = dict(
            collision_pipeline=collision_pipeline,
            collision_frequency=collision_frequency,
            collision_frequency_type=collision_frequency_type,
        )
        self._refuse_pipeline({name: value for name, value in given.items() if value is not None})

    def _refuse_pipeline(self, given: dict[str, Any]) -> None:
        """Contacts are found by the solver, or by the caller, who gives them to ``step``."""
        name, remedy = type(self).__name__, "call model.collide(state) and pass the contacts to step"
        lines = [problem(f"{name}: {key}", f"a {type(value).__name__}", "None", remedy) for key, value in given.items()]
        raise_all(UnsupportedError, name, lines)

    def set_collision_frequency(self, *, collision_frequency: Any = None, collision_frequency_type: Any = None) -> None:
        """Not done: no solver here owns a collision pipeline; ``None`` for both changes nothing, as in Newton.

        Raises:
            UnsupportedError: A frequency was given.
        """
        given = dict(collision_frequency=collision_frequency, collision_frequency_type=collision_frequency_type)
        self._refuse_pipeline({name: value for name, value in given.items() if value is not None})

    @property
    def contacts(self) -> Contacts | None:
        """Contacts of a pipeline of the solver's own: None, there is none."""
        return None

    @property
    def supported_observables(self) -> frozenset[str]:
        """Names of what steps of this solver can report beside the new state."""
        return self.SUPPORTED_OBSERVABLES

    def observables(self, kinds: Iterable[str], *, contacts: Contacts | None = None, requires_grad: bool | None = None) -> Any:
        """A container of arrays for ``step`` to fill; solvers that can fill any define it.

        Raises:
            UnsupportedError: Always; the base class reports nothing.
        """
        name = f"{type(self).__name__}.observables"
        raise UnsupportedError(problem(name, repr(kinds), "a solver that reports such", "use SolverMuJoCo, or override it"))

    def validate_observables(self, observables: Any, contacts: Contacts | None = None) -> None:
        """Raise UnsupportedError if a container was given to a solver that fills none."""
        if observables is not None:
            name, given = f"{type(self).__name__}.step: observables", f"a {type(observables).__name__}"
            raise UnsupportedError(problem(name, given, "None", "use SolverMuJoCo, or override validate_observables"))

    def integrate_bodies(self, model: Model, state_in: State, state_out: State, dt: float, angular_damping: float = 0.0) -> None:
        """Not done: Newton's helper for solvers in maximal coordinates.

        Raises:
            UnsupportedError: Always.
        """
        name = f"{type(self).__name__}.integrate_bodies"
        raise UnsupportedError(problem(name, "a call", "solvers in joint coordinates", "call step"))

    @property
    def device(self) -> wp.Device:
        """Device that the solver runs on: the model's."""
        return wp.get_device(self.model.device)

    @classmethod
    def register_custom_attributes(cls, builder: ModelBuilder) -> None:
        """Declare the solver's own attributes on a builder; call it before adding what carries them."""

    def step(
        self,
        state_in: State,
        state_out: State,
        control: Control | None,
        contacts: Contacts | None,
        dt: float,
        *,
        observables: Any = None,
    ) -> None:
        """Advance the simulation by one time step.

        Args:
            state_in: State at the start of the step, and the forces on bodies.
            state_out: Receives the state at its end; may be ``state_in``.
            control: Joint targets and forces; None: the model's own.
            contacts: Contacts found by somebody else, if the solver uses such.
            dt: Time step [s].
            observables: Further arrays to fill, if the solver offers any.
        """
        text = problem(f"{type(self).__name__}.step", "a solver without a step", "a class that defines it", "override step")
        raise UnsupportedError(text)

    def reset(self, state: State, world_mask: wp.array | None = None, flags: StateFlags | int | None = None) -> None:
        """Reset what the solver remembers between steps, and parts of a state; the base class remembers nothing.

        Args:
            state: The state, modified in place.
            world_mask: Boolean per world; None: all worlds.
            flags: Which arrays of the state; None: all of them.
        """

    def notify_model_changed(self, flags: ModelFlags | int) -> None:
        """Take over values of the model that were edited since the solver was made; the base class copies none.

        Args:
            flags: Kinds of properties that were edited.
        """

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Write the solver's contacts into ``contacts``, if the solver finds contacts by itself."""
        name = f"{type(self).__name__}.update_contacts"
        raise UnsupportedError(problem(name, "a request for contacts", "a solver that finds contacts", "use SolverMuJoCo"))

    def _world_mask(self, world_mask: wp.array | None) -> wp.array | None:
        """Check a mask of worlds; Newton's masks have one more entry, for what belongs to no world."""
        if world_mask is None:
            return None
        count = max(1, int(self.model.world_count))
        if isinstance(world_mask, wp.array):
            shape, kind = world_mask.shape, world_mask.dtype.__name__
            given, fits = f"shape {shape} of {kind} on {world_mask.device}", world_mask.device == self.device
            fits = fits and world_mask.dtype == wp.bool
        else:
            world_mask = np.asarray(world_mask)
            given, fits = f"shape {world_mask.shape} of {world_mask.dtype}", world_mask.dtype == np.bool_
        if not fits or world_mask.shape not in ((count,), (count + 1,)):
            allowed = f"shape ({count},) or ({count + 1},) of bool on {self.device}"
            raise ModelError(problem("world_mask", given, allowed, "pass one boolean per world"))
        return world_mask if isinstance(world_mask, wp.array) else wp.array(world_mask, dtype=wp.bool, device=self.device)
