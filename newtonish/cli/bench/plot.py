"""The picture of a benchmark: cost of a step against the number of worlds and against the size of the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from newtonish.cli.bench.measure import Case
from newtonish.cli.figures import save_figure

__all__ = ["curves", "plot"]


def _cost(case: Case, name: str) -> float | None:
    """Microseconds a world and step on one core."""
    for record in case.records:
        if record.name == name:
            return 1e6 / float(np.median(record.per_core()))
    return None


def curves(cases: list[Case]) -> tuple[dict[str, list[tuple[float, float]]], dict[str, list[tuple[float, float]]]]:
    """Points of both halves.

    Returns:
        Cost [us] against worlds by model, newtonish's; and cost against degrees of freedom by engine, of each model in
        its smallest number of worlds.
    """
    by_worlds: dict[str, list[tuple[float, float]]] = {}
    by_size: dict[str, list[tuple[float, float]]] = {}
    measured = [case for case in cases if case.records]
    for case in measured:
        by_worlds.setdefault(case.name, []).append((case.worlds, _cost(case, case.records[0].name)))
    for name in dict.fromkeys(case.name for case in measured):
        case = min((case for case in measured if case.name == name), key=lambda case: case.worlds)
        for record in case.records:
            if "," not in record.name:
                by_size.setdefault(record.name, []).append((case.sizes["nv"], _cost(case, record.name)))
    return by_worlds, {name: sorted(points) for name, points in by_size.items()}


def plot(cases: list[Case], facts: dict[str, Any], path: Path) -> None:
    """Draw both halves into a picture file whose kind its name says."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    by_worlds, by_size = curves(cases)
    by_copies = curves([case for case in cases if case.name.startswith("humanoid")])[1]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for name, points in by_worlds.items():
        if len(points) > 1:
            left.loglog(*zip(*points, strict=True), marker="o", markersize=3, label=name)
    left.set(xlabel="worlds", ylabel="microseconds a world and step, one core", title="newtonish by number of worlds")
    for name, points in by_size.items():
        right.loglog(*zip(*points, strict=True), marker="o", markersize=4, linestyle="none", label=name)
    right.set_prop_cycle(None)
    for points in by_copies.values():
        right.loglog(*zip(*points, strict=True), linewidth=1, alpha=0.6)
    right.set(xlabel="degrees of freedom of a world", title="every model in its fewest worlds; line: humanoids")
    for axes in (left, right):
        axes.grid(True, which="major", alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=7)
    figure.suptitle(f"newtonish {facts['versions']['newtonish']}, {facts['date']}, {facts['machine']['processor']}", fontsize=9)
    save_figure(figure, path)
