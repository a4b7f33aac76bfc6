"""Gains in the units of springs and dampers: what those of a model come to."""

from newtonish.tuning.diagnose import diagnose
from newtonish.tuning.rows import Row

__all__ = ["Row", "diagnose"]
