"""Models out again: :func:`save_to_mjcf` writes one world of a model as MJCF, :mod:`newtonish.exporters.archive` its compiled arrays."""

from __future__ import annotations

from newtonish.exporters.mjcf import save_to_mjcf

__all__ = ["save_to_mjcf"]
