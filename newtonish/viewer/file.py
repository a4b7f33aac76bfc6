"""Recordings: ViewerFile writes the frames of a run with the model into one .npz file, and reads them again.

``header`` is JSON as bytes: format, version, the description of the model. Arrays of the model stand as ``model/N``, those of the
frames as ``frame/NAME`` with one row a frame, contacts as ``contact/NAME``, all frames one after another, with ``contact/count`` of
each frame. Nothing is pickled.
"""

from __future__ import annotations

import json
import os
from collections import deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp

from newtonish.errors import ImporterError, ModelError, problem
from newtonish.exporters.npz import read_arrays
from newtonish.files import replacing
from newtonish.viewer.base import ViewerBase
from newtonish.viewer.packing import pack, unpack

__all__ = ["ViewerFile", "is_recording"]

FORMAT, VERSION = "newtonish run", 1

_STATE = ("body_q", "body_qd", "joint_q", "joint_qd")
_CONTACT = {
    "shape0": wp.int32,
    "shape1": wp.int32,
    "point0": wp.vec3,
    "point1": wp.vec3,
    "offset0": wp.vec3,
    "offset1": wp.vec3,
    "normal": wp.vec3,
    "force": wp.vec3,
}


def is_recording(path: Any) -> bool:
    """Whether a file is a recording and not, for instance, an archive of compiled arrays."""
    try:
        header = read_arrays(path, "", names=("header",))["header"]
        return json.loads(header.tobytes()).get("format") == FORMAT
    except (OSError, ValueError, KeyError, AttributeError, RecursionError):
        return False


class ViewerFile(ViewerBase):
    """Writes what it is shown to a file, for ``newtonish view FILE``; or reads such a file.

    Args:
        output_path: The file, .npz.
        auto_save: Whether the file is also written while recording, so that a script that breaks leaves something.
        save_interval: Frames between two such writings at least; the longer the recording, the rarer they become.
        max_history_size: Most frames, the last ones are kept; None: all.
    """

    def __init__(self, output_path: str | os.PathLike[str], auto_save: bool = True, save_interval: int = 100, max_history_size: int | None = None) -> None:
        super().__init__()
        self.output_path = Path(output_path)
        if self.output_path.suffix.lower() != ".npz":
            raise ModelError(problem("ViewerFile: output_path", repr(str(output_path)), "a name that ends in .npz", "choose such a name"))
        self.auto_save, self.save_interval = auto_save, max(1, int(save_interval))
        self.history: deque[dict[str, np.ndarray]] = deque(maxlen=max_history_size)
        self._packed: tuple[dict[str, Any], dict[str, np.ndarray]] | None = None
        self._frame: dict[str, np.ndarray] = {}
        self._unsaved = 0
        self._running = True

    def set_model(self, model: Any) -> None:
        """Record a model; its appearance is that of now."""
        super().set_model(model)
        self._packed = None if model is None else pack(model)

    def begin_frame(self, time: float) -> None:
        """Begin a frame of a time [s]."""
        super().begin_frame(time)
        self._frame = {"time": np.float64(time)}

    def log_state(self, state: Any) -> None:
        """Record poses and coordinates."""
        for name in _STATE:
            array = getattr(state, name, None)
            if array is not None:
                self._frame[name] = array.numpy().copy()

    def log_contacts(self, contacts: Any, state: Any, *, observables: Any = None) -> None:
        """Record contacts with their forces, where they have any."""
        if contacts is None:
            return
        count = min(int(contacts.rigid_contact_count.numpy()[0]), int(contacts.rigid_contact_max))
        for name, kind in _CONTACT.items():
            array = getattr(contacts, f"rigid_contact_{name}", None)
            shape = (count,) if kind is wp.int32 else (count, 3)
            values = np.zeros(shape, dtype=np.int32 if kind is wp.int32 else np.float32)
            if array is not None:
                values[:] = array.numpy()[:count]
            elif name == "force" and getattr(contacts, "force", None) is not None:  # Newton's: on the first shape
                values[:] = -contacts.force.numpy()[:count, :3]
            self._frame[f"contact/{name}"] = values

    def end_frame(self) -> None:
        """Keep the frame."""
        self.history.append(self._frame)
        self._frame = {"time": np.float64(self.time)}
        self._unsaved += 1
        if self.auto_save and self._unsaved >= max(self.save_interval, len(self.history) // 2):
            self.save_recording()

    def is_running(self) -> bool:
        """True until it is closed."""
        return self._running

    def close(self) -> None:
        """Write the file."""
        if self._running and self._unsaved:
            self.save_recording()
        self._running = False

    def save_recording(self, file_path: str | os.PathLike[str] | None = None) -> None:
        """Write all frames; the file there was is replaced at once, or left whole if that fails.

        Raises:
            ModelError: There was no ``set_model``.
        """
        if self._packed is None:
            raise ModelError(problem("ViewerFile", "frames without a model", "set_model before the first frame", "call viewer.set_model(model)"))
        description, arrays = self._packed
        header = json.dumps({"format": FORMAT, "version": VERSION, "model": description})
        store = {"header": np.frombuffer(header.encode(), dtype=np.uint8), **arrays, **self._columns()}
        path = Path(file_path or self.output_path)
        with replacing(path) as partial, partial.open("wb") as stream:
            np.savez_compressed(stream, **store)
        self._unsaved = 0

    def _columns(self) -> dict[str, np.ndarray]:
        """Frames as arrays with one row a frame."""
        frames = list(self.history)
        names = [name for name in ("time", *_STATE) if frames and all(name in frame for frame in frames)]
        found = {f"frame/{name}": np.stack([frame[name] for frame in frames]) for name in names}
        empty = np.zeros((0, 3), dtype=np.float32)
        counts = [len(frame.get("contact/shape0", ())) for frame in frames]
        if any(counts):
            found["contact/count"] = np.array(counts, dtype=np.int32)
            for name, kind in _CONTACT.items():
                none = empty[:, 0].astype(np.int32) if kind is wp.int32 else empty
                found[f"contact/{name}"] = np.concatenate([frame.get(f"contact/{name}", none) for frame in frames])
        return found

    # -- reading ------------------------------------------------------------------------------------------------------

    def load_recording(self, file_path: str | os.PathLike[str] | None = None) -> None:
        """Read a recording: ``model`` is then what was recorded, ``load_state`` fills states from its frames.

        Raises:
            ImporterError: The file is no recording, or damaged.
            OSError: It cannot be read.
        """
        path = Path(file_path or self.output_path)
        arrays, header = _read(path)
        if header.get("version") != VERSION:
            text = problem(f"{path}: version", repr(header.get("version")), str(VERSION), "record it again")
            raise ImporterError(text)
        self.model = unpack(header.get("model"), arrays)
        self._packed = header["model"], {name: array for name, array in arrays.items() if name.startswith("model/")}
        self.history.clear()
        self.history.extend(_frames(path, arrays))
        self._unsaved = 0

    def get_frame_count(self) -> int:
        """Number of frames."""
        return len(self.history)

    def has_model(self) -> bool:
        """Whether there is a model."""
        return self.model is not None

    def time_of(self, frame_id: int) -> float:
        """Time of a frame [s]."""
        return float(self.history[frame_id]["time"])

    def load_state(self, state: Any, frame_id: int) -> None:
        """Fill a state of the model from a frame."""
        for name in _STATE:
            array = getattr(state, name, None)
            if array is not None and name in self.history[frame_id]:
                array.assign(self.history[frame_id][name])

    def load_contacts(self, frame_id: int) -> Any:
        """Contacts of a frame under the names of a Contacts container; None where none were recorded."""
        frame = self.history[frame_id]
        if "contact/shape0" not in frame:
            return None
        made = SimpleNamespace(rigid_contact_max=len(frame["contact/shape0"]), force=None)
        made.rigid_contact_count = wp.array([made.rigid_contact_max], dtype=wp.int32, device="cpu")
        for name, kind in _CONTACT.items():
            setattr(made, f"rigid_contact_{name}", wp.array(frame[f"contact/{name}"], dtype=kind, device="cpu"))
        return made


def _read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and header of a recording."""
    remedy = "write one with 'newtonish record MODEL --out run.npz'"
    arrays = read_arrays(path, remedy)
    try:
        header = json.loads(arrays["header"].tobytes())
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise ValueError("another format")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ImporterError(problem(str(path), f"no recording ({error})", "a recording (.npz)", remedy)) from error
    return arrays, header


def _frames(path: Path, arrays: dict[str, np.ndarray]) -> list[dict[str, np.ndarray]]:
    """The rows of the frames' arrays, each with its contacts."""
    names = {name.removeprefix("frame/"): array for name, array in arrays.items() if name.startswith("frame/")}
    lengths = {len(array) if array.ndim else -1 for array in names.values()}
    counts = arrays.get("contact/count")
    whole = counts is None or (counts.ndim == 1 and len(counts) in lengths and all(len(arrays.get(f"contact/{n}", ())) == counts.sum() for n in _CONTACT))
    if "time" not in names or len(lengths) != 1 or not whole:
        raise ImporterError(problem(f"{path}: frames", "arrays of unequal length, or none", "one row a frame", "record it again"))
    ends = None if counts is None else np.cumsum(counts)
    found = []
    for i in range(lengths.pop()):
        frame = {name: array[i] for name, array in names.items()}
        if ends is not None:
            rows = slice(int(ends[i] - counts[i]), int(ends[i]))
            frame |= {f"contact/{name}": arrays[f"contact/{name}"][rows] for name in _CONTACT}
        found.append(frame)
    return found
