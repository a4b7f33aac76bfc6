"""Slice ``devices``: that everything can be imported, what the device is, which tools there are, whether packed kernels are found."""

from __future__ import annotations

import subprocess
from typing import Any

from day import markdown, tools
from day.children import Run
from day.models import EIGHT, chosen

__all__ = ["ABOUT", "report", "run"]

ABOUT = "import, devices, tools, packed kernels, copy speed"
UNTOLD = ("slice", "kind", "when", "versions", "newtonish")
TOOLS = ("nvidia-smi", "ncu", "compute-sanitizer", "nvcc", "ptxas")


def run(run: Run) -> None:
    """Ask the tools for their versions, then look at the device from a child."""
    for name in TOOLS:
        path = tools.find(name)
        run.journal.write("tool", name=name, path=path, version="" if path is None else _version(path))
    run.task("look", {"models": list(chosen(run, EIGHT)), **({} if run.device.startswith("cuda") else {"copied": 1 << 24})})


def _version(path: str) -> str:
    """The line in which a tool says its version."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20).stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run: {error}"
    return next((line.strip() for line in said if "ersion" in line and any(letter.isdigit() for letter in line)), said[-1].strip() if said else "")


def report(records: list[dict[str, Any]]) -> list[str]:
    """Markdown of what the slice found."""
    lines: list[str] = []
    for r in (r for r in records if r["kind"] == "machine"):
        facts = [(key, value) for key, value in r.items() if key not in UNTOLD]
        lines += markdown.table(("what", "found"), [*facts, *r["versions"].items()])
    there = [(r["name"], r["version"] if r["path"] else "missing") for r in records if r["kind"] == "tool"]
    lines += markdown.table(("tool", "version"), there)
    kernels = [(r["model"], r["modules"], f"{r['first step seconds']:.2f}", ", ".join(r["compiled"]) or "none") for r in records if r["kind"] == "kernels"]
    lines += markdown.table(("model", "modules", "first step s", "compiled here"), kernels, "Kernels of a step, from the packed cache or compiled.")
    copies = [f"Copies on the device move {markdown.si(r['bytes a second'])}B/s, reading and writing counted." for r in records if r["kind"] == "copy"]
    return [*lines, *copies, *[""] * bool(copies)]
