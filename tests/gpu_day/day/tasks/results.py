"""The results of the CPU, where they were not packed."""

from __future__ import annotations

import time
from pathlib import Path

from day import cpu_results, engine
from day.journal import Journal


def results(journal: Journal, device: str, folder: str, model: str, worlds: int, steps: int) -> None:
    """Make the results of a model."""
    engine.start("cpu")
    begin = time.perf_counter()
    path = cpu_results.make(Path(folder), model, worlds, steps)
    seconds = round(time.perf_counter() - begin, 1)
    journal.write("results", model=model, worlds=worlds, steps=steps, seconds=seconds, bytes=path.stat().st_size)
