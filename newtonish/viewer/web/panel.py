"""The page's panel: everything a window's panels have, from the session's present values.

What a visitor does arrives in a thread of the server's. It is handed to ``post``, and done by the window between two frames.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from newtonish.viewer.realtime import SPEEDS
from newtonish.viewer.scene import Frame, Label
from newtonish.viewer.scene.options import FLAGS, GROUPS, VisualOptions
from newtonish.viewer.script_panel import Row, ScriptPanel
from newtonish.viewer.script_simulation import ScriptSimulation
from newtonish.viewer.session import Session
from newtonish.viewer.watching import number_text

__all__ = ["Panel"]

FREE = "free"
MOMENTS = 200
"""Most points of a curve."""


class Panel:
    """Panels of one session on one server, for all its visitors.

    Args:
        server: A ``viser.ViserServer``.
        session: What it is about.
        post: Takes a function and its arguments, and calls it between two frames.
        look: Called with a visitor and the place of a camera of the model, -1 for the free one.
    """

    def __init__(self, server: Any, session: Session, post: Callable[..., None], look: Callable[[Any, int], None]) -> None:
        self._gui, self._session, self._post, self._look = server.gui, session, post, look
        self._values: list[tuple[Any, Callable[[], Any]]] = []
        self._curves: dict[str, list[np.ndarray]] = {}
        self._plots: list[tuple[Any, str]] = []
        self._moments: Any = None
        self._times: list[float] = []
        self._kept: dict[Any, dict[int, float]] = {}
        self._pictures: dict[str, tuple[Any, int]] = {}
        self._texts: list[tuple[Any, Callable[[], str]]] = []
        self._gui.reset()
        self._gui.set_panel_label(session.simulation.name)
        self._gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
        self._simulation()
        self._timeline()
        self._cameras()
        for script in session.script_panels:
            self._script(script)
        self._sliders("Control", [(s.name, s.low, s.high, functools.partial(session.simulation.set_control, s.index), s.index)
                                  for s in session.simulation.controls() if s.settable], self._controls_now)  # fmt: skip
        self._sliders("Joints", [(s.name, s.low, s.high, functools.partial(self._move_joint, s.index), s.index)
                                 for s in self._joints()], self._joints_now)  # fmt: skip
        self._sensors()
        self._watch()
        self._physics()
        self._show()

    # -- what there is ------------------------------------------------------------------------------------------------

    def _simulation(self) -> None:
        session, gui = self._session, self._gui
        sim = session.simulation
        self._status = gui.add_markdown("")
        buttons = gui.add_button_group("time", ("pause", "back", "step", "reset"))
        commands = {"pause": session.pause, "back": session.back, "step": session.step, "reset": session.reset}
        buttons.on_click(self._by_visitor(lambda name, _client: commands[name]()))
        speed = gui.add_dropdown("speed", [_speed(value) for value in SPEEDS], initial_value=_speed(sim.speed))
        self._bind(speed, lambda name: setattr(sim, "speed", SPEEDS[[_speed(v) for v in SPEEDS].index(name)]), lambda: _speed(sim.speed))
        if sim.keyframes:
            keys = gui.add_dropdown("keyframe", ["", *sim.keyframes], initial_value="")
            self._bind(keys, lambda name: session.keyframe(sim.keyframes.index(name)) if name else None, None)
        if sim.worlds > 1:
            world = gui.add_number("world", sim.world, min=0, max=sim.worlds - 1, step=1, hint="whose numbers, controls and joints are shown")
            self._bind(world, lambda value: setattr(sim, "world", int(value)), lambda: sim.world)
        reload = gui.add_button("reload the file")
        reload.on_click(self._by_visitor(lambda _value, _client: session.reload()))

    def _timeline(self) -> None:
        """The moments that are kept, to be dragged through and played again."""
        session, gui = self._session, self._gui
        if isinstance(session.simulation, ScriptSimulation):
            return
        self._moments = gui.add_slider("moment", 0, 1, 1, 0, hint="where the present is among the moments that are kept")
        self._moments.on_update(self._by_visitor(lambda place, _client: session.seek(int(place))))
        buttons = gui.add_button_group("history", ("first", "play", "last"))
        commands = {"first": session.first, "play": session.play, "last": session.last}
        buttons.on_click(self._by_visitor(lambda name, _client: commands[name]()))

    def _script(self, script: ScriptPanel) -> None:
        """A panel of the script's own."""
        gui = self._gui
        with gui.add_folder(script.name):
            for row in script.rows:
                if row.kind in ("text", "value"):
                    self._texts.append((gui.add_markdown(""), functools.partial(_row_text, row)))
                elif row.kind == "button":
                    gui.add_button(row.name).on_click(self._by_visitor(functools.partial(_press, row)))
                elif row.kind == "switch":
                    self._bind(gui.add_checkbox(row.name, bool(row.read())), row.write, functools.partial(_is_on, row))
                elif row.kind == "choice":
                    self._bind(gui.add_dropdown(row.name, row.choices, initial_value=row.read()), row.write, row.read)
                else:
                    read = functools.partial(_within, row)
                    self._bind(gui.add_slider(row.name, row.low, row.high, (row.high - row.low) / 1000, read()), row.write, read)

    def _watch(self) -> None:
        """Fields of m and d, by a text that visitors type."""
        session, gui = self._session, self._gui
        if getattr(session.simulation, "solver", None) is None:
            return
        with gui.add_folder("Watch"):
            field = gui.add_text("field", "", hint="for instance qpos[knee], xpos[torso][2], opt.timestep")
            buttons = gui.add_button_group("watch", ("add", "remove all"))
            acts = {"add": lambda: session.watches.add(session.simulation, field.value.strip()), "remove all": session.watches.clear}
            buttons.on_click(self._by_visitor(lambda name, _client: acts[name]()))
            self._texts.append((gui.add_markdown(""), lambda: _watched(session)))

    def _cameras(self) -> None:
        names = self._session.maker.camera_names()
        shown = [FREE, *(name or f"camera {at}" for at, name in enumerate(names))]
        camera = self._gui.add_dropdown("camera", shown, initial_value=FREE, hint="each visitor's own")

        @camera.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                self._post(self._look, event.client, shown.index(event.target.value) - 1)

    def _sliders(self, title: str, rows: list[tuple[str, float, float, Callable[[float], None], int]], read: Callable[[], dict[int, float]]) -> None:
        if not rows:
            return
        with self._gui.add_folder(title, expand_by_default=len(rows) <= 12):
            for name, low, high, move, index in rows:
                value = float(np.clip(read()[index], low, high))
                slider = self._gui.add_slider(name, low, high, max((high - low) / 1000, 1e-9), value)
                self._bind(slider, move, functools.partial(self._within, read, index, low, high))

    def _sensors(self) -> None:
        from viser import uplot

        sensors = self._session.simulation.sensors()
        if not sensors:
            return
        with self._gui.add_folder("Sensors", expand_by_default=len(sensors) <= 4):
            for sensor in sensors[:24]:
                series = [uplot.Series(label="time")]
                series += [uplot.Series(label=f"{k}", stroke=_INK[k % len(_INK)], width=1.5) for k in range(np.size(sensor.values))]
                empty = tuple(np.zeros(1) for _ in series)
                self._plots.append((self._gui.add_uplot(empty, tuple(series), title=sensor.name, aspect=2.5), sensor.name))

    def _physics(self) -> None:
        sim = self._session.simulation
        options = sim.physics()
        if not options:
            return
        with self._gui.add_folder("Physics", expand_by_default=False):
            for option in options:
                handle: Any
                if option.choices:
                    handle = self._gui.add_dropdown(option.name, option.choices, initial_value=option.value)
                elif isinstance(option.value, bool):
                    handle = self._gui.add_checkbox(option.name, option.value)
                else:
                    handle = self._gui.add_number(option.name, option.value, step=1 if isinstance(option.value, int) else None)
                self._bind(handle, functools.partial(sim.set_physics, option.name), None)

    def _show(self) -> None:
        options = self._session.options
        with self._gui.add_folder("Show", expand_by_default=False):
            for flag in FLAGS:
                box = self._gui.add_checkbox(flag, getattr(options, flag))
                self._bind(box, functools.partial(setattr, options, flag), functools.partial(getattr, options, flag))
            for name, kinds in (("frame", Frame), ("label", Label)):
                choice = self._gui.add_dropdown(name, [kind.name.lower() for kind in kinds], initial_value=getattr(options, name).name.lower())
                self._bind(choice, functools.partial(_choose, options, name, kinds), functools.partial(_chosen, options, name))
        with self._gui.add_folder("Groups", expand_by_default=False):
            for name in GROUPS:
                kind = name.removesuffix("group")
                for number in range(6):
                    box = self._gui.add_checkbox(f"{kind} {number}", getattr(options, name)[number])
                    shown = getattr(options, name)
                    self._bind(box, functools.partial(shown.__setitem__, number), functools.partial(shown.__getitem__, number))

    # -- every frame --------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show present values: a few times a second."""
        self._kept.clear()
        self._status.content = self._status_text()
        for handle, read in self._values:
            value = read()
            same = abs(handle.value - value) < 1e-6 * max(1.0, abs(value)) if isinstance(value, float) else handle.value == value
            if not same:
                handle.value = value
        for handle, say in self._texts:
            if handle.content != (text := say()):
                handle.content = text
        if self._moments is not None:
            behind, ahead = self._session.simulation.moments
            for name, number in (("max", max(behind + ahead, 1)), ("value", behind)):
                if getattr(self._moments, name) != number:
                    setattr(self._moments, name, number)
        if self._plots:
            self._draw_curves()
        for name, (pixels, _, version) in self._session.pictures.items():
            if name not in self._pictures:
                self._pictures[name] = self._gui.add_image(pixels, label=name), version
            elif self._pictures[name][1] != version:
                handle = self._pictures[name][0]
                handle.image = pixels
                self._pictures[name] = handle, version

    def _status_text(self) -> str:
        session = self._session
        numbers = session.simulation.statistics()
        parts = [f"**{numbers['time']:.2f} s**" + (" paused" if session.simulation.paused else "")]
        if np.isfinite(numbers.get("real-time factor", np.nan)):
            parts.append(f"{numbers['real-time factor']:.2f} x real time")
        parts += [f"{int(numbers[name])} {name}" for name in ("contacts", "rows", "iterations") if name in numbers]
        if np.isfinite(numbers.get("energy", np.nan)):
            parts.append(f"{numbers['energy']:.4g} J")
        lines = [" · ".join(parts)]
        lines += [f"{name}: {value:.5g}" for name, value in session.scalars.items()]
        if session.selected_name():
            lines.append(f"selected: **{session.selected_name()}**")
        if getattr(session.simulation, "is_stale", False):
            lines.append("the file has changed: reload it")
        if session.message:
            lines.append("The old model goes on, because:\n```\n" + session.message + "\n```")
        elif session.note and not session.note.startswith("selected"):
            lines.append(session.note)
        return "\n\n".join(lines)

    def _draw_curves(self) -> None:
        sim = self._session.simulation
        if self._times and sim.time < self._times[-1]:
            self._times.clear()
            self._curves.clear()
        if self._times and sim.time == self._times[-1]:
            return
        self._times.append(sim.time)
        del self._times[:-MOMENTS]
        readings = {sensor.name: np.asarray(sensor.values, float).reshape(-1) for sensor in sim.sensors()}
        for plot, name in self._plots:
            rows = self._curves.setdefault(name, [])
            rows.append(readings[name])
            del rows[:-MOMENTS]
            plot.data = (np.array(self._times), *np.array(rows).T.copy())

    # -- what visitors do ---------------------------------------------------------------------------------------------

    def _bind(self, handle: Any, write: Callable[[Any], Any], read: Callable[[], Any] | None) -> None:
        """What a visitor sets is written between two frames; what has changed otherwise is shown."""
        handle.on_update(self._by_visitor(lambda value, _client: write(value)))
        if read is not None:
            self._values.append((handle, read))

    def _by_visitor(self, act: Callable[[Any, Any], Any]) -> Callable[[Any], None]:
        def heard(event: Any) -> None:
            if event.client is not None:  # values that we have set ourselves come back here without one
                self._post(act, event.target.value, event.client)

        return heard

    # -- values that are read once a refresh --------------------------------------------------------------------------

    def _within(self, read: Callable[[], dict[int, float]], index: int, low: float, high: float) -> float:
        """One of the values that are read together, as far as its slider reaches."""
        if read not in self._kept:
            self._kept[read] = read()
        return float(np.clip(self._kept[read][index], low, high))

    def _controls_now(self) -> dict[int, float]:
        return {slider.index: slider.value for slider in self._session.simulation.controls()}

    def _joints(self) -> list[Any]:
        return self._session.simulation.joints()

    def _joints_now(self) -> dict[int, float]:
        return {slider.index: slider.value for slider in self._joints()}

    def _move_joint(self, index: int, value: float) -> None:
        self._session.simulation.set_joint(index, value)


def _choose(options: VisualOptions, name: str, kinds: Any, text: str) -> None:
    setattr(options, name, kinds[text.upper()])


def _chosen(options: VisualOptions, name: str) -> str:
    return str(getattr(options, name).name.lower())


_INK = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf")


def _row_text(row: Row) -> str:
    """A line of a script's panel."""
    return row.name if row.kind == "text" else f"{row.name}: **{number_text(row.read())}**"


def _press(row: Row, _value: object, _client: object) -> None:
    row.write()


def _is_on(row: Row) -> bool:
    return bool(row.read())


def _within(row: Row) -> float:
    """A slider's number, as far as it reaches."""
    return float(np.clip(row.read(), row.low, row.high))


def _watched(session: Session) -> str:
    """The fields that are watched, and why the last one was not taken."""
    lines = [f"`{text}` {numbers}" for text, numbers in session.watches.shown(session.simulation)]
    return "\n\n".join([*lines, *([session.watches.refused] if session.watches.refused else [])])


def _speed(speed: float) -> str:
    """A factor as people say it."""
    return f"{speed:g} x" if speed >= 1 else f"1/{round(1 / speed)}"
