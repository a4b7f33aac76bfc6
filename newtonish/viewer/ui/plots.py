"""Plots of numbers over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.viewer.ui import theme
from newtonish.viewer.ui.canvas import Canvas

__all__ = ["Line", "nice_steps", "plot"]


@dataclass
class Line:
    """A series.

    Attributes:
        name: For the legend.
        times, values: (n,) each.
    """

    name: str
    times: np.ndarray
    values: np.ndarray


def nice_steps(top: float, count: int = 3) -> list[float]:
    """Values of about ``count`` grid lines between zero and ``top``: multiples of 1, 2 or 5 times a power of ten."""
    if not np.isfinite(top) or top <= 0:
        return [0.0, 1.0]
    rough = top / count
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= 0.999 * rough)
    return [step * number for number in range(int(np.floor(top / step + 1e-9)) + 1)]


def plot(canvas: Canvas, title: str, unit: str, lines: list[Line], x: float, y: float, width: float, height: float) -> None:
    """Draw series over time in a rectangle, zero at the bottom, with a grid, the range of time, and a legend with the last values.

    Args:
        canvas: What it is drawn on.
        title, unit: Its head.
        lines: The series.
        x, y, width, height: The rectangle [pixels].
    """
    canvas.rectangle(x, y, width, height, theme.PANEL)
    canvas.frame(x, y, width, height, theme.EDGE)
    canvas.text(x + 8, y + 4, title, theme.TEXT)
    canvas.text(x + width - 8, y + 6, unit, theme.FAINT, "small", "right")
    lines = [line for line in lines if len(line.values)]
    legend = 110 if len(lines) > 1 else 0
    left, top, right, bottom = x + 44, y + 28, x + width - 10 - legend, y + height - 22
    if not lines or right - left < 20:
        canvas.text(0.5 * (left + right), 0.5 * (top + bottom), "no steps yet", theme.FAINT, "small", "center")
        return
    finite = np.concatenate([line.values[np.isfinite(line.values)] for line in lines])
    # a single outlier, as when another program had the processor, does not flatten everything else
    high = min(float(finite.max()), 4 * float(np.percentile(finite, 95)) or np.inf) if len(finite) else 1.0
    high = 1.1 * high if high > 0 else 1.0
    first = min(float(line.times[0]) for line in lines)
    last = max(float(line.times[-1]) for line in lines)
    span = max(last - first, 1e-9)
    for value in nice_steps(high):
        level = bottom - (bottom - top) * value / high
        canvas.rectangle(left, round(level), right - left, 1, theme.GRID)
        canvas.text(left - 5, level - 8, f"{value:.3g}", theme.FAINT, "small", "right")
    canvas.text(left, bottom + 3, f"{first:.2f} s", theme.FAINT, "small")
    canvas.text(right, bottom + 3, f"{last:.2f} s", theme.FAINT, "small", "right")
    for place, line in enumerate(lines):
        color = theme.SERIES[place % len(theme.SERIES)]
        values = np.nan_to_num(np.asarray(line.values, float))
        points = np.stack([left + (right - left) * (line.times - first) / span, bottom - (bottom - top) * np.clip(values / high, 0, 1)], axis=1)
        canvas.line(_thinned(points, int(right - left)), color)
        if legend and top + 15 * (place + 1) < y + height:
            canvas.rectangle(right + 10, top + 15 * place + 5, 8, 3, color)
            name = canvas.font.fitted(line.name.replace("_", " "), 60, "small")
            canvas.text(right + 22, top + 15 * place - 1, name, theme.TEXT, "small")
            canvas.text(x + width - 6, top + 15 * place - 1, f"{values[-1]:.2g}", theme.FAINT, "small", "right")


def _thinned(points: np.ndarray, count: int) -> np.ndarray:
    """No more points than pixels."""
    return points if len(points) <= count else points[np.linspace(0, len(points) - 1, count).astype(int)]
