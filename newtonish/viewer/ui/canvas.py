"""A sheet to draw on: rectangles, lines and texts become triangles with colours and places in the font's picture.

Places are in pixels from the upper left corner; colours are red, green, blue, opacity from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from newtonish.viewer.ui.font import the_font

__all__ = ["Canvas"]

Color = Sequence[float]
CORNERS = np.array([[0, 1], [2, 1], [2, 3], [0, 1], [2, 3], [0, 3]])
"""Of the six corners of a rectangle's two triangles, which of left, top, right, bottom they are at."""


class Canvas:
    """Collects what is drawn.

    Args:
        width, height: Of the sheet [pixels].
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.font = the_font()
        self._parts: list[np.ndarray] = []

    def rectangle(self, x: float, y: float, width: float, height: float, color: Color) -> None:
        """A filled rectangle."""
        self._quads(np.array([[x, y, x + width, y + height, *self.font.full, *self.font.full]], np.float32), color)

    def frame(self, x: float, y: float, width: float, height: float, color: Color, thickness: float = 1.0) -> None:
        """The rectangle's edge."""
        t = thickness
        edges = ((x, y, x + width, y + t), (x, y + height - t, x + width, y + height),
                 (x, y + t, x + t, y + height - t), (x + width - t, y + t, x + width, y + height - t))  # fmt: skip
        self._quads(np.array([(*edge, *self.font.full, *self.font.full) for edge in edges], np.float32), color)

    def text(self, x: float, y: float, text: str, color: Color, size: str = "normal", align: str = "left") -> float:
        """One line of text whose upper corner is at a point; ``align`` says which: left, center or right. Returns its width."""
        quads, width = self.font.quads(text, size)
        if len(quads):
            moved = quads.copy()
            moved[:, [0, 2]] += np.floor(x - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width)
            moved[:, [1, 3]] += np.floor(y)
            self._quads(moved, color)
        return width

    def line(self, points: np.ndarray, color: Color, thickness: float = 1.5) -> None:
        """A line through (n, 2) points."""
        points = np.asarray(points, np.float32).reshape(-1, 2)
        if len(points) < 2:
            return
        start, end = points[:-1], points[1:]
        along = end - start
        length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-6)[:, None]
        along = along / length
        side = np.stack([-along[:, 1], along[:, 0]], axis=1) * (0.5 * thickness)
        start, end = start - along * 0.25 * thickness, end + along * 0.25 * thickness
        corners = np.stack([start - side, end - side, end + side, start - side, end + side, start + side], axis=1)
        self._triangles(corners.reshape(-1, 2), color)

    def vertices(self) -> np.ndarray:
        """(n, 8) float32: place, place in the font's picture, colour; three rows a triangle, later ones on top."""
        return np.concatenate(self._parts) if self._parts else np.zeros((0, 8), np.float32)

    def _quads(self, quads: np.ndarray, color: Color) -> None:
        made = np.empty((len(quads), 6, 8), np.float32)
        made[:, :, 0:2] = quads[:, CORNERS]
        made[:, :, 2:4] = quads[:, CORNERS + 4]
        made[:, :, 4:] = color
        self._parts.append(made.reshape(-1, 8))

    def _triangles(self, corners: np.ndarray, color: Color) -> None:
        made = np.empty((len(corners), 8), np.float32)
        made[:, :2] = corners
        made[:, 2:4] = self.font.full
        made[:, 4:] = color
        self._parts.append(made)
