"""``newtonish bench``: steps per second beside MuJoCo, mujoco_warp and Newton, of some models or of a whole suite.

A ratio comes first, measured in turns in one process (:mod:`newtonish.cli.bench.measure`). Contacts, rows, iterations and
convergence stand beside each rate, because a rate says nothing without the work that was done for it.
"""

from __future__ import annotations

import gc
import os
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from newtonish.cli import tables
from newtonish.cli.arguments import UsageError, output_path, use_device
from newtonish.cli.bench import startup
from newtonish.cli.bench.engine import Engine, Newtonish, PeerMissing
from newtonish.cli.bench.measure import SETTLED, Case, Record, States, limits_of, settle, take_turns, told_of
from newtonish.cli.bench.pages import check_section, facts_of_run, report, write_page
from newtonish.cli.bench.peers import PEERS, make
from newtonish.cli.bench.tables import show
from newtonish.cli.controls import Controls, Replay, check_replay, read_replay
from newtonish.cli.loading import short_warnings
from newtonish.cli.models import SUITE, model_path, with_options
from newtonish.cli.output import findings
from newtonish.errors import problem

__all__ = ["peer_names", "run"]

STEPS, WARM_UP = 100, 20
"""Steps of a turn and before the first one, where the command line does not say."""

SUITE_SECONDS = 0.25
"""About how long newtonish's turns take in the suite, on one core; sets their steps."""

SUITE_STEPS = (5, 1000)
"""Fewest and most steps of a turn in the suite."""

SCALING_TURNS, SUITE_SCALING_STEPS = 9, 2
"""Turns of one thread and of twice as many, which they take without peers; in the suite, where turns are short, twice as long."""

SUITE_TURNS = 3
SUITE_PATIENCE = 40.0
"""Seconds that all turns of an engine may take in one case of the suite."""

PEER_WORLDS = (1, 1024)
"""Numbers of worlds in which the suite measures peers; the numbers between and beyond show how newtonish scales."""

MEMORY_SHARE = 0.5
"""Share of the free memory that newtonish's arrays may take; peers and their copies need room as well."""


@dataclass(frozen=True)
class Task:
    """What to measure: a model, in some numbers of worlds."""

    name: str
    path: Path
    worlds: list[int]
    steps: Callable[[int], int]
    in_suite: bool = False


def cores() -> int:
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
        near = get_close_matches(unknown[0], PEERS, n=1)
        remedy = f"did you mean {near[0]}?" if near else "name one of these"
        raise UsageError(problem("--vs", ", ".join(map(repr, unknown)), f"{', '.join(PEERS)}, none", remedy))
    return list(dict.fromkeys(names))


def _by_processor(arguments: Namespace) -> bool:
    """Whether ``--clock`` asks for processor time, which only a CPU takes."""
    if arguments.clock == "processor" and arguments.device != "cpu":
        given = f"'processor' with --device {arguments.device}"
        raise UsageError(problem("--clock", given, "'wall' on a GPU", "leave out --clock, or use --device cpu"))
    return arguments.clock == "processor"


def _tasks(arguments: Namespace, replay: Replay | None) -> list[Task]:
    """What the command line asks for."""
    if arguments.suite:
        for given, what in ((arguments.model, "models"), (replay, "--replay"), (arguments.option, "--option")):
            if given:
                text = problem("--suite", f"{what} beside it", "the built-in models alone", f"leave out {what} or --suite")
                raise UsageError(text)
        return [
            Task(entry.name, model_path(entry.name), chosen, _suite_steps(entry.cost, arguments.steps), True)
            for entry in SUITE
            if (chosen := [n for n in entry.worlds if arguments.worlds is None or n in arguments.worlds])
        ]
    steps = arguments.steps or (STEPS if replay is None else len(replay.ctrl))
    worlds = arguments.worlds or [1024]
    paths = {name or "humanoid": with_options(model_path(name), arguments.option) for name in arguments.model or [None]}
    return [Task(name, path, worlds, lambda _: steps) for name, path in paths.items()]


def _suite_steps(cost: float, given: int | None) -> Callable[[int], int]:
    """Steps of a turn by the number of worlds: as many as fit in about :data:`SUITE_SECONDS`."""
    least, most = SUITE_STEPS

    def steps(worlds: int) -> int:
        return given or max(least, min(most, round(SUITE_SECONDS / (1e-6 * cost * worlds))))

    return steps


def _capacity(arguments: Namespace) -> dict[str, int]:
    """``nconmax`` and ``njmax`` where they were given."""
    return {name: value for name in ("nconmax", "njmax") if (value := getattr(arguments, name)) is not None}


def _engines(task: Task, nworld: int, start: tuple[Any, Any], arguments: Namespace, device: str) -> tuple[list[Engine], list[Record]]:
    """The engines that can run, our own first, in the states that turns start from, and a record with the reason for each one that cannot."""
    own = Newtonish(task.path, nworld, device, arguments.threads, quiet=True, capacity=_capacity(arguments))
    own.start(*start)
    engines: list[Engine] = [own]
    missing: list[Record] = []
    for name in peer_names(arguments.vs):
        if task.in_suite and nworld not in PEER_WORLDS:
            continue
        record = Record(name)
        with told_of(record), short_warnings(task.path, limit=None):
            try:
                peer = make(name, task.path, nworld, device, arguments.threads)
                peer.start(*start)
                engines.append(peer)
            except PeerMissing as error:
                record.trouble = str(error)
        if record.trouble:
            missing.append(record)
    return engines, missing


def _doubled(task: Task, nworld: int, arguments: Namespace, device: str) -> Newtonish | None:
    """Newtonish on twice the threads, where there are the cores for them and worlds enough to share out."""
    if device != "cpu" or cores() < 2 * arguments.threads or nworld < (1024 if task.in_suite else 16):
        return None
    return Newtonish(task.path, nworld, device, 2 * arguments.threads, quiet=True, capacity=_capacity(arguments))


def _health(engine: Engine, record: Record) -> None:
    """Remember how many worlds lacked room or were reset."""
    record.unhealthy, record.room = engine.health(), engine.room()


def _memory_of(data: Any, nworld: int) -> dict[str, float]:
    """Bytes a world of each group of arrays."""
    groups: dict[str, float] = {}
    for name, array in data.arrays().items():
        if array is not None and array.size:
            group = name.split(".")[0]
            groups[group] = groups.get(group, 0.0) + array.capacity / nworld
    return groups


def _measure(case: Case, task: Task, states: States, replay: Replay | None, arguments: Namespace, device: str, say: Any) -> None:
    """Fill a case: turns of all engines, then the stages of our own step."""
    from newtonish import mjw

    start = states.of(case.worlds)
    engines, case.missing = _engines(task, case.worlds, start, arguments, device)
    own = engines[0]
    if replay is None:
        schedule: Controls | Replay = Controls("random", *limits_of(own), case.worlds, arguments.seed)
    else:
        schedule, replay.nworld = replay, case.worlds
    case.schedule = schedule.about
    warm_up = min(WARM_UP, case.steps)
    patience = SUITE_PATIENCE if task.in_suite else None
    restart = None if replay is None else start
    records = take_turns(engines, schedule, case.steps, case.repeats, warm_up, say, restart, patience)
    for engine, record in zip(engines, records, strict=True):
        if not record.trouble:
            _health(engine, record)
    if records[0].trouble:
        case.skipped = records[0].trouble
        return
    case.records = [record for record in records if not record.trouble]
    case.missing += [record for record in records if record.trouble]
    case.memory = _memory_of(own.data, case.worlds)
    _scale(case, task, own, start, (schedule, warm_up, restart), arguments, device, say)
    if arguments.stages or (task.in_suite and _is_chief(case, task)):
        own.wake()
        case.stages = mjw.stage_times(own.model, own.data)


def _scale(
    case: Case, task: Task, own: Newtonish, start: tuple[Any, Any], turns: tuple[Any, int, Any], arguments: Namespace,
    device: str, say: Any,
) -> None:  # fmt: skip
    """Add the row of twice the threads, from turns that these and ``own`` take by themselves, both from the same states."""
    doubled = _doubled(task, case.worlds, arguments, device)
    if doubled is None:
        return
    schedule, warm_up, restart = turns
    for engine in (own, doubled):
        engine.start(*start)
    steps = case.steps * (SUITE_SCALING_STEPS if task.in_suite else 1)
    base, record = take_turns([own, doubled], schedule, steps, arguments.repeats or SCALING_TURNS, warm_up, say, restart)
    record.against = base.rates
    _health(doubled, record)
    case.records.append(record)


def _cases(task: Task, replay: Replay | None, arguments: Namespace, device: str, say: Any) -> Iterator[Case]:
    """One case after the other, each with figures or with the reason why it has none."""
    from newtonish.memory import free_memory

    say(f"{task.name}: loading")
    samples = min(SETTLED, max(task.worlds))
    first = Newtonish(task.path, samples, device, arguments.threads, capacity=_capacity(arguments))
    sizes = {name: int(getattr(first.model, name)) for name in ("nq", "nv", "nu", "nbody", "ngeom")}
    if replay is not None:
        check_replay(replay, task.steps(1), task.name, *(sizes[name] for name in ("nq", "nv", "nu")))
    states = settle(first, samples, arguments.seed, replay)
    del first
    repeats = arguments.repeats or (SUITE_TURNS if task.in_suite else 5)
    for nworld in task.worlds:
        case = Case(task.name, task.path, nworld, task.steps(nworld), repeats, sizes=sizes, by_processor=Engine.by_processor)
        needed, free = states.bytes_per_world * nworld, free_memory(device)
        if free is not None and needed > MEMORY_SHARE * free:
            gib = 2.0**30
            case.skipped = f"would take {needed / gib:.1f} GiB, more than half of the {free / gib:.1f} GiB that are free"
        else:
            _measure(case, task, states, replay, arguments, device, lambda text, n=nworld: say(f"{task.name}, {n} worlds: {text}"))
        gc.collect()  # the engines of one case make room for those of the next
        yield case


def _start_up(case: Case, task: Task, arguments: Namespace, device: str, say: Any) -> None:
    """Cold and warm starts of every engine, in fresh processes; in the suite of newtonish alone but for its first model."""
    for record in case.records:
        own = record is case.records[0]
        if "," in record.name and not own:
            continue
        if task.in_suite and not own and case.name != SUITE[0].name:
            continue
        name = "newtonish" if own else record.name
        say(f"{task.name}: cold and warm start of {name}")
        capacity = _capacity(arguments) if own else {}
        cold = not task.in_suite or case.name == SUITE[0].name
        record.startup = startup.measure(name, task.path, case.worlds, device, capacity, cold)


def _is_chief(case: Case, task: Task) -> bool:
    """Whether this is the number of worlds in which the suite looks closer at a model: the largest up to 1024."""
    return case.worlds == max((n for n in task.worlds if n <= 1024), default=task.worlds[0])


def _wants_start(case: Case, task: Task, arguments: Namespace) -> bool:
    return not arguments.no_startup and bool(case.records) and (not task.in_suite or _is_chief(case, task))


def run(arguments: Namespace) -> int:
    """Carry out the command."""
    page, _, section = (arguments.markdown or "").partition("#")
    page_path = output_path("--markdown", page or None)
    if page_path is not None:
        check_section(page_path, section)
    plot_path = output_path("--plot", arguments.plot)
    if plot_path is not None:
        from newtonish.cli.figures import check_matplotlib

        check_matplotlib()
    peer_names(arguments.vs)
    Engine.by_processor = _by_processor(arguments)
    replay = None if arguments.replay is None else read_replay(Path(arguments.replay))
    tasks = _tasks(arguments, replay)
    device = str(use_device(arguments.device))
    cases: list[Case] = []
    with tables.working("loading") as say:
        for task in tasks:
            for case in _cases(task, replay, arguments, device, say):
                if _wants_start(case, task, arguments):
                    _start_up(case, task, arguments, device, say)
                show(case, device)
                cases.append(case)
    facts = facts_of_run(arguments, device, cores())
    if arguments.json is not None:
        findings(arguments, report(cases, facts))
    if plot_path is not None:
        from newtonish.cli.bench.plot import plot

        plot(cases, facts, plot_path)
        print(f"plot written to {plot_path}")
    if page_path is not None:
        write_page(page_path, cases, facts, plot_path, section)
        print(f"tables written to {page_path}")
    return 0
