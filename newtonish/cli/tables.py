"""Tables and numbers as the commands print them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from newtonish.cli.output import is_quiet

__all__ = ["console", "count", "facts", "grid", "kib", "si", "working"]

_PLAIN_WIDTH, _WIDEST = 110, 200
"""Columns when the output is a file or a pipe, where there is no window to ask; as many as that for a table that would be folded."""


def console(stderr: bool = False) -> Console:
    """A console that writes to the current stdout or stderr, plain when that is not a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PLAIN_WIDTH
    return Console(file=stream, width=width, highlight=False, soft_wrap=False, quiet=stderr and is_quiet())


@contextmanager
def working(first: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is being done; call what is yielded with the next thing."""
    with console(stderr=True).status(first) as status:
        yield status.update


def count(value: float) -> str:
    """A whole number with thousands separated."""
    return f"{round(value):,}"


def si(value: float) -> str:
    """A rate with three digits and a unit prefix: 91200 becomes ``91.2 k``."""
    for scale, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= scale:
            return f"{value / scale:.3g}{unit}"
    return f"{value:.3g}"


def kib(size: float) -> str:
    """Bytes as KiB, or MiB where they are many."""
    return f"{size / 2**20:.1f} MiB" if size >= 2**20 else f"{size / 1024.0:.1f} KiB"


def _show(title: str, table: Table) -> None:
    """Print a title above its table; as rich's own title it would be folded to the table's width."""
    output = console()
    output.print(Text(f"\n{title}"), soft_wrap=True)
    if not output.is_terminal:
        wanted = Measurement.get(output, output.options.update_width(_WIDEST), table).maximum
        output.width = max(output.width, min(wanted, _WIDEST))
    output.print(table)


def facts(title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Print a two-column table of names and values."""
    table = Table(show_header=False)
    table.add_column("what", no_wrap=True)
    table.add_column("value", justify="right")
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    _show(title, table)


def grid(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1, wrap: bool = True, red: Collection[int] = ()) -> None:
    """Print a table with a header; the first ``left`` columns are text, the others numbers, and rows whose number is in ``red`` are red."""
    table = Table()
    for index, name in enumerate(header):
        table.add_column(name, justify="left" if index < left else "right", overflow="fold", no_wrap=not wrap)
    for number, row in enumerate(rows):
        table.add_row(*(Text(cell) for cell in row), style="red" if number in red else None)
    _show(title, table)
