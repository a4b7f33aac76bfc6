"""The measurement behind ``newtonish bench``: engines that start from the same states and take turns.

All engines start from the same states, those that newtonish reaches after :data:`SETTLE` steps under the schedule's
controls, and are driven by the same controls. They take turns (A B C, A B C, ...), so that a machine that slows down
slows all of them. A ratio is the median of the turns' ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.cli.bench.engine import Engine, Newtonish
from newtonish.cli.controls import Controls, Replay, control_limits
from newtonish.cli.statistics import COUNTERS, Tally

__all__ = ["Case", "Record", "States", "ratios", "settle", "take_turns", "told_of"]

SETTLE = 100
"""Steps to the states that turns start from: a robot dropped from its reference pose has landed by then."""

SETTLED = 32
"""Worlds in which these states are made; more worlds repeat them."""

NOISE = 0.05
"""Standard deviation of the initial velocities [m/s, rad/s]."""

Schedule = Controls | Replay


@dataclass
class Record:
    """What was measured of one engine.

    Attributes:
        rates: World-steps per second of each turn.
        tallies: Contacts, rows and iterations by name.
        unconverged: Samples whose solver used up its iterations.
        trouble: Why there are no figures, empty when there are.
        unhealthy: Worlds that overflowed or went non-finite, where the engine tells.
        room: Contacts and rows, the most that a world wanted and its room, newtonish's only.
        startup: Cold and warm start, from :mod:`newtonish.cli.bench.startup`.
        against: Rates of newtonish's first row in the same turns, where these are turns of their own.
    """

    name: str
    cores: int = 1
    rates: list[float] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in COUNTERS})
    unconverged: int | None = None
    trouble: str = ""
    unhealthy: dict[str, int] = field(default_factory=dict)
    room: dict[str, tuple[int, int]] = field(default_factory=dict)
    startup: dict[str, Any] = field(default_factory=dict)
    against: list[float] = field(default_factory=list)

    def per_core(self) -> np.ndarray:
        return np.asarray(self.rates) / self.cores

    @property
    def spread(self) -> float:
        """Highest less lowest rate, over the median."""
        rates = np.asarray(self.rates)
        return float((rates.max() - rates.min()) / np.median(rates))

    @property
    def converged(self) -> float | None:
        """Share of worlds and steps whose solver stopped before its last iteration; None where that is unknown."""
        samples = self.tallies["iterations"].samples
        return None if self.unconverged is None or not samples else 1.0 - self.unconverged / samples

    @property
    def complaint(self) -> str:
        """What went wrong in how many worlds, empty when nothing did."""
        parts = []
        if overflowed := self.unhealthy.get("overflowed", 0):
            parts.append(f"{overflowed} worlds overflowed")
            if self.room:
                wanted = " and ".join(f"{most} {name}" for name, (most, _) in self.room.items())
                parts[0] += f": up to {wanted} wanted, room for {' and '.join(str(size) for _, size in self.room.values())}"
        if lost := self.unhealthy.get("non-finite", 0):
            parts.append(f"{lost} worlds went non-finite")
        return "; ".join(parts)

    def count(self, counts: dict[str, np.ndarray], limit: int) -> None:
        """Add the counts of a step."""
        for name, values in counts.items():
            self.tallies[name].add(values)
        if limit:
            self.unconverged = (self.unconverged or 0) + int((counts["iterations"] >= limit).sum())


@dataclass
class Case:
    """One model in one number of worlds, and what came of it.

    Attributes:
        name: The model as the command line named it.
        schedule: The controls, in words.
        records: One for each engine that ran, newtonish first.
        missing: One for each engine that did not, with the reason.
        skipped: Why nothing was measured, empty when something was.
        sizes: nv, nu, nbody, ngeom by name.
        memory: Bytes of newtonish's arrays for each world, by group.
        stages: Seconds of each stage of a step of all worlds.
        by_processor: Whether turns were timed by processor time.
    """

    name: str
    path: Path
    worlds: int
    steps: int
    repeats: int
    schedule: str = ""
    records: list[Record] = field(default_factory=list)
    missing: list[Record] = field(default_factory=list)
    skipped: str = ""
    sizes: dict[str, int] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)
    stages: dict[str, float] = field(default_factory=dict)
    by_processor: bool = False

    @property
    def bytes_per_world(self) -> float:
        return sum(self.memory.values())


@dataclass
class States:
    """States that engines start from, repeated when there are more worlds than states.

    Attributes:
        qpos, qvel: Shapes (n, nq) and (n, nv).
        bytes_per_world: Of newtonish's arrays, with the capacities it took to get here.
    """

    qpos: np.ndarray
    qvel: np.ndarray
    bytes_per_world: float = 0.0

    def of(self, nworld: int) -> tuple[np.ndarray, np.ndarray]:
        """States for ``nworld`` worlds."""
        rows = np.arange(nworld) % len(self.qpos)
        return self.qpos[rows], self.qvel[rows]


def limits_of(own: Newtonish) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limits of a model's controls."""
    return control_limits(own.model.actuator_ctrlrange.numpy(), own.model.actuator_ctrllimited.numpy())


def settle(own: Newtonish, nworld: int, seed: int, replay: Replay | None) -> States:
    """Where turns start: the first keyframe or the reference pose with seeded velocities, then steps under random
    controls; a replay starts where its recording did."""
    from newtonish import mjw

    if own.model.nkey:
        mjw.reset_data_keyframe(own.model, own.data, 0)
    qpos = own.data.qpos.numpy().copy()
    qvel = np.random.default_rng([seed, 1]).normal(0.0, NOISE, (nworld, own.model.nv)).astype(np.float32)
    if replay is not None:
        qpos = qpos if replay.qpos is None else np.tile(replay.qpos, (nworld, 1))
        qvel = qvel if replay.qvel is None else np.tile(replay.qvel, (nworld, 1))
    else:
        own.start(qpos, qvel)
        for signal, count in Controls("random", *limits_of(own), nworld, seed + 1).turn(SETTLE):
            own.advance(signal, count)
        qpos, qvel = own.data.qpos.numpy().copy(), own.data.qvel.numpy().copy()
    return States(qpos, qvel, own.data.nbytes() / nworld)


@contextmanager
def told_of(record: Record) -> Iterator[None]:
    """What a peer raises is the trouble of its record, and neither newtonish nor the other peers lose their figures by it."""
    try:
        yield
    except Exception as error:
        record.trouble = f"failed with {type(error).__name__}: {' '.join(str(error).split())[:200]}"


def take_turns(
    engines: list[Engine],
    controls: Schedule,
    steps: int,
    repeats: int,
    warm_up: int,
    say: Callable[[str], None] = lambda text: None,
    restart: tuple[np.ndarray, np.ndarray] | None = None,
    patience: float | None = None,
) -> list[Record]:
    """Warm every engine up, then time ``repeats`` turns of ``steps`` steps each, all under the same controls.

    Args:
        engines: What takes turns.
        controls: What drives them.
        steps: Steps of a turn.
        repeats: Turns of each engine.
        warm_up: Steps before the first turn, not timed.
        say: Called with what is being done.
        restart: States put back before every turn, for a replay.
        patience: Seconds that all turns of an engine may take; one that is slower is left out.
    """
    records = [Record(engine.name, engine.cores) for engine in engines]
    warm = list(controls.turn(warm_up))
    for engine, record in zip(engines, records, strict=True):
        say(f"warming up {engine.name}")
        with _guarded(engine, record):
            _warm_up(engine, record, warm, steps * repeats + warm_up, patience)
    for number in range(repeats):
        say(f"turn {number + 1} of {repeats}")
        turn = list(controls.turn(steps))
        for engine, record in zip(engines, records, strict=True):
            if not record.trouble:
                with _guarded(engine, record):
                    _take_turn(engine, record, turn, steps, restart)
    return records


def _guarded(engine: Engine, record: Record) -> AbstractContextManager[None]:
    """Errors of a peer are told in its record; those of newtonish are raised."""
    return nullcontext() if isinstance(engine, Newtonish) else told_of(record)


def _warm_up(engine: Engine, record: Record, warm: list[tuple[np.ndarray, int]], steps: int, patience: float | None) -> None:
    """Take the steps before the first turn, as far as the engine is fast enough for that many steps altogether."""
    if isinstance(engine, Newtonish):
        engine.wake()
    for signal, _ in warm[:1]:
        engine.advance(signal, 1)  # compiles and records
        seconds = engine.advance(signal, 1)
        if patience is not None and seconds * steps > patience:
            record.trouble = f"left out: {seconds:.2g} s a step"
            return
    for signal, count in warm:
        engine.advance(signal, count)
    engine.begin()


def _take_turn(engine: Engine, record: Record, turn: list[tuple[np.ndarray, int]], steps: int, restart: tuple[np.ndarray, np.ndarray] | None) -> None:
    """Time one turn and count its work."""
    if isinstance(engine, Newtonish):
        engine.wake()
    if restart is not None:
        engine.start(*restart)
    seconds = 0.0
    for signal, count in turn:
        seconds += engine.advance(signal, count)
        record.count(engine.counts(), engine.limit)
    record.rates.append(steps * len(turn[0][0]) / seconds)


def ratios(records: list[Record]) -> dict[str, dict[str, float]]:
    """Our own rate over each other engine's, per core and turn by turn; for our own second row the speed-up."""
    own = records[0]
    result = {}
    for other in records[1:]:
        if other.name.startswith("newtonish"):
            turns = np.asarray(other.rates) / np.asarray(other.against or own.rates)
        else:
            turns = own.per_core() / other.per_core()
        result[other.name] = {"median": float(np.median(turns)), "min": float(turns.min()), "max": float(turns.max())}
    return result
