"""What ``newtonish bench`` prints of a case: the ratio first, and beside each rate the work that was done for it."""

from __future__ import annotations

import numpy as np

from newtonish.cli import tables
from newtonish.cli.bench.measure import Case, Record, ratios

__all__ = ["show"]

_TALLIES = ("contacts", "rows", "iterations")


def show(case: Case, device: str) -> None:
    """Print everything that was measured of a case."""
    title = f"{case.name}: {tables.count(case.worlds)} worlds, {case.repeats} turns of {case.steps} steps on {device}"
    if case.skipped or not case.records:
        print(f"\n{title}\nnot measured: {case.skipped}")
        return
    _speed(case, f"{title}; controls: {case.schedule}" + "; by processor time" * case.by_processor)
    for record in (*case.records, *case.missing):
        if record.complaint or record.trouble:
            print(f"{record.name}: {record.complaint or record.trouble}")
    largest = sorted(case.memory.items(), key=lambda item: -item[1])[:3]
    shares = ", ".join(f"{group} {100.0 * size / case.bytes_per_world:.0f} %" for group, size in largest)
    print(f"memory of newtonish's arrays: {tables.kib(case.bytes_per_world)} a world ({shares})")
    if case.stages:
        _stages(case)
    if any(record.startup for record in case.records):
        _startup(case.records)


def _speed(case: Case, title: str) -> None:
    compared = ratios(case.records)
    rows = []
    for record in case.records:
        entry = compared.get(record.name)
        ratio = "1" if entry is None else f"{entry['median']:.2f} ({entry['min']:.2f}-{entry['max']:.2f})"
        counts = [f"{tally.mean:.1f} / {tally.percentile(0.95)}" for tally in (record.tallies[name] for name in _TALLIES)]
        converged = "-" if record.converged is None else f"{100.0 * record.converged:.1f} %"
        rates = (tables.si(np.median(record.rates)), tables.si(np.median(record.per_core())))
        rows.append((record.name, ratio, *rates, f"{100.0 * record.spread:.0f} %", *counts, converged))
    rows.extend((record.name, *("-",) * 8) for record in case.missing)
    header = ("engine", "ratio", "world-steps/s", "per core", "spread", *_TALLIES, "converged")
    tables.grid(title, header, rows, left=2)
    print("ratio: newtonish over that engine per core, median (lowest-highest) of the turns; for newtonish on more threads,")
    print("its speed-up over the first row. contacts, rows, iterations: mean / 95th percentile a world and step.")
    print("spread: (highest - lowest) / median rate. converged: worlds and steps that did not use up the solver's iterations.")


def _stages(case: Case) -> None:
    total = sum(case.stages.values())
    rows = [(name, f"{1e6 * t / case.worlds:.2f}", f"{100.0 * t / total:.0f} %") for name, t in case.stages.items()]
    tables.grid("Stages of a step, each by itself", ("stage", "us a world", "share"), rows)


def _startup(records: list[Record]) -> None:
    rows = []
    for record in records:
        if not record.startup:
            continue
        cold, warm = record.startup.get("cold", {}), record.startup["warm"]
        failed = cold.get("failed") or warm.get("failed")
        if failed:
            rows.append((record.name, failed, *("-",) * 5))
            continue
        peak = warm["peak MiB"]
        parts = [f"{warm[part]:.2f}" for part in ("import", "load", "first step")]
        cold_total = f"{cold['total']:.1f}" if cold else "-"
        rows.append((record.name, cold_total, f"{warm['total']:.1f}", *parts, "-" if peak is None else tables.count(peak)))
    header = ("engine", "cold start s", "warm start s", "import", "load", "first step", "peak MiB")
    tables.grid("From a fresh process to the first step of all worlds (parts and memory: warm)", header, rows)
