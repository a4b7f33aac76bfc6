"""Models out again: :func:`save_to_mjcf` writes one world of a model as MJCF, :mod:`newtonish.saving.archive` its compiled arrays."""

from __future__ import annotations

from newtonish.saving.mjcf import save_to_mjcf

__all__ = ["save_to_mjcf"]
