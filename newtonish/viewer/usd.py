"""A viewer that writes what it is shown as a USD stage with time-sampled poses, which usdview and others play."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.viewer.base import ViewerBase

__all__ = ["ViewerUSD"]

SUFFIXES = (".usd", ".usda", ".usdc")


class ViewerUSD(ViewerBase):
    """Records poses over a stage: the one that the model was read from, or one that is written beside the recording.

    Args:
        output_path: The recording, ``.usda`` for text, ``.usdc`` or ``.usd`` for the binary form.
        fps: Time codes in a second; frames are placed at their own times.
        num_frames: Frames after which ``is_running`` is False; None: never.
        source: The USD file that the model was read from, once or as copies in several worlds; None, or a file of another
            format: the model's first world is written as a stage beside the recording, called ``NAME_model.usdc``.
        worlds: Numbers of the worlds to show, side by side where they are several; None: the first.
        spacing: Distance between neighbouring worlds [m]; None: what their motion needs.

    Attributes:
        frame_count: Frames so far.
        left_out: What the stage cannot show as it is, one line each.
    """

    def __init__(
        self, output_path: str | PathLike[str], fps: float = 60, *, num_frames: int | None = None, source: str | PathLike[str] | None = None,
        worlds: Sequence[int] | None = None, spacing: tuple[float, float] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        from newtonish.importers.usd.runtime import need_usd

        need_usd()
        self.output_path = Path(output_path)
        if self.output_path.suffix.lower() not in SUFFIXES:
            raise ModelError(problem("ViewerUSD: output_path", repr(str(output_path)), f"a name that ends in {', '.join(SUFFIXES)}", "choose such a name"))
        if not fps > 0:
            raise ModelError(problem("ViewerUSD: fps", repr(fps), "a number above zero", "pass frames per second"))
        self.fps, self.num_frames, self.frame_count = float(fps), num_frames, 0
        self._source = Path(source) if source is not None and Path(source).suffix.lower() in (*SUFFIXES, ".usdz") else None
        self._worlds, self._spacing = list(worlds) if worlds is not None else [0], spacing
        self._layer: Any = None
        self.left_out: list[str] = []

    @property
    def stage_path(self) -> Path:
        """The stage that the recording stands on."""
        return self._source or self.output_path.with_name(f"{self.output_path.stem}_model.usdc")

    def set_model(self, model: Any) -> None:
        """Record a model, ours or Newton's; a stage is written where there is none.

        Raises:
            ModelError: The model is not what the stage holds, or has no such worlds.
        """
        super().set_model(model)
        if model is None:
            return
        from newtonish.exporters.usd.motion import MotionLayer
        from newtonish.exporters.usd.scenery import read_scenery, written_scenery

        scenery = written_scenery(model, self.stage_path) if self._source is None else read_scenery(model, self._source)
        self.left_out = scenery.left_out
        self._layer = MotionLayer(scenery, self.output_path, self._worlds, self.fps, self._spacing)
        self.frame_count = 0

    def path_in(self, world: int, path: str) -> str:
        """Where a prim of the stage stands in the recording."""
        return self._recorder().path_in(world, path)

    def log_state(self, state: Any) -> None:
        """Record the poses of the bodies."""
        poses = np.zeros((0, 7), dtype=np.float32) if state.body_q is None else state.body_q.numpy()  # nothing moves
        self._recorder().add(self.time, poses)

    def end_frame(self) -> None:
        """Count the frame."""
        self.frame_count += 1

    def is_running(self) -> bool:
        """Whether frames are left."""
        return self.num_frames is None or self.frame_count < self.num_frames

    def close(self) -> None:
        """Write the recording."""
        if self._layer is not None:
            self._layer.save()
            self._layer = None

    def _recorder(self) -> Any:
        if self._layer is None:
            raise ModelError(
                problem("ViewerUSD", "a frame without a model", "set_model before the first frame, and frames before close", "call viewer.set_model(model)")
            )
        return self._layer
