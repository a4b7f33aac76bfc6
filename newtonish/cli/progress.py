"""Bars on stderr, only where somebody can see them move."""

from __future__ import annotations

from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn

from newtonish.cli import tables

__all__ = ["Progress", "bar"]


class _Bar(Progress):
    def stop(self) -> None:
        if not self.disable:  # before rich 14 the end of a bar that was never shown is an empty line
            super().stop()


def bar(*columns: ProgressColumn) -> Progress:
    """A bar behind the description of its task, followed by these columns."""
    console = tables.console(stderr=True)
    return _Bar(TextColumn("{task.description}"), BarColumn(), *columns, console=console, transient=True, disable=not console.is_terminal)
