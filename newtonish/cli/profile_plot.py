"""The picture of ``newtonish profile``: a flame of the stages, the solver's course, work and stages over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.cli.figures import save_figure

if TYPE_CHECKING:
    from newtonish.cli.profile import Profile

__all__ = ["flame", "plot"]

_CHARACTER = 0.0062
"""Width of a letter, as a share of the picture's."""


def flame(stages: dict[str, float], step: float) -> list[tuple[int, float, float, str]]:
    """Bars of a flame: level, left end and width [s], and name. A bar lies on the one that it is a part of.

    Args:
        stages: Seconds of each stage, in the order of a step.
        step: Seconds of a whole step; what it takes beyond its stages has a bar of its own. Small models do a step in less time
            than its stages one by one.
    """
    inner = {name: seconds for name, seconds in stages.items() if name != "integration"}
    forward, total = sum(inner.values()), sum(stages.values())
    whole = max(step if np.isfinite(step) else 0.0, total)
    bars = [(0, 0.0, whole, "step" if whole == step else "stages one by one"), (1, 0.0, forward, "forward")]
    if "integration" in stages:
        bars.append((1, forward, stages["integration"], "integration"))
    if whole > 1.001 * total:
        bars.append((1, total, whole - total, "between stages"))
    left = 0.0
    for name, seconds in inner.items():
        bars.append((2, left, seconds, name))
        left += seconds
    return bars


def ceiling(totals: np.ndarray) -> float:
    """Where a plot of times ends: a little above the largest, or above most of them where another program has interrupted a few."""
    most = float(np.percentile(totals, 90))
    highest = float(totals.max())
    return 1.1 * (highest if highest < 3.0 * most else most) or 1.0


def plot(found: Profile, path: Path) -> None:
    """Draw into a picture file whose kind its name says."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(12, 8), layout="constrained")
    grid = figure.add_gridspec(2, 3, height_ratios=(1, 1.35))
    colors = dict(zip(found.stages, pyplot.get_cmap("tab10").colors, strict=False))
    _flame(figure.add_subplot(grid[0, :]), found, colors)
    _courses(figure.add_subplot(grid[1, 0]), found)
    _work(figure.add_subplot(grid[1, 1]), found)
    _stages(figure.add_subplot(grid[1, 2]), found, colors)
    figure.suptitle(f"newtonish profile {found.name}, {found.worlds} worlds", fontsize=11)
    save_figure(figure, path)


def _flame(axes: Any, found: Profile, colors: dict[str, Any]) -> None:
    """Stages as bars on the bars that they are parts of."""
    step = float(np.median(found.step)) if found.step else float("nan")
    bars = flame({name: found.median(name) for name in found.stages}, step)
    whole = bars[0][2]
    for level, left, width, name in bars:
        color = colors.get(name, ("0.75", "0.82")[level % 2])
        axes.barh(level, 1e6 * width, left=1e6 * left, height=0.94, color=color, edgecolor="white", linewidth=1.0)
        text = f"{name}\n{1e6 * width:,.1f} us"
        if width > _CHARACTER * whole * max(map(len, text.split("\n"))):
            axes.text(1e6 * (left + 0.5 * width), level, text, ha="center", va="center", fontsize=8)
    slim = [f"{name} {1e6 * width:,.1f}" for _, _, width, name in bars if width <= _CHARACTER * whole * max(len(name), 8)]
    label = "microseconds, all worlds together, medians"
    axes.set(xlabel=label + (f"; narrow: {', '.join(slim)}" if slim else ""), title=f"a step takes {1e6 * step:,.1f} us", xlim=(0, 1e6 * whole), yticks=[])
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _courses(axes: Any, found: Profile) -> None:
    """Improvement by iteration, a line a moment."""
    shown = [course for course in found.courses if course["iterations"]]
    for course in shown:
        numbers = np.arange(1, course["iterations"] + 1)
        axes.semilogy(numbers, np.maximum(course["improvement"][1:], 1e-16), marker="o", markersize=3, label=f"t = {course['time']:.2f} s")
    axes.set(xlabel="iteration", title="improvement of the cost by each iteration")
    if not shown:
        axes.text(0.5, 0.5, "nothing to iterate", ha="center", va="center", transform=axes.transAxes)
        return
    if found.tolerance > 0.0:
        axes.axhline(found.tolerance, color="0.4", linewidth=1, linestyle="--", label="tolerance")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=7)


def _work(axes: Any, found: Profile) -> None:
    """Contacts, rows and iterations over time; shaded up to the world with most."""
    for name, values in found.counts.items():
        (line,) = axes.plot(found.times, values[:, 0], linewidth=1, label=name)
        if found.worlds > 1:
            axes.fill_between(found.times, values[:, 0], values[:, 1], alpha=0.15, color=line.get_color(), linewidth=0)
    axes.set(xlabel="time [s]", title="a world and step" + (": mean, shaded up to the most" if found.worlds > 1 else ""))
    axes.set_ylim(bottom=0)
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=7)


def _stages(axes: Any, found: Profile, colors: dict[str, Any]) -> None:
    """Times of the stages over time, one upon another."""
    values = [1e6 * np.asarray(seconds) for seconds in found.stages.values()]
    axes.stackplot(found.stage_times, values, labels=list(found.stages), colors=[colors.get(name, "0.7") for name in found.stages])
    highest = ceiling(np.sum(values, axis=0))
    axes.set(xlabel="time [s]", title="stages [us]", ylim=(0, highest))
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=7, loc="best", framealpha=0.85)
