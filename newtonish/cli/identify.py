"""``newtonish identify MODEL LOG...``: parameters of a model from recorded motions."""

from __future__ import annotations

import json
import sys
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
from newtonish.files import replacing, write_file
from newtonish.model.sources import title_of

__all__ = ["run"]

_SUFFIXES = (".xml", ".usda", ".py", ".json")


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


def _check_out(out: Path | None, path: Path) -> None:
    """Whether the result can be written in the form that the file's name asks for."""
    from newtonish.model.sources import is_usd

    if out is None:
        return
    kind = out.suffix.lower()
    if kind not in _SUFFIXES:
        remedy = "the author's MJCF with the numbers found, a layer over a USD stage, Python lines, or all figures as JSON"
        raise UsageError(problem(f"--out {str(out)!r}", f"a name that ends in {kind!r}", ", ".join(_SUFFIXES), remedy))
    if kind == ".usda" and not is_usd(path):
        raise UsageError(problem(f"--out {str(out)!r}", f"a layer over {path.name}", "layers over USD stages", "write an .xml, .py or .json file"))
    if out.exists() and out.samefile(path):
        raise UsageError(problem(f"--out {str(out)!r}", "the model itself", "another file", "write beside it, and compare"))


def _write(out: Path, path: Path, found: Any) -> None:
    from newtonish.identification import python_lines, save_layer, save_merged

    kind = out.suffix.lower()
    if kind == ".json":
        write_file(out, json.dumps(found.to_json(), indent=1))
    elif kind == ".py":
        write_file(out, python_lines(path, found, title_of(path)))
    elif kind == ".usda":
        save_layer(path, found, out)
    else:
        save_merged(path, found, out)


def run(arguments: Namespace) -> int:
    """Carry out the command: 0 done, 130 if it was interrupted, and reported as far as it came."""
    path = model_path(arguments.model)
    out, plot, excitation = (output_path(f"--{name}", getattr(arguments, name)) for name in ("out", "plot", "excitation"))
    if plot is not None:
        check_matplotlib()
    _check_out(out, path)
    use_device(arguments.device)
    from newtonish.identification import DEFAULT, identify

    with short_warnings(path), _Watch(arguments.iterations) as watch:
        found = identify(
            path, arguments.log, _words(arguments.fit) or DEFAULT, bounds=dict(arguments.bounds or []), initial=dict(arguments.initial or []),
            weights=dict(arguments.weight or []), log_weights=arguments.log_weights, ignore=_words(arguments.ignore), start=arguments.start, segment=arguments.segment,
            method=arguments.method, iterations=arguments.iterations, confidence=arguments.confidence, seed=arguments.seed, device=arguments.device,
            excitation=arguments.excitation_seconds if excitation is not None else 0.0, state=arguments.state, progress=watch,
        )  # fmt: skip
    if out is not None:
        _write(out, path, found)
        print(f"wrote {out}", file=sys.stderr)
    if plot is not None:
        from newtonish.cli.identify_plot import plot as draw

        draw(found, plot)
    if excitation is not None and found.excitation is not None:
        _write_excitation(found.excitation, excitation)
    _print(found)
    findings(arguments, {"model": str(path), "logs": list(arguments.log), **found.to_json()})
    return 130 if found.interrupted else 0


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
    end = "converged" if found.converged else "interrupted" if found.interrupted else "not converged"
    output.print(Text(f"\n{end} after {found.iterations} iterations, {found.pieces} pieces in {found.worlds:,} worlds, {found.seconds:.1f} s"), soft_wrap=True)
    for each in found.unknown:
        output.print(Text(f"the logs tell {each.text}", style="red"), soft_wrap=True)
    for text in found.excitation.still_unknown if found.excitation is not None else []:
        output.print(Text(f"no motion that was tried shows more: {text}; measure a force, or fix one of them", style="red"), soft_wrap=True)
