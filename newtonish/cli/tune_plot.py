"""The picture of ``newtonish tune --plot``: responses before and after, and what all candidates come to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from newtonish.cli.figures import save_figure

__all__ = ["front", "plot"]


def front(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Which points no other one betters in both numbers, in the order of the first."""
    order, best, kept = np.lexsort((second, first)), np.inf, []
    for point in order.tolist():
        if second[point] < best and np.isfinite(first[point]):
            best = second[point]
            kept.append(point)
    return np.array(kept, dtype=int)


def plot(outcome: Any, title: str, path: Path) -> None:
    """Draw into a picture file whose kind its name says: a row a joint, at most eight, those first that were worst before."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    shown = sorted(range(len(outcome.results)), key=lambda t: -_excess(outcome, t))[:8]
    figure, axes = pyplot.subplots(len(shown), 3, figsize=(12, 2.6 * len(shown) + 0.6), layout="constrained", squeeze=False)
    for row, t in zip(axes, shown, strict=True):
        _responses(row[0], outcome, t, "q")
        _responses(row[1], outcome, t, "force")
        _pareto(row[2], outcome, t)
    bounds = ", ".join(f"{name} <= {value:g}" for name, value in outcome.specification.bounds.items())
    figure.suptitle(f"newtonish tune {title}: {bounds}", fontsize=11)
    save_figure(figure, path)


def _excess(outcome: Any, t: int) -> float:
    result, bounds = outcome.results[t], outcome.specification.bounds
    return max((min(result.before.get(name, 0.0), 1e9) / bound for name, bound in bounds.items()), default=0.0)


def _responses(axes: Any, outcome: Any, t: int, what: str) -> None:
    """Courses of all scenarios, those before in grey."""
    result = outcome.results[t]
    for name, color in (("before", "0.65"), ("after", "C0")):
        courses = outcome.courses.get(name)
        if courses is None:
            continue
        values = courses[what][:, t]
        if what == "q":
            values = values - values[0]
        axes.plot(courses["times"], values, color=color, linewidth=0.9)
        axes.plot([], [], color=color, label=name)
    unit = result.target.unit if what == "q" else "N m" if result.target.unit == "rad" else "N"
    axes.set(title=f"{result.target.name}: {'motion' if what == 'q' else 'force'}", ylabel=unit, xlabel="time [s]")
    settle = outcome.specification.bounds.get("settle")
    if settle is not None:
        axes.axvline(settle, color="C3", linewidth=0.8, linestyle="--")
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=7)


def _pareto(axes: Any, outcome: Any, t: int) -> None:
    """Two figures of all candidates, with the front between them."""
    result, bounds = outcome.results[t], outcome.specification.bounds
    first = next((name for name in ("settle", "rise", "depth", "steady", *bounds) if name in bounds), "force")
    second = next((name for name in ("force", "overshoot", "energy") if name != first and name in result.before), first)
    x, y = (np.array([trial["figures"][name] for trial in result.trials]) for name in (first, second))
    good = (x < 1e8) & (y < 1e8)
    if good.any():
        axes.scatter(x[good], y[good], s=8, color="0.6", label="candidates")
        kept = front(x[good], y[good])
        axes.plot(x[good][kept], y[good][kept], color="C1", marker="o", markersize=3, linewidth=1, label="best of both")
    for figures, mark, label in ((result.before, "s", "before"), (result.after, "*", "after")):
        if figures and np.isfinite([figures[first], figures[second]]).all():
            axes.scatter([figures[first]], [figures[second]], marker=mark, s=60, label=label, zorder=3)
    for name, draw in ((first, axes.axvline), (second, axes.axhline)):
        if name in bounds:
            draw(bounds[name], color="C3", linewidth=0.8, linestyle="--")
    axes.set(xlabel=first, ylabel=second, title="trade-off, worst scenario")
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=7)
