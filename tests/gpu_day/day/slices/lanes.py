"""Slice ``lanes``: newtonish alone under each setting of the lanes of a world, each in a process of its own; fixes the defaults."""

from __future__ import annotations

from typing import Any

from day import markdown
from day.children import Run
from day.models import BENCHED, chosen
from day.slices.bench import variables

__all__ = ["ABOUT", "SETTINGS", "report", "run"]

ABOUT = "every setting of the lanes of a world, newtonish alone"
SETTINGS = ("default", "2", "4", "8", "16", "32", "64", "solve=64", "solve=128")
"""All kernels at a number of lanes, of which those of the solver have 32 at least, and the solver alone."""

WORLDS = (8192, 1024)


def run(run: Run) -> None:
    """Go through the settings for one model and number of worlds after the other, so that a cut leaves whole comparisons."""
    options, models = run.options, chosen(run, BENCHED)
    for worlds in options.worlds or WORLDS:
        for model in models:
            for setting in options.settings or SETTINGS:
                arguments = {"model": model, "worlds": worlds, "setting": setting, "peers": "none", "with_stages": True}
                run.task("bench", {**arguments, "steps": options.turn, "repeats": options.repeats}, **variables(setting))


def report(records: list[dict[str, Any]]) -> list[str]:
    """Markdown of what the slice found: a row a setting, the best of each column marked, and the stages of each."""
    rates: dict[str, dict[str, float]] = {}
    stages: dict[tuple[str, str], dict[str, float]] = {}
    for r in (r for r in records if r["kind"] == "bench" and "skipped" not in r):
        column = f"{r['model']}, {r['worlds']:,}"
        rates.setdefault(r["setting"], {})[column] = r["engines"]["newtonish"]["median"]
        stages[column, r["setting"]] = {name: 1e9 * seconds / r["worlds"] for name, seconds in r.get("stages", {}).items()}
    columns = list(dict.fromkeys(column for row in rates.values() for column in row))
    best = {column: max(row.get(column, 0.0) for row in rates.values()) for column in columns}
    rows = [(f"`{setting}`", *(_cell(row.get(column), best[column]) for column in columns)) for setting, row in rates.items()]
    names = list(dict.fromkeys(name for row in stages.values() for name in row))
    detail = [(column, f"`{setting}`", *(f"{row[n]:.1f}" if n in row else "" for n in names)) for (column, setting), row in stages.items()]
    lines = markdown.table(("lanes", *columns), rows, "World-steps per second of newtonish; the best of each column is bold.")
    return [*lines, *_without_effect(records), *markdown.table(("model, worlds", "lanes", *names), detail, "Nanoseconds a world of each stage:")]


def _without_effect(records: list[dict[str, Any]]) -> list[str]:
    """Settings that ran the same kernels in blocks of the same sizes: differences between them are noise."""
    alike: dict[tuple[str, int, str], list[str]] = {}
    for r in (r for r in records if r["kind"] == "bench" and "skipped" not in r):
        alike.setdefault((r["model"], r["worlds"], r["kernels"]), []).append(r["setting"])
    lines = [
        f"- {model}, {worlds:,} worlds: {', '.join(f'`{name}`' for name in names)} ran the same kernels"
        for (model, worlds, _), names in alike.items() if len(set(names)) > 1
    ]  # fmt: skip
    return [*lines, ""] if lines else []


def _cell(rate: float | None, best: float) -> str:
    if rate is None:
        return ""
    return f"**{markdown.si(rate)}**" if rate == best else markdown.si(rate)
