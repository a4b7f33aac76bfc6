"""Panels with buttons, sliders and bars, laid out from top to bottom each time they are drawn.

Whatever can be pressed leaves an :class:`Area` with what it does; the window looks the areas up when the mouse is pressed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from newtonish.viewer.ui import theme
from newtonish.viewer.ui.canvas import Canvas

__all__ = ["Area", "Panel", "find"]


@dataclass
class Area:
    """A place that can be pressed.

    Attributes:
        name: What it is, for instance ``"slider shoulder"``.
        x, y, width, height: Its rectangle [pixels from the upper left corner].
        press: Called with the point's fractions of width and height, from 0 to 1, at the press.
        drag: The same while the mouse moves with the button held; None: nothing happens.
    """

    name: str
    x: float
    y: float
    width: float
    height: float
    press: Callable[[float, float], None] | None = None
    drag: Callable[[float, float], None] | None = None

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is inside."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def fractions(self, x: float, y: float) -> tuple[float, float]:
        """A point as fractions of the rectangle, kept within 0 and 1."""
        across, down = (x - self.x) / max(self.width, 1.0), (y - self.y) / max(self.height, 1.0)
        return float(np.clip(across, 0, 1)), float(np.clip(down, 0, 1))

    @property
    def middle(self) -> tuple[float, float]:
        """Its middle."""
        return self.x + 0.5 * self.width, self.y + 0.5 * self.height


def find(areas: list[Area], x: float, y: float) -> Area | None:
    """The uppermost area at a point."""
    return next((area for area in reversed(areas) if area.holds(x, y)), None)


class Panel:
    """A rectangle that is filled from top to bottom; it ends where the next row would leave the room it was given.

    Args:
        canvas: What it is drawn on.
        areas: Gets what can be pressed.
        title: Its head; empty for none.
        x, y, width: Where it is [pixels].
        room: Height it may have at most.
        rows: Rows it will hold, each of ``theme.ROW`` pixels.
    """

    def __init__(self, canvas: Canvas, areas: list[Area], title: str, x: float, y: float, width: float, room: float, rows: float) -> None:
        self.canvas, self.areas, self.x, self.width = canvas, areas, x, width
        head = theme.ROW + 4 if title else 0
        self.height = min(head + rows * theme.ROW + theme.MARGIN, room)
        self.bottom = y + self.height
        areas.append(Area(f"panel {title.lower()}", x, y, width, self.height))
        canvas.rectangle(x, y, width, self.height, theme.PANEL)
        if title:
            canvas.rectangle(x, y, width, head, theme.HEAD)
            canvas.text(x + theme.MARGIN, y + 3, title, theme.TEXT)
        canvas.frame(x, y, width, self.height, theme.EDGE)
        self.y = y + head + 4

    def _next(self, rows: float = 1.0) -> float | None:
        """Top of the next row, or None where there is no room for it."""
        y = self.y
        if y + rows * theme.ROW > self.bottom + 1:
            return None
        self.y += rows * theme.ROW
        return y

    def heading(self, text: str) -> None:
        """A line of faint text."""
        y = self._next()
        if y is not None:
            self.canvas.text(self.x + theme.MARGIN, y + 4, text, theme.FAINT, "small")

    def line(self, name: str, value: str, color: tuple = theme.TEXT) -> None:
        """A name at the left and a value at the right."""
        y = self._next()
        if y is not None:
            self.canvas.text(self.x + theme.MARGIN, y + 1, name, theme.FAINT)
            self.canvas.text(self.x + self.width - theme.MARGIN, y + 1, value, color, align="right")

    def buttons(self, names: list[str], on: list[bool], press: list[Callable[[], object]], prefix: str = "") -> None:
        """A row of buttons; those that are on are lit."""
        y = self._next()
        if y is None or not names:
            return
        gap = 4
        width = (self.width - 2 * theme.MARGIN - gap * (len(names) - 1)) / len(names)
        for place, (name, lit, action) in enumerate(zip(names, on, press, strict=True)):
            x = self.x + theme.MARGIN + place * (width + gap)
            self.canvas.rectangle(x, y + 1, width, theme.ROW - 3, theme.BUTTON_ON if lit else theme.BUTTON)
            label = self.canvas.font.fitted(name, width - 4, "small")
            self.canvas.text(x + 0.5 * width, y + 3, label, theme.TEXT if lit else theme.FAINT, "small", "center")
            self.areas.append(Area(f"{prefix}{name}", x, y, width, theme.ROW, lambda _x, _y, action=action: action()))

    def slider(self, name: str, value: float, low: float, high: float, move: Callable[[float], object] | None, prefix: str = "slider ") -> None:
        """A value within a range that the mouse can drag; None for ``move``: it is only shown."""
        y = self._next()
        if y is None:
            return
        x, width, height = self.x + theme.MARGIN, self.width - 2 * theme.MARGIN, theme.ROW - 4
        span = high - low if high > low else 1.0
        share = float(np.clip((value - low) / span, 0, 1)) if np.isfinite(value) else 0.0
        zero = float(np.clip(-low / span, 0, 1))
        self.canvas.rectangle(x, y + 1, width, height, theme.TRACK)
        left, right = sorted((zero, share))
        self.canvas.rectangle(x + left * width, y + 1, max((right - left) * width, 1), height, theme.BUTTON_ON)
        if move is not None:
            self.canvas.rectangle(x + share * (width - 3), y + 1, 3, height, theme.TEXT)
        label = self.canvas.font.fitted(name, width - 60, "small")
        self.canvas.text(x + 5, y + 3, label, theme.TEXT, "small")
        self.canvas.text(x + width - 5, y + 3, f"{value:.3g}", theme.TEXT, "small", "right")

        def to(across: float, _down: float) -> None:
            if move is not None:
                move(low + across * (high - low))

        self.areas.append(Area(f"{prefix}{name}", x, y, width, theme.ROW, *((to, to) if move is not None else (None, None))))

    def bar(self, name: str, values: np.ndarray, reach: float) -> None:
        """Numbers as bars to both sides of a middle line, as far as ``reach``."""
        y = self._next()
        if y is None:
            return
        x, width, height = self.x + theme.MARGIN, self.width - 2 * theme.MARGIN, theme.ROW - 4
        self.canvas.rectangle(x, y + 1, width, height, theme.TRACK)
        middle, each = x + 0.5 * width, height / max(len(values), 1)
        for place, value in enumerate(values[: int(height)]):
            size = 0.5 * width * float(np.clip(value / reach, -1, 1)) if np.isfinite(value) else 0.0
            color = theme.SERIES[place % len(theme.SERIES)]
            self.canvas.rectangle(min(middle, middle + size), y + 1 + place * each, max(abs(size), 1), max(each - 0.5, 1), (*color[:3], 0.75))
        label = self.canvas.font.fitted(name, width - 70, "small")
        self.canvas.text(x + 5, y + 3, label, theme.TEXT, "small")
        text = f"{values[0]:.3g}" if len(values) == 1 else f"|{np.linalg.norm(values):.3g}|"
        self.canvas.text(x + width - 5, y + 3, text, theme.TEXT, "small", "right")
