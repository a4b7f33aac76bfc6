"""``newtonish tune MODEL``: what the gains of a model come to, in the units of springs and dampers, and which are bad."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from rich.text import Text

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, use_device
from newtonish.cli.loading import short_warnings
from newtonish.cli.models import model_path
from newtonish.cli.output import findings
from newtonish.errors import problem

__all__ = ["run"]

_Column = tuple[str, Callable[[Any], str]]


def _figure(value: float) -> str:
    return "0" if abs(value) < _ROUNDING else f"{value:.3g}"


def _authored(row: Any) -> str:
    """solref, and the number of solimp that counts beyond its width."""
    return f"{' '.join(map(_figure, row.authored['solref']))}; {_figure(row.authored['solimp'][1])}"


_ROUNDING = 1e-12
"""What stands for nothing in a table."""

_UNITS = "per m: N/m, N s/m, kg, m; per rad: N m/rad, N m s/rad, kg m^2, rad"

_KINDS = {"limit": "Joint limits", "equality": "Equalities", "contact": "Contacts"}

_DRIVES: tuple[_Column, ...] = (
    ("drive", lambda row: row.name),
    ("per", lambda row: row.unit),
    ("stiffness", lambda row: _figure(row.stiffness)),
    ("damping", lambda row: _figure(row.damping)),
    ("inertia free", lambda row: _figure(row.inertia)),
    ("held", lambda row: _figure(row.held_inertia)),
    ("Hz", lambda row: _figure(row.natural_frequency / (2.0 * math.pi))),
    ("damping ratio", lambda row: _figure(row.damping_ratio)),
    ("omega h", lambda row: _figure(row.omega_h)),
    ("gives way", lambda row: _figure(row.depth)),
)

_CONSTRAINTS: tuple[_Column, ...] = (
    ("name", lambda row: row.name + (f" ({row.points} points)" if row.points > 1 else "")),
    ("solref; dmax", _authored),
    ("per", lambda row: row.unit),
    ("stiffness rest, motion", lambda row: f"{_figure(row.stiffness)}\n{_figure(row.dynamic_stiffness)}"),
    ("damping rest, motion", lambda row: f"{_figure(row.damping)}\n{_figure(row.dynamic_damping)}"),
    ("inertia", lambda row: _figure(row.inertia)),
    ("Hz", lambda row: _figure(row.natural_frequency / (2.0 * math.pi))),
    ("ratio", lambda row: _figure(row.damping_ratio)),
    ("omega h", lambda row: _figure(row.omega_h)),
    ("depth", lambda row: _figure(row.depth)),
    ("clamp", lambda row: ", ".join(row.clamps)),
)


def _print_table(title: str, columns: Sequence[_Column], rows: Sequence[Any], left: int) -> None:
    red = [number for number, row in enumerate(rows) if row.bad]
    cells = [[cell(row) for _, cell in columns] for row in rows]
    tables.grid(title, [name for name, _ in columns], cells, left=left, red=red)


def _print_remedies(rows: Sequence[Any]) -> None:
    output = tables.console()
    lines = [f"{row.kind} {row.name}: {remedy}" for row in rows for remedy in row.remedies]
    output.print(Text(f"\n{len(lines)} to look at" if lines else "\nNothing to complain of"), soft_wrap=True)
    for line in lines:
        output.print(Text(line, style="red"), soft_wrap=True)


def _refuse_search(arguments: Namespace) -> None:
    """Options of a search have no meaning without bounds to meet."""
    given = [name for name in ("joint", "payload_body", "out", "plot", "resume") if getattr(arguments, name) is not None]
    if given:
        remedy = "add --spec settle=0.2,overshoot=0.05, or leave it out"
        raise UsageError(problem(f"--{given[0].replace('_', '-')}", "no --spec", "a search for gains, which needs bounds", remedy))


def run(arguments: Namespace) -> int:
    """Carry out the command; a model with bad rows is no error."""
    if arguments.spec is not None:
        from newtonish.cli.tuner import run as search

        return search(arguments)
    _refuse_search(arguments)
    path = model_path(arguments.model)
    use_device("cpu")
    from newtonish.tuning import diagnose

    with short_warnings(path):
        rows = diagnose(path, arguments.pose)
    drives = [row for row in rows if row.kind == "drive"]
    if drives:
        _print_table(f"Drives, {_UNITS}", _DRIVES, drives, left=2)
    for kind, title in _KINDS.items():
        some = [row for row in rows if row.kind == kind]
        if some:
            _print_table(f"{title}, {_UNITS}", _CONSTRAINTS, some, left=3)
    _print_remedies(rows)
    findings(arguments, {"file": str(path), "rows": [asdict(row) for row in rows]})
    return 0
