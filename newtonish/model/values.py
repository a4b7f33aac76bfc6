"""Storage of custom attribute values: what was written row by row, and blocks that came from copying whole builders.

A builder that is replicated a thousand times holds a thousand times the values of its template. Kept in dictionaries
they would cost seconds; here they stay numpy blocks until somebody asks for a single one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

Block = tuple[np.ndarray, Any]
"""Row numbers in rising order, and as many values: an array, or a list for text."""


class SparseValues(MutableMapping):
    """A mapping from row number to value; rows that are not in it have the attribute's default."""

    __slots__ = ("_blocks", "_own")

    def __init__(self, initial: Mapping[int, Any] | Iterable[tuple[int, Any]] = ()) -> None:
        self._own: dict[int, Any] = dict(initial)
        self._blocks: list[Block] = []

    def add_block(self, rows: np.ndarray, values: Any) -> None:
        """Append values for rows that are not in the mapping yet (or that shall be replaced)."""
        if not len(rows):
            return
        if self._own:
            for row in rows[np.isin(rows, np.fromiter(self._own, dtype=np.int64))].tolist():
                del self._own[row]
        self._blocks.append((rows, values))

    def pack(self, convert: Callable[[int, Any], Any], stack: Callable[[list[Any]], Any]) -> Block:
        """Return all rows and values in rising order, later writes winning.

        Args:
            convert: Turns (row, value) written by hand into its stored form.
            stack: Turns a list of stored values into the array (or list) of a block.
        """
        parts = list(self._blocks)
        if self._own:
            rows = sorted(self._own)
            parts.append((np.array(rows, dtype=np.int64), stack([convert(row, self._own[row]) for row in rows])))
        if not parts:
            return np.empty(0, dtype=np.int64), stack([])
        if len(parts) == 1:
            return parts[0]
        rows = np.concatenate([part[0] for part in parts])
        order = np.argsort(rows, kind="stable")
        last = np.append(np.diff(rows[order]) > 0, True)
        order = order[last]
        if isinstance(parts[0][1], list):
            merged = [value for part in parts for value in part[1]]
            return rows[order], [merged[i] for i in order.tolist()]
        return rows[order], np.concatenate([part[1] for part in parts])[order]

    def _find(self, row: int) -> Any:
        for rows, values in reversed(self._blocks):
            at = int(np.searchsorted(rows, row))
            if at < len(rows) and rows[at] == row:
                value = values[at]
                if isinstance(value, np.ndarray):
                    return value.copy()
                return value.item() if isinstance(value, np.generic) else value
        raise KeyError(row)

    def _flatten(self) -> None:
        own = self._own
        flat: dict[int, Any] = {}
        for rows, values in self._blocks:
            flat.update(zip(rows.tolist(), values if isinstance(values, list) else list(values)))
        flat.update(own)
        self._own, self._blocks = flat, []

    def __getitem__(self, row: int) -> Any:
        return self._own[row] if row in self._own else self._find(row)

    def __setitem__(self, row: int, value: Any) -> None:
        self._own[row] = value

    def __delitem__(self, row: int) -> None:
        self._flatten()
        del self._own[row]

    def __iter__(self) -> Iterator[int]:
        seen: set[int] = set()
        for rows, _ in self._blocks:
            for row in rows.tolist():
                if row not in seen:
                    seen.add(row)
                    yield row
        yield from [row for row in self._own if row not in seen]

    def __len__(self) -> int:
        return sum(1 for _ in self) if self._blocks else len(self._own)

    def __bool__(self) -> bool:
        return bool(self._own or self._blocks)

    def __repr__(self) -> str:
        return f"SparseValues({dict(self)!r})"


class RowValues(MutableSequence):
    """A list of values, one a row of a custom frequency; ``None`` stands for the attribute's default."""

    __slots__ = ("_size", "sparse")

    def __init__(self, initial: Sequence[Any] = ()) -> None:
        self.sparse = SparseValues((i, value) for i, value in enumerate(initial) if value is not None)
        self._size = len(initial)

    def grow(self, size: int) -> None:
        """Make the list at least ``size`` long, new rows being unset."""
        self._size = max(self._size, size)

    def _row(self, index: int) -> int:
        row = index + self._size if index < 0 else index
        if not 0 <= row < self._size:
            raise IndexError(f"row {index} of a custom frequency with {self._size} rows; use 0 to {self._size - 1}.")
        return row

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self.sparse.get(row) for row in range(*index.indices(self._size))]
        return self.sparse.get(self._row(int(index)))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            rows = list(self)
            rows[index] = value
            self.__init__(rows)
        elif value is None:
            self.sparse.pop(self._row(int(index)), None)
        else:
            self.sparse[self._row(int(index))] = value

    def __delitem__(self, index: Any) -> None:
        rows = list(self)
        del rows[index]
        self.__init__(rows)

    def insert(self, index: int, value: Any) -> None:
        if index >= self._size:
            self._size += 1
            self[self._size - 1] = value
            return
        rows = list(self)
        rows.insert(index, value)
        self.__init__(rows)

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, RowValues)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"RowValues({list(self)!r})"
