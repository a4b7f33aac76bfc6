"""The timeline: where the present is among the moments that are kept, to be dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newtonish.viewer.ui import theme
from newtonish.viewer.ui.canvas import Canvas
from newtonish.viewer.ui.widgets import Area, Panel

if TYPE_CHECKING:
    from newtonish.viewer.session import Session

__all__ = ["HEIGHT", "draw_timeline"]

HEIGHT = theme.ROW + 12
BUTTONS = 210


def draw_timeline(canvas: Canvas, areas: list[Area], session: Session, x: float, y: float, width: float) -> None:
    """Draw it: first, back, play, step, last, and the moments as a bar."""
    sim = session.simulation
    behind, ahead = sim.moments
    panel = Panel(canvas, areas, "", x, y, width, HEIGHT, 1)
    areas[-1].name = "panel timeline"
    row = panel.y
    panel.width = BUTTONS
    playing = not sim.paused and (getattr(sim, "replaying", False) or sim.solver is None)
    panel.buttons(["first", "back", "play", "step", "last"], [False, False, playing, False, False],
                  [session.first, session.back, session.play, session.step, session.last], "timeline ")  # fmt: skip
    panel.y, panel.x, panel.width = row, x + BUTTONS - theme.MARGIN, width - BUTTONS + theme.MARGIN
    total = behind + ahead
    panel.slider(f"{sim.time:.3f} s", behind, 0, max(total, 1), lambda place: session.seek(round(place)), "timeline ")
    areas[-1].name = "timeline moments"
