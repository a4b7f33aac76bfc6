"""Bounds on what a file may ask for, so that no file brings a process down; each can be raised by an option of ``add_mjcf``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from newtonish.errors import ModelError, problem

__all__ = ["Limits", "limits", "take_hint", "within"]

FRAMES_A_LEVEL = 12
"""Calls that reading one level of nesting may take."""

HINTS = 100
"""Misspelt words of a file for which the nearest known one is sought."""

_DEEPEST = 2000
"""As deep as the XML parser goes."""


@dataclass(frozen=True)
class Limits:
    """The bounds in force.

    Attributes:
        elements: Most elements that ``replicate``, ``attach`` and ``composite`` may make.
        depth: Most levels of elements inside each other.
        size: Most bytes of a file that is read.
    """

    elements: int = 200_000
    depth: int = 500
    size: int = 512 * 1024 * 1024


_USUAL = Limits()
_current: ContextVar[Limits] = ContextVar("limits", default=_USUAL)
_hints: ContextVar[list[int] | None] = ContextVar("hints", default=None)


def take_hint() -> bool:
    """Whether one more misspelt word may be compared with all that are known, which takes longer than reading it."""
    hints = _hints.get()
    if hints is None:
        return True
    hints[0] -= 1
    return hints[0] >= 0


def limits() -> Limits:
    """The bounds in force."""
    return _current.get()


@contextmanager
def within(bounds: Limits) -> Iterator[None]:
    """Put bounds in force, with room on Python's stack for that many levels.

    Raises:
        ModelError: A bound is not a positive number, or deeper than can be read.
    """
    for name, most in (("elements", None), ("depth", _DEEPEST), ("size", None)):
        value = getattr(bounds, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1 or (most and value > most):
            allowed = f"a whole number from 1 to {most}" if most else "a whole number above 0"
            raise ModelError(problem(f"add_mjcf, max_{name}", repr(value), allowed, "pass such a number"))
    before, token, hints = sys.getrecursionlimit(), _current.set(bounds), _hints.set([HINTS])
    sys.setrecursionlimit(max(before, 1000 + FRAMES_A_LEVEL * bounds.depth))
    try:
        yield
    finally:
        _current.reset(token)
        _hints.reset(hints)
        sys.setrecursionlimit(before)
