"""Panels of what a script logs: its numbers, and frames for its pictures, which are drawn over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from newtonish.viewer.ui import theme
from newtonish.viewer.ui.widgets import Area, Panel

if TYPE_CHECKING:
    from newtonish.viewer.session import Session
    from newtonish.viewer.ui.canvas import Canvas

__all__ = ["draw_logged", "placed_pictures"]

Placed = tuple[str, np.ndarray, int, tuple[float, float, float, float]]
SIDE, LOWEST = 214, 172
"""Of the panels at the left [pixels], and where pictures end above the lower edge, above the numbers."""


def placed_pictures(width: int, height: int, session: Session, covering: bool = False) -> list[Placed]:
    """Pictures with their rectangles: in a row above the lower edge, or those that cover the scene, as large as they fit.

    Args:
        width, height: Of the window [pixels].
        session: Whose pictures.
        covering: Those logged with ``fullscreen``.
    """
    placed: list[Placed] = []
    end = height - (LOWEST if session.panels.info else theme.MARGIN)
    x = 2 * theme.MARGIN + SIDE if session.panels.left else theme.MARGIN
    for name, (pixels, fullscreen, version) in session.pictures.items():
        if fullscreen != covering:
            continue
        tall, wide = pixels.shape[:2]
        room = (width, height) if covering else (0.3 * width, 0.3 * height)
        factor = min(room[0] / wide, room[1] / tall)
        across, down = factor * wide, factor * tall
        if covering:
            placed.append((name, pixels, version, (0.5 * (width - across), 0.5 * (height - down), across, down)))
        else:
            placed.append((name, pixels, version, (x, end - down, across, down)))
            x += across + theme.MARGIN
    return placed


def draw_logged(canvas: Canvas, areas: list[Area], session: Session) -> None:
    """Draw the numbers, and the head and edge of each picture."""
    for name, _, _, (x, y, width, height) in placed_pictures(canvas.width, canvas.height, session):
        canvas.rectangle(x, y - theme.ROW, width, theme.ROW, theme.HEAD)
        canvas.text(x + theme.MARGIN, y - theme.ROW + 2, name, theme.TEXT, "small")
        canvas.frame(x - 1, y - theme.ROW - 1, width + 2, height + theme.ROW + 2, theme.EDGE)
        areas.append(Area(f"picture {name}", x, y - theme.ROW, width, height + theme.ROW))
    if session.scalars:
        rows = len(session.scalars)
        x, height = canvas.width - 2 * (SIDE + theme.MARGIN), rows * theme.ROW + 34
        panel = Panel(canvas, areas, "Logged", x, theme.MARGIN + 30, SIDE, min(height, 0.4 * canvas.height), rows)
        for name, value in session.scalars.items():
            panel.line(name, f"{value:.5g}")
