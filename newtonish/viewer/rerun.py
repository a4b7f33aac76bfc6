"""A viewer that logs to rerun (https://rerun.io): into an .rrd file, to a rerun viewer that is running, or to one that it opens."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from newtonish.viewer.base import ViewerBase
from newtonish.viewer.errors import ViewerUnavailable
from newtonish.viewer.scene import Scene, SceneMaker, VisualOptions
from newtonish.viewer.web.batches import Batch, Batches, part_of
from newtonish.viewer.web.pictures import pictured_mesh

__all__ = ["ViewerRerun"]

TIMELINE = "time"


class ViewerRerun(ViewerBase):
    """Logs each frame's scene: meshes once, with their colours and pictures, and the poses of their copies whenever they change.

    Args:
        app_id: Name of the application that rerun shows.
        address: URL of a rerun viewer that is running, such as ``"rerun+http://127.0.0.1:9876/proxy"``.
        record_to_rrd: File to write; with neither it nor an address, rerun's own viewer is opened.
        options: What is shown; None: MuJoCo's defaults, with contacts where they are logged.

    Attributes:
        frame_count: Frames so far.

    Raises:
        ViewerUnavailable: rerun is not installed.
    """

    def __init__(
        self, app_id: str = "newtonish", address: str | None = None, record_to_rrd: str | PathLike[str] | None = None, options: VisualOptions | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        try:
            import rerun
        except ImportError as error:
            raise ViewerUnavailable("rerun-sdk", 'pip install "newtonish[rerun]"') from error
        self._rerun = rerun
        self._stream: Any = rerun.RecordingStream(app_id)
        if record_to_rrd is not None:
            self._stream.save(str(record_to_rrd))
        elif address is not None:
            self._stream.connect_grpc(address)
        else:
            self._stream.spawn()
        self._options = VisualOptions(contactpoint=True, contactforce=True) if options is None else options
        self._maker: SceneMaker | None = None
        self._offsets: Any = None
        self._state: Any = None
        self._contacts: Any = None
        self.frame_count = 0
        self._forget()

    def _forget(self) -> None:
        self._batches = Batches()
        self._names: dict[str, str] = {}
        self._sent: dict[str, tuple[int, list[np.ndarray]]] = {}

    def set_model(self, model: Any) -> None:
        """Log a model, ours or Newton's."""
        super().set_model(model)
        self._clear(self._sent)
        self._forget()
        self._state = self._contacts = None
        self._maker = None if model is None else SceneMaker(model, offsets=self._offsets)

    def set_world_offsets(self, spacing: Any) -> None:
        """Draw worlds elsewhere: (worlds, 3) [m]; None: on a grid."""
        self._offsets = spacing
        if self.model is not None:
            self.set_model(self.model)

    def begin_frame(self, time: float) -> None:
        """Begin a frame of a time [s]."""
        super().begin_frame(time)
        self._stream.set_time(TIMELINE, duration=self.time)

    def log_state(self, state: Any) -> None:
        """Take over the poses of the bodies."""
        self._state = state

    def log_contacts(self, contacts: Any, state: Any, *, observables: Any = None) -> None:
        """Take over contacts."""
        self._contacts = contacts

    def end_frame(self) -> None:
        """Log what has changed."""
        self.frame_count += 1
        if self._maker is not None and self._state is not None:
            self._log(self._maker.make(self._state, self._options, time=self.time, contacts=self._contacts))

    def close(self) -> None:
        """Write what is left and let go; a second call does nothing."""
        if self._stream is not None:
            self._stream.flush()
            self._stream.disconnect()
            self._stream = None

    # -- scenes -------------------------------------------------------------------------------------------------------

    def _log(self, scene: Scene) -> None:
        present = set()
        for batch in self._batches.of(scene):
            colors, which = np.unique(batch.color, axis=0, return_inverse=True) if batch.material < 0 else (batch.color[:1], np.zeros(len(batch.position)))
            for number, color in enumerate(colors):
                key = f"{batch.key} {color.tolist()}"
                present.add(key)
                self._log_batch(scene, batch, color, np.flatnonzero(which.reshape(-1) == number), key)
        self._clear([key for key in self._sent if key not in present])

    def _log_batch(self, scene: Scene, batch: Batch, color: np.ndarray, rows: np.ndarray, key: str) -> None:
        """Copies of one mesh in one colour."""
        rr, triangles = self._rerun, scene.library[batch.entry]
        path = self._names.setdefault(key, f"scene/{triangles.name or 'mesh'}/{len(self._names)}")
        version, poses = self._sent.get(key, (-1, []))
        if version != triangles.version:
            self._stream.log(path, self._mesh(scene, batch, color))
        now = [batch.position[rows], batch.quaternion[rows][:, [1, 2, 3, 0]], batch.scale[rows]]
        if len(poses) != len(now) or not all(map(np.array_equal, poses, now)):
            self._stream.log(path, rr.InstancePoses3D(translations=now[0], quaternions=now[1], scales=now[2]))
        self._sent[key] = triangles.version, now

    def _mesh(self, scene: Scene, batch: Batch, color: np.ndarray) -> Any:
        rr, triangles = self._rerun, scene.library[batch.entry]
        if batch.material >= 0:
            texture = scene.textures[scene.materials[batch.material].texture]
            data = pictured_mesh(triangles, batch.part, texture, batch.texture_scale, color, batch.transparent)
            return rr.Asset3D(contents=data, media_type="model/gltf-binary")
        corners, used, faces = part_of(triangles, batch.part)
        return rr.Mesh3D(vertex_positions=corners, triangle_indices=faces, vertex_normals=triangles.normals[used], albedo_factor=color)

    def _clear(self, keys: Any) -> None:
        """Show something no longer."""
        for key in list(keys):
            self._stream.log(self._names[key], self._rerun.Clear(recursive=True))
            del self._sent[key]

    # -- what scripts log besides -------------------------------------------------------------------------------------

    def log_scalar(self, name: str, value: float, *, clear: bool = False, smoothing: int = 1) -> None:
        """A number, which rerun plots over time."""
        self._stream.log(name, self._rerun.Scalars(float(value)))

    def log_array(self, name: str, array: Any) -> None:
        """Numbers, as a tensor."""
        self._stream.log(name, self._rerun.Tensor(_host(array)))

    def log_points(self, name: str, points: Any, radii: Any = None, colors: Any = None, hidden: bool = False) -> None:
        """Points [m]."""
        self._show(name, hidden, lambda: self._rerun.Points3D(_host(points), radii=_host(radii), colors=_host(colors)))

    def log_lines(self, name: str, starts: Any, ends: Any, colors: Any = None, width: float = 0.01, hidden: bool = False) -> None:
        """Lines from points to points [m]."""
        self._show(name, hidden, lambda: self._rerun.LineStrips3D(np.stack([_host(starts), _host(ends)], axis=1), radii=0.5 * width, colors=_host(colors)))

    def log_arrows(self, name: str, starts: Any, ends: Any, colors: Any = None, width: float = 0.01, hidden: bool = False) -> None:
        """Arrows from points to points [m]."""
        made = self._rerun.Arrows3D
        self._show(name, hidden, lambda: made(origins=_host(starts), vectors=_host(ends) - _host(starts), radii=0.5 * width, colors=_host(colors)))

    def log_image(self, name: str, image: Any, *, fullscreen: bool = False) -> None:
        """A picture."""
        self._stream.log(name, self._rerun.Image(_host(image)))

    def _show(self, name: str, hidden: bool, made: Any) -> None:
        self._stream.log(name, self._rerun.Clear(recursive=False) if hidden else made())


def _host(array: Any) -> Any:
    """Numbers on the host; None stays None."""
    return None if array is None else np.asarray(array.numpy() if hasattr(array, "numpy") else array)
