"""What every viewer answers to: Newton's names, so that a script changes its viewer by changing one line."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from newtonish.errors import ModelError, NewtonishWarning, problem
from newtonish.viewer.script_panel import ScriptPanel

__all__ = ["ViewerBase"]

Viewer = TypeVar("Viewer", bound="ViewerBase")


class ViewerBase:
    """Frames of a model: ``set_model``, then for each frame ``begin_frame``, ``log_state``, ``log_contacts``, ``end_frame``.

    Attributes:
        model: The model shown; None before ``set_model``.
        time: Of the frame that was begun last [s].
        script_panels: Those of :meth:`add_panel`.
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.time = 0.0
        self._told: set[str] = set()
        self.script_panels: list[ScriptPanel] = []

    def _left_out(self, method: str, name: str, allowed: str = "bodies and contacts; it is left out", remedy: str = "log it to a ViewerGL") -> None:
        """Say once that a viewer does less with what a script logs than the script may expect."""
        if method not in self._told:
            self._told.add(method)
            warnings.warn(problem(f"{type(self).__name__}.{method}", f"'{name}'", allowed, remedy), NewtonishWarning, stacklevel=3)

    def add_panel(self, name: str) -> ScriptPanel:
        """A panel for the script to fill; windows and pages show it, other viewers keep it to themselves.

        Raises:
            ModelError: There is one of this name.
        """
        if any(panel.name == name for panel in self.script_panels):
            raise ModelError(problem("add_panel", f"{name!r} twice", "a name once", "choose another name"))
        self.script_panels.append(ScriptPanel(name))
        return self.script_panels[-1]

    def set_model(self, model: Any) -> None:
        """Show a model, ours or Newton's; None shows nothing."""
        self.model = model

    def set_camera(self, pos: Any, pitch: float | None = None, yaw: float | None = None) -> None:
        """Look from a point [m] in a direction [degrees]; viewers without a camera ignore it."""

    def set_world_offsets(self, spacing: Any) -> None:
        """Draw worlds apart; viewers that draw nothing ignore it."""

    def begin_frame(self, time: float) -> None:
        """Begin a frame of a time [s]."""
        self.time = float(time)

    def log_state(self, state: Any) -> None:
        """Take over the poses of the bodies."""

    def log_contacts(self, contacts: Any, state: Any, *, observables: Any = None) -> None:
        """Take over contacts, as ``solver.update_contacts`` or ``model.collide`` fills them."""

    def end_frame(self) -> None:
        """Finish the frame."""

    def is_running(self) -> bool:
        """Whether there should be another frame."""
        return True

    def is_paused(self) -> bool:
        """Whether the simulation should wait."""
        return False

    def should_step(self) -> bool:
        """Whether the simulation should advance before the next frame."""
        return not self.is_paused()

    def is_key_down(self, key: str | int) -> bool:
        """Whether a key is held: a character or a name ("w", "space"), or pyglet's number; False in viewers without a keyboard."""
        return False

    def apply_forces(self, state: Any) -> None:
        """Add what the user does to bodies to ``state.body_f``."""

    def notify_model_changed(self, flags: int) -> None:
        """The model's arrays were edited."""

    def log_mesh(self, name: str, points: Any, indices: Any, *args: Any, **options: Any) -> None:
        """Take over triangles of the script's own, where a viewer shows such; others say once that they do not, here and below."""
        self._left_out("log_mesh", name)

    def log_instances(self, name: str, mesh: str, xforms: Any, *args: Any, **options: Any) -> None:
        """Take over copies of such triangles."""
        self._left_out("log_instances", name)

    def log_lines(self, name: str, starts: Any, ends: Any, colors: Any = None, width: float = 0.01, hidden: bool = False) -> None:
        """Take over lines."""
        self._left_out("log_lines", name)

    def log_arrows(self, name: str, starts: Any, ends: Any, colors: Any = None, width: float = 0.01, hidden: bool = False) -> None:
        """Take over arrows; viewers that know none take them for lines."""
        self.log_lines(name, starts, ends, colors, width, hidden)

    def log_points(self, name: str, points: Any, radii: Any = None, colors: Any = None, hidden: bool = False) -> None:
        """Take over points."""
        self._left_out("log_points", name)

    def log_shapes(self, name: str, geo_type: int, geo_scale: Any, xforms: Any, *args: Any, **options: Any) -> None:
        """Take over shapes of the script's own."""
        self._left_out("log_shapes", name)

    def log_gizmo(self, name: str, transform: Any, *args: Any, **options: Any) -> None:
        """Take over a pose that the user may move; in viewers without such handles it stays as it is."""
        self._left_out("log_gizmo", name)

    def log_image(self, name: str, image: Any, *, fullscreen: bool = False) -> None:
        """Take over a picture."""
        self._left_out("log_image", name)

    def log_array(self, name: str, array: Any) -> None:
        """Take over an array of numbers."""
        self._left_out("log_array", name, "arrays are not drawn", "log its numbers by log_scalar, or a picture of it by log_image")

    def log_scalar(self, name: str, value: float, *, clear: bool = False, smoothing: int = 1) -> None:
        """Take over a number."""
        self._left_out("log_scalar", name)

    def close(self) -> None:
        """Finish and release everything; a second call does nothing."""

    def __enter__(self: Viewer) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
