"""Slice ``agreement``: eight models against the CPU, captured and not, twice; thousands of copies of a world."""

from __future__ import annotations

from typing import Any

from day import markdown
from day.children import Run
from day.models import EIGHT, chosen
from day.results import has_results, result_file

__all__ = ["ABOUT", "report", "run"]

ABOUT = "eight models against the CPU's results, equal bits, equal copies"
COPIED = ("humanoid", "arm_gripper", "unitree_g1/scene.xml", "humanoids_3")


def run(run: Run) -> None:
    """Compare model by model; make the results of the CPU where there are none."""
    options = run.options
    models = chosen(run, EIGHT)
    folder = run.places.results
    for model in models:
        if has_results(run, model):
            run.task("agree", {"model": model, "folder": str(folder)})
    for model in (model for model in COPIED if model in models and result_file(folder, model).exists()):
        run.task("copies", {"model": model, "folder": str(folder), "worlds": options.copies, "steps": 50})


def report(records: list[dict[str, Any]]) -> list[str]:
    """Markdown of what the slice found."""
    return [*_steps(records), *_stages(records), *_runs(records), *_copies(records)]


def _steps(records: list[dict[str, Any]]) -> list[str]:
    rows = []
    for r in (r for r in records if r["kind"] == "single steps"):
        worst, usual = r["worst"]["qacc_warmstart"], r["99 of 100"]["qacc_warmstart"]
        bits = [markdown.yes(r["same bits"][name]) for name in ("captured twice", "captured and plain")]
        good = markdown.yes(r["off"] == 0 and r["lost"] == 0 and all(r["same bits"].values()))
        counts = (r["states"], r["other counts"], r["other iterations"], r["off"], r["lost"])
        rows.append((r["model"], *counts, f"{usual:.1e}", f"{worst:.1e}", *bits, good))
    header = ("model", "states", "other contacts or rows", "other iterations", "off", "lost", "99 of 100", "worst", "twice", "plain", "good")
    legend = (
        "Each step by itself, from the CPU's state before it. *off*: states with the CPU's contacts and rows whose next state or acceleration is "
        "further from the CPU's than 1e-3 of its norm; *99 of 100*, *worst*: that error of accelerations. *twice*, *plain*: the same bits from "
        "two captured steps, and from kernels launched one by one."
    )
    return markdown.table(header, rows, legend)


def _stages(records: list[dict[str, Any]]) -> list[str]:
    rows = [
        (r["model"], r["stage"], f"`{r['worst']}`", f"{r['error']:.1e}", f"{r['tolerance']:.0e}", markdown.yes(r["error"] <= r["tolerance"]))
        for r in records if r["kind"] == "stage"
    ]  # fmt: skip
    return markdown.table(("model", "stage", "worst array", "error", "tolerance", "good"), rows, "Arrays of the forward dynamics, over their norms.")


def _runs(records: list[dict[str, Any]]) -> list[str]:
    found = [r for r in records if r["kind"] == "run"]
    marks = sorted({mark for r in found for mark in r["apart"]}, key=int)
    rows = [
        (r["model"], r["worlds"], r["steps"], markdown.yes(r["twice the same bits"]), f"`{r['bits']}`", markdown.yes(r["finite"]),
         *(f"{r['apart'][mark]:.0e}" if mark in r["apart"] else "" for mark in marks))
        for r in found
    ]  # fmt: skip
    legend = (
        "Whole runs, and the largest distance of a coordinate from the CPU's after so many steps. It grows by contacts, and is not judged. "
        "*digest* is of the end; other processes on such a device have the same."
    )
    return markdown.table(("model", "worlds", "steps", "same bits twice", "digest", "finite", *marks), rows, legend)


def _copies(records: list[dict[str, Any]]) -> list[str]:
    rows = [
        (r["model"], r["worlds"], r["steps"], r["rows"], ", ".join(f"{n} in {c}" for n, c in r["different"].items()) or "none")
        for r in records if r["kind"] == "copies"
    ]  # fmt: skip
    return markdown.table(("model", "copies", "steps", "rows", "worlds that differ"), rows, "Copies of one world.")
