"""What a tuner has found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from newtonish.tuning.scenarios import Scenario
from newtonish.tuning.specification import Specification
from newtonish.tuning.targets import Target

__all__ = ["Outcome", "TargetResult"]


@dataclass(frozen=True)
class TargetResult:
    """One joint.

    Attributes:
        target: What was tuned.
        authored, values: Its two numbers before and after.
        before, after: Figures of the scenario that counts.
        met: Which bounds hold.
        trials: All candidates with their figures, as dictionaries of ``values`` and ``figures``.
    """

    target: Target
    authored: tuple[float, ...]
    values: tuple[float, ...]
    before: dict[str, float]
    after: dict[str, float]
    met: dict[str, bool]
    trials: list[dict[str, Any]] = field(repr=False)

    @property
    def changed(self) -> bool:
        """Whether the numbers are others than the model's own."""
        return any(abs(value - old) > 1e-9 * abs(old) for value, old in zip(self.values, self.authored, strict=True))

    @property
    def good(self) -> bool:
        """Whether every bound holds."""
        return bool(self.met) and all(self.met.values())


@dataclass(frozen=True)
class Outcome:
    """What ``tune`` returns.

    Attributes:
        specification: What was asked for.
        scenarios: Poses and payloads.
        results: By joint.
        generations, worlds: How many there were.
        seconds: Of wall clock, those of a resumed search included.
        interrupted: Whether it was ended from the keyboard.
        state: What ``resume`` takes; plain numbers, lists and dictionaries.
        courses: Responses ``before`` and ``after``: ``times`` (samples,), ``q``, ``force`` and ``command`` (samples, targets, scenarios),
            and ``way``, the sizes of the steps or sines or the sides of the limits, (1, targets, scenarios).
    """

    specification: Specification
    scenarios: list[Scenario] = field(repr=False)
    results: list[TargetResult]
    generations: int
    worlds: int
    seconds: float
    interrupted: bool
    state: dict[str, Any] = field(repr=False)
    courses: dict[str, Any] = field(repr=False)

    @property
    def good(self) -> bool:
        """Whether every joint meets everything."""
        return all(result.good for result in self.results)

    def as_json(self) -> dict[str, Any]:
        """Plain data, without trials; figures that are not finite are None."""

        def plain(figures: dict[str, float]) -> dict[str, float | None]:
            return {name: value if math.isfinite(value) else None for name, value in figures.items()}

        joints = [
            {
                "joint": result.target.name, "kind": result.target.kind, "unit": result.target.unit,
                "before": dict(zip(result.target.names, result.authored, strict=True)), "after": dict(zip(result.target.names, result.values, strict=True)),
                "figures_before": plain(result.before), "figures_after": plain(result.after), "met": result.met,
            }
            for result in self.results
        ]  # fmt: skip
        scenarios = [{"pose": scenario.pose, "payload": scenario.payload, "qpos": scenario.qpos.tolist()} for scenario in self.scenarios]
        return {
            "spec": dict(self.specification.bounds), "test": self.specification.test, "met": self.good, "interrupted": self.interrupted,
            "generations": self.generations, "worlds": self.worlds, "seconds": self.seconds, "joints": joints, "scenarios": scenarios,
        }  # fmt: skip
