"""The watch panel: fields with their numbers, and a line to type another one into."""

from __future__ import annotations

import functools
import textwrap
from typing import TYPE_CHECKING

from newtonish.viewer.ui import theme
from newtonish.viewer.ui.canvas import Canvas
from newtonish.viewer.ui.widgets import Area, Panel

if TYPE_CHECKING:
    from newtonish.viewer.session import Session

__all__ = ["draw_watch"]

WIDTH = 330
LETTERS = 52
"""Of a line of the refusal."""


def draw_watch(canvas: Canvas, areas: list[Area], session: Session, x: float, y: float) -> None:
    """Draw it with its upper left corner at a point; a press on a field removes it, one on the last line begins to type."""
    watches, sim = session.watches, session.simulation
    shown, near = watches.shown(sim), watches.suggestions(sim)
    refused = textwrap.wrap(watches.refused, LETTERS)
    panel = Panel(canvas, areas, "Watch", x, y, WIDTH, canvas.height - y - theme.MARGIN, len(shown) + 1 + len(near) + len(refused))
    for text, numbers in shown:
        top = panel.y
        panel.line(canvas.font.fitted(text, 130), canvas.font.fitted(numbers, WIDTH - 160))
        if panel.y > top:
            areas.append(Area(f"watched {text}", x, top, WIDTH, theme.ROW, functools.partial(_remove, session, text)))
    typed = "+ field, such as qpos[0]" if watches.entry is None else f"{watches.entry}|"
    panel.buttons([typed], [watches.entry is not None], [watches.begin], "watch another: ")
    areas[-1].name = "watch another"
    for name in near:
        panel.heading(name)
    for line in refused:
        panel.heading(line)


def _remove(session: Session, text: str, _x: float, _y: float) -> None:
    session.watches.remove(text)
