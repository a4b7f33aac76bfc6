"""A recording as one page: it holds everything, and plays in any browser without a server or a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from newtonish.files import replacing
from newtonish.viewer.record import Sink
from newtonish.viewer.scene import Camera, SceneMaker, VisualOptions
from newtonish.viewer.web.stage import Stage
from newtonish.viewer.web.window import open_server, place_camera, stop_server, upward

__all__ = ["PageSink", "Recording"]


class Recording:
    """Scenes one after another, for a page that plays them.

    Args:
        simulation: A Simulation or a Replay.
        fps: Frames a second.
        camera: Returns the Camera for a SceneMaker and the simulation; None: the free camera that the model suggests.
        options: VisualOptions; None: MuJoCo's defaults.
        world: The only world that is drawn; None: all, on a grid.

    Raises:
        ViewerUnavailable: viser is not installed.
    """

    def __init__(
        self, simulation: Any, fps: float, camera: Callable[[Any, Any], Camera] | None = None, options: VisualOptions | None = None,
        world: int | None = None,
    ) -> None:  # fmt: skip
        self._fps, self._options = fps, options
        self._maker = SceneMaker(simulation.model, simulation.solver, worlds=None if world is None else [world])
        self._camera = self._maker.free_camera() if camera is None else camera(self._maker, simulation)
        self.server = open_server("127.0.0.1", 8080)
        self._stage = Stage(self.server)
        scene = self._scene(simulation)
        self.server.scene.set_up_direction(upward(self._maker))
        place_camera(self.server.initial_camera, scene.camera, self._camera)
        self._stage.show(scene)
        self._serializer = self.server.get_scene_serializer()

    def _scene(self, simulation: Any) -> Any:
        contacts = getattr(simulation, "contacts", None)
        return self._maker.make(simulation.state, self._options, self._camera, time=simulation.time, contacts=contacts)

    def frame(self, simulation: Any) -> None:
        """Add what the simulation shows now."""
        self._stage.show(self._scene(simulation))
        self._serializer.insert_sleep(1.0 / self._fps)

    def html(self) -> str:
        """The page; nothing can be added afterwards."""
        return self._serializer.as_html()

    def close(self) -> None:
        """Release the server that the recording was made with."""
        stop_server(self.server)


class PageSink(Sink):
    """Writes a recording as a page; the arguments are those of :class:`Recording`."""

    def __init__(self, path: Path, fps: float, *arguments: Any) -> None:
        self._path, self._arguments = path, (fps, *arguments)
        self._recordings: list[Recording] = []

    def begin(self, simulation: Any) -> None:
        """Take over what does not change."""
        self._recordings.append(Recording(simulation, *self._arguments))

    def frame(self, simulation: Any) -> None:
        """Add what the simulation shows now."""
        self._recordings[-1].frame(simulation)

    def close(self) -> None:
        """Write the page."""
        with replacing(self._path) as path:
            Path(path).write_text(self._recordings[-1].html(), encoding="utf-8")
        self.abandon()
        self.written = (self._path,)

    def abandon(self) -> None:
        """Leave the file as it was."""
        while self._recordings:
            self._recordings.pop().close()
