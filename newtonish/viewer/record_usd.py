"""Recording a simulation as a USD layer over the stage it was read from, or over one that is written for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from newtonish.viewer.record import Sink, record
from newtonish.viewer.usd import ViewerUSD

__all__ = ["StageSink", "record_usd"]


class StageSink(Sink):
    """Writes frames as time samples.

    Args:
        out: The layer, ``.usda``, ``.usdc`` or ``.usd``.
        fps: Time codes in a second.
        worlds: Numbers of the worlds to show, side by side where they are several; None: all.
        spacing: Distance between neighbouring worlds [m]; None: what their motion needs.
        source: File that the simulation was made of; the layer stands on it if it is a USD file.

    Attributes:
        viewer: What writes it: ``stage_path``, ``left_out``, ``frame_count``.
    """

    def __init__(
        self, out: str | PathLike[str], fps: float = 60.0, worlds: Sequence[int] | None = None, spacing: tuple[float, float] | None = None,
        source: str | PathLike[str] | None = None,
    ) -> None:  # fmt: skip
        self._out, self._fps, self._worlds, self._spacing, self._source = Path(out), fps, worlds, spacing, source
        self.viewer: Any = None

    def begin(self, simulation: Any) -> None:
        """Find or write the stage."""
        worlds = list(range(simulation.worlds)) if self._worlds is None else self._worlds
        self.viewer = ViewerUSD(self._out, self._fps, source=self._source, worlds=worlds, spacing=self._spacing)
        self.viewer.set_model(simulation.model)

    def frame(self, simulation: Any) -> None:
        """Take over the poses of the present; frames stand at even times, with the state of the step nearest to each."""
        self.viewer.begin_frame(self.viewer.frame_count / self._fps)
        self.viewer.log_state(simulation.state)
        self.viewer.end_frame()

    def close(self) -> None:
        """Write the layer."""
        self.viewer.close()
        own = self.viewer.stage_path != self._source
        self.written = (self._out, self.viewer.stage_path) if own else (self._out,)


def record_usd(
    simulation: Any, out: str | PathLike[str], seconds: float, fps: float = 60.0, worlds: Sequence[int] | None = None,
    spacing: tuple[float, float] | None = None, source: str | PathLike[str] | None = None, drive: Callable[[Any], None] | None = None,
) -> ViewerUSD:  # fmt: skip
    """Run a ``Simulation`` from where it is and write its motion; see :class:`StageSink` and :func:`newtonish.viewer.record.record`.

    Returns:
        The viewer that wrote it, closed.

    Raises:
        ModelError: There are no such worlds, or the model is not what the stage holds.
    """
    sink = StageSink(out, fps, worlds, spacing, source)
    record(simulation, sink, seconds, fps, drive)
    return sink.viewer
