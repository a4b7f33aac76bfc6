"""What the controllers' examples share: a film of a run, drawn off screen. Needs ``pip install "newtonish[view]"``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from newtonish import mjw
from newtonish.viewer import Renderer
from newtonish.viewer.encoders import open_encoder

FPS = 12.5


def film(path: Path, source: str | Path, poses: np.ndarray, interval: float, camera: str | None, size: tuple[int, int] = (240, 160)) -> None:
    """Draw poses that follow each other.

    Args:
        path: Of the film; what the end of its name says (.gif, .mp4).
        source: The model, as text or path.
        poses: Shape (frames, nq).
        interval: Between poses [s].
        camera: Of the model; None: the free one.
        size: Width and height [pixels].
    """
    _, d = mjw.load(source)
    encoder = open_encoder(path, FPS)
    with Renderer(source, size[1], size[0]) as renderer:
        for time in np.arange(0.0, interval * len(poses), 1.0 / FPS):
            d.qpos.assign(poses[None, min(int(time / interval), len(poses) - 1)])
            renderer.update(d, camera=camera)
            encoder.add(renderer.render())
    encoder.close()
