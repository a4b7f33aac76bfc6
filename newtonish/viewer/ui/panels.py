"""All panels of a window: what is shown where, redrawn from the session's present values."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from newtonish.viewer.input_map import FLAG_KEYS, KEYS, MOUSE, key_text
from newtonish.viewer.scene.options import GROUPS
from newtonish.viewer.ui import theme
from newtonish.viewer.ui.canvas import Canvas
from newtonish.viewer.ui.gains import draw_gains
from newtonish.viewer.ui.history import HEIGHT, draw_timeline
from newtonish.viewer.ui.logged import draw_logged
from newtonish.viewer.ui.plots import Line, plot
from newtonish.viewer.ui.script import draw_script_panel
from newtonish.viewer.ui.watch import draw_watch
from newtonish.viewer.ui.widgets import Area, Panel

if TYPE_CHECKING:
    from newtonish.viewer.physics import PhysicsOption
    from newtonish.viewer.session import Session

__all__ = ["draw_panels"]

WIDTH = 214
"""Of the panels at the sides [pixels]."""

PLOT_HEIGHT = 132
KEY_OF_FLAG = {flag: key_text(key) for key, flag in FLAG_KEYS.items()}


def draw_panels(canvas: Canvas, session: Session, frame_rate: float) -> list[Area]:
    """Draw everything that is open.

    Args:
        canvas: What it is drawn on.
        session: What it is about.
        frame_rate: Pictures a second, for the info panel.

    Returns:
        Everything that can be pressed, the uppermost last.
    """
    areas: list[Area] = []
    panels, m = session.panels, theme.MARGIN
    if panels.left:
        below = _simulation(canvas, areas, session, m)
        below = _visibility(canvas, areas, session, below + m)
        _groups(canvas, areas, session, below + m)
    inner = 2 * m + WIDTH if panels.left else m
    floor = canvas.height
    if panels.timeline and sum(session.simulation.moments):
        floor -= HEIGHT + m
        draw_timeline(canvas, areas, session, inner, floor, canvas.width - inner - m)
    room: float = floor - 2 * m
    if panels.profiler:
        room -= _profiler(canvas, session, floor) + m
    used = 0.0
    if panels.right:
        for script in session.script_panels:
            used += draw_script_panel(canvas, areas, script, canvas.width - WIDTH - m, m + used, WIDTH, 0.5 * (room - used))
        used += _controls(canvas, areas, session, m + used, (0.4 if panels.sensors else 0.6) * (room - used))
        used += _joints(canvas, areas, session, m + used, (0.7 if panels.sensors else 1.0) * room - used)
    room -= used
    if panels.sensors:
        _sensors(canvas, areas, session, m + used, room)
    if panels.gains:
        draw_gains(canvas, session.gain_rows())
    if panels.physics:
        _physics(canvas, areas, session)
    else:
        if panels.info:
            _info(canvas, session, frame_rate, floor)
        if panels.watch:
            draw_watch(canvas, areas, session, inner, 2 * m + 24)
    draw_logged(canvas, areas, session)
    _status(canvas, session)
    if session.message:
        _message(canvas, areas, session)
    if panels.help:
        _help(canvas)
    return areas


def _simulation(canvas: Canvas, areas: list[Area], session: Session, y: float) -> float:
    """Pause, steps, speed, keyframes, cameras, worlds; returns where it ends."""
    sim = session.simulation
    keys, worlds = sim.keyframes[:8], sim.worlds
    rows = 4 + (len(keys) + 1) // 2 + (worlds > 1)
    panel = Panel(canvas, areas, sim.name, theme.MARGIN, y, WIDTH, canvas.height - 2 * y, rows)
    panel.buttons(["pause", "back", "step"], [sim.paused, False, False], [session.pause, session.back, session.step])
    panel.buttons(["reset", "reload"], [False, False], [session.reset, session.reload])
    panel.buttons(["slower", f"{_speed(sim.speed)}", "faster"], [False, sim.speed != 1, False], [session.slower, lambda: None, session.faster])
    names = session.maker.camera_names()
    place = session.camera.fixed if session.camera.type == 2 else -1
    shown = "free" if session.camera.type == 0 else "follows" if session.camera.type == 1 else names[int(place)] or f"camera {place}"
    panel.buttons(["<", shown, ">"], [False, True, False], [session.previous_camera, session.free_camera, session.next_camera], "camera ")
    for first in range(0, len(keys), 2):
        pair = range(first, min(first + 2, len(keys)))
        panel.buttons([keys[k] for k in pair], [False] * len(pair), [functools.partial(session.keyframe, k) for k in pair], "keyframe ")
    if worlds > 1:
        panel.buttons([f"world {sim.world} of {worlds}"], [False], [session.next_world])
    return panel.bottom


def _visibility(canvas: Canvas, areas: list[Area], session: Session, y: float) -> float:
    """What is shown, two switches a row."""
    flags = list(KEY_OF_FLAG)
    if canvas.height - y < 80:
        return y
    panel = Panel(canvas, areas, "Show", theme.MARGIN, y, WIDTH, canvas.height - y - theme.MARGIN, (len(flags) + 1) // 2 + 1)
    for first in range(0, len(flags), 2):
        pair = flags[first : first + 2]
        panel.buttons(
            [f"{flag} {KEY_OF_FLAG[flag]}" for flag in pair],
            [getattr(session.options, flag) for flag in pair],
            [functools.partial(session.flag, flag) for flag in pair], "show ",
        )  # fmt: skip
    panel.buttons(["shadows S", "wireframe W", "mirrors R"], [session.shadows, session.wireframe, bool(session.reflections)],
                  [session.toggle_shadows, session.toggle_wireframe, session.toggle_reflections], "show ")  # fmt: skip
    return panel.bottom


def _groups(canvas: Canvas, areas: list[Area], session: Session, y: float) -> None:
    """Groups of geoms, sites, joints, tendons, actuators, skins."""
    if canvas.height - y < 60:
        return
    panel = Panel(canvas, areas, "Groups", theme.MARGIN, y, WIDTH, canvas.height - y - theme.MARGIN, len(GROUPS))
    for name in GROUPS:
        kind = name.removesuffix("group")
        top = panel.y
        panel.x, panel.width = theme.MARGIN + 62, WIDTH - 62
        panel.buttons([str(number) for number in range(6)], list(getattr(session.options, name)),
                      [functools.partial(session.group, kind, number) for number in range(6)], f"group {kind} ")  # fmt: skip
        if panel.y > top:
            canvas.text(theme.MARGIN + 8, top + 3, kind, theme.FAINT, "small")


def _controls(canvas: Canvas, areas: list[Area], session: Session, y: float, room: float) -> float:
    """A slider for each control; returns the height."""
    sliders = session.simulation.controls()
    if not sliders or room < 3 * theme.ROW:
        return 0.0
    panel = Panel(canvas, areas, "Control", canvas.width - WIDTH - theme.MARGIN, y, WIDTH, room, len(sliders) + 1)
    sim = session.simulation
    panel.buttons(["all zero"], [False], [lambda: [sim.set_control(slider.index, 0.0) for slider in sliders if slider.settable]])
    for slider in sliders:
        move = functools.partial(sim.set_control, slider.index) if slider.settable else None
        panel.slider(slider.name, slider.value, slider.low, slider.high, move)
    return panel.height + theme.MARGIN


def _joints(canvas: Canvas, areas: list[Area], session: Session, y: float, room: float) -> float:
    """A slider for each hinge and slide; returns the height."""
    sliders = session.simulation.joints()
    if not sliders or room < 3 * theme.ROW:
        return 0.0
    panel = Panel(canvas, areas, "Joints", canvas.width - WIDTH - theme.MARGIN, y, WIDTH, room, len(sliders))
    for slider in sliders:
        panel.slider(slider.name, slider.value, slider.low, slider.high, functools.partial(session.simulation.set_joint, slider.index), "joint ")
    return panel.height + theme.MARGIN


def _physics(canvas: Canvas, areas: list[Area], session: Session) -> None:
    """Every option: choices and numbers in steps, flags two a row."""
    options, sim = session.simulation.physics(), session.simulation
    overridden = any(option.name == "enable override" and option.value for option in options)
    options = [option for option in options if overridden or not option.name.startswith("o_")]
    flags = [option for option in options if isinstance(option.value, bool)]
    others = [option for option in options if not isinstance(option.value, bool)]
    left = 2 * theme.MARGIN + WIDTH if session.panels.left else theme.MARGIN
    columns = ((flags, left + WIDTH + theme.MARGIN, "Flags"), (others, left, "Physics"))
    for rows, x, title in columns:
        if not rows:
            continue
        panel = Panel(canvas, areas, title, x, theme.MARGIN, WIDTH, canvas.height - 2 * theme.MARGIN, len(rows))
        for option in rows:
            change = functools.partial(sim.set_physics, option.name)
            if isinstance(option.value, bool):
                panel.buttons([option.name], [option.value], [functools.partial(change, not option.value)], "physics ")
                continue
            less, more = _beside(option)
            text = option.value if isinstance(option.value, str) else f"{option.value:g}"
            still: list[Callable[[], object]] = [functools.partial(change, less), lambda: None, functools.partial(change, more)]
            panel.buttons(["<", f"{option.name}: {text}", ">"], [False, True, False], still, f"physics {option.name} ")


def _beside(option: PhysicsOption) -> tuple[object, object]:
    """What a press to the left and to the right of an option makes of it."""
    value = option.value
    if isinstance(value, str):
        place = option.choices.index(value)
        return option.choices[place - 1], option.choices[(place + 1) % len(option.choices)]
    if isinstance(value, int):
        return max(value - 1, 0), value + 1
    step = 0.1 * abs(value) or 0.1
    return value - step, value + step


def _sensors(canvas: Canvas, areas: list[Area], session: Session, y: float, room: float) -> None:
    """A bar for each number of each sensor, scaled by the greatest of its kind."""
    sensors = session.simulation.sensors()
    if not sensors or room < 3 * theme.ROW:
        return
    reach: dict[str, float] = {}
    for sensor in sensors:
        largest = float(np.nanmax(np.abs(sensor.values), initial=1e-9))
        reach[sensor.kind] = max(reach.get(sensor.kind, 1e-9), sensor.cutoff or largest)
    panel = Panel(canvas, areas, "Sensors", canvas.width - WIDTH - theme.MARGIN, y, WIDTH, room, len(sensors))
    for sensor in sensors:
        panel.bar(sensor.name, np.asarray(sensor.values, float).reshape(-1), reach[sensor.kind])


def _profiler(canvas: Canvas, session: Session, floor: float) -> float:
    """Plots at the lower right, above a height; returns theirs."""
    history, m = session.simulation.history, theme.MARGIN
    width = min(340, canvas.width - 2 * WIDTH)
    plots = (
        ("Time of a stage", "ms", [*session.simulation.stages] or ["step"]),
        ("Solver", "iterations", ["iterations"]),
        ("Contacts and rows", "", ["contacts", "rows"]),
    )  # fmt: skip
    height = min(PLOT_HEIGHT, (floor - 4 * m) // 3)
    top = floor - len(plots) * (height + m)
    for place, (title, unit, names) in enumerate(plots):
        lines = [Line(name, *history.series(name)) for name in _largest(history, names)]
        plot(canvas, title, unit, lines, canvas.width - width - m, top + place * (height + m), width, height)
    return len(plots) * (height + m)


def _largest(history: object, names: list[str], count: int = 6) -> list[str]:
    """The series with the largest last values, in a lasting order."""
    chosen = sorted(names, key=lambda name: -np.nan_to_num(history.last(name)))[:count]
    return [name for name in names if name in chosen]


def _info(canvas: Canvas, session: Session, frame_rate: float, floor: float) -> None:
    """Numbers at the lower left of the picture, above a height."""
    numbers = session.simulation.statistics()
    lines = [("time", f"{numbers['time']:.3f} s"), ("real time", _factor(numbers["real-time factor"]))]
    lines += [(name, f"{int(numbers[name])}") for name in ("contacts", "rows", "iterations") if name in numbers]
    if np.isfinite(numbers.get("energy", np.nan)):
        lines.append(("energy", f"{numbers['energy']:.4g} J"))
    lines.append(("pictures", f"{frame_rate:.0f} /s"))
    height = len(lines) * theme.ROW + theme.MARGIN
    x = 2 * theme.MARGIN + WIDTH if session.panels.left else theme.MARGIN
    panel = Panel(canvas, [], "", x, floor - height - theme.MARGIN, 176, height, len(lines))
    for name, value in lines:
        panel.line(name, value)


def _status(canvas: Canvas, session: Session) -> None:
    """What is going on, at the top of the picture."""
    sim = session.simulation
    parts = [] if not sim.paused else ["paused"]
    behind, ahead = sim.moments
    if sim.paused and ahead:
        parts.append(f"{ahead} step{'s' if ahead > 1 else ''} back")
    if sim.speed != 1 and not sim.paused:
        parts.append(_speed(sim.speed))
    if getattr(sim, "is_stale", False):
        parts.append("the file has changed: ctrl L")
    if session.selected_name():
        parts.append(f"selected: {session.selected_name()}")
    if session.note:
        parts.append(session.note)
    if not parts:
        parts = ["F1: help"]
    text = "  ·  ".join(dict.fromkeys(parts))
    width = canvas.font.width(text) + 24
    x, y = 0.5 * (canvas.width - width), theme.MARGIN
    canvas.rectangle(x, y, width, 24, theme.PANEL)
    canvas.text(x + 12, y + 3, text, theme.WARNING if sim.paused else theme.TEXT)


def _message(canvas: Canvas, areas: list[Area], session: Session) -> None:
    """What went wrong, in full, above everything."""
    width = min(canvas.width - 80, 760)
    letters = int(width / 7.2)
    lines = [part for line in session.message.split("\n") for part in textwrap.wrap(line, letters) or [""]][:12]
    height = 34 + 18 * len(lines) + 20
    x, y = 0.5 * (canvas.width - width), 48
    canvas.rectangle(x, y, width, height, theme.ERROR)
    canvas.frame(x, y, width, height, theme.WARNING)
    canvas.text(x + 14, y + 8, "The old model goes on, because:", theme.WARNING)
    for place, line in enumerate(lines):
        canvas.text(x + 14, y + 32 + 18 * place, line, theme.TEXT)
    canvas.text(x + width - 14, y + height - 20, "press here or Esc to close", theme.FAINT, "small", "right")

    def away(_x: float, _y: float) -> None:
        session.message = ""

    areas.append(Area("message", x, y, width, height, away))


def _help(canvas: Canvas) -> None:
    """Keys and mouse, above everything."""
    rows = [(key_text(key), text) for key, _, text in KEYS]
    more = [*MOUSE, ("", ""), ("letters", "what is shown: see the left panel"), ("0 to 5", "groups of geoms (shift: of sites)")]
    count = max(len(rows), len(more))
    line = int(min(18, max((canvas.height - 60) / count, 10)))  # all of it, also in a low window
    height = line * count + 52
    width = min(780, canvas.width - 16)
    x, y = 0.5 * (canvas.width - width), max(0.5 * (canvas.height - height), 4)
    canvas.rectangle(x, y, width, height, (*theme.PANEL[:3], 0.96))
    canvas.frame(x, y, width, height, theme.ACCENT)
    canvas.text(x + 16, y + 10, "Keys", theme.ACCENT)
    canvas.text(x + 0.46 * width, y + 10, "Mouse", theme.ACCENT)
    for left, gap, entries in ((x + 16, 92, rows), (x + 0.46 * width, 132, more)):
        for place, (name, text) in enumerate(entries):
            canvas.text(left, y + 36 + line * place, name, theme.TEXT, "small")
            canvas.text(left + gap, y + 36 + line * place, text, theme.FAINT, "small")


def _speed(speed: float) -> str:
    """A factor as people say it."""
    return f"{speed:g} x real time" if speed >= 1 else f"1/{round(1 / speed)} real time"


def _factor(value: float) -> str:
    """The factor that was reached."""
    return f"{value:.2f} x" if np.isfinite(value) else "-"
