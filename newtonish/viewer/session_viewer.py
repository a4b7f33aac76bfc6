"""What windows have in common, on a screen or in a browser: a session that a simulation or a script's states are shown in."""

from __future__ import annotations

from typing import Any

from newtonish.viewer.base import ViewerBase
from newtonish.viewer.script_simulation import ScriptSimulation
from newtonish.viewer.session import Session

__all__ = ["SessionViewer"]


class SessionViewer(ViewerBase):
    """Newton's interface of viewers over a :class:`Session`; ``frame`` is the window's own.

    Attributes:
        session: What is worked on; None before there is a model.
    """

    def __init__(self) -> None:
        super().__init__()
        self.session: Session | None = None

    def show(self, simulation: Any) -> None:
        """Work on a simulation from now on; ``frame`` draws it."""
        self.session = Session(simulation)
        self.session.script_panels = self.script_panels
        self.model = simulation.model

    def frame(self) -> None:
        """Take the user's input and show one picture."""
        raise NotImplementedError

    def set_model(self, model: Any) -> None:
        """Show a model, ours or Newton's; None shows nothing."""
        super().set_model(model)
        self.session = None
        if model is not None:
            self.session = Session(ScriptSimulation(model))
            self.session.script_panels = self.script_panels

    def set_world_offsets(self, offsets: Any) -> None:
        """Draw worlds elsewhere: (worlds, 3) [m], or None for a grid."""
        self._shown().offsets(offsets)

    def begin_frame(self, time: float) -> None:
        """Begin a frame of a time [s]."""
        super().begin_frame(time)
        if self.session is not None:
            self.session.simulation.time = float(time)

    def log_state(self, state: Any) -> None:
        """Take over the poses of the bodies."""
        self._shown().simulation.state = state

    def log_contacts(self, contacts: Any, state: Any, *, observables: Any = None) -> None:
        """Take over contacts."""
        self._shown().simulation.contacts = contacts

    def end_frame(self) -> None:
        """Draw the frame."""
        self.frame()

    def is_paused(self) -> bool:
        """Whether the user has paused."""
        return self.session is not None and self.session.simulation.paused

    def should_step(self) -> bool:
        """Whether to advance before the next frame; true once for each single step that was asked for while paused."""
        simulation = None if self.session is None else self.session.simulation
        return simulation.take_step() if isinstance(simulation, ScriptSimulation) else not self.is_paused()

    def apply_forces(self, state: Any) -> None:
        """Add what the mouse does to bodies to ``state.body_f``."""
        if self.session is not None and isinstance(self.session.simulation, ScriptSimulation):
            self.session.simulation.write_forces(state)

    def _shown(self) -> Session:
        if self.session is None:
            raise RuntimeError(f"{type(self).__name__} shows nothing yet: call show(simulation) or set_model(model) first")
        return self.session
