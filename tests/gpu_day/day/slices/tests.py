"""Slice ``tests``: the kernel tests on the device, each written down as it ends; a second run goes on where the first was cut."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

from day import markdown
from day.children import Run

__all__ = ["ABOUT", "report", "run"]

ABOUT = "the kernel tests; called again, it goes on where it was cut"
PATHS = ("tests/kernels", "tests/laws", "tests/newtonish/mjw")
LEFT_OUT = ("tests/kernels/test_cuda_compile.py", "tests/kernels/test_cuda_compile_stages.py")
"""Tests that compile for GPUs where there is none; they take long, and nothing of them depends on the device."""

MOST_WORKERS = 8
TOLD = 60
"""Failed tests that the page names."""


def run(run: Run) -> None:
    """Run pytest in a child. Its plugin ``day.pytest_journal`` leaves out what has a result in the journal and writes the rest into it."""
    paths = run.options.paths or PATHS
    done = run.places.scratch / "tests_done.json"
    done.write_text(json.dumps(sorted({r["test"] for r in run.journal.records() if r["kind"] == "test"})), encoding="utf-8")
    workers = run.options.workers if run.options.workers is not None else min(MOST_WORKERS, os.cpu_count() or 1)
    words = ["-m", "pytest", "-q", "-p", "xdist", "-p", "day.pytest_journal", "-p", "no:cacheprovider", "-o", "addopts=", "--import-mode=importlib"]
    words += ["--device", run.device, "-n", str(workers), "--dist=loadfile", "--max-worker-restart=100"]
    words += [word for path in LEFT_OUT for word in ("--ignore", path)]
    # plugins that happen to be installed beside the packed packages may not fit them
    environment = {"GPU_DAY_DONE": str(done), "GPU_DAY_SLICE": run.journal.part, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run.call(run.places.python(*words, *paths), " ".join(paths), **environment)


def report(records: list[dict[str, Any]]) -> list[str]:
    """Markdown of what the slice found."""
    last = {r["test"]: r for r in records if r["kind"] == "test"}
    if not last:
        return []
    collected = max((r["count"] for r in records if r["kind"] == "collected"), default=len(last))
    counts = Counter(r["outcome"] for r in last.values())
    rows = [(outcome, count) for outcome, count in counts.most_common()]
    lines = markdown.table(("outcome", "tests"), [*rows, ("not run", max(0, collected - len(last)))], f"{collected} tests were collected.")
    failed = [r for r in last.values() if r["outcome"] == "failed"]
    told = [(f"`{r['test']}`", f"{r['said'][:160]}") for r in failed[:TOLD]]
    more = [f"{len(failed) - TOLD} more failed.", ""] if len(failed) > TOLD else []
    return [*lines, *markdown.table(("failed test", "its last line"), told), *more]
