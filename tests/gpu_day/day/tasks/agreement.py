"""A model on a device against the results of the CPU.

Each step by itself, from the CPU's state before it, captured and not, twice; the arrays of every stage in some of these states; and a run of
all steps, in which contacts make small differences grow, so that only its bits are judged: two runs have the same.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from day import cpu_results, engine
from day.journal import Journal

CHUNK = 1600
"""States that are stepped side by side, a world each."""

MARKS = (1, 10, 50, 100, 200)
"""Steps of the run at which its distance from the CPU's is told."""

COMPARED = ("qpos", "qvel", "act", "qacc_warmstart")
COUNTS = cpu_results.COUNTS


def agree(journal: Journal, device: str, model: str, folder: str) -> None:
    """All three comparisons of a model."""
    engine.start(device)
    results = cpu_results.load(Path(folder), model)
    room = {name: int(results[name]) for name in ("nconmax", "njmax")}
    journal.write("single steps", model=model, device=device, **single_steps(model, device, results, room))
    for row in stages(model, device, results, room):
        journal.write("stage", model=model, **row)
    journal.write("run", model=model, **whole_run(model, device, results, room))


def single_steps(model: str, device: str, results: dict[str, np.ndarray], room: dict[str, int]) -> dict[str, Any]:
    """Every step of the results from the state before it.

    Returns:
        Numbers of states, of those whose counts differ, and of those with equal counts that are further off than the solver's tolerance; the
        worst error by array; and whether captured steps, captured ones again, and plain ones give the same bits.
    """
    steps, worlds = results["nefc"].shape
    size = max(1, min(CHUNK, steps * worlds) // worlds)
    found: dict[str, list[np.ndarray]] = {}
    same = {"captured twice": True, "captured and plain": True}
    m, d = engine.load(model, size * worlds, device, **room)
    for first in range(0, steps, size):
        chosen = np.arange(first, first + size) % steps  # the last chunk is filled up with the first states
        taken = [_step_from(m, d, results, chosen, plain) for plain in (False, False, True)]
        same["captured twice"] &= _same_bits(taken[0], taken[1])
        same["captured and plain"] &= _same_bits(taken[0], taken[2])
        for name, errors in _errors(taken[0], results, chosen).items():
            found.setdefault(name, []).append(errors[: (steps - first) * worlds])
    return _summary({name: np.concatenate(parts) for name, parts in found.items()}) | {"same bits": same}


def _step_from(m: Any, d: Any, results: dict[str, np.ndarray], chosen: np.ndarray, plain: bool) -> dict[str, np.ndarray]:
    """What a step makes of the states before the chosen ones."""
    from newtonish import mjw

    engine.reset(m, d)
    engine.put_states(d, cpu_results.states_before(results, chosen))
    (engine.plain_step if plain else mjw.step)(m, d)
    return {name: getattr(d, name).numpy().copy() for name in (*COMPARED, *COUNTS, "overflow", "nonfinite")}


def _same_bits(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return all(a[name].tobytes() == b[name].tobytes() for name in a)


def _errors(taken: dict[str, np.ndarray], results: dict[str, np.ndarray], chosen: np.ndarray) -> dict[str, np.ndarray]:
    """By state: the largest error of each array over the norm of the CPU's (at least 1), and by how much each count differs."""
    found = {}
    for name in COMPARED:
        ours = taken[name].astype(np.float64)
        theirs = results[name][chosen + 1].reshape(ours.shape)
        if ours.size:
            scale = np.maximum(1.0, np.linalg.norm(theirs, axis=1))
            found[name] = np.nan_to_num(np.abs(ours - theirs).max(axis=1) / scale, nan=np.inf)
    for name in COUNTS:
        found[name] = np.abs(taken[name].ravel() - results[name][chosen].ravel())
    found["lost"] = (taken["overflow"] | taken["nonfinite"]).ravel() != 0
    return found


def _summary(found: dict[str, np.ndarray]) -> dict[str, Any]:
    """Numbers of states, and the worst error of those that have equal contacts and rows."""
    from oracle import SOLVER

    equal = (found["ncon"] == 0) & (found["nefc"] == 0)
    arrays = [name for name in COMPARED if name in found]
    off = equal & np.any([found[name] > SOLVER for name in arrays], axis=0)
    worst = {name: float(found[name][equal].max(initial=0.0)) for name in arrays}
    usual = {name: float(np.quantile(found[name][equal], 0.99)) if equal.any() else float("nan") for name in arrays}
    return {
        "states": len(equal), "other counts": int((~equal).sum()), "off": int(off.sum()), "lost": int(found["lost"].sum()),
        "other iterations": int((found["solver_niter"] != 0).sum()), "worst": worst, "99 of 100": usual,
    }  # fmt: skip


def stages(model: str, device: str, results: dict[str, np.ndarray], room: dict[str, int]) -> list[dict[str, Any]]:
    """Arrays of the forward dynamics in the sampled states: the worst error of each stage over the norm of the CPU's (at least 1)."""
    from newtonish import mjw

    states = cpu_results.states_before(results, results["at"])
    m, d = engine.load(model, len(states["qpos"]), device, **room)
    engine.put_states(d, states)
    mjw.forward(m, d)
    ours = cpu_results.stage_arrays(d)
    theirs = {name.removeprefix("stage."): array for name, array in results.items() if name.startswith("stage.")}
    equal = np.all([ours[name].ravel() == theirs[name].ravel() for name in ("ncon", "nefc")], axis=0)
    rows = []
    for stage, (names, tolerance) in _tolerances().items():
        errors = {name: _worst(ours.get(name), theirs[name], equal) for name in names if name in theirs}
        if errors:
            name = max(errors, key=lambda key: errors[key])
            rows.append({"stage": stage, "worst": name, "error": errors[name], "tolerance": tolerance, "states": int(equal.sum())})
    return rows


def _tolerances() -> dict[str, tuple[tuple[str, ...], float]]:
    """Arrays of each stage and the tolerance that they have against MuJoCo."""
    from oracle import ACCELERATION, CONTACT, EFC, POSITION, ROWS, SMOOTH, SOLUTION, SOLVER, VELOCITY

    return {
        "position": (POSITION, SMOOTH), "velocity": (VELOCITY, SMOOTH), "acceleration": (ACCELERATION, SMOOTH),
        "contacts": (tuple(f"contact.{name}" for name in CONTACT), SMOOTH), "rows": (tuple(f"efc.{name}" for name in EFC), ROWS),
        "solution": (SOLUTION, SOLVER),
    }  # fmt: skip


def _worst(ours: np.ndarray | None, theirs: np.ndarray, equal: np.ndarray) -> float:
    """The worst error of an array in the states that have equal contacts and rows."""
    if not equal.any():
        return float("nan")
    theirs = theirs[equal].reshape(int(equal.sum()), -1).astype(np.float64)
    if ours is None:
        return float("inf")
    ours = ours[equal].reshape(len(theirs), -1)
    width = min(ours.shape[1], theirs.shape[1])  # of contacts or rows: what another state alone has is not compared
    scale = np.maximum(1.0, np.linalg.norm(theirs, axis=1))
    errors = np.abs(ours[:, :width] - theirs[:, :width]).max(axis=1, initial=0.0) / scale
    return float(np.nan_to_num(errors, nan=np.inf).max())


def whole_run(model: str, device: str, results: dict[str, np.ndarray], room: dict[str, int]) -> dict[str, Any]:
    """All steps from the first state, twice; a digest of the end, and the largest distance of a coordinate from the CPU's after some steps."""
    from newtonish import mjw

    steps, worlds = results["nefc"].shape
    m, d = engine.load(model, worlds, device, **room)
    ends, apart = [], {}
    for _ in range(2):
        engine.reset(m, d)
        engine.put_states(d, cpu_results.states_before(results, np.array([0])))
        for k in range(steps):
            if d.ctrl.size:
                d.ctrl.assign(results["ctrl"][k])
            mjw.step(m, d)
            if k + 1 in MARKS:
                apart[str(k + 1)] = float(np.abs(d.qpos.numpy() - results["qpos"][k + 1]).max())
        ends.append({name: getattr(d, name).numpy().copy() for name in (*COMPARED, *COUNTS)})
    finite = bool(all(np.isfinite(ends[0][name]).all() for name in COMPARED) and not d.nonfinite.numpy().any())
    bits = hashlib.sha256(b"".join(ends[0][name].tobytes() for name in sorted(ends[0]))).hexdigest()[:12]
    same = _same_bits(*ends)
    return {"steps": steps, "worlds": worlds, "twice the same bits": same, "bits": bits, "finite": finite, "apart": apart}
