"""``newtonish identify MODEL LOG...``: parameters of a model from recorded motions."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import TextColumn
from rich.text import Text

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, output_path, use_device
from newtonish.cli.figures import check_matplotlib
from newtonish.cli.loading import short_warnings
from newtonish.cli.models import model_path
from newtonish.cli.output import findings
from newtonish.cli.progress import bar
from newtonish.errors import problem
from newtonish.files import replacing

__all__ = ["run"]


def _words(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]


class _Watch:
    """A bar on stderr, only where somebody can see it move."""

    def __init__(self, iterations: int) -> None:
        self._bar = bar(TextColumn("{task.fields[left]}"))
        self._task = self._bar.add_task("identify", total=iterations, left="")

    def __enter__(self) -> _Watch:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, done: int, most: int, cost: float, seconds: float) -> None:
        self._bar.update(self._task, completed=done, total=most, description=f"iteration {done}, cost {cost:.6g}", left=f"at most {seconds:.0f} s left")


def run(arguments: Namespace) -> int:
    """Carry out the command. An interrupted search is reported as far as it came."""
    path = model_path(arguments.model)
    out, plot, excitation = (output_path(f"--{name}", getattr(arguments, name)) for name in ("out", "plot", "excitation"))
    if plot is not None:
        check_matplotlib()
    if out is not None and out.suffix.lower() != ".xml":
        raise UsageError(problem(f"--out {str(out)!r}", f"a file of kind {out.suffix!r}", ".xml", "name an .xml file"))
    use_device(arguments.device)
    from newtonish.identification import DEFAULT, identify, save_merged

    with short_warnings(path), _Watch(arguments.iterations) as watch:
        found = identify(
            path, arguments.log, _words(arguments.fit) or DEFAULT, bounds=dict(arguments.bounds or []), initial=dict(arguments.initial or []),
            weights=dict(arguments.weight or []), log_weights=arguments.log_weights, ignore=_words(arguments.ignore), start=arguments.start, segment=arguments.segment,
            method=arguments.method, iterations=arguments.iterations, confidence=arguments.confidence, seed=arguments.seed, device=arguments.device,
            excitation=arguments.excitation_seconds if excitation is not None else 0.0, state=arguments.state, progress=watch,
        )  # fmt: skip
    if out is not None:
        save_merged(path, found, out)
    if plot is not None:
        from newtonish.cli.identify_plot import plot as draw

        draw(found, plot)
    if excitation is not None:
        _write_excitation(found.excitation, excitation)
    _print(found)
    findings(arguments, {"model": str(path), "logs": list(arguments.log), **found.to_json()})
    return 0


def _write_excitation(proposal: Any, path: Path) -> None:
    table = np.column_stack([proposal.time, *proposal.columns.values()])
    with replacing(path) as partial:
        np.savetxt(partial, table, delimiter=",", header=",".join(["time", *proposal.columns]), comments="", fmt="%.9g")


def _figure(value: float) -> str:
    return "0" if value == 0.0 else f"{value:.4g}"


def _print(found: Any) -> None:
    percent = f"{100.0 * found.confidence:g} %"
    rows = [
        [
            each.name,
            each.unit,
            _figure(each.initial),
            _figure(each.value),
            f"{each.low:.4g} to {each.high:.4g}",
            "at its bound" if each.at_bound else "" if each.identified else "unknown",
        ]
        for each in found.estimates
    ]
    red = [k for k, each in enumerate(found.estimates) if each.at_bound or not each.identified]
    tables.grid("Parameters", ["parameter", "unit", "model", "found", f"interval of {percent}", ""], rows, left=2, red=red)
    fits = [[each.column, _figure(each.residual), _figure(each.spread), f"{each.rows:,}", f"{each.correlation_rows:.1f}"] for each in found.fits]
    tables.grid("Columns", ["column", "residual rms", "spread", "rows", "rows that count as one"], fits)
    output = tables.console()
    end = "converged" if found.converged else "not converged"
    output.print(Text(f"\n{end} after {found.iterations} iterations, {found.pieces} pieces in {found.worlds:,} worlds, {found.seconds:.1f} s"), soft_wrap=True)
    for each in found.unknown:
        output.print(Text(f"the logs tell {each.text}", style="red"), soft_wrap=True)
    for text in found.excitation.still_unknown if found.excitation is not None else []:
        output.print(Text(f"no motion that was tried shows more: {text}; measure a force, or fix one of them", style="red"), soft_wrap=True)
