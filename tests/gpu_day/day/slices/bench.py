"""Slice ``bench``: steps per second beside mujoco_warp in the same process, in turns, at every setting of the lanes."""

from __future__ import annotations

from typing import Any

from day import markdown
from day.children import Run
from day.models import BENCHED, chosen

__all__ = ["ABOUT", "VARIABLE", "bench_rows", "report", "run"]

ABOUT = "the benchmark beside mujoco_warp, and 256 humanoids for 50 steps"
VARIABLE = "NEWTONISH_LANES"
"""What sets the lanes of a world; the setting ``default`` leaves it unset."""

SETTINGS = ("default",)
WORLDS = (8192, 1024, 32768)
PEER = "mujoco_warp"
GOAL = 1.5
BURST = {"model": "humanoid", "worlds": 256, "steps": 50}


def run(run: Run) -> None:
    """What matters most comes first: the default setting, 8,192 worlds."""
    options, models = run.options, chosen(run, BENCHED)
    settings = options.settings or SETTINGS
    for setting in settings:
        run.task("burst", {**BURST, "setting": setting}, **variables(setting))
        for worlds in options.worlds or WORLDS:
            for model in models:
                stages = setting == settings[0] and worlds == (options.worlds or WORLDS)[0]
                arguments = {"model": model, "worlds": worlds, "setting": setting, "peers": options.peers, "with_stages": stages}
                run.task("bench", {**arguments, "steps": options.turn, "repeats": options.repeats}, **variables(setting))


def variables(setting: str) -> dict[str, str]:
    """The environment of a setting."""
    return {} if setting == "default" else {VARIABLE: setting}


def report(records: list[dict[str, Any]]) -> list[str]:
    """Markdown of what the slice found."""
    lines = bench_rows([r for r in records if r["kind"] == "bench"])
    bursts = [
        (r["model"], r["worlds"], r["steps"], r["setting"], f"{1e3 * r['median']:.2f}", f"{1e3 * r['least']:.2f}", f"{r['contacts']:.1f}")
        for r in records if r["kind"] == "burst"
    ]  # fmt: skip
    header = ("model", "worlds", "steps", "setting", "median ms", "least ms", "contacts")
    return [*lines, *markdown.table(header, bursts, "One call of `mjw.step`:"), *_stages(records)]


def bench_rows(cases: list[dict[str, Any]]) -> list[str]:
    """The table of rates."""
    rows = []
    for r in cases:
        if "skipped" in r:
            rows.append((r["model"], f"{r['worlds']:,}", r["setting"], r["skipped"], *("",) * 7))
            continue
        ours, theirs = r["engines"]["newtonish"], r["engines"].get(PEER)
        ratio = r["ratios"].get(PEER)
        cells = [markdown.si(ours["median"]), "", r["missing"].get(PEER, ""), *_work(ours), ""]
        if theirs is not None and ratio is not None:
            cells[1:3] = [markdown.si(theirs["median"]), f"{ratio['median']:.2f} ({ratio['min']:.2f} to {ratio['max']:.2f})"]
            cells[6] = " / ".join(_work(theirs))
        memory = f"{r['bytes per world']['total'] / 1024:.0f} KiB"
        rows.append((r["model"], f"{r['worlds']:,}", r["setting"], *cells, memory, _lost(r)))
    header = ("model", "worlds", "lanes", "newtonish", PEER, "ratio", "contacts", "rows", "iterations", f"{PEER}'s", "memory a world", "overflowed")
    legend = f"World-steps per second, turn by turn in one process; the goal is a ratio of {GOAL}. Contacts, rows, iterations: means of a world and step."
    return markdown.table(header, rows, legend)


def _work(engine: dict[str, Any]) -> list[str]:
    return [f"{engine[name]['mean']:.1f}" for name in ("contacts", "rows", "iterations")]


def _lost(record: dict[str, Any]) -> str:
    """Worlds of each engine that lacked room."""
    lost = {name: entry["worlds"]["overflowed"] for name, entry in record["engines"].items() if "worlds" in entry}
    return ", ".join(f"{name} {count}" for name, count in lost.items() if count) or "none"


def _stages(records: list[dict[str, Any]]) -> list[str]:
    found = [r for r in records if r["kind"] == "bench" and "stages" in r]
    names = list(dict.fromkeys(name for r in found for name in r["stages"]))
    rows = [(r["model"], f"{r['worlds']:,}", *(f"{1e9 * r['stages'][n] / r['worlds']:.1f}" if n in r["stages"] else "" for n in names)) for r in found]
    return markdown.table(("model", "worlds", *names), rows, "Nanoseconds a world of each stage of newtonish's step, replayed by itself:")
