"""A viewer that shows nothing: for tests, and for the time that a script takes without one."""

from __future__ import annotations

import time
from typing import Any

import warp as wp

from newtonish.viewer.base import ViewerBase

__all__ = ["ViewerNull"]


class ViewerNull(ViewerBase):
    """Counts frames and stops after some of them.

    Args:
        num_frames: Frames until ``is_running`` is False.
        benchmark: Whether frames are timed.
        benchmark_timeout: Seconds of timed frames after which it stops as well; timed then in any case.
        benchmark_start_frame: Frames before timing begins.

    Attributes:
        frame_count: Frames so far.
    """

    def __init__(
        self,
        num_frames: int = 1000,
        benchmark: bool = False,
        benchmark_timeout: float | None = None,
        benchmark_start_frame: int = 3,
    ) -> None:
        super().__init__()
        self.num_frames, self.frame_count = int(num_frames), 0
        self.benchmark = benchmark or benchmark_timeout is not None
        self.benchmark_timeout, self.benchmark_start_frame = benchmark_timeout, int(benchmark_start_frame)
        self._started: float | None = None
        self._elapsed = 0.0

    def _left_out(self, method: str, name: str, allowed: str = "", remedy: str = "") -> None:
        """Nothing is shown here, and nothing needs to be said of it."""

    def end_frame(self) -> None:
        """Count the frame."""
        self.frame_count += 1
        if not self.benchmark or self.frame_count < self.benchmark_start_frame:
            return
        wp.synchronize()
        now = time.perf_counter()
        self._started = now if self._started is None else self._started
        self._elapsed = now - self._started

    def is_running(self) -> bool:
        """Whether frames, and time if that is bounded, are left."""
        late = self.benchmark_timeout is not None and self._started is not None and self._elapsed >= self.benchmark_timeout
        return self.frame_count < self.num_frames and not late

    def benchmark_result(self) -> dict[str, Any] | None:
        """``fps``, ``frames`` and ``elapsed`` [s] of the timed frames; None if frames are not timed."""
        if not self.benchmark:
            return None
        frames = max(0, self.frame_count - self.benchmark_start_frame) if self._elapsed > 0.0 else 0
        return {"fps": frames / self._elapsed if frames else 0.0, "frames": frames, "elapsed": self._elapsed}
