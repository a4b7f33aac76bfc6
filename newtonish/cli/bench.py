"""``newtonish bench``: steps per second beside MuJoCo and mujoco_warp, measured in turns in one process.

Every engine starts from the same states (the first keyframe, else the reference pose, with small seeded velocities)
and is driven by the same controls. After a warm-up, in which contacts come about, the engines take turns (A B C, A B
C, ...), so that a machine that slows down slows all of them. A ratio is the median of the turns' ratios. Contacts,
rows and iterations stand beside each rate, because a rate says nothing without the work that was done for it.
"""

from __future__ import annotations

import json
import os
import platform
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from newtonish import __version__
from newtonish.cli import startup, tables
from newtonish.cli.arguments import UsageError, model_path, output_path, use_device
from newtonish.cli.controls import HOLD, Controls, control_limits
from newtonish.cli.loading import short_warnings
from newtonish.cli.peers import PEERS, Engine, Newtonish, PeerMissing, make
from newtonish.cli.statistics import COUNTERS, Tally
from newtonish.errors import problem

__all__ = ["Record", "peer_names", "run", "take_turns"]

WARM_UP = 100
"""Steps before the first turn: a robot dropped from its reference pose has landed by then."""

NOISE = 0.05
"""Standard deviation of the initial velocities [m/s, rad/s]."""


@dataclass
class Record:
    """What was measured of one engine.

    Attributes:
        rates: World-steps per second of each turn.
        tallies: Contacts, rows and iterations by name.
        trouble: Why there are no figures, empty when there are.
    """

    name: str
    cores: int = 1
    rates: list[float] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in COUNTERS})
    trouble: str = ""
    unhealthy: dict[str, int] = field(default_factory=dict)
    startup: dict[str, Any] = field(default_factory=dict)

    def per_core(self) -> np.ndarray:
        return np.asarray(self.rates) / self.cores


def _cores() -> int:
    """CPU cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peer_names(text: str) -> list[str]:
    """Read the value of ``--vs``."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names in ([], ["none"]):
        return []
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise UsageError(problem("--vs", ", ".join(map(repr, unknown)), f"{', '.join(PEERS)}, none", "name one of these"))
    return list(dict.fromkeys(names))


def take_turns(
    engines: list[Engine],
    controls: Controls,
    steps: int,
    repeats: int,
    warm_up: int,
    say: Callable[[str], None] = lambda text: None,
) -> list[Record]:
    """Warm every engine up, then time ``repeats`` turns of ``steps`` steps each, all under the same controls."""
    records = [Record(engine.name, engine.cores) for engine in engines]

    def schedule(total: int) -> list[tuple[np.ndarray, int]]:
        return [(controls.sample(), min(HOLD, total - first)) for first in range(0, total, HOLD)]

    warm = schedule(warm_up)
    for engine in engines:
        say(f"warming up {engine.name}")
        for signal, count in warm:
            engine.advance(signal, count)
    for number in range(repeats):
        say(f"turn {number + 1} of {repeats}")
        turn = schedule(steps)
        for engine, record in zip(engines, records, strict=True):
            if isinstance(engine, Newtonish):
                engine.wake()
            seconds = 0.0
            for signal, count in turn:
                seconds += engine.advance(signal, count)
                for name, values in engine.counts().items():
                    record.tallies[name].add(values)
            record.rates.append(steps * len(turn[0][0]) / seconds)
    return records


def _initial_state(own: Newtonish, mjw: Any, nworld: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """States that every engine starts from: the first keyframe or the reference pose, with noise on the velocities."""
    if own.model.nkey:
        mjw.reset_data_keyframe(own.model, own.data, 0)
    qpos = own.data.qpos.numpy().copy()
    noise = np.random.default_rng([seed, 1]).normal(0.0, NOISE, (nworld, own.model.nv))
    return qpos, noise.astype(np.float32)


def _build(path: Path, arguments: Namespace, device: str) -> tuple[list[Engine], list[Record]]:
    """The engines that can run, our own first, and a record with the reason for each one that cannot."""
    from newtonish import mjw

    nworld = arguments.worlds
    own = Newtonish(path, nworld, device, arguments.threads)
    qpos, qvel = _initial_state(own, mjw, nworld, arguments.seed)
    engines: list[Engine] = [own]
    missing: list[Record] = []
    for name in peer_names(arguments.vs):
        try:
            with short_warnings(path, limit=None):
                engines.append(make(name, path, nworld, device))
        except PeerMissing as error:
            missing.append(Record(name, trouble=str(error)))
    if device == "cpu" and _cores() >= 2 * arguments.threads:
        engines.append(Newtonish(path, nworld, device, 2 * arguments.threads, quiet=True))
    for engine in engines:
        engine.start(qpos, qvel)
    return engines, missing


def _ratios(records: list[Record]) -> dict[str, dict[str, float]]:
    """Our own rate over each other engine's, per core and turn by turn; for our own second row the speed-up."""
    own = records[0]
    result = {}
    for other in records[1:]:
        if other.name.startswith("newtonish"):
            turns = np.asarray(other.rates) / np.asarray(own.rates)
        else:
            turns = own.per_core() / other.per_core()
        result[other.name] = {"median": float(np.median(turns)), "min": float(turns.min()), "max": float(turns.max())}
    return result


def _speed_table(records: list[Record], missing: list[Record], title: str) -> None:
    ratios = _ratios(records)
    rows = []
    for index, record in enumerate(records):
        if index == 0:
            ratio = "1.00"
        else:
            entry = ratios[record.name]
            ratio = f"{entry['median']:.2f} ({entry['min']:.2f}-{entry['max']:.2f})"
        rates = np.asarray(record.rates)
        counts = [f"{tally.mean:.1f} / {tally.percentile(0.95)}" for tally in record.tallies.values()]
        spread = f"{100.0 * (rates.max() - rates.min()) / np.median(rates):.0f} %"
        rows.append(
            (record.name, ratio, tables.si(np.median(rates)), tables.si(np.median(record.per_core())), spread, *counts)
        )
    rows.extend((record.name, record.trouble, *("-",) * 6) for record in missing)
    header = ("engine", "ratio", "world-steps/s", "per core", "spread", "contacts", "rows", "iterations")
    tables.grid(title, header, rows, left=2)
    print("ratio: newtonish over that engine per core, median (lowest-highest) of the turns; for newtonish on more threads,")
    print("its speed-up over the first row. contacts, rows, iterations: mean / 95th percentile a world and step.")
    print("spread: (highest - lowest) / median rate.")


def _stage_table(own: Newtonish, nworld: int) -> dict[str, float]:
    """Time of each stage of a step by itself [s], in the state that the turns left."""
    from newtonish import mjw

    own.wake()
    times = mjw.stage_times(own.model, own.data)
    total = sum(times.values())
    rows = [(name, f"{1e6 * t / nworld:.2f}", f"{100.0 * t / total:.0f} %") for name, t in times.items()]
    tables.grid("Stages of a step, each by itself", ("stage", "us a world", "share"), rows)
    return times


def _startup_table(records: list[Record]) -> None:
    rows = []
    for record in records:
        cold, warm = record.startup["cold"], record.startup["warm"]
        if "failed" in warm or "failed" in cold:
            rows.append((record.name, cold.get("failed") or warm.get("failed"), *("-",) * 5))
            continue
        peak = warm["peak MiB"]
        parts = [f"{warm[part]:.2f}" for part in ("import", "load", "first step")]
        memory = "-" if peak is None else tables.count(peak)
        rows.append((record.name, f"{cold['total']:.1f}", f"{warm['total']:.1f}", *parts, memory))
    header = ("engine", "cold start s", "warm start s", "import", "load", "first step", "peak MiB")
    tables.grid("From a fresh process to the first step of all worlds (parts and memory: warm)", header, rows)


def _note_health(engines: list[Engine], records: list[Record]) -> None:
    """Remember how many of our worlds overflowed or were reset, and say so when there are any."""
    for engine, record in zip(engines, records, strict=True):
        if isinstance(engine, Newtonish):
            overflowed = int((engine.data.overflow.numpy() != 0).sum())
            nonfinite = int((engine.data.nonfinite.numpy() != 0).sum())
            record.unhealthy = {"overflowed": overflowed, "non-finite": nonfinite}
            if overflowed or nonfinite:
                print(f"{record.name}: {overflowed} worlds overflowed, {nonfinite} went non-finite")


def _report(path: Path, arguments: Namespace, records: list[Record], missing: list[Record]) -> dict[str, Any]:
    """Every figure, for ``--json``."""
    engines = {
        record.name: {
            "cores": record.cores,
            "rates": record.rates,
            "median": float(np.median(record.rates)),
            "per core": float(np.median(record.per_core())),
            **{name: tally.summary() for name, tally in record.tallies.items()},
            **({"worlds": record.unhealthy} if record.unhealthy else {}),
            **({"startup": record.startup} if record.startup else {}),
        }
        for record in records
    }
    return {
        "newtonish": __version__,
        "model": str(path),
        "settings": {
            key: getattr(arguments, key) for key in ("worlds", "steps", "repeats", "threads", "device", "seed")
        } | {"warm up": WARM_UP, "hold": HOLD},
        "machine": {
            "platform": platform.platform(),
            "processor": platform.processor() or platform.machine(),
            "cores": _cores(),
            "python": platform.python_version(),
        },
        "ratios": _ratios(records),
        "engines": engines,
        "missing": {record.name: record.trouble for record in missing},
    }


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    path = model_path(arguments.model)
    target = output_path("--json", arguments.json)
    peer_names(arguments.vs)
    device = str(use_device(arguments.device))
    with tables.working("loading") as say:
        engines, missing = _build(path, arguments, device)
        own = engines[0]
        limits = control_limits(own.model.actuator_ctrlrange.numpy(), own.model.actuator_ctrllimited.numpy())
        controls = Controls("random", *limits, arguments.worlds, arguments.seed)
        records = take_turns(engines, controls, arguments.steps, arguments.repeats, WARM_UP, say)
    title = f"{path.name}: {arguments.worlds} worlds, {arguments.repeats} turns of {arguments.steps} steps on {device}"
    _speed_table(records, missing, title)
    _note_health(engines, records)
    stages = _stage_table(own, arguments.worlds) if arguments.stages else {}
    if not arguments.no_startup:
        measured = [record for record in records if "," not in record.name or record is records[0]]
        with tables.working("starting fresh processes") as say:
            for record in measured:
                name = "newtonish" if record is records[0] else record.name
                say(f"cold and warm start of {name}")
                record.startup = startup.measure(name, path, arguments.worlds, device)
        _startup_table(measured)
    if target is not None:
        report = _report(path, arguments, records, missing) | ({"stages": stages} if stages else {})
        target.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        print(f"figures written to {target}")
    return 0
