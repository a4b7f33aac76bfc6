"""``physics.named``: rows of arrays by the names of the objects that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from newtonish.errors import ModelError, problem
from newtonish.kernels.structs.container import Data, Model
from newtonish.physics.arrays import first_size
from newtonish.physics.rows import KINDS, rows_of

__all__ = ["Named"]

_KIND_OF = {size: name for name, kind in KINDS.items() for size in kind.sizes}


class Named:
    """Arrays of a model or a data by name: ``named.data.xpos["hand"]`` is the body's row, a view, ``named.data.qpos[["a", "b"]]`` a copy of several.

    Args:
        holder: ``physics.model`` or ``physics.data``.
        kind: Model or Data.
        compiled: MuJoCo's arrays, with the names.
    """

    def __init__(self, holder: Any, kind: type[Model] | type[Data], compiled: Any) -> None:
        self._holder, self._kind, self._compiled = holder, kind, compiled

    def __getattr__(self, name: str) -> NamedArray:
        if name.startswith("__"):
            raise AttributeError(name)
        space = _KIND_OF.get(first_size(self._kind, name) or "")
        if space is None:
            raise AttributeError(
                problem(f"named: {name}", "no array with a row for each object", "arrays such as xpos and qpos", "take physics.data or physics.model")
            )
        return NamedArray(self._holder, name, Rows(self._compiled, space, str(first_size(self._kind, name))))


class Rows:
    """Which rows names stand for.

    Args:
        compiled: MuJoCo's arrays, with the names.
        space: PyMJCF's namespace of the objects.
        size: name of the size that counts the rows.
    """

    def __init__(self, compiled: Any, space: str, size: str) -> None:
        self._compiled, self._space, self._size = compiled, space, size

    def convert_key_item(self, key: Any) -> Any:
        """A name as its row, or as a slice of its rows; names as an array of rows; all else as it is."""
        if isinstance(key, str):
            rows = rows_of(self._compiled, self._space, [self._id(key)], self._size)
            counts_objects = self._size == KINDS[self._space].sizes[0] or self._size not in KINDS[self._space].sizes
            return int(rows[0]) if counts_objects else slice(int(rows[0]), int(rows[-1]) + 1) if len(rows) else slice(0, 0)
        if isinstance(key, Sequence | np.ndarray) and len(key) and all(isinstance(each, str) for each in key):
            return rows_of(self._compiled, self._space, [self._id(each) for each in key], self._size)
        return key

    def _id(self, name: str) -> int:
        names = list(getattr(self._compiled, KINDS[self._space].names))
        if name not in names:
            known = ", ".join(each for each in names if each) or "none"
            raise ModelError(problem(f"named: {self._space} '{name}'", "no such name", known, "choose one of these"))
        return names.index(name)


class NamedArray:
    """An array whose first axis takes names."""

    def __init__(self, holder: Any, name: str, rows: Rows) -> None:
        self._holder, self._name, self._rows = holder, name, rows
        self.axes = SimpleNamespace(row=rows)

    def _key(self, key: Any) -> Any:
        return (self._rows.convert_key_item(key[0]), *key[1:]) if isinstance(key, tuple) else self._rows.convert_key_item(key)

    def __getitem__(self, key: Any) -> Any:
        return getattr(self._holder, self._name)[self._key(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        array = getattr(self._holder, self._name)
        array[self._key(key)] = value
        setattr(self._holder, self._name, array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(getattr(self._holder, self._name), dtype=dtype)
