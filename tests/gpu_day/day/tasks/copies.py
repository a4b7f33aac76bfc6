"""Copies of one world stay one world: they have the same bits in all their arrays, whatever block and lanes they are computed by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from day import cpu_results, engine
from day.journal import Journal

ARRAYS = ("qpos", "qvel", "act", "qacc", "qfrc_constraint", "ncon", "nefc", "solver_niter", "xpos", "sensordata")


def copies(journal: Journal, device: str, model: str, folder: str, worlds: int, steps: int) -> None:
    """Step copies of a world of the results, from the middle of their run, and count those that differ from the first."""
    engine.start(device)
    results = cpu_results.load(Path(folder), model)
    m, d = engine.load(model, worlds, device, nconmax=int(results["nconmax"]), njmax=int(results["njmax"]))
    different = _step_copies(m, d, results, steps)
    rows = int(d.nefc.numpy()[0])
    journal.write("copies", model=model, worlds=worlds, steps=steps, rows=rows, different=different)


def _step_copies(m: Any, d: Any, results: dict[str, np.ndarray], steps: int) -> dict[str, int]:
    """Names of arrays, each with the number of worlds in which it is not that of the first."""
    from newtonish import mjw

    middle = results["nefc"].shape[0] // 2
    first = {name: rows[:1] for name, rows in cpu_results.states_before(results, np.array([middle])).items()}
    engine.put_states(d, {name: np.repeat(row, d.nworld, axis=0) for name, row in first.items()})
    mjw.step(m, d, nstep=steps)
    found = {}
    for name in ARRAYS:
        array = getattr(d, name).numpy()
        if array.size:
            bits = np.ascontiguousarray(array).reshape(d.nworld, -1).view(np.uint32)
            count = int((bits != bits[:1]).any(axis=1).sum())
            if count:
                found[name] = count
    return found
