"""Choosing the lanes of kernels within a process, as NEWTONISH_LANES does for a whole one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from newtonish.kernels.runtime.lanes import settings

_VARIABLE = "NEWTONISH_LANES"


@contextmanager
def lanes_set(setting: str) -> Iterator[None]:
    """Within it kernels have the lanes of ``setting``, such as ``solve=64`` or ``16``; an empty one leaves the choice to the mapping."""
    before = os.environ.get(_VARIABLE)
    _set(setting)
    try:
        yield
    finally:
        _set(before)


def _set(setting: str | None) -> None:
    if setting is None:
        os.environ.pop(_VARIABLE, None)
    else:
        os.environ[_VARIABLE] = setting
    settings.cache_clear()
