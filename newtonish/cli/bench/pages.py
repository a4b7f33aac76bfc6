"""The figures of a benchmark for machines (``--json``) and as a page (``--markdown``)."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from newtonish import __version__
from newtonish.cli import tables
from newtonish.cli.arguments import UsageError
from newtonish.cli.bench.measure import Case, Record, ratios
from newtonish.errors import problem
from newtonish.files import write_file

__all__ = ["BEGIN", "END", "check_section", "facts_of_run", "page", "processor", "report", "write_page"]

BEGIN, END = "<!-- figures:begin", "<!-- figures:end -->"
"""Between these lines of an existing file the tables go; the first one may have a section's name (``<!-- figures:begin#name``) and runs
on to its own end."""

_PACKAGES = ("warp-lang", "mujoco", "mujoco-warp", "newton", "numpy")
_SETTINGS = ("worlds", "steps", "repeats", "threads", "clock", "device", "seed", "vs", "replay", "suite", "nconmax", "njmax")
_OTHER_WORK = 0.1  # a peer whose mean rows differ by more is marked


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def processor() -> str:
    """Name of the processor, where the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def facts_of_run(arguments: Namespace, device: str, cores: int) -> dict[str, Any]:
    """When, where, with what and how it was measured."""
    import warp as wp

    found = wp.get_device(device)
    return {
        "date": datetime.date.today().isoformat(),
        "command": shlex.join(["newtonish", *arguments.words]),
        "settings": {key: getattr(arguments, key) for key in _SETTINGS},
        "machine": {
            "platform": platform.platform(),
            "processor": processor(),
            "cores": cores,
            "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
            "device": found.name if found.is_cuda else "cpu",
            "python": platform.python_version(),
        },
        "versions": {"newtonish": __version__, **{name: _version(name) for name in _PACKAGES}},
    }


def _of_engine(record: Record) -> dict[str, Any]:
    return {
        "cores": record.cores,
        "rates": record.rates,
        "median": float(np.median(record.rates)),
        "per core": float(np.median(record.per_core())),
        "spread": record.spread,
        **{name: tally.summary() for name, tally in record.tallies.items()},
        "converged": record.converged,
        **({"worlds": record.unhealthy} if record.unhealthy else {}),
        **({"room": {name: list(pair) for name, pair in record.room.items()}} if record.room else {}),
        **({"startup": record.startup} if record.startup else {}),
    }


def report(cases: list[Case], facts: dict[str, Any]) -> dict[str, Any]:
    """Every figure."""
    entries = []
    for case in cases:
        entry: dict[str, Any] = {"model": case.name, "worlds": case.worlds, "steps": case.steps, "repeats": case.repeats}
        if case.skipped:
            entries.append(entry | {"skipped": case.skipped})
            continue
        entry |= {"controls": case.schedule, "sizes": case.sizes, "ratios": ratios(case.records)}
        entry["engines"] = {record.name: _of_engine(record) for record in case.records}
        entry["missing"] = {record.name: record.trouble for record in case.missing}
        entry["bytes per world"] = {"total": case.bytes_per_world, **case.memory}
        entries.append(entry | ({"stages": case.stages} if case.stages else {}))
    return {**facts, "cases": entries}


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}", *(f"| {' | '.join(row)} |" for row in rows), ""]


def _peers(cases: list[Case]) -> list[str]:
    """Other engines in the order in which they first come up."""
    names = [record.name for case in cases for record in (*case.records[1:], *case.missing)]
    return [name for name in dict.fromkeys(names) if not name.startswith("newtonish")]


def _ratio(case: Case, name: str) -> str:
    for record in case.missing:
        if record.name == name:
            return "-" if not record.trouble.startswith("left out") else record.trouble
    entry = ratios(case.records).get(name)
    if entry is None:
        return ""
    ours, theirs = (next(r for r in case.records if r.name == n).tallies["rows"].mean for n in (case.records[0].name, name))
    other = abs(ours - theirs) > _OTHER_WORK * max(ours, theirs, 1.0)
    return f"{entry['median']:.2f} ({entry['min']:.2f} to {entry['max']:.2f}){' *' if other else ''}"


def _speed(cases: list[Case]) -> list[str]:
    peers = _peers(cases)
    threads = [record.name for case in cases for record in case.records[1:] if record.name.startswith("newtonish")]
    further = list(dict.fromkeys(threads))
    rows = []
    for case in cases:
        if case.skipped:
            rows.append((case.name, tables.count(case.worlds), f"not measured: {case.skipped}", *("",) * (5 + len(peers + further))))
            continue
        own = case.records[0]
        counts = [f"{own.tallies[n].mean:.1f} / {own.tallies[n].percentile(0.95)}" for n in ("contacts", "rows", "iterations")]
        speed_up = ratios(case.records)
        more = [f"{speed_up[name]['median']:.2f}" if name in speed_up else "" for name in further]
        converged = "" if own.converged is None else f"{100.0 * own.converged:.1f} %"
        rate = f"{tables.si(float(np.median(own.per_core())))} ({100.0 * own.spread:.0f} %)"
        ratio = [_ratio(case, name) for name in peers]
        rows.append((case.name, tables.count(case.worlds), *ratio, rate, *more, *counts, converged, tables.kib(case.bytes_per_world)))
    header = ["model", "worlds", *(f"over {name}" for name in peers), "world-steps/s a core (spread)"]
    header += [f"speed-up, {name.split(', ')[1]}" for name in further]
    lines = _table([*header, "contacts", "rows", "iterations", "converged", "memory a world"], rows)
    clock = "seconds of processor time" if any(case.by_processor for case in cases) else "seconds"
    legend = f"Rates by {clock}. *over X*: newtonish's rate over that engine's, a core, median (lowest to highest) of the turns"
    if any(" *" in cell for row in rows for cell in row):
        legend += "; \\*: its mean number of rows differs by more than 10 %, so it did different work"
    return [*(line.replace(" * |", " \\* |") for line in lines), f"{legend}. Contacts, rows, iterations: mean / 95th percentile.", ""]


def _complaints(cases: list[Case]) -> list[str]:
    """Where contacts or rows were left out, or worlds were reset: rates of less work than there was."""
    found = [
        f"- {case.name}, {tables.count(case.worlds)} worlds: {record.complaint} ({record.name})"
        for case in cases for record in case.records if record.complaint
    ]  # fmt: skip
    return [*found, ""] if found else []


def _sizes(cases: list[Case]) -> list[str]:
    models = {case.name: case for case in cases if case.sizes}
    rows = []
    for name, case in models.items():
        steps = ", ".join(f"{c.steps} at {tables.count(c.worlds)}" for c in cases if c.name == name and not c.skipped)
        rows.append((name, *(str(case.sizes[key]) for key in ("nv", "nu", "nbody", "ngeom")), case.schedule, steps))
    return _table(("model", "nv", "nu", "nbody", "ngeom", "controls", "steps of a turn"), rows)


def _stages(cases: list[Case]) -> list[str]:
    timed = [case for case in cases if case.stages]
    if not timed:
        return []
    names = list(dict.fromkeys(name for case in timed for name in case.stages))
    rows = [
        (case.name, tables.count(case.worlds),
         *(f"{1e6 * case.stages[name] / case.worlds:.2f}" if name in case.stages else "" for name in names))
        for case in timed
    ]  # fmt: skip
    return ["Microseconds a world of each stage of newtonish's step, replayed by itself:", "", *_table(("model", "worlds", *names), rows)]


def _startup(cases: list[Case]) -> list[str]:
    rows = []
    for case in cases:
        for record in case.records:
            if not record.startup or "failed" in record.startup["warm"]:
                continue
            cold, warm = record.startup.get("cold", {}), record.startup["warm"]
            peak = "" if warm["peak MiB"] is None else f"{tables.count(warm['peak MiB'])} MiB"
            total = f"{cold['total']:.1f} s" if "total" in cold else ""
            rows.append((case.name, tables.count(case.worlds), record.name, total, f"{warm['total']:.1f} s", peak))
    if not rows:
        return []
    header = ("model", "worlds", "engine", "cold start", "warm start", "peak memory, warm")
    return ["From a fresh process to the first step of all worlds:", "", *_table(header, rows)]


def page(cases: list[Case], facts: dict[str, Any], picture: str | None = None) -> str:
    """All tables as Markdown, with date, machine and versions above them."""
    machine = facts["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    where = f"{machine['cores']} cores of {machine['processor']}"
    where += "" if machine["device"] == "cpu" else f", {machine['device']}"
    where += "" if machine["load"] is None else f", load {machine['load']:.1f} at the end"
    lines = [
        f"Measured on {facts['date']}, {where}; Python {machine['python']}, {versions}:",
        "", "```sh", facts["command"], "```", "",
        *_speed(cases),
        *_complaints(cases),
        *_stages(cases),
        *_startup(cases),
        *_sizes(cases),
    ]  # fmt: skip
    if picture is not None:
        lines += [f"![Cost of a step against the number of worlds and against the size of the model]({picture})", ""]
    return "\n".join(lines)


def _marks(text: str, section: str) -> re.Match[str] | None:
    """The marks of a section in a page, groups 1 and 2."""
    begin = BEGIN + (f"#{section}" if section else "")
    return re.search(rf"({re.escape(begin)}(?![\w#]).*?-->).*?({re.escape(END)})", text, flags=re.DOTALL)


def check_section(path: Path, section: str) -> None:
    """Raise UsageError, before a long run, unless the page has the section."""
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    if section and not _marks(old, section):
        given = f"a page without '{BEGIN}#{section} -->' and '{END}'" if old else "a page that does not exist"
        text = problem(f"--markdown '{path}#{section}'", given, "a page with these lines", "add them, or leave out the section")
        raise UsageError(text)


def write_page(path: Path, cases: list[Case], facts: dict[str, Any], plot: Path | None = None, section: str = "") -> None:
    """Write the tables to a file, between its figure marks where it has them: those of a section, or those without a name."""
    picture = None if plot is None else Path(os.path.relpath(plot, path.parent)).as_posix()
    text = page(cases, facts, picture)
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    marks = _marks(old, section)
    if marks:
        text = f"{old[: marks.end(1)]}\n\n{text}\n{old[marks.start(2) :]}"
    elif old:
        print(f"{path}: no line '{END}' in it; rewritten", file=sys.stderr)
    write_file(path, text)
