"""The picture of ``newtonish identify``: estimates with intervals, residuals, and measured beside predicted motions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from newtonish.cli.figures import save_figure

if TYPE_CHECKING:
    from newtonish.identification import Identification

__all__ = ["plot"]

_MOTIONS = 3
"""Columns whose motion is drawn: those that are predicted worst."""


def plot(found: Identification, path: Path) -> None:
    """Draw into a picture file whose kind its name says."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(13, 4.0 + 0.16 * len(found.estimates)), layout="constrained")
    grid = figure.add_gridspec(_MOTIONS, 2, width_ratios=(1, 1.6))
    _estimates(figure.add_subplot(grid[:, 0]), found)
    worst = sorted(range(len(found.fits)), key=lambda k: -found.fits[k].residual / max(found.fits[k].spread, 1e-300))[:_MOTIONS]
    for row, k in enumerate(worst):
        _motion(figure.add_subplot(grid[row, 1]), found, k)
    save_figure(figure, path)


def _estimates(axes: Any, found: Identification) -> None:
    """Each parameter relative to the model's value, or to its own where that is zero, with its interval."""
    places = -np.arange(len(found.estimates))
    for place, each in zip(places, found.estimates, strict=True):
        size = abs(each.initial) or abs(each.value) or 1.0
        color = "tab:blue" if each.identified and not each.at_bound else "tab:red"
        axes.plot([each.low / size, each.high / size], [place, place], color=color)
        axes.plot(each.value / size, place, "o", markersize=3, color=color)
        axes.plot(each.initial / size, place, "|", color="gray")
    axes.set_yticks(places, [each.name for each in found.estimates], fontsize=6)
    ends = [each.value / (abs(each.initial) or abs(each.value) or 1.0) for each in found.estimates]
    axes.set_xlim(min(0.0, *ends) - 0.1, max(2.0, *ends) + 0.1)
    axes.set_xlabel(f"found by the model's value, with intervals of {100 * found.confidence:g} %")


def _motion(axes: Any, found: Identification, k: int) -> None:
    for time, measured, predicted in zip(found.time, found.measured, found.predicted, strict=True):
        axes.plot(time, measured[:, k], ".", markersize=1.5, color="gray")
        axes.plot(time, predicted[:, k], linewidth=0.9, color="tab:blue")
    fit = found.fits[k]
    axes.set_title(f"{fit.column}: residual {fit.residual:.3g} of {fit.spread:.3g}", fontsize=8)
    axes.set_xlabel("s", fontsize=7)
