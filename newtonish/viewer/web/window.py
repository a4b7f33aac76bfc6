"""The window in a browser: serves a session's scene and panels to everyone who opens its page."""

from __future__ import annotations

import contextlib
import queue
import threading
import time as clock
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from newtonish.viewer.errors import ViewerUnavailable
from newtonish.viewer.scene import Camera, CameraPose, CameraType, Scene
from newtonish.viewer.scene.picking import cast
from newtonish.viewer.session import Session
from newtonish.viewer.session_viewer import SessionViewer
from newtonish.viewer.web.grip import Grip
from newtonish.viewer.web.panel import Panel
from newtonish.viewer.web.stage import Stage

__all__ = ["ViewerWeb", "open_server", "place_camera", "stop_server", "upward"]

PANEL_RATE = 5.0
"""How often the panel's numbers are sent a second."""

IDLE = 0.1
"""How often it is looked whether anybody has come [s]."""


def open_server(host: str, port: int) -> Any:
    """A viser server, without its greeting.

    Raises:
        ViewerUnavailable: viser is not installed.
    """
    try:
        import viser
    except ImportError as error:
        raise ViewerUnavailable("viser", 'pip install "newtonish[web]"') from error
    with _quietly():
        return viser.ViserServer(host=host, port=port, verbose=False)


def stop_server(server: Any) -> None:
    """Stop a viser server, without its farewell."""
    with _quietly():
        server.stop()


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Without what viser says by rich, on stdout or into a notebook."""
    import rich

    said, rich.print = rich.print, lambda *_, **__: None
    try:
        yield
    finally:
        rich.print = said


class ViewerWeb(SessionViewer):
    """A page that shows a simulation, or the states that a script logs; with the methods of :class:`ViewerGL`.

    All visitors see one simulation, one selection and one panel; whoever changes something changes it for all. Each has a camera of
    their own. There is no password: let others in only on a network where everybody may press every button.

    Args:
        port: Of the page; the next free one is taken where it is in use, see ``url``.
        host: Address to listen on: this machine only, or ``"0.0.0.0"`` for others too.
        frame_rate: Most frames a second.

    Attributes:
        session: What is worked on; None before there is a model.

    Raises:
        ViewerUnavailable: viser is not installed.
    """

    def __init__(self, port: int = 8080, host: str = "127.0.0.1", frame_rate: float = 30.0) -> None:
        super().__init__()
        self.server = open_server(host, port)
        self.frame_rate = frame_rate
        self._stage = Stage(self.server)
        self._grip = Grip(self._stage, lambda: self.session, self.post)
        self._panel: Panel | None = None
        self._of: tuple[Any, int] | None = None
        self._script_rows: list[int] = []
        self._asked: queue.SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...]]] = queue.SimpleQueue()
        self._following: dict[int, tuple[Any, Camera]] = {}
        self._gizmos: dict[str, Any] = {}
        self._held: dict[str, Any] = {}
        self._closed = threading.Event()
        self._drawn_at, self._refreshed_at = clock.perf_counter(), -1.0
        self.server.on_client_connect(lambda client: self.post(self._welcome, client))
        self.server.on_client_disconnect(lambda client: self.post(self._following.pop, client.client_id, None))
        self.server.scene.on_click()(lambda event: self.post(self._click, event))

    @property
    def url(self) -> str:
        """Address of the page on this machine."""
        return f"http://localhost:{self.server.get_port()}"

    @property
    def visitors(self) -> int:
        """How many pages are open."""
        return len(self.server.get_clients())

    # -- a simulation -------------------------------------------------------------------------------------------------

    def run(self, simulation: Any = None, *, rest: bool = False) -> None:
        """Show a simulation, advanced in real time, until :meth:`close` is called, or the user interrupts.

        Args:
            simulation: A Simulation or a Replay; None: the one shown.
            rest: Stand still while nobody looks.
        """
        if simulation is not None:
            self.show(simulation)
        session = self._shown()
        simulation = session.simulation
        last = clock.perf_counter()
        while self.is_running():
            now = clock.perf_counter()
            if rest and not self.visitors:
                self._closed.wait(IDLE)
            else:
                session.try_to(simulation.advance, min(now - last, 0.25))
            last = now
            self.frame()

    def frame(self) -> None:
        """Do what visitors have asked for, send what has changed, and wait until the next frame is due."""
        if self._closed.is_set():
            return
        while not self._asked.empty():
            act, arguments = self._asked.get()
            act(*arguments) if self.session is None else self.session.try_to(act, *arguments)
        if self.session is not None:
            self._send(self.session)
        passed = clock.perf_counter() - self._drawn_at
        if passed < 1.0 / self.frame_rate:
            self._closed.wait(1.0 / self.frame_rate - passed)
        self._drawn_at = clock.perf_counter()

    def _send(self, session: Session) -> None:
        """What has changed, to everybody."""
        scene = session.try_to(session.update) or session.scene
        if scene is None:
            return
        if self._of != (session, session.generation):
            self._of = (session, session.generation)
            self._begin(session, scene)
        if self._script_rows != [len(panel.rows) for panel in session.script_panels]:
            self._build_panel(session)
        self._stage.show(scene)
        for client, camera in list(self._following.values()):
            place_camera(client.camera, session.maker.camera_pose(camera, session.simulation.state))
        now = clock.perf_counter()
        if self._panel is not None and now - self._refreshed_at > 1.0 / PANEL_RATE:
            self._refreshed_at = now
            self._panel.refresh()

    def _begin(self, session: Session, scene: Scene) -> None:
        """Another model: a new stage, new panels, and everybody's camera where one sees all of it."""
        self._stage.clear()
        self._following.clear()
        for handle in self._gizmos.values():
            handle.remove()
        self._gizmos.clear()
        self.server.scene.set_up_direction(upward(session.maker))
        place_camera(self.server.initial_camera, scene.camera, session.camera)
        for client in self.server.get_clients().values():
            self._face(client, session, scene)
        self._build_panel(session)

    def _build_panel(self, session: Session) -> None:
        self._script_rows = [len(panel.rows) for panel in session.script_panels]
        self._panel = Panel(self.server, session, self.post, self._look_through)

    def _face(self, client: Any, session: Session, scene: Scene) -> None:
        """Give a visitor the session's camera, to move about or to look through."""
        place_camera(client.camera, scene.camera, session.camera)
        if session.camera.type != CameraType.FREE:
            self._following[client.client_id] = (client, session.camera)

    # -- what visitors do ---------------------------------------------------------------------------------------------

    def post(self, act: Callable[..., Any], *arguments: Any) -> None:
        """Call something between two frames; from any thread."""
        self._asked.put((act, arguments))

    def _welcome(self, client: Any) -> None:
        session = self.session
        if session is not None and session.scene is not None:
            self._face(client, session, session.scene)

    def _click(self, event: Any) -> None:
        session = self.session
        if session is None or session.scene is None:
            return
        direction = np.asarray(event.ray_direction, float)
        session.select(cast(session.scene, np.asarray(event.ray_origin, float), direction / np.linalg.norm(direction)))

    def _look_through(self, client: Any, place: int) -> None:
        if place < 0:
            self._following.pop(client.client_id, None)
        else:
            self._following[client.client_id] = (client, Camera.of_model(place, self._shown().simulation.world))

    # -- a script of one's own ----------------------------------------------------------------------------------------

    def set_camera(self, pos: Any, pitch: float | None = None, yaw: float | None = None) -> None:
        """Let everybody look from a point [m] in a direction [degrees]."""
        pitch, yaw = np.radians(0.0 if pitch is None else pitch), np.radians(0.0 if yaw is None else yaw)
        at = np.asarray(pos, float)
        toward = at + np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
        for camera in (self.server.initial_camera, *(client.camera for client in self.server.get_clients().values())):
            camera.position, camera.look_at = tuple(at), tuple(toward)

    def log_gizmo(self, name: str, transform: Any, *args: Any, **options: Any) -> None:
        """Handles at a pose (7,), position and quaternion x y z w, that visitors move: the script's ``transform`` is written to between two frames."""
        if name not in self._gizmos:
            handle = self.server.scene.add_transform_controls(f"/gizmo/{name}", scale=0.2 * self._shown().maker.extent)
            self._gizmos[name] = handle
            handle.on_update(lambda event: self.post(self._move, name, event.target.position, event.target.wxyz))
        handle, self._held[name] = self._gizmos[name], transform
        place = np.asarray(transform.numpy() if hasattr(transform, "numpy") else transform, float).reshape(-1)
        at, wxyz = place[:3], place[[6, 3, 4, 5]]
        if not np.allclose(handle.position, at, atol=1e-6):
            handle.position = tuple(at)
        if not np.allclose(handle.wxyz, wxyz, atol=1e-6):
            handle.wxyz = tuple(wxyz)

    def _move(self, name: str, position: Any, wxyz: Any) -> None:
        """A visitor has moved a handle."""
        values = np.array([*position, *np.roll(np.asarray(wxyz, float), -1)], np.float32)
        transform = self._held[name]
        if hasattr(transform, "assign"):
            transform.assign(values.reshape(transform.numpy().shape))
        else:
            for at, value in enumerate(values.tolist()):
                transform[at] = value

    def is_running(self) -> bool:
        """Whether the page is served."""
        return not self._closed.is_set()

    def close(self) -> None:
        """Stop serving; a second call does nothing."""
        if not self._closed.is_set():
            self._closed.set()
            stop_server(self.server)

    def snapshot(self) -> str:
        """The scene as it is now, as a page that needs no server."""
        return str(self.server.scene.as_html())

    def html(self, height: int = 480) -> str:
        """A frame with the page, for notebooks that run on the same machine as the browser."""
        return f'<iframe src="{self.url}" width="100%" height="{int(height)}" style="border:none"></iframe>'

    def _repr_html_(self) -> str:
        return self.html()


def upward(maker: Any) -> tuple[float, float, float]:
    """Where up is for a SceneMaker."""
    return (0.0, 0.0, 1.0) if maker.up is None else (float(maker.up[0, 2]), float(maker.up[1, 2]), float(maker.up[2, 2]))


def place_camera(camera: Any, pose: CameraPose, aim: Camera | None = None) -> None:
    """Put a visitor's camera where ours is; ``aim`` says what it turns about."""
    distance = 1.0 if aim is None else float(aim.distance)
    position = np.asarray(pose.position, float)
    camera.position = tuple(position)
    camera.look_at = tuple(position + distance * np.asarray(pose.forward, float))
    camera.near, camera.far = float(pose.near), float(pose.far)
    if not pose.orthographic:
        camera.fov = float(np.radians(pose.fovy))
    if aim is None:
        with contextlib.suppress(AttributeError):
            camera.up_direction = tuple(float(value) for value in pose.up)
