"""Results of the CPU as slices know them: where they are, and that they are made where they were not packed. Nothing is imported for it."""

from __future__ import annotations

from pathlib import Path

from day.children import Run

__all__ = ["has_results", "result_file"]


def result_file(folder: Path, model: str) -> Path:
    """The file with the CPU's results of a model."""
    return folder / f"{model.replace('/', '_').removesuffix('.xml')}.npz"


def has_results(run: Run, model: str) -> bool:
    """Whether a model has results, after making them where there are none."""
    folder = run.places.results
    if not result_file(folder, model).exists():
        run.task("results", {"model": model, "folder": str(folder), "worlds": run.options.result_worlds, "steps": run.options.steps})
    return result_file(folder, model).exists()
