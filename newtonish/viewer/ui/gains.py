"""The gains panel: what ``newtonish.tuning.diagnose`` says of each drive, limit, equality and contact, bad rows first."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from newtonish.viewer.ui import theme
from newtonish.viewer.ui.canvas import Canvas

__all__ = ["draw_gains", "table_of"]

COLUMNS = (("", 0.0), ("name", 74.0), ("N/m", 330.0), ("N s/m", 405.0), ("Hz", 465.0), ("ratio", 525.0), ("gives way", 600.0))
"""Heads and right ends of the columns [pixels]; the first two begin there."""

WIDTH = 620
LINE = 18


def table_of(rows: Sequence[Any]) -> list[tuple[list[str], bool, tuple[str, ...]]]:
    """Cells, whether something is wrong, and what to do, of each row; those that are bad first. Gains are those in motion, a hinge's per rad."""

    def figure(value: float) -> str:
        return f"{value:.3g}" if math.isfinite(value) else "-"

    ordered = sorted(rows, key=lambda row: not row.bad)
    return [
        ([row.kind, row.name[:34], *map(figure, (row.dynamic_stiffness, row.dynamic_damping, row.natural_frequency / (2.0 * math.pi), row.damping_ratio, row.depth))],
         row.bad, row.remedies)
        for row in ordered
    ]  # fmt: skip


def draw_gains(canvas: Canvas, rows: Sequence[Any] | None) -> None:
    """Draw the table in the middle, with remedies under bad rows as far as there is room; None: of a simulation whose gains are not known."""
    lines: list[tuple[list[str], tuple[float, ...]]] = []
    if rows is None:
        lines.append((["gains of scripts and recordings are not known here"], theme.FAINT))
    for cells, bad, remedies in table_of(rows or ()):
        lines.append((cells, theme.WARNING if bad else theme.TEXT))
        for remedy in remedies:
            lines += [([text], theme.FAINT) for text in textwrap.wrap(remedy, 80)]
    room = max(int((canvas.height - 110) / LINE), 1)
    hidden = max(len(lines) - room, 0)
    shown = [*lines[: room - 1], ([f"{hidden + 1} more lines: newtonish tune MODEL"], theme.FAINT)] if hidden else lines
    shown = shown or [(["no drives, limits, equalities or contacts"], theme.FAINT)]
    height = LINE * len(shown) + 52
    width = min(WIDTH + 24, canvas.width - 16)
    x, y = 0.5 * (canvas.width - width), 42.0
    canvas.rectangle(x, y, width, height, (*theme.PANEL[:3], 0.96))
    canvas.frame(x, y, width, height, theme.ACCENT)
    canvas.text(x + 12, y + 8, "Gains in motion (rad for hinges)", theme.ACCENT)
    _cells(canvas, x + 12, y + 28, [name for name, _ in COLUMNS], theme.FAINT)
    for place, (cells, color) in enumerate(shown):
        _cells(canvas, x + 12, y + 46 + LINE * place, cells, color)


def _cells(canvas: Canvas, x: float, y: float, cells: Sequence[str], color: tuple[float, ...]) -> None:
    for number, text in enumerate(cells):
        canvas.text(x + COLUMNS[number][1], y, text, color, "small", "right" if number > 1 else "left")
