"""Libraries: rows that all copies of a builder share, such as materials and textures.

A library is a list of objects of one kind, ``"mujoco:material"`` for instance. Custom attributes hold positions in it by
their ``references``. Worlds are copied a thousand times; what refers to a library is then copied as a number and the objects are
stored once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["Libraries"]


class Libraries:
    """The libraries of a builder or a model, by kind."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Any]] = {}

    def add(self, kind: str, item: Any) -> int:
        """Append an object to a library and return its position."""
        rows = self._rows.setdefault(kind, [])
        rows.append(item)
        return len(rows) - 1

    def rows(self, kind: str) -> Sequence[Any]:
        """The objects of a kind, in the order of their positions; empty where there are none."""
        return tuple(self._rows.get(kind, ()))

    @property
    def kinds(self) -> list[str]:
        """Kinds of which there are objects, in the order in which they came."""
        return list(self._rows)

    def absorb(self, other: Libraries) -> dict[str, int]:
        """Take over all rows of other libraries, and return by kind where the first of them stands here.

        A run of the same objects that is here already is used again.
        """
        return {kind: self._place(kind, rows) for kind, rows in list(other._rows.items())}

    def _place(self, kind: str, rows: list[Any]) -> int:
        mine = self._rows.setdefault(kind, [])
        if mine is rows:
            return 0
        wanted, count = list(map(id, rows)), len(rows)
        here = list(map(id, mine))
        for first in range(len(mine) - count + 1):
            if here[first : first + count] == wanted:
                return first
        mine.extend(rows)
        return len(mine) - count

    def copy(self) -> Libraries:
        """Other libraries with the same objects."""
        other = Libraries()
        other._rows = {kind: list(rows) for kind, rows in self._rows.items()}
        return other

    def __repr__(self) -> str:
        return f"Libraries({ {kind: len(rows) for kind, rows in self._rows.items()} })"
