"""Tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["si", "table", "yes"]


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], legend: str = "") -> list[str]:
    """Lines of a table with a legend above it; none without rows."""
    lines = [f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    if not lines:
        return []
    return [*([legend, ""] if legend else []), f"| {' | '.join(header)} |", f"|{'---|' * len(header)}", *lines, ""]


def yes(value: bool) -> str:
    """A truth as a word that stands out where it is bad."""
    return "yes" if value else "**no**"


def si(value: float) -> str:
    """Three digits and a unit prefix: 4.51 M."""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}"
    return f"{value:.3g}"
