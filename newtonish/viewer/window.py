"""The window: draws a session's scene and panels, and hands on what the user does."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.viewer.session_viewer import SessionViewer
from newtonish.viewer.ui.canvas import Canvas
from newtonish.viewer.ui.font import the_font
from newtonish.viewer.ui.logged import placed_pictures
from newtonish.viewer.ui.panels import draw_panels
from newtonish.viewer.ui.widgets import Area, find

__all__ = ["ViewerGL"]

PANEL_RATE = 15.0
"""How often panels are redrawn a second; the scene is drawn for every picture."""

SKY = ((0.34, 0.42, 0.52), (0.13, 0.16, 0.21))
"""Above and below, for models without a sky of their own."""


class ViewerGL(SessionViewer):
    """A window that shows a simulation, or the states that a script logs.

    ``run`` shows a :class:`Simulation` until the window is closed. In a script of one's own, as with Newton's viewer of this name:
    ``set_model`` once, then for each frame ``begin_frame``, ``log_state``, ``end_frame``, while ``is_running``.

    Args:
        width, height: Of the window [pixels].
        title: In its head.
        samples, shadow_size: As :class:`newtonish.viewer.draw.Renderer` has them; None: as the driver can.
        frame_rate: Most pictures a second.

    Attributes:
        session: What is worked on; None before there is a model.

    Raises:
        ViewerUnavailable: Without pyglet, a display or OpenGL 3.3; its one line says what is missing and how to get it.
    """

    def __init__(
        self, width: int = 1280, height: int = 800, title: str = "newtonish", samples: int | None = None,
        shadow_size: int | None = None, frame_rate: float = 60.0,
    ) -> None:  # fmt: skip
        super().__init__()
        from newtonish.viewer.draw.overlay import Overlay
        from newtonish.viewer.draw.pictures import Pictures
        from newtonish.viewer.draw.renderer import Renderer
        from newtonish.viewer.draw.screen import Screen

        self.frame_rate = frame_rate
        self._title = title
        self._areas: list[Area] = []
        self._held: Area | None = None
        self._moving = False
        self._drawn_at, self._panels_at, self._period = clock.perf_counter(), -1.0, 0.0
        self._screen = Screen(width, height, title, self)
        self._screen.pump()
        self._renderer = Renderer(*self._screen.size, samples, shadow_size)
        self._shadow_size = self._renderer.shadow_size
        self._renderer.gradient = SKY
        self._overlay = Overlay(the_font().picture)
        self._pictures = Pictures()

    # -- a simulation -------------------------------------------------------------------------------------------------

    def run(self, simulation: Any = None) -> None:
        """Show a simulation, advanced in real time, until the window is closed; None: the one shown."""
        if simulation is not None:
            self.show(simulation)
        session = self._shown()
        simulation = session.simulation
        last = clock.perf_counter()
        while self.is_running():
            now = clock.perf_counter()
            session.try_to(simulation.advance, min(now - last, 0.25))
            last = now
            self.frame()
        self.close()

    def show(self, simulation: Any) -> None:
        """Work on a simulation from now on; ``frame`` draws it."""
        super().show(simulation)
        self._screen.set_title(f"{simulation.name} - {self._title}")

    def frame(self) -> None:
        """Take the user's input, draw one picture, and wait until the next is due."""
        if self._screen.closed:
            return
        self._screen.pump()
        if self._screen.closed:
            return
        self._draw()
        self._screen.flip()
        passed = clock.perf_counter() - self._drawn_at
        if passed < 1.0 / self.frame_rate:
            clock.sleep(1.0 / self.frame_rate - passed)
        now = clock.perf_counter()
        self._period += 0.1 * (now - self._drawn_at - self._period)
        self._drawn_at = now

    def _draw(self) -> None:
        width, height = self._screen.size
        self._renderer.resize(width, height)
        session = self.session
        if session is not None:
            session.aspect = width / height
            scene = session.try_to(session.update) or session.scene
            self._renderer.shadow_size = self._shadow_size if session.shadows else 0
            self._renderer.wireframe = session.wireframe
            if session.reflections is None:
                session.reflections = self._renderer.reflections
            self._renderer.reflections = session.reflections
            if scene is not None:
                self._renderer.draw(scene)
                self._renderer.canvas()
                covering = placed_pictures(width, height, session, covering=True)
                self._pictures.draw(width, height, covering)
                self._draw_panels(width, height, scene)
                self._pictures.draw(width, height, placed_pictures(width, height, session))
        self._renderer.present(0)

    def _draw_panels(self, width: int, height: int, scene: Any) -> None:
        now = clock.perf_counter()
        if now - self._panels_at > 1.0 / PANEL_RATE or scene.labels:
            canvas = Canvas(width, height)
            self._draw_labels(canvas, scene)
            self._areas = draw_panels(canvas, self.session, 1.0 / max(self._period, 1e-3))
            self._overlay.update(canvas.vertices())
            self._panels_at = now
        self._overlay.draw(width, height)

    def _draw_labels(self, canvas: Canvas, scene: Any) -> None:
        """Texts that stand at points of the world."""
        if not scene.labels:
            return
        points = np.array([[*label.position, 1.0] for label in scene.labels])
        clip = points @ (scene.camera.projection(canvas.width / canvas.height) @ scene.camera.view()).T
        for label, (x, y, _, w) in zip(scene.labels, clip, strict=True):
            if w > 0 and abs(x) < w and abs(y) < w:
                left, top = (0.5 + 0.5 * x / w) * canvas.width, (0.5 - 0.5 * y / w) * canvas.height - 8
                canvas.text(left + 1, top + 1, label.text, (0, 0, 0, 0.8), "small", "center")
                canvas.text(left, top, label.text, (1, 1, 1, 1), "small", "center")

    def is_running(self) -> bool:
        """Whether the window is open."""
        return not self._screen.closed

    def close(self) -> None:
        """Close the window; a second call does nothing."""
        if self._renderer is not None:
            self._screen.window.switch_to()
            self._overlay.close()
            self._pictures.close()
            self._renderer.close()
            self._renderer = None
            self._screen.close()

    # -- what is on the screen ----------------------------------------------------------------------------------------

    def picture(self) -> np.ndarray:
        """(height, width, 3) uint8, what the window shows, with panels; the top row first."""
        self._screen.window.switch_to()
        return self._renderer.color()

    def segmentation(self) -> np.ndarray:
        """(height, width, 2) int32, kind and index of what is seen below the panels, -1 for nothing."""
        self._screen.window.switch_to()
        return self._renderer.segmentation()

    def area(self, name: str) -> Area | None:
        """A button, slider or panel of the last picture by its name, for instance ``"slider shoulder"`` or ``"show contactpoint"``."""
        return next((area for area in self._areas if area.name == name), None)

    # -- what the user does -------------------------------------------------------------------------------------------

    def key(self, name: str, modifiers: frozenset[str]) -> None:
        """A key went down."""
        self._panels_at = -1.0
        if self.session is None:
            return
        if self.session.watches.entry is not None and not (name[0] == "F" and name[1:].isdigit()) and "ctrl" not in modifiers:
            self.session.watches.key(self.session.simulation, name)
            return
        left = self.session.try_to(self.session.command, name, modifiers)
        if left == "quit":
            self._screen.closed = True
        elif left == "full_screen":
            self._screen.full_screen()
        elif left == "picture":
            self._save_picture()

    def text(self, letters: str) -> None:
        """Letters were typed."""
        self._panels_at = -1.0
        if self.session is not None:
            self.session.watches.type(letters)

    def is_key_down(self, key: str | int) -> bool:
        """Whether a key is held, for scripts that are driven by keys: a character, a name such as "space", or pyglet's number."""
        return self._screen.is_down(key)

    def press(self, x: float, y: float, button: str, modifiers: frozenset[str], double: bool) -> None:
        """A button of the mouse went down."""
        self._panels_at = -1.0
        session, area = self.session, find(self._areas, x, y)
        if session is None:
            return
        self._held, self._moving = area, area is None
        if area is not None:
            if area.press is not None and button == "left":
                session.try_to(area.press, *area.fractions(x, y))
        elif double:
            width, height = self._screen.size
            session.try_to(session.look, x / width, y / height, button, modifiers)

    def drag(self, x: float, y: float, dx: float, dy: float, button: str, modifiers: frozenset[str]) -> None:
        """The mouse moved with a button held."""
        session = self.session
        if session is None:
            return
        if self._held is not None:
            if self._held.drag is not None:
                self._panels_at = -1.0
                session.try_to(self._held.drag, *self._held.fractions(x, y))
        elif self._moving:
            height = self._screen.size[1]
            session.try_to(session.drag, dx / height, dy / height, button, modifiers)

    def release(self, x: float, y: float, button: str, modifiers: frozenset[str]) -> None:
        """A button of the mouse went up."""
        self._held, self._moving = None, False
        if self.session is not None:
            self.session.release()

    def scroll(self, x: float, y: float, steps: float) -> None:
        """The wheel was turned."""
        if self.session is not None and find(self._areas, x, y) is None:
            self.session.scroll(steps)

    def drop(self, paths: list[str]) -> None:
        """Files were dropped: the first is opened."""
        if self.session is not None and paths:
            self.session.open(paths[0])
            self._screen.set_title(f"{self.session.simulation.name} - {self._title}")

    def resize(self, width: int, height: int) -> None:
        """The window has another size."""
        self._panels_at = -1.0

    def _save_picture(self) -> None:
        """Write what is shown into the next free file of the working directory."""
        from PIL import Image

        number = 1
        while (path := Path(f"newtonish_{number:03d}.png")).exists():
            number += 1
        try:
            Image.fromarray(self.picture()).save(path)
        except OSError as error:
            self.session.message = f"{path}: {error.strerror or error}"
        else:
            self.session.note = f"saved {path}"
