"""What windows have in common, on a screen or in a browser: a session that a simulation or a script's states are shown in."""

from __future__ import annotations

from typing import Any

import numpy as np

from newtonish.viewer.base import ViewerBase
from newtonish.viewer.logged import LoggedPicture, picture_of
from newtonish.viewer.script_simulation import ScriptSimulation
from newtonish.viewer.session import Session

__all__ = ["SessionViewer"]

_NOWHERE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_OF_MESHES = ("normals", "uvs", "texture", "hidden", "backface_culling", "color")
_OF_INSTANCES = ("scales", "colors", "materials", "hidden")
_OF_SHAPES = ("colors", "materials", "geo_thickness", "geo_is_solid", "geo_src", "hidden")
"""Arguments of Newton's by their places."""


class SessionViewer(ViewerBase):
    """Newton's interface of viewers over a :class:`Session`; ``frame`` is the window's own.

    Attributes:
        session: What is worked on; None before there is a model.
    """

    def __init__(self) -> None:
        super().__init__()
        self.session: Session | None = None
        self._frames: set[str] = set()

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

    def set_camera(self, pos: Any, pitch: float | None = None, yaw: float | None = None) -> None:
        """Look from a point [m] in a direction [degrees]; None: as now."""
        session = self._shown()
        session.free_camera()
        camera = session.camera
        camera.elevation = camera.elevation if pitch is None else float(np.clip(pitch, -89.0, 89.0))
        camera.azimuth = camera.azimuth if yaw is None else float((yaw + 180.0) % 360.0 - 180.0)
        camera.lookat = np.asarray(pos, float).reshape(3) + camera.distance * camera.axes(session.maker.up)[0]
        session.note = ""

    def set_world_offsets(self, offsets: Any) -> None:
        """Draw worlds elsewhere: (worlds, 3) [m], or None for a grid."""
        self._shown().offsets(offsets)

    def begin_frame(self, time: float) -> None:
        """Begin a frame of a time [s]."""
        super().begin_frame(time)
        if self.session is not None:
            self.session.simulation.time = float(time)
            for name in self._frames:  # frames are logged anew each time
                self.session.marks.segments(name, None, None, None, 0.0, True)
            self._frames.clear()

    def log_state(self, state: Any) -> None:
        """Take over the poses of the bodies."""
        self._shown().simulation.state = state

    def log_contacts(self, contacts: Any, state: Any, *, observables: Any = None) -> None:
        """Take over contacts."""
        self._shown().simulation.contacts = contacts

    def log_lines(self, name: str, starts: Any, ends: Any, colors: Any = None, width: float = 0.01, hidden: bool = False) -> None:
        """Draw lines between points (n, 3) [m] from now on, ``width`` [m] thick; None as ``starts`` takes those of this name away."""
        self._shown().marks.segments(name, starts, ends, colors, width, hidden)

    def log_arrows(self, name: str, starts: Any, ends: Any, colors: Any = None, width: float = 0.01, hidden: bool = False) -> None:
        """Draw arrows between points (n, 3) [m]."""
        self._shown().marks.segments(name, starts, ends, colors, width, hidden, arrows=True)

    def log_points(self, name: str, points: Any, radii: Any = None, colors: Any = None, hidden: bool = False) -> None:
        """Draw balls at points (n, 3) [m]."""
        self._shown().marks.points(name, points, radii, colors, hidden)

    def log_mesh(self, name: str, points: Any, indices: Any, *args: Any, **options: Any) -> None:
        """Draw triangles, or keep them hidden for :meth:`log_instances`; of the further arguments ``normals``, ``hidden`` and ``color`` count."""
        given = {**dict(zip(_OF_MESHES, args)), **options}
        marks = self._shown().marks
        marks.mesh(name, points, indices, given.get("normals"))
        marks.copies(name, name, [_NOWHERE], None, given.get("color"), bool(given.get("hidden", False)))

    def log_instances(self, name: str, mesh: str, xforms: Any, *args: Any, **options: Any) -> None:
        """Draw copies of a logged mesh at transforms (n, 7); of the further arguments ``scales``, ``colors`` and ``hidden`` count."""
        given = {**dict(zip(_OF_INSTANCES, args)), **options}
        self._shown().marks.copies(name, mesh, xforms, given.get("scales"), given.get("colors"), bool(given.get("hidden", False)))

    def log_shapes(self, name: str, geo_type: int, geo_scale: Any, xforms: Any, *args: Any, **options: Any) -> None:
        """Draw shapes at transforms (n, 7), sized as by ``ModelBuilder.add_shape``; of the further arguments ``colors``, ``geo_src`` and ``hidden`` count."""
        given = {**dict(zip(_OF_SHAPES, args)), **options}
        self._shown().marks.shapes(name, geo_type, geo_scale, xforms, given.get("colors"), given.get("geo_src"), bool(given.get("hidden", False)))

    def log_gizmo(self, name: str, transform: Any, *args: Any, **options: Any) -> None:
        """Draw a coordinate frame at a transform (7,) for this frame; no mouse moves it, which a warning says once."""
        self._left_out("log_gizmo", name, "the pose is drawn, and no mouse moves it", "change it in the script")
        self._frame(name, transform)

    def _frame(self, name: str, transform: Any) -> None:
        session = self._shown()
        self._frames.add(f"gizmo {name}")
        session.marks.frame(f"gizmo {name}", transform, 0.2 * session.maker.extent)

    def log_image(self, name: str, image: Any, *, fullscreen: bool = False) -> None:
        """Show a picture, or several side by side, in a panel: (h, w), (h, w, c), (n, h, w) or (n, h, w, c) of uint8, or of floats from 0 to 1."""
        pictures = self._shown().pictures
        version = pictures[name].version + 1 if name in pictures else 0
        pictures[name] = LoggedPicture(picture_of(name, image), bool(fullscreen), version)

    def log_scalar(self, name: str, value: float, *, clear: bool = False, smoothing: int = 1) -> None:
        """Show a number under its name."""
        self._shown().scalars[name] = float(value)

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
