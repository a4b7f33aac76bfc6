"""Slice ``sanitizer``: NVIDIA's compute-sanitizer over a few steps of few worlds, for accesses out of bounds, races and barriers."""

from __future__ import annotations

import re
from typing import Any

from day import markdown, tools
from day.children import Run
from day.models import chosen
from day.results import has_results

__all__ = ["ABOUT", "findings", "report", "run"]

ABOUT = "compute-sanitizer: memcheck, racecheck, synccheck"
CHECKS = ("memcheck", "racecheck", "synccheck")
MODELS = ("humanoid", "arm_gripper", "humanoids_3", "biped_terrain")
FOUND = 99
"""Exit code of the tool when it found something."""

_SUMMARY = re.compile(r"(ERROR|RACECHECK) SUMMARY: (\d+) (?:errors?|hazards? displayed \((\d+) errors?, (\d+) warnings?\))")
_FINDING = re.compile(r"^=+ ((?:Error|Warning|Invalid|Potential|Barrier|Program hit|Target application)\b.*)(?:\n=+ +(?:at|and) (.*))?$", flags=re.MULTILINE)
"""The first line of a finding, and the second where it names the kernel."""


def run(run: Run) -> None:
    """Each check on the humanoid first, then on further models while there is time. Every array has an allocation of its own."""
    tool = tools.find("compute-sanitizer")
    if tool is None:
        run.journal.write("missing", tool="compute-sanitizer")
        return
    for model in chosen(run, MODELS):
        has_results(run, model)  # states with contacts
        for check in CHECKS:
            place = run.places.scratch / f"{check}_{model.replace('/', '_')}.txt"
            place.unlink(missing_ok=True)
            before = (tool, "--tool", check, "--print-limit", "20", "--error-exitcode", str(FOUND), "--log-file", str(place))
            arguments = {"model": model, "worlds": 4, "steps": 3, "folder": str(run.places.results)}
            code = run.task("steps", arguments, before, WARP_ENABLE_MEMPOOLS_AT_INIT="0")
            said = place.read_text(encoding="utf-8", errors="replace") if place.exists() else ""
            run.journal.write("check", check=check, model=model, code=code, **findings(said))


def findings(said: str) -> dict[str, Any]:
    """What a report of compute-sanitizer says: errors and warnings, None without a summary, and different findings, some of them."""
    last = next(reversed(list(_SUMMARY.finditer(said))), None)
    told = list(dict.fromkeys(": ".join(filter(None, lines)) for lines in _FINDING.findall(said)))[:10]
    if last is None:
        return {"errors": None, "warnings": None, "told": told}
    if last[1] == "RACECHECK":
        return {"errors": int(last[3] or 0), "warnings": int(last[4] or 0), "told": told}
    return {"errors": int(last[2]), "warnings": 0, "told": told}


def report(records: list[dict[str, Any]]) -> list[str]:
    """Markdown of what the slice found."""
    rows = []
    for r in (r for r in records if r["kind"] == "check"):
        shown = "no summary" if r["errors"] is None else r["errors"]
        good = markdown.yes(r["errors"] == 0 and not r["warnings"])
        rows.append((r["check"], r["model"], shown, "" if r["warnings"] is None else r["warnings"], "; ".join(r["told"])[:300], good))
    lines = markdown.table(("check", "model", "errors", "warnings", "told", "clean"), rows, "Steps of 4 unequal worlds, kernels launched one by one.")
    return lines or ["compute-sanitizer is not there.", ""] * any(r["kind"] == "missing" for r in records)
