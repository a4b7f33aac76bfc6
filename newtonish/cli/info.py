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
from newtonish.cli.output import findings
from newtonish.mjcf.language.schema import schema

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

_ORDER = {name: number for number, name in enumerate(schema("mujoco").children)}
_KEPT_HEADER = ("section", "element", "number", "first", "attributes")

_SINGLE = 3
"""As many things with the same note are listed one by one."""

_PARTS = {
    "approximated": "Approximated: in the model in another form than written",
    "ignored": "Ignored: read, but without effect on the simulation",
}


def _place(location: Any, folder: Path) -> str:
    """A place as file:line:column, the file named relative to the model's folder."""
    text = str(location)
    return text.replace(location.file, os.path.relpath(location.file, folder), 1) if os.path.exists(location.file) else text


def _grouped(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Rows of places with one note that stands more often than ``_SINGLE`` times made one, at the first of the places."""
    times = Counter(note for _, _, note in rows)
    result, seen = [], set()
    for place, subject, note in rows:
        if times[note] <= _SINGLE:
            result.append((place, subject, note))
        elif note not in seen:
            seen.add(note)
            result.append((place, f"{subject} and {tables.count(times[note] - 1)} more", note))
    return result


def _print_model(report: Any) -> None:
    """What the model holds, as counts."""
    tables.facts("In the model", [(entry.subject, entry.note) for entry in report.kept])


def _print_kept(report: Any, folder: Path) -> None:
    """Every kind of element that is kept, with the attributes that are."""
    attributes: dict[tuple[str, str], list[str]] = {}
    for line in report.contents:
        if line.attribute and line.fate == "kept":
            attributes.setdefault((line.section, line.element), []).append(line.attribute)
    rows, before = [], ""
    for line in sorted(report.contents, key=lambda line: _ORDER.get(line.section, len(_ORDER))):
        own = attributes.get((line.section, line.element), [])
        if line.attribute or line.fate != "kept" or not (own or line.element != line.section):
            continue
        rows.append(
            (line.section if line.section != before else "", line.element, tables.count(len(line.places)), _place(line.places[0], folder), " ".join(own))
        )
        before = line.section
    if rows:
        tables.grid("Kept: elements by section, where the first stands, and their attributes", _KEPT_HEADER, rows, left=5)
    else:
        print("Kept: what is counted above; elements of such a file are not listed one by one" if report.kept else "Kept: nothing")


def _left(report: Any, fate: str, folder: Path) -> list[tuple[str, str, str]]:
    """Rows of what has met a fate: first what was warned of, thing by thing, then the rest by kind of element."""
    entries = [entry for entry in getattr(report, fate) if entry.location is not None and not entry.quiet]
    rows = _grouped([(_place(entry.location, folder), entry.subject, entry.note) for entry in entries])
    told = {entry.location for entry in entries}
    kinds: dict[tuple[str, str, str], list[tuple[str, list[Any]]]] = {}
    for line in report.contents:
        places = [place for place in line.places if place not in told]
        if line.fate == fate and places:
            element, word = (f" {line.element}", line.attribute) if line.attribute else ("", line.element)
            kinds.setdefault((line.section, element, line.note), []).append((word, places))
    for (section, element, note), found in kinds.items():
        words = [word + (f" ({tables.count(len(places))})" if len(places) > 1 else "") for word, places in found]
        first = min(place for _, places in found for place in places)
        rows.append((_place(first, folder), f"{section}{element}: {', '.join(words)}", note))
    return rows


def _print_report(report: Any, folder: Path) -> None:
    """What the model holds, what of the file is kept, and one table for each other fate."""
    _print_model(report)
    _print_kept(report, folder)
    for fate, title in _PARTS.items():
        rows = _left(report, fate, folder)
        if rows:
            tables.grid(title, ("where, first", "what (how often)", "note"), rows, left=3)
        else:
            print(f"{title.split(':')[0]}: nothing")


def _print_places(report: Any, folder: Path) -> None:
    """A line for every place of every element and attribute, in the order of the text."""
    lines = [(place, f"{line.element}{f', {line.attribute}' if line.attribute else ''}", line) for line in report.contents for place in line.places]
    for place, what, line in sorted(lines, key=lambda item: (item[0], item[1])):
        print(f"{_place(place, folder)}: {what}: {line.fate}{f', {line.note}' if line.note else ''}")


def _content(path: Path, folder: Path, compiled: Any, memory: Footprint, report: Any) -> dict[str, Any]:
    """The whole report for programs."""
    contents = [{**line._asdict(), "number": len(line.places), "places": [_place(place, folder) for place in line.places]} for line in report.contents]
    said = {
        fate: [
            {"place": _place(entry.location, folder) if entry.location else None, "subject": entry.subject, "note": entry.note}
            for entry in getattr(report, fate)
        ]
        for fate in ("kept", *_PARTS)
    }
    return {
        "file": str(path),
        "sizes": {name: int(getattr(compiled, name)) for name in _SIZES},
        "memory": {"nconmax": memory.nconmax, "njmax": memory.njmax, "bytes_per_world": memory.total, "groups": memory.groups},
        **said,
        "contents": contents,
    }


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
    from newtonish.mjw.from_file import read_compiled

    with short_warnings(path, limit=None):
        compiled, _, report = read_compiled(str(path))
        memory = footprint(compiled)
    first = Path(report.contents[0].places[0].file) if report.contents else path  # of an archive: where its source was
    folder = (path if path.suffix.lower() != ".npz" or not first.is_file() else first).resolve().parent
    if arguments.json is not None:
        findings(arguments, _content(path, folder, compiled, memory, report))
    if arguments.all:
        _print_places(report, folder)
        return 0
    sizes = [(f"{name}  {meaning}", tables.count(getattr(compiled, name))) for name, meaning in _SIZES.items()]
    tables.facts(f"{path.name}: sizes", sizes)
    _print_memory(memory)
    _print_report(report, folder)
    return 0
