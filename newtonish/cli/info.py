"""``newtonish info FILE``: how large a model is, what memory its worlds take, and what became of everything that stands in its file."""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import Any

from newtonish.cli import tables
from newtonish.cli.arguments import use_device
from newtonish.cli.footprint import Footprint, footprint
from newtonish.cli.loading import short_warnings
from newtonish.cli.models import model_path

__all__ = ["run"]

_SIZES = {
    "nbody": "bodies, the world included",
    "njnt": "joints",
    "nq": "position coordinates",
    "nv": "degrees of freedom",
    "nu": "controls",
    "na": "activations",
    "ngeom": "geoms",
    "nsite": "sites",
    "npair": "explicit contact pairs",
    "nexclude": "excluded body pairs",
    "nmesh": "meshes",
    "nkey": "keyframes",
}

_SINGLE = 3
"""As many things with the same note are listed one by one."""

_PARTS = {
    "kept": "Kept",
    "approximated": "Approximated: in the model in another form than written",
    "ignored": "Ignored: read, but without effect on the simulation",
}


def _place(location: Any, folder: Path) -> str:
    """A place as file:line:column, the file named relative to the model's folder."""
    if location is None:
        return ""
    text = str(location)
    return text.replace(location.file, os.path.relpath(location.file, folder), 1) if os.path.exists(location.file) else text


def _grouped(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Rows of places with one note that stands more often than ``_SINGLE`` times made one, at the first of the places."""
    times = Counter(note for place, _, note in rows if place)
    result, seen = [], set()
    for place, subject, note in rows:
        if not place or times[note] <= _SINGLE:
            result.append((place, subject, note))
        elif note not in seen:
            seen.add(note)
            result.append((place, f"{subject} and {tables.count(times[note] - 1)} more", note))
    return result


def _print_report(report: Any, folder: Path) -> None:
    """One table for each kind of fate that something in the file has met."""
    for part, title in _PARTS.items():
        entries = getattr(report, part)
        if not entries:
            print(f"{title.split(':')[0]}: nothing")
            continue
        rows = _grouped([(_place(entry.location, folder), entry.subject, entry.note) for entry in entries])
        if not any(place for place, _, _ in rows):
            tables.grid(title, ("what", "note"), [row[1:] for row in rows], left=2)
        else:
            tables.grid(title, ("where", "what", "note"), rows, left=3)


def _print_memory(memory: Footprint) -> None:
    """What a world takes, and which groups of arrays take most of it."""
    rows = [
        ("contact slots", tables.count(memory.nconmax)),
        ("constraint rows", tables.count(memory.njmax)),
        ("a world", tables.kib(memory.total)),
        ("1,024 worlds", tables.kib(1024 * memory.total)),
        *((f"of which {name}", tables.kib(size)) for name, size in list(memory.groups.items())[:4]),
    ]
    tables.facts("Memory of the arrays, before any of them grows", rows)


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    path = model_path(arguments.model)
    use_device("cpu")
    from newtonish.mjw.load import read_compiled

    with short_warnings(path, limit=None):
        compiled, _, report = read_compiled(str(path))
    sizes = [(f"{name}  {meaning}", tables.count(getattr(compiled, name))) for name, meaning in _SIZES.items()]
    tables.facts(f"{path.name}: sizes", sizes)
    with short_warnings(path, limit=None):
        _print_memory(footprint(compiled))
    _print_report(report, path.resolve().parent)
    return 0
