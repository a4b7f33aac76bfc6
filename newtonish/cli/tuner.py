"""``newtonish tune MODEL --joint NAME --spec ...``: search gains that meet a specification, and write them where they came from."""

from __future__ import annotations

import json
import math
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, output_path, use_device
from newtonish.cli.figures import check_matplotlib
from newtonish.cli.loading import short_warnings
from newtonish.cli.models import model_path
from newtonish.cli.output import findings
from newtonish.cli.progress import bar
from newtonish.errors import problem
from newtonish.files import write_file
from newtonish.model.sources import title_of

__all__ = ["run"]

_SUFFIXES = (".xml", ".usda", ".py", ".json")


def _outputs(arguments: Namespace) -> tuple[Path | None, Path | None, Path | None]:
    """Where results go, checked before the search."""
    out, plot, state = (output_path(f"--{name}", getattr(arguments, name)) for name in ("out", "plot", "resume"))
    if out is not None and out.suffix.lower() not in _SUFFIXES:
        remedy = "MJCF as a changed copy of the file, USD as a layer over the stage, Python lines, or all figures as JSON"
        raise UsageError(problem(f"--out {str(out)!r}", f"a name that ends in {out.suffix!r}", ", ".join(_SUFFIXES), remedy))
    if plot is not None:
        check_matplotlib()
    return out, plot, state


def _masses(text: str) -> list[float]:
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = [math.nan]
    if not all(0.0 <= value < math.inf for value in values):
        raise UsageError(problem("--payload", repr(text), "masses in kg, 0 or more, separated by commas", "write it as in 0,0.5"))
    return values


def _state(path: Path | None) -> dict[str, Any] | None:
    """What an earlier run left."""
    if path is None or not path.exists():
        return None
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(state, dict) or not isinstance(state.get("generations"), list):
            raise ValueError("no search in it")
    except (ValueError, UnicodeDecodeError) as error:
        raise UsageError(problem(f"--resume {str(path)!r}", str(error), "a file that --resume has written, or a new name", "name another file")) from error
    return state


def _figure(value: float | None) -> str:
    return "-" if value is None or not math.isfinite(value) or value >= 1e8 else f"{value:.3g}"


def _print(outcome: Any, title: str) -> None:
    """Gains and figures before and after; red what is not met."""
    names = [name for name in outcome.results[0].before] if outcome.results[0].before else list(outcome.specification.bounds)
    bounds = outcome.specification.bounds
    columns = ["joint", "", *[f"{n}{f' <= {bounds[n]:g}' if n in bounds else ''}" for n in names], "met"]
    rows: list[list[str]] = []
    red: list[int] = []
    for result in outcome.results:
        for label, values, figures in (("before", result.authored, result.before), ("after", result.values, result.after)):
            met = outcome.specification.met(figures) if figures else {}
            gains = ", ".join(f"{name} {_figure(value)}" for name, value in zip(result.target.names, values, strict=True))
            missed = [name for name, good in met.items() if not good]
            if label == "after" and missed:
                red.append(len(rows))
            rows.append(
                [
                    result.target.name if label == "before" else "",
                    f"{label}: {gains}",
                    *[_figure(figures.get(n)) for n in names],
                    "all" if not missed else "not " + ", ".join(missed),
                ]
            )
    payloads = ", ".join(f"{p:g}" for p in dict.fromkeys(s.payload for s in outcome.scenarios))
    poses = len({s.pose for s in outcome.scenarios})
    tables.grid(f"newtonish tune {title}: the worst of {poses} pose{'s' if poses > 1 else ''}, payload {payloads} kg", columns, rows, left=2, red=red)
    good = sum(result.good for result in outcome.results)
    text = f"{good} of {len(outcome.results)} joints meet everything; {outcome.generations} generations of {outcome.worlds} worlds, {outcome.seconds:.1f} s"
    tables.console().print(text + ("; interrupted" if outcome.interrupted else ""), soft_wrap=True)


def _write(out: Path, path: Path, outcome: Any, compiled: Any) -> list[Path]:
    """The result in the form that the file's name asks for."""
    suffix, names = out.suffix.lower(), list(compiled.actuator_names)
    if suffix == ".json":
        write_file(out, json.dumps(outcome.as_json(), indent=1))
    elif suffix == ".py":
        from newtonish.tuning.patch_python import python_lines

        write_file(out, python_lines(outcome, title_of(path), names, path.suffix.lower() != ".xml"))
    elif suffix == ".usda":
        from newtonish.tuning.patch_usd import write_usd

        write_usd(path, outcome, names, out)
    else:
        from newtonish.tuning.patch_mjcf import write_mjcf

        return write_mjcf(path, outcome, names, out)
    return [out]


def _check_source(out: Path | None, path: Path) -> None:
    if out is None:
        return
    stage, kind = path.suffix.lower() in (".usd", ".usda", ".usdc", ".usdz"), out.suffix.lower()
    if (kind == ".usda" and not stage) or (kind == ".xml" and (stage or path.suffix.lower() != ".xml")):
        allowed = "a .usda layer of a stage" if stage else "a .xml copy of an MJCF file" if path.suffix.lower() == ".xml" else "Python lines (.py)"
        raise UsageError(problem(f"--out {str(out)!r}", f"a name that ends in {kind!r} for {path.name}", f"{allowed}, .py, .json", "choose one of these"))
    if out.exists() and out.samefile(path):
        raise UsageError(problem(f"--out {str(out)!r}", "the model itself", "another file", "write beside it, and compare"))


def run(arguments: Namespace) -> int:
    """Carry out the command: 0 if every bound is met, 3 if not, 130 if interrupted."""
    out, plot, state = _outputs(arguments)
    path = model_path(arguments.model)
    _check_source(out, path)
    payloads = _masses(arguments.payload)
    use_device(arguments.device)
    from newtonish.tuning import Specification, tune
    from newtonish.tuning.diagnose import compile_source

    specification = Specification.parse(arguments.spec or "", arguments.test)
    with short_warnings(path):
        compiled = compile_source(path)
        with bar(MofNCompleteColumn(), TextColumn("generations"), TimeRemainingColumn()) as progress:
            task = progress.add_task("tuning", total=arguments.generations)

            def follow(number: int, count: int, outcome: Any) -> None:
                good = sum(result.good for result in outcome.results)
                progress.update(task, completed=number, total=count, description=f"tuning, {good} of {len(outcome.results)} joints meet everything")
                if state is not None:
                    write_file(state, json.dumps(outcome.state))

            outcome = tune(
                compiled, arguments.joint or "all", specification, test=arguments.test, pose=arguments.pose, poses=arguments.poses, payloads=payloads,
                payload_body=arguments.payload_body, quantile=arguments.quantile, candidates=arguments.candidates, generations=arguments.generations,
                optimizer=arguments.optimizer, step=arguments.step, frequency=arguments.frequency, speed=arguments.speed, seed=arguments.seed,
                device=arguments.device, resume=_state(state), progress=follow,
            )  # fmt: skip
    if state is not None:
        write_file(state, json.dumps(outcome.state))
    _print(outcome, title_of(path))
    findings(arguments, {"file": str(path), **outcome.as_json()})
    for written in _write(out, path, outcome, compiled) if out is not None else ():
        print(f"wrote {written}", file=sys.stderr)
    if plot is not None:
        from newtonish.cli.tune_plot import plot as draw

        draw(outcome, title_of(path), plot)
    return 130 if outcome.interrupted else 0 if outcome.good else 3
