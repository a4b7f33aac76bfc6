"""One Markdown page of what all slices found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from day import markdown
from day.command import SLICES, slice_named
from day.journal import read

__all__ = ["page"]


def page(folders: list[Path]) -> str:
    """The page of all journals in some folders: how the slices went, then a section for each."""
    records = read(folders)
    lines = ["# A day on a GPU", "", *_course(records)]
    for name in SLICES:
        chosen = [r for r in records if r["slice"] == name]
        if chosen:
            about = slice_named(name).ABOUT
            lines += [f"## {name}", "", f"{about[0].upper()}{about[1:]}.", "", *slice_named(name).report(chosen), *_trouble(chosen)]
    return "\n".join(lines).rstrip() + "\n"


def _course(records: list[dict[str, Any]]) -> list[str]:
    """A row a run of a slice: when, on what, how long, and whether it came to its end."""
    rows: list[tuple[Any, ...]] = []
    begun: dict[str, dict[str, Any]] = {}
    for r in records:
        if r["kind"] == "begin":
            if r["slice"] in begun:
                rows.append(_unfinished(begun[r["slice"]]))
            begun[r["slice"]] = r
        elif r["kind"] == "end" and r["slice"] in begun:
            first = begun.pop(r["slice"])
            rows.append((r["slice"], first["when"], first["device"], f"{r['seconds']:.0f}", len(r["cut"]) or "", len(r["trouble"]) or ""))
    rows += [_unfinished(first) for first in begun.values() if first["slice"] in SLICES]
    return markdown.table(("slice", "began", "device", "seconds", "cut", "trouble"), rows)


def _unfinished(first: dict[str, Any]) -> tuple[Any, ...]:
    return (first["slice"], first["when"], first["device"], "", "ended from outside", "")


def _trouble(records: list[dict[str, Any]]) -> list[str]:
    """What was left out or cut, and what ended with an error."""
    cut = [f"- left out: {r['model']}, {r['why']}" for r in records if r["kind"] == "left out"]
    cut += [f"- cut: {r['about']}{'' if r['started'] else ', not begun'}" for r in records if r["kind"] == "cut"]
    lines = [*cut, ""] if cut else []
    for r in (r for r in records if r["kind"] == "trouble"):
        lines += [f"{r['about']} ended with {r['code']}:", "", "```", *r["said"], "```", ""]
    return lines
