"""A recording behind the interface of a simulation, so that a window plays it with pause, steps and going back."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.errors import ImporterError, problem
from newtonish.viewer.file import ViewerFile
from newtonish.viewer.history import History
from newtonish.viewer.realtime import RealTime, faster, slower

__all__ = ["Replay"]


class Replay:
    """Frames of a ViewerFile; starts over at the end. Has the attributes of a :class:`Simulation`, without controls and pushes.

    Args:
        path: The recording, .npz.

    Raises:
        ImporterError: It is no recording, damaged, or has no frames.
    """

    solver: Any = None
    control: Any = None
    is_stale = False

    def __init__(self, path: str | PathLike[str]) -> None:
        self.paused, self.speed, self.world, self.profiling, self.perturbation = False, 1.0, 0, False, None
        self.history, self.messages, self.generation = History(), [], 0
        self.keyframes: list[str] = []
        self.stages: list[str] = []
        self._load(Path(path))

    def _load(self, path: Path) -> None:
        file = ViewerFile(path)
        file.load_recording()
        if not file.get_frame_count():
            raise ImporterError(problem(str(path), "a recording without frames", "one frame at least", "record it again"))
        self._path, self._file, self.model = path, file, file.model
        self.state = self.model.state()
        self._times = np.array([file.time_of(i) for i in range(file.get_frame_count())])
        self.dt = float(np.median(np.diff(self._times))) if len(self._times) > 1 else 1.0
        self.generation += 1
        self._realtime = RealTime()
        self.frame = -1
        self._show(0)

    def _show(self, frame: int) -> bool:
        frame = min(max(frame, 0), len(self._times) - 1)
        if frame == self.frame:
            return False
        self.frame = frame
        self._clock = self._times[frame]
        self._file.load_state(self.state, frame)
        self.contacts = self._file.load_contacts(frame)
        return True

    @property
    def name(self) -> str:
        """Name of the file."""
        return self._path.name

    @property
    def worlds(self) -> int:
        """Number of worlds."""
        return max(1, int(getattr(self.model, "world_count", 1)))

    @property
    def time(self) -> float:
        """Time of the frame shown [s]."""
        return float(self._times[self.frame])

    @property
    def moments(self) -> tuple[int, int]:
        """Frames behind and ahead."""
        return self.frame, len(self._times) - 1 - self.frame

    def advance(self, seconds: float) -> int:
        """Show the frame of ``seconds`` later, at ``speed``; returns how many frames further that is."""
        if self.paused:
            self._realtime.rest()
            return 0
        before, now = self.frame, self._clock + seconds * self.speed
        if now > self._times[-1] + self.dt:
            self._show(0)
        else:
            self._show(int(np.searchsorted(self._times, now + 1e-9, side="right")) - 1)
            self._clock = now
            self._realtime.note(seconds, seconds * self.speed)
        return abs(self.frame - before)

    def step(self) -> None:
        """The next frame."""
        self._show(self.frame + 1)

    def back(self, steps: int = 1) -> bool:
        """Frames back; returns whether there were any."""
        return self._show(self.frame - steps)

    def forward(self, steps: int = 1) -> bool:
        """Frames forward; returns whether there were any."""
        return self._show(self.frame + steps)

    def seek(self, place: int) -> bool:
        """A frame by its number; returns whether it is another one."""
        return self._show(place)

    def slower(self) -> None:
        """The next lower of the speeds."""
        self.speed = slower(self.speed)

    def faster(self) -> None:
        """The next higher of the speeds."""
        self.speed = faster(self.speed)

    def reset(self) -> None:
        """The first frame."""
        self._show(0)

    def load(self, source: Any) -> str | None:
        """Play another recording; None, or what is wrong with it."""
        try:
            self._load(Path(source))
        except (ImporterError, OSError) as error:
            return str(error)
        return None

    def reload(self) -> str | None:
        """Read the file again."""
        return self.load(self._path)

    def controls(self) -> list[Any]:
        """None: a recording follows no controls."""
        return []

    def physics(self) -> list[Any]:
        """None are known."""
        return []

    def joints(self) -> list[Any]:
        """None are known."""
        return []

    def sensors(self) -> list[Any]:
        """None are recorded."""
        return []

    def statistics(self) -> dict[str, float]:
        """``time``, ``real-time factor``, and ``contacts`` of all worlds where they were recorded."""
        found = {"time": self.time, "real-time factor": self._realtime.factor}
        return found if self.contacts is None else {**found, "contacts": self.contacts.rigid_contact_max}
