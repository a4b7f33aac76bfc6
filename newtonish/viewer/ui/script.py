"""Panels of a script's own in the window."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from newtonish.viewer.script_panel import Row, ScriptPanel
from newtonish.viewer.ui import theme
from newtonish.viewer.ui.canvas import Canvas
from newtonish.viewer.ui.widgets import Area, Panel
from newtonish.viewer.watching import number_text

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["draw_script_panel"]


def draw_script_panel(canvas: Canvas, areas: list[Area], script: ScriptPanel, x: float, y: float, width: float, room: float) -> float:
    """Draw it as far as there is room; returns its height."""
    if room < 3 * theme.ROW:
        return 0.0
    panel = Panel(canvas, areas, script.name, x, y, width, room, len(script.rows))
    for row in script.rows:
        _DRAWN[row.kind](panel, row, f"{script.name} ")
    return panel.height + theme.MARGIN


def _value(panel: Panel, row: Row, _prefix: str) -> None:
    text = number_text(row.read())
    room = panel.width - panel.canvas.font.width(row.name) - 4 * theme.MARGIN
    panel.line(row.name, panel.canvas.font.fitted(text, max(room, 40)))


def _switch(panel: Panel, row: Row, prefix: str) -> None:
    on = bool(row.read())
    panel.buttons([row.name], [on], [functools.partial(row.write, not on)], prefix)


def _choice(panel: Panel, row: Row, prefix: str) -> None:
    now = row.read()
    place = row.choices.index(now) if now in row.choices else 0
    before, after = row.choices[place - 1], row.choices[(place + 1) % len(row.choices)]
    panel.buttons(["<", f"{row.name}: {now}", ">"], [False, True, False],
                  [functools.partial(row.write, before), lambda: None, functools.partial(row.write, after)], f"{prefix}{row.name} ")  # fmt: skip


_DRAWN: dict[str, Callable[[Panel, Row, str], None]] = {
    "text": lambda panel, row, _: panel.heading(row.name),
    "value": _value,
    "button": lambda panel, row, prefix: panel.buttons([row.name], [False], [row.write], prefix),
    "switch": _switch,
    "slider": lambda panel, row, prefix: panel.slider(row.name, float(row.read()), row.low, row.high, row.write, prefix),
    "choice": _choice,
}
