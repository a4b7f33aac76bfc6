"""Gains in the units of springs and dampers: what those of a model come to, and which meet a specification."""

from newtonish.tuning.diagnose import diagnose
from newtonish.tuning.result import Outcome, TargetResult
from newtonish.tuning.rows import Row
from newtonish.tuning.specification import Specification
from newtonish.tuning.tuner import tune

__all__ = ["Outcome", "Row", "Specification", "TargetResult", "diagnose", "tune"]
