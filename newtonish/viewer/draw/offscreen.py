"""Pictures without a window and without a display."""

from __future__ import annotations

import numpy as np

from newtonish.viewer.draw.context import HeadlessContext
from newtonish.viewer.draw.renderer import Renderer
from newtonish.viewer.scene import Scene

__all__ = ["OffscreenRenderer"]


class OffscreenRenderer:
    """A :class:`Renderer` with an OpenGL context of its own, which is current only inside its methods.

    Args:
        width, height: Of the pictures [pixels].
        samples: Samples a pixel: 1, or more for smooth edges; None: as a window would have here.
        shadow_size: Side of the pictures that lights see [pixels]; 0 draws without shadows, None: as a window would have here.

    Raises:
        ViewerUnavailable: Without EGL or without a driver of OpenGL 3.3.

    Example:
        >>> with OffscreenRenderer(640, 480) as renderer:  # doctest: +SKIP
        ...     renderer.draw(scene)
        ...     picture = renderer.color()
    """

    def __init__(self, width: int = 640, height: int = 480, samples: int | None = 4, shadow_size: int | None = 2048) -> None:
        self._context = HeadlessContext()
        with self._context:
            self._renderer = Renderer(width, height, samples, shadow_size)

    width = property(lambda self: self._renderer.width, doc="Of the pictures [pixels].")
    height = property(lambda self: self._renderer.height, doc="Of the pictures [pixels].")

    def __enter__(self) -> OffscreenRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def resize(self, width: int, height: int) -> None:
        """Draw pictures of another size from now on."""
        with self._context:
            self._renderer.resize(width, height)

    def draw(self, scene: Scene) -> None:
        """Draw a scene."""
        with self._context:
            self._renderer.draw(scene)

    def color(self) -> np.ndarray:
        """(height, width, 3) uint8 colours of the last picture, the top row first."""
        with self._context:
            return self._renderer.color()

    def depth(self) -> np.ndarray:
        """(height, width) float32 distances along the line of sight [m]; where nothing is, that of the far plane."""
        with self._context:
            return self._renderer.depth()

    def segmentation(self) -> np.ndarray:
        """(height, width, 2) int32: the kind of what is seen and which it is, -1 and -1 where nothing is."""
        with self._context:
            return self._renderer.segmentation()

    @property
    def draws(self) -> int:
        """Draw calls of the last picture."""
        return self._renderer.draws

    def finish(self) -> None:
        """Wait until everything is drawn; reading does so itself."""
        with self._context:
            self._renderer.finish()

    def close(self) -> None:
        """Free the pictures and the context."""
        if self._context is not None:
            with self._context:
                self._renderer.close()
            self._context.close()
            self._context = None
