"""Load a model for a command: timed, with what the importer warns about shown as short lines on stderr."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from newtonish.cli.output import is_quiet

__all__ = ["load", "short_warnings", "timed"]

_SHOWN = 5
"""Warnings shown before the rest is only counted; ``newtonish info`` lists them all."""

T = TypeVar("T")


def timed(action: Callable[[], T]) -> tuple[T, float]:
    """Run ``action`` and return its result and the seconds it took."""
    start = time.perf_counter()
    result = action()
    return result, time.perf_counter() - start


@contextmanager
def short_warnings(path: Path, limit: int | None = _SHOWN) -> Iterator[None]:
    """Collect warnings raised inside and print the first ``limit``, one line each, on stderr; None prints nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if limit is None or is_quiet():
        return
    lines = list(dict.fromkeys(" ".join(str(entry.message).split()) for entry in caught))
    for line in lines[:limit]:
        print(f"warning: {line}", file=sys.stderr)
    if len(lines) > limit:
        print(f"warning: {len(lines) - limit} more; 'newtonish info {path}' lists them", file=sys.stderr)


def load(path: Path, nworld: int, device: Any, quiet: bool = False, capacity: dict[str, int] | None = None) -> tuple[Any, Any, Any, dict[str, float]]:
    """Import the engine and load a model into ``nworld`` worlds.

    Args:
        path: The model file.
        nworld: Number of worlds.
        device: Warp device.
        quiet: Keep the importer's warnings back.
        capacity: ``nconmax`` and ``njmax`` where they are given.

    Returns:
        The array-level API's module, its model and its data, and seconds by name (``import``, ``load``).
    """

    def engine() -> Any:
        from newtonish import mjw

        return mjw

    mjw, import_seconds = timed(engine)
    with short_warnings(path, limit=None if quiet else _SHOWN):
        (model, data), load_seconds = timed(lambda: mjw.load(str(path), nworld=nworld, device=device, **(capacity or {})))
    return mjw, model, data, {"import": import_seconds, "load": load_seconds}
