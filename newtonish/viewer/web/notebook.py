"""Models in notebooks: a live window below the cell, or a recording that stays in the notebook when it is saved."""

from __future__ import annotations

import html
import threading
from typing import Any

from newtonish.viewer.replay import Replay
from newtonish.viewer.simulation import Simulation
from newtonish.viewer.web.recording import Recording
from newtonish.viewer.web.window import ViewerWeb

__all__ = ["Page", "show"]


class Page:
    """What :func:`newtonish.show` returns: notebooks display it.

    Attributes:
        simulation: What is shown.
        viewer: The window, which other threads must only use by its ``post``; None for a recording.
        height: Of the frame in the notebook [pixels].
    """

    def __init__(self, simulation: Any, viewer: ViewerWeb | None, page: str, height: int) -> None:
        self.simulation, self.viewer, self.height = simulation, viewer, height
        self._page = page

    @property
    def url(self) -> str:
        """Address of a live page; empty for a recording."""
        return "" if self.viewer is None else self.viewer.url

    def save(self, path: Any) -> None:
        """Write a recording to a file that any browser plays; of a live page, the scene as it is now."""
        from newtonish.files import write_file

        write_file(path, self._page if self.viewer is None else self.viewer.snapshot())

    def close(self) -> None:
        """End a live page."""
        if self.viewer is not None:
            self.viewer.close()

    def _repr_html_(self) -> str:
        if self.viewer is not None:
            return self.viewer.html(self.height)
        return f'<iframe srcdoc="{html.escape(self._page)}" width="100%" height="{self.height}" style="border:none"></iframe>'

    def __repr__(self) -> str:
        return f"Page({self.simulation.name!r}, {self.url or 'a recording'})"


def show(source: Any, worlds: int = 1, *, seconds: float | None = None, fps: float = 30.0, port: int = 8080, height: int = 480, device: Any = None) -> Page:
    """Show a model in a notebook, or in any browser.

    Args:
        source: A file (MJCF, URDF, USD, archive of compiled arrays, a recorded run), MJCF's text, a model of ``newtonish.mjcf``, a
            finished Model, a Simulation or a Replay.
        worlds: Copies of what a file holds.
        seconds: Length of a recording, which is simulated at once and stays in a saved notebook [s]; None: a live window.
        fps: Frames a second of a recording.
        port: Of a live window's page; the next free one is taken where it is in use.
        height: Of the frame in the notebook [pixels].
        device: Warp device; None: Warp's current one.

    Returns:
        What notebooks display; a live one is at ``url`` too, and runs in a thread of its own until ``close``.

    Raises:
        ViewerUnavailable: viser is not installed.
        NewtonishError: The model is wrong.

    Example:
        >>> newtonish.show("robot.xml")  # doctest: +SKIP
        >>> newtonish.show("robot.xml", seconds=5).save("robot.html")  # doctest: +SKIP
    """
    simulation = source if isinstance(source, Simulation | Replay) else Simulation(source, worlds, device=device)
    if seconds is not None:
        return Page(simulation, None, _recorded(simulation, float(seconds), float(fps)), height)
    viewer = ViewerWeb(port)
    viewer.show(simulation)
    viewer.frame()
    threading.Thread(target=viewer.run, kwargs={"rest": True}, name="newtonish.show", daemon=True).start()
    return Page(simulation, viewer, "", height)


def _recorded(simulation: Any, seconds: float, fps: float) -> str:
    """A page that plays the next seconds."""
    recording = Recording(simulation, fps)
    try:
        start = simulation.time
        for frame in range(max(1, round(seconds * fps))):
            while simulation.time < start + frame / fps - 0.5 * simulation.dt:
                simulation.step()
            recording.frame(simulation)
        return recording.html()
    finally:
        recording.close()
