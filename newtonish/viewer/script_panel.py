"""Panels of a script's own: what stands in them, told once; windows and pages draw it and call back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from newtonish.errors import ModelError, problem

__all__ = ["Row", "ScriptPanel"]


@dataclass(frozen=True)
class Row:
    """One line of a panel.

    Attributes:
        kind: text, value, button, switch, slider or choice.
        name: What stands there; unique within the panel.
        read: Returns what is shown now.
        write: Takes what the user chose; called without arguments for a button.
        low, high: Range of a slider.
        choices: Names to choose from.
    """

    kind: str
    name: str
    read: Callable[[], Any] = lambda: None
    write: Callable[..., Any] = lambda *_: None
    low: float = 0.0
    high: float = 1.0
    choices: tuple[str, ...] = ()


class ScriptPanel:
    """A panel that a script fills, made by ``viewer.add_panel(name)``. Functions are called between two frames, in the thread of the viewer.

    Example:
        >>> gains = {"kp": 50.0}
        >>> panel = ScriptPanel("Controller")
        >>> panel.slider("kp", 0, 200, lambda: gains["kp"], lambda value: gains.update(kp=value))
        >>> panel.button("soft", lambda: gains.update(kp=5.0))

    Attributes:
        name: Its head.
        rows: What stands in it, from top to bottom.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[Row] = []

    def text(self, text: str) -> None:
        """A line of text that stays."""
        self._add(Row("text", text))

    def value(self, name: str, read: Callable[[], Any]) -> None:
        """A name with a number, an array of a few numbers or a text, read again for every picture of the panel."""
        self._add(Row("value", name, read))

    def button(self, name: str, press: Callable[[], Any]) -> None:
        """A button."""
        self._add(Row("button", name, write=press))

    def switch(self, name: str, read: Callable[[], bool], write: Callable[[bool], Any]) -> None:
        """Something that is on or off."""
        self._add(Row("switch", name, read, write))

    def slider(self, name: str, low: float, high: float, read: Callable[[], float], write: Callable[[float], Any]) -> None:
        """A number within a range.

        Raises:
            ModelError: The range is empty.
        """
        if not low < high:
            raise ModelError(problem(f"panel {self.name!r}: slider {name!r}", f"the range {low} to {high}", "low below high", "pass the lower end first"))
        self._add(Row("slider", name, read, write, float(low), float(high)))

    def choice(self, name: str, choices: Sequence[str], read: Callable[[], str], write: Callable[[str], Any]) -> None:
        """One of several names.

        Raises:
            ModelError: There are none.
        """
        if not choices:
            raise ModelError(problem(f"panel {self.name!r}: choice {name!r}", "no names", "one name at least", "pass what can be chosen"))
        self._add(Row("choice", name, read, write, choices=tuple(choices)))

    def _add(self, row: Row) -> None:
        if any(row.name == other.name for other in self.rows):
            raise ModelError(problem(f"panel {self.name!r}", f"{row.name!r} twice", "a name once", "choose another name"))
        self.rows.append(row)
