"""What tells one sweep from another: names of functions, and arguments by their contents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

__all__ = ["fingerprint"]


def fingerprint(value: Any) -> str:
    """A hash of plain data, arrays, dataclasses, functions and ``partial``, the same in every process. Objects of other kinds count by their type alone."""
    found = hashlib.sha256()
    for part in _parts(value):
        found.update(part)
    return found.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    yield f"{type(value).__qualname__}(".encode()
    if isinstance(value, partial):
        yield from _parts((value.func, value.args, value.keywords))
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _parts(each)
    elif isinstance(value, Mapping):
        for key in sorted(value, key=repr):
            yield from _parts((key, value[key]))
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    elif is_dataclass(value) and not isinstance(value, type):
        yield from _parts({each.name: getattr(value, each.name) for each in fields(value)})
    elif hasattr(value, "__qualname__"):
        yield f"{value.__module__}.{value.__qualname__}".encode()
    elif isinstance(value, (str, bytes, int, float, complex, np.generic, range)) or value is None:
        yield repr(value).encode()
    yield b")"
