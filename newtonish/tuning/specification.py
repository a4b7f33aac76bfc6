"""What a tuned joint has to reach: upper bounds of the figures of a test, in SI units."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from newtonish.errors import ModelError, problem

__all__ = ["FIGURES", "TESTS", "Specification"]

FIGURES = {
    "rise": "s, from a tenth to nine tenths of the way",
    "settle": "s, until the course stays within 2 % of the step around where it comes to rest; of an impact until the joint leaves its limit",
    "overshoot": "share of the way; of an impact the speed it leaves the limit with, as a share of that it came with",
    "steady": "m or rad, distance between the command and where it comes to rest; of a sine the largest one",
    "force": "N or N m, the largest of the drive, or of the limit in an impact",
    "depth": "m or rad, how far an impact goes beyond the limit",
    "energy": "J, positive work of the drive",
}
"""Figures by name: unit and meaning. Less is better of each."""

TESTS = {
    "step": ("rise", "settle", "overshoot", "steady", "force", "energy"),
    "sine": ("steady", "force", "energy"),
    "impact": ("settle", "overshoot", "force", "depth"),
}
"""Figures that each test measures."""

_WORST = 1.0e6
"""Where the ratios of candidates that diverge end."""


@dataclass(frozen=True)
class Specification:
    """Upper bounds by figure.

    Attributes:
        bounds: Figure to its largest value.
        test: ``step``, ``sine`` or ``impact``.
    """

    bounds: Mapping[str, float]
    test: str = "step"

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise ModelError(problem("test", repr(self.test), ", ".join(TESTS), "choose one of these"))
        if not self.bounds:
            raise ModelError(problem("spec", "nothing", ", ".join(TESTS[self.test]), "give at least one bound, such as settle=0.2"))
        for name, value in self.bounds.items():
            if name not in TESTS[self.test]:
                near = difflib.get_close_matches(name, TESTS[self.test], n=1)
                other = [test for test, figures in TESTS.items() if name in figures]
                remedy = f"did you mean {near[0]}?" if near else f"the test {other[0]!r} measures it" if other else "choose one of these"
                raise ModelError(problem("spec", repr(name), ", ".join(TESTS[self.test]), remedy))
            if not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0.0):
                raise ModelError(problem(f"spec: {name}", repr(value), f"a positive number: {FIGURES[name]}", "correct it"))

    @classmethod
    def parse(cls, text: str, test: str = "step") -> Specification:
        """Read ``settle=0.2,overshoot=0.05``.

        Raises:
            ModelError: No such figure, or no positive number.
        """
        bounds: dict[str, float] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, number = (piece.strip() for piece in part.partition("="))
            try:
                value = float(number)
            except ValueError:
                value = math.nan
            if not equals or name in bounds or math.isnan(value):
                given = f"{part!r}" + (" again" if name in bounds else "")
                raise ModelError(problem("spec", given, "FIGURE=NUMBER, each once, separated by commas", "write it as in settle=0.2,overshoot=0.05"))
            bounds[name] = value
        return cls(bounds, test)

    def cost(self, figures: Mapping[str, np.ndarray]) -> np.ndarray:
        """The largest figure over its bound, at most 1 where everything is met; a fiftieth of the mean decides among equals."""
        ratios = np.stack([np.minimum(np.nan_to_num(figures[name] / bound, nan=_WORST), _WORST) for name, bound in self.bounds.items()])
        return ratios.max(axis=0) + 0.02 * np.minimum(ratios, 10.0).mean(axis=0)

    def met(self, figures: Mapping[str, float]) -> dict[str, bool]:
        """Which bounds hold."""
        return {name: bool(figures[name] <= bound) for name, bound in self.bounds.items()}
