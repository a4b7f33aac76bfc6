"""What an identification found, as numbers and as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from newtonish.identification.excitation import Excitation
from newtonish.identification.identifiability import WeakDirection

__all__ = ["Estimate", "Fit", "Identification"]


@dataclass(frozen=True)
class Estimate:
    """A parameter as it was found.

    Attributes:
        name: kind and object, such as ``damping:elbow``.
        kind: ``mass``, ``damping``, ...
        object: body, joint, actuator, geom or column; empty for all actuators.
        unit: of the numbers.
        initial: what the model said.
        value: the estimate.
        deviation: its standard deviation.
        low, high: interval that holds the true value with the confidence asked for.
        low_of_all, high_of_all: intervals that all hold their true values at once with that confidence (Bonferroni).
        identified: whether the logs tell it from others.
        at_bound: whether it ended at the end of its range; its interval is that range then.
    """

    name: str
    kind: str
    object: str
    unit: str
    initial: float
    value: float
    deviation: float
    low: float
    high: float
    low_of_all: float
    high_of_all: float
    identified: bool
    at_bound: bool


@dataclass(frozen=True)
class Fit:
    """How well a measured column is predicted.

    Attributes:
        column: its name.
        residual: root mean square of measurement less prediction, in the column's unit.
        spread: of the measurement, standard deviation.
        rows: measured.
        correlation_rows: rows that count as one, because residuals follow each other; 1 for white noise.
    """

    column: str
    residual: float
    spread: float
    rows: int
    correlation_rows: float


@dataclass(frozen=True)
class Identification:
    """The result.

    Attributes:
        estimates: parameters, in the order asked for.
        fits: measured columns.
        unknown: what the logs cannot tell.
        correlation: (parameters, parameters) of the estimates' errors.
        confidence: of the intervals.
        iterations: done.
        converged: whether the search came to its end.
        cost: sum of squares in units of the noise, after each iteration.
        pieces: of logs that were simulated side by side.
        worlds: that were simulated at once.
        seconds: spent.
        time, measured, predicted: rows of all pieces, for plots.
        excitation: controls proposed for the next log, where they were asked for.
        interrupted: whether it was ended from the keyboard.
    """

    estimates: list[Estimate]
    fits: list[Fit]
    unknown: list[WeakDirection]
    correlation: np.ndarray
    confidence: float
    iterations: int
    converged: bool
    cost: list[float]
    pieces: int
    worlds: int
    seconds: float
    time: list[np.ndarray]
    measured: list[np.ndarray]
    predicted: list[np.ndarray]
    excitation: Excitation | None = None
    interrupted: bool = False

    def __getitem__(self, name: str) -> Estimate:
        """An estimate by name."""
        for each in self.estimates:
            if each.name == name:
                return each
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """All but the rows, for ``json.dumps``; numbers that are not finite are None."""
        plain = {
            "estimates": [asdict(each) for each in self.estimates],
            "fits": [asdict(each) for each in self.fits],
            "unknown": [{"text": each.text, "parameters": list(each.parameters), "parts": list(each.parts), "spread": each.spread} for each in self.unknown],
            "correlation": self.correlation.tolist(),
        }
        names = ("confidence", "iterations", "converged", "interrupted", "cost", "pieces", "worlds", "seconds")
        if self.excitation is not None:
            plain["excitation"] = {"deviation": self.excitation.deviation, "still_unknown": self.excitation.still_unknown}
        return _finite(plain | {name: getattr(self, name) for name in names})


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
