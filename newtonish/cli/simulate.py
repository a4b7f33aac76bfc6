"""``newtonish simulate``: step a model in many worlds, show progress, end in a table, write the trajectory.

Only stepping is timed for the rate; drawing controls, reading counters and recording are not. The first step, which
compiles and captures, is reported on its own. On a GPU launches are asynchronous, so a whole block of steps is timed
and the counters are read once a block.
"""

from __future__ import annotations

import csv
import signal
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, output_path, use_device
from newtonish.cli.controls import HOLD, Controls, control_limits
from newtonish.cli.loading import load, timed
from newtonish.cli.models import model_path
from newtonish.cli.options import Setting, apply_options
from newtonish.cli.output import findings
from newtonish.cli.picture import check_picture, draw
from newtonish.cli.progress import Progress, bar
from newtonish.cli.statistics import Monitor
from newtonish.errors import problem
from newtonish.files import replacing
from newtonish.model.sources import title_of

__all__ = ["Outcome", "run", "simulate"]

RECORDED = 100
"""Steps of every world that --record-failures keeps."""


@dataclass
class Outcome:
    """What a run produced.

    Attributes:
        seconds: Seconds by part: ``import``, ``load``, ``first step``, ``stepping``.
        stepped: Steps inside ``stepping``, one less than all steps.
        time, qpos, qvel: The first world's trajectory, one row a step after the initial row.
        final: Time, positions and velocities of every world at the end.
        ctrl: The first world's controls, one row a step.
        interrupted: Whether it ended before the last step.
    """

    seconds: dict[str, float]
    stepped: int
    monitor: Monitor
    time: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    final: dict[str, np.ndarray] = field(default_factory=dict)
    ctrl: np.ndarray | None = None
    interrupted: bool = False

    @property
    def steps(self) -> int:
        """Steps that were done."""
        return self.stepped + 1


class _Recorder:
    """Keeps the first world's state after every step in arrays on the device, so that recording never waits."""

    def __init__(self, data: Any, steps: int, device: Any) -> None:
        import warp as wp

        from newtonish.memory import check_memory

        self._copy = wp.copy
        self._widths = {"time": 1, "qpos": data.qpos.shape[1], "qvel": data.qvel.shape[1]}
        self._first = {name: getattr(data, name)[0] for name in ("qpos", "qvel") if self._widths[name]}
        self._first["time"] = data.time[0:1]
        check_memory("--steps", steps, 4 * (steps + 1) * sum(self._widths.values()), device, "take fewer steps")
        self._tracks = {name: wp.zeros((steps + 1) * width, dtype=wp.float32, device=device) for name, width in self._widths.items()}
        self._row = 0

    def record(self) -> None:
        """Append the first world's state."""
        for name, row in self._first.items():
            width = self._widths[name]
            self._copy(self._tracks[name], row, dest_offset=self._row * width, src_offset=0, count=width)
        self._row += 1

    def track(self, name: str) -> np.ndarray:
        """The recorded rows of a quantity."""
        width = self._widths[name]
        rows = self._tracks[name].numpy()[: self._row * width].reshape(self._row, width).copy()
        return rows[:, 0] if name == "time" else rows


def _progress() -> Progress:
    return bar(MofNCompleteColumn(), TextColumn("steps"), TimeRemainingColumn())


@contextmanager
def _asked_to_stop() -> Iterator[list[bool]]:
    """A list that is empty until Ctrl-C; so a step is finished first. A second Ctrl-C ends at once."""
    asked: list[bool] = []
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(*_: object) -> None:
        asked.append(True)
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def simulate(
    path: Path, nworld: int, steps: int, device: Any, control: str, seed: int, options: Sequence[Setting] = (), recorded: int = 0
) -> tuple[Any, Any, Outcome]:
    """Load a model and step it; after Ctrl-C the outcome is that of the steps until then.

    ``recorded``: steps that a flight recorder keeps of every world, ``data.recorder``.

    Returns:
        The array-level model, its data after the last step, and the outcome.
    """
    import warp as wp

    mjw, model, data, seconds = load(path, nworld, device)
    apply_options(model.opt, options)
    low, high = control_limits(model.actuator_ctrlrange.numpy(), model.actuator_ctrllimited.numpy())
    controls = Controls(control, low, high, nworld, seed)
    recorder = _Recorder(data, steps, device)
    if recorded:
        mjw.flight_recorder(model, data, recorded, source=path)
    monitor = Monitor(data, nworld)
    on_cpu = wp.get_device(device).is_cpu

    def advance() -> float:
        """One step; seconds it took when the device makes us wait for it anyway."""
        start = time.perf_counter()
        mjw.step(model, data)
        elapsed = time.perf_counter() - start
        recorder.record()
        if on_cpu:
            monitor.sample()
        return elapsed

    recorder.record()
    seconds["stepping"] = 0.0
    played = np.zeros((steps, model.nu), np.float32)

    def hold(first: int, block: int) -> None:
        """New controls for a block of steps."""
        if model.nu:
            sample = controls.sample()
            played[first : first + block] = sample[0]
            data.ctrl.assign(sample)

    with _progress() as progress:
        task = progress.add_task("compiling", total=steps)
        hold(0, min(HOLD, steps))
        _, seconds["first step"] = timed(lambda: (advance(), wp.synchronize_device(device)))
        progress.update(task, advance=1, description="simulating")
        done = 1
        with _asked_to_stop() as stop:
            while done < steps and not stop:
                if done % HOLD == 0:
                    hold(done, min(HOLD, steps - done))
                wp.synchronize_device(device)
                start, stepping, begun = time.perf_counter(), 0.0, done
                while done < steps and not stop and (done == begun or done % HOLD):
                    stepping += advance()
                    done += 1
                wp.synchronize_device(device)
                seconds["stepping"] += stepping if on_cpu else time.perf_counter() - start
                if not on_cpu:
                    monitor.sample()
                progress.update(task, completed=done)

    outcome = Outcome(seconds, done - 1, monitor, *(recorder.track(name) for name in ("time", "qpos", "qvel")), interrupted=done < steps)
    outcome.final = {f"final_{name}": getattr(data, name).numpy().copy() for name in ("time", "qpos", "qvel")}
    outcome.ctrl = played[:done]
    return model, data, outcome


SIZES = ("nq", "nv", "nu", "nbody", "ngeom")


def _rate(nworld: int, outcome: Outcome) -> float | None:
    """Steps of all worlds a second; None where only the first step was done."""
    seconds = outcome.seconds["stepping"]
    return outcome.stepped * nworld / seconds if outcome.stepped and seconds > 0.0 else None


def _content(path: Path, model: Any, arguments: Namespace, outcome: Outcome, files: dict[str, Path | None]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "model": title_of(path),
        "sizes": {name: int(getattr(model, name)) for name in SIZES},
        "worlds": arguments.worlds,
        "steps": outcome.steps,
        "interrupted": outcome.interrupted,
        "control": arguments.control,
        "seed": arguments.seed,
        "device": str(arguments.device),
        "timestep": float(model.opt.timestep.numpy().ravel()[0]),
        "steps_per_second": _rate(arguments.worlds, outcome),
        "work": {name: tally.summary() for name, tally in outcome.monitor.tallies.items()},
        "overflowed": int(outcome.monitor.overflowed.sum()),
        "nonfinite": int(outcome.monitor.nonfinite.sum()),
        "seconds": outcome.seconds,
        "written": {name: file for name, file in files.items() if file is not None},
    }


def _table(path: Path, model: Any, nworld: int, arguments: Namespace, outcome: Outcome) -> None:
    """Print what was simulated, how fast, and whether every world stayed healthy."""
    seconds = outcome.seconds
    sizes = ", ".join(f"{name} {getattr(model, name)}" for name in SIZES)
    rows = [
        ("sizes", sizes),
        ("worlds", tables.count(nworld)),
        ("steps", tables.count(outcome.steps) + (f" of {tables.count(arguments.steps)}" if outcome.interrupted else "")),
        ("control, seed", f"{arguments.control}, {arguments.seed}"),
        ("device", str(arguments.device)),
    ]
    rate, timestep = _rate(nworld, outcome), float(model.opt.timestep.numpy().ravel()[0])
    if rate is not None:
        rows.append(("steps/s (all worlds)", tables.count(rate)))
        rows.append(("real-time factor", f"{rate * timestep:,.1f} all worlds, {rate * timestep / nworld:,.3g} each"))
    else:
        rows.append(("steps/s (all worlds)", "not measured: the only step was the first"))
    for name in ("contacts", "rows", "iterations"):
        tally = outcome.monitor.tallies[name]
        label = "solver iterations" if name == "iterations" else name
        rows.append((f"{label} per step", f"mean {tally.mean:.2f}, max {tally.maximum}"))
    rows.append(("worlds that overflowed", tables.count(outcome.monitor.overflowed.sum())))
    rows.append(("worlds that went non-finite", tables.count(outcome.monitor.nonfinite.sum())))
    parts = ("import", "load", "first step", "stepping")
    rows.append(("seconds", ", ".join(f"{part} {seconds[part]:.2f}" for part in parts)))
    tables.facts(f"newtonish simulate {title_of(path)}", rows)


def _check_suffix(option: str, path: Path | None, suffixes: tuple[str, ...]) -> None:
    """Refuse a name that promises another kind of file, before a long run."""
    if path is not None and path.suffix.lower() not in suffixes:
        given = f"a name that ends in {path.suffix!r}"
        raise UsageError(problem(f"{option} {str(path)!r}", given, ", ".join(suffixes), "choose one of these"))


def _csv(outcome: Outcome) -> Iterator[list[str]]:
    """The first world's trajectory: a header, then a row for the start and after every step, every digit kept."""
    columns = {name: getattr(outcome, name).reshape(len(outcome.time), -1) for name in ("time", "qpos", "qvel")}
    yield ["time"] + [f"{name}[{i}]" for name in ("qpos", "qvel") for i in range(columns[name].shape[1])]
    for row in np.concatenate(list(columns.values()), axis=1):
        yield [str(value) for value in row]  # of float32: the shortest text that reads back as the same


def _write(option: str, path: Path, arrays: dict[str, np.ndarray], rows: Iterator[list[str]]) -> None:
    """Write a file under exactly the name that was asked for: rows as text where it ends in .csv, else the arrays as .npz."""
    try:
        with replacing(path) as partial:
            if path.suffix.lower() == ".csv":
                with partial.open("w", newline="", encoding="utf-8") as text:
                    csv.writer(text).writerows(rows)
            else:
                with partial.open("wb") as stream:
                    np.savez(stream, **arrays)
    except OSError as error:
        raise UsageError(problem(f"{option} {str(path)!r}", f"{error.strerror or error}", "a place that can be written", "choose another")) from error


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    path = model_path(arguments.model)
    out = output_path("--out", arguments.out)
    record = output_path("--record", arguments.record)
    picture = output_path("--picture", arguments.picture)
    _check_suffix("--out", out, (".npz", ".csv"))
    failures = output_path("--record-failures", arguments.record_failures)
    _check_suffix("--record-failures", failures, (".npz",))
    if picture is not None:
        check_picture(picture)
    device = use_device(arguments.device)
    model, data, outcome = simulate(
        path, arguments.worlds, arguments.steps, str(device), arguments.control, arguments.seed, arguments.option, RECORDED * (failures is not None)
    )
    if outcome.interrupted:
        print(f"newtonish simulate: interrupted after {outcome.steps} of {arguments.steps} steps; what there is follows", file=sys.stderr)
    if out is not None:
        arrays = {"time": outcome.time, "qpos": outcome.qpos, "qvel": outcome.qvel, **outcome.final}
        _write("--out", out, arrays, _csv(outcome))
    if record is not None:
        _write("--record", record, {"ctrl": outcome.ctrl, "qpos": outcome.qpos[0], "qvel": outcome.qvel[0]}, iter(()))
    _table(path, model, arguments.worlds, arguments, outcome)
    if picture is not None:
        draw(path, outcome.final, picture)
    for name, file in (("picture", picture), ("trajectory", out), ("controls", record)):
        if file is not None:
            print(f"{name} written to {file}" + (f" up to step {outcome.steps}" if outcome.interrupted else ""))
    if failures is not None:
        _write_failures(data, failures)
    findings(arguments, _content(path, model, arguments, outcome, {"picture": picture, "trajectory": out, "controls": record}))
    return 130 if outcome.interrupted else 0


def _write_failures(data: Any, path: Path) -> None:
    """Dump what the recorder holds of worlds that failed, and say so."""
    failed = data.recorder.failed()
    if failed:
        data.recorder.dump(path)
        print(f"the last steps of {tables.count(len(failed))} worlds that failed written to {path}; 'newtonish replay {path}' shows them")
    else:
        print(f"no world failed, and {path} was not written")
