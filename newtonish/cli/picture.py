"""The picture of ``newtonish simulate --picture``: the first world at the end of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from newtonish.cli.arguments import UsageError
from newtonish.errors import problem

__all__ = ["check_picture", "draw"]

SIZE = (800, 600)


def check_picture(path: Path) -> None:
    """Raise before a long run when the picture could not be drawn after it.

    Raises:
        UsageError: The name is not that of a picture.
        ViewerUnavailable: OpenGL is missing.
    """
    if path.suffix.lower() != ".png":
        text = problem(f"--picture {str(path)!r}", f"a name that ends in {path.suffix!r}", ".png", "choose such a name")
        raise UsageError(text)
    from newtonish.viewer.draw import OffscreenRenderer

    OffscreenRenderer(8, 8).close()


def draw(source: Path, final: dict[str, np.ndarray], path: Path) -> None:
    """Draw a model where its first world came to.

    Args:
        source: The model file.
        final: ``final_qpos`` of all worlds.
        path: The picture.
    """
    from newtonish.viewer.encoders import open_encoder
    from newtonish.viewer.record import Artist, ImageSink, record
    from newtonish.viewer.simulation import Simulation

    def follow(maker: Any) -> Any:
        """The free camera, gone as far as the bodies have on average: what has fallen over or run away stays in the picture."""
        camera = maker.free_camera()
        camera.lookat = camera.lookat + (_middle(simulation.state) - start)
        return camera

    simulation = Simulation(source, device="cpu")
    start = _middle(simulation.state)
    simulation.set_coordinates(final["final_qpos"][0])
    record(simulation, ImageSink(open_encoder(path, 1.0), lambda shown: Artist(shown, *SIZE, follow)), 0.0, 1.0)


def _middle(state: Any) -> np.ndarray:
    """Mean position of the bodies, zero without any [m]."""
    if state.body_q is None or not len(state.body_q):
        return np.zeros(3)
    return state.body_q.numpy()[:, :3].astype(np.float64).mean(axis=0)
