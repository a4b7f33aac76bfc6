"""Recording a simulation: frames at even times into pictures, films, runs that can be replayed, or arrays of depth.

A sink takes frames; which one, its file's name says (:mod:`newtonish.cli.record`). Time is the simulation's: a slow model makes the
recording slow to write, not to look at.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.files import replacing
from newtonish.viewer.encoders import Encoder
from newtonish.viewer.file import ViewerFile

__all__ = ["Artist", "ImageSink", "NumberSink", "RunSink", "Sink", "record", "shades_of_depth", "tints_of_things"]

MODES = ("color", "depth", "segmentation")


class Sink:
    """Where frames go. ``begin`` is called once before the first, ``close`` after the last, also of an interrupted recording, and
    ``abandon`` after an error.

    Attributes:
        one: Whether only the last frame counts.
        written: Files that there are after ``close``.
    """

    one = False
    written: tuple[Path, ...] = ()

    def begin(self, simulation: Any) -> None:
        """Prepare for the frames of a simulation."""

    def frame(self, simulation: Any) -> None:
        """Take over what the simulation shows now."""
        raise NotImplementedError

    def close(self) -> None:
        """Finish the file."""

    def abandon(self) -> None:
        """Release everything; what has been written so far may be lost."""


def record(
    simulation: Any, sink: Sink, seconds: float, fps: float, drive: Callable[[Any], None] | None = None, say: Callable[[int, int], None] | None = None
) -> int:
    """Simulate and hand the frames to a sink.

    Args:
        simulation: A Simulation.
        sink: Takes the frames.
        seconds: Length [s].
        fps: Frames a second.
        drive: Called before every step, to set controls.
        say: Called with the number of each frame and of all.

    Returns:
        Number of frames: at least one, which is the present for a length of zero.

    Raises:
        KeyboardInterrupt: The user has interrupted it; the file holds the frames until then, if there are any.
    """
    start, count = simulation.time, max(1, round(seconds * fps))
    times = [start + seconds] if sink.one else [start + i / fps for i in range(count)]
    done = 0
    try:
        sink.begin(simulation)
        for i, moment in enumerate(times):
            while simulation.time < moment - 0.5 * simulation.dt:
                if drive is not None:
                    drive(simulation)
                simulation.step()
            sink.frame(simulation)
            done = i + 1
            if say is not None:
                say(done, len(times))
    except KeyboardInterrupt:
        if not done:
            sink.abandon()
            raise
        sink.close()  # what there is can be played
        raise
    except BaseException:
        sink.abandon()
        raise
    try:
        sink.close()
    except BaseException:
        sink.abandon()
        raise
    return len(times)


class Artist:
    """Draws what a simulation shows, without a window.

    Args:
        simulation: A Simulation.
        width, height: Of the pictures [pixels].
        camera: Returns the Camera for a SceneMaker; None: the free camera that the model suggests.
        options: VisualOptions; None: MuJoCo's defaults.
        world: The only world that is drawn; None: all, on a grid.

    Raises:
        ViewerUnavailable: OpenGL is missing.
    """

    def __init__(
        self, simulation: Any, width: int, height: int, camera: Callable[[Any], Any] | None = None, options: Any = None, world: int | None = None
    ) -> None:
        from newtonish.viewer.draw import OffscreenRenderer
        from newtonish.viewer.scene import SceneMaker

        places = {} if world is None else {"worlds": [world], "offsets": np.zeros((simulation.worlds, 3))}
        self._maker = SceneMaker(simulation.model, simulation.solver, **places)
        self._camera = self._maker.free_camera() if camera is None else camera(self._maker)
        self._options = options
        self._renderer = OffscreenRenderer(width, height)

    def draw(self, simulation: Any) -> Any:
        """The renderer with the picture of the present: ``color()``, ``depth()`` and ``segmentation()`` read it."""
        scene = self._maker.make(simulation.state, self._options, self._camera, time=simulation.time)
        self._renderer.draw(scene)
        self.far = float(scene.camera.far)
        return self._renderer

    def close(self) -> None:
        """Release the graphics."""
        self._renderer.close()


class ImageSink(Sink):
    """Pictures into an encoder.

    Args:
        encoder: Writes the file.
        artist: Makes the Artist for a simulation.
        mode: ``"color"``; ``"depth"``: near is bright; ``"segmentation"``: a colour for each thing.
    """

    def __init__(self, encoder: Encoder, artist: Callable[[Any], Artist], mode: str = "color") -> None:
        self._encoder, self._make, self._mode, self._artist = encoder, artist, mode, None
        self._range: tuple[float, float] | None = None
        self.one = encoder.one

    def begin(self, simulation: Any) -> None:
        self._artist = self._make(simulation)

    def frame(self, simulation: Any) -> None:
        renderer = self._artist.draw(simulation)
        if self._mode == "depth":
            depth = renderer.depth()
            seen = depth[depth < 0.99 * self._artist.far]
            if self._range is None:
                self._range = (float(seen.min()), float(np.percentile(seen, 95))) if seen.size else (0.0, 1.0)
            self._encoder.add(shades_of_depth(depth, *self._range, self._artist.far))
        elif self._mode == "segmentation":
            self._encoder.add(tints_of_things(renderer.segmentation()))
        else:
            self._encoder.add(renderer.color())

    def close(self) -> None:
        self._artist.close()
        self._encoder.close()
        self.written = tuple(self._encoder.written)

    def abandon(self) -> None:
        if self._artist is not None:
            self._artist.close()
        self._encoder.abandon()


class NumberSink(Sink):
    """Depth [m] or segmentation of every frame as an array in an .npz file, with the times.

    Args:
        path: The file.
        artist: Makes the Artist for a simulation.
        mode: ``"depth"``: (frames, height, width) float32; ``"segmentation"``: (frames, height, width, 2) int32, kind and number of
            what is seen, -1 for nothing.
    """

    def __init__(self, path: Path, artist: Callable[[Any], Artist], mode: str) -> None:
        self._path, self._make, self._mode, self._artist = path, artist, mode, None
        self._frames: list[np.ndarray] = []
        self._times: list[float] = []

    def begin(self, simulation: Any) -> None:
        self._artist = self._make(simulation)

    def frame(self, simulation: Any) -> None:
        renderer = self._artist.draw(simulation)
        self._frames.append(renderer.depth() if self._mode == "depth" else renderer.segmentation())
        self._times.append(simulation.time)

    def close(self) -> None:
        self._artist.close()
        with replacing(self._path) as partial, partial.open("wb") as stream:
            np.savez_compressed(stream, time=np.array(self._times), **{self._mode: np.stack(self._frames)})
        self.written = (self._path,)

    def abandon(self) -> None:
        if self._artist is not None:
            self._artist.close()


class RunSink(Sink):
    """Poses and contacts with the model, for ``newtonish view``.

    Args:
        path: The file, .npz.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def begin(self, simulation: Any) -> None:
        from newtonish.model.state import Contacts

        self._viewer = ViewerFile(self._path, auto_save=False)
        self._viewer.set_model(simulation.model)
        self._contacts = Contacts(simulation.solver.get_max_contact_count(), 0, device=simulation.model.device)

    def frame(self, simulation: Any) -> None:
        solver, viewer = simulation.solver, self._viewer
        if solver.get_max_contact_count() > self._contacts.rigid_contact_max:  # its room has grown
            self._contacts = type(self._contacts)(solver.get_max_contact_count(), 0, device=simulation.model.device)
        solver.update_contacts(self._contacts, simulation.state)
        viewer.begin_frame(simulation.time)
        viewer.log_state(simulation.state)
        viewer.log_contacts(self._contacts, simulation.state)
        viewer.end_frame()

    def close(self) -> None:
        self._viewer.close()
        self.written = (self._path,)


def shades_of_depth(depth: np.ndarray, near: float, far: float, background: float) -> np.ndarray:
    """(height, width, 3) uint8: white at ``near``, dark grey at ``far`` [m], black where nothing is nearer than ``background``."""
    share = np.clip((far - depth) / max(far - near, 1e-9), 0.0, 1.0)
    grey = np.where(depth < 0.99 * background, 40.0 + 215.0 * share, 0.0).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=-1)


def tints_of_things(segmentation: np.ndarray) -> np.ndarray:
    """(height, width, 3) uint8: each pair of kind and number has a colour of its own, nothing is black."""
    pairs, which = np.unique(segmentation.reshape(-1, 2), axis=0, return_inverse=True)
    tints = np.zeros((len(pairs), 3), dtype=np.uint8)
    for row, (kind, index) in enumerate(pairs.tolist()):
        if kind >= 0:
            hue = (0.618034 * (index + 1) + 0.21 * kind) % 1.0  # the golden ratio spreads neighbours apart, and eight are told
            value, saturation = (0.95, 0.7, 0.5)[index // 8 % 3], (0.75, 0.45)[index // 24 % 2]  # apart; then it grows dark, and pale
            tints[row] = np.round(255.0 * np.array(colorsys.hsv_to_rgb(hue, saturation, value)))
    return tints[which.ravel()].reshape(*segmentation.shape[:2], 3)
