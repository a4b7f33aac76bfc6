"""What the CPU makes of a model: steps of a few unequal worlds, and every array of every stage at some of them.

The states before all steps are kept, so that a step can be compared by itself: runs of contacts part exponentially, whatever the device.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from day import engine
from day.results import result_file

__all__ = ["COUNTS", "STEPS", "WORLDS", "load", "make", "stage_arrays", "states_before"]

STEPS, WORLDS = 200, 16
COUNTS = ("ncon", "nefc", "solver_niter")
HOLD = 10
"""Steps for which controls are held."""


def load(folder: Path, name: str) -> dict[str, np.ndarray]:
    """Results of a model by name: ``qpos``, ``qvel``, ``act``, ``qacc_warmstart`` of shape (steps + 1, worlds, n), ``ctrl`` (steps, worlds, nu),
    counts (steps, worlds), ``at`` (samples,) with the steps before which ``stage.<array>`` (samples * worlds, ...) were evaluated."""
    with np.load(result_file(folder, name)) as store:
        return {key: store[key] for key in store.files}


def make(folder: Path, name: str, worlds: int = WORLDS, steps: int = STEPS, seed: int = 0) -> Path:
    """Run a model on the CPU and write its results. Worlds differ by their initial velocities and controls."""
    m, d = engine.load(name, worlds, "cpu")
    _drive(m, d, steps, seed)  # how much room there has to be
    wanted = {"nconmax": int(d.ncon_needed.numpy().max(initial=0)), "njmax": int(d.nefc_needed.numpy().max(initial=0))}
    room = {key: max(8, 3 * value // 2) for key, value in wanted.items()}
    m, d = engine.load(name, worlds, "cpu", **room)
    found = _drive(m, d, steps, seed)
    if d.overflow.numpy().any() or d.nonfinite.numpy().any():
        raise RuntimeError(f"{name}: worlds overflowed or went non-finite on the CPU; choose another seed or model")
    found["at"] = np.unique(np.linspace(0, steps - 1, 4).round().astype(int))
    found |= _stages(name, found, room)
    folder.mkdir(parents=True, exist_ok=True)
    path = result_file(folder, name)
    np.savez(path, **found, **{key: np.array(value) for key, value in room.items()})
    return path


def states_before(results: dict[str, np.ndarray], steps: np.ndarray) -> dict[str, np.ndarray]:
    """States and controls before the given steps, rows of all worlds of the first step first."""
    chosen = {name: results[name][steps] for name in engine.NAMES_OF_STATE}
    return {name: rows.reshape(rows.shape[0] * rows.shape[1], rows.shape[2]) for name, rows in chosen.items()}


def _drive(m: Any, d: Any, steps: int, seed: int) -> dict[str, np.ndarray]:
    """Step all worlds under random controls; states before and after, controls and counts."""
    from newtonish import mjw
    from newtonish.cli.controls import Controls, control_limits

    _check_state(m)
    d.qvel.assign(np.random.default_rng([seed, 1]).normal(0.0, 0.1, d.qvel.shape).astype(np.float32))
    controls = Controls("random", *control_limits(m.actuator_ctrlrange.numpy(), m.actuator_ctrllimited.numpy()), d.nworld, seed)
    kept: dict[str, list[np.ndarray]] = {name: [] for name in (*engine.NAMES_OF_STATE, *COUNTS)}
    for k in range(steps):
        if k % HOLD == 0 and m.nu:
            d.ctrl.assign(controls.sample())
        for name in engine.NAMES_OF_STATE:
            kept[name].append(getattr(d, name).numpy().copy())
        mjw.step(m, d)
        for name in COUNTS:
            kept[name].append(getattr(d, name).numpy().astype(np.int32))
    for name in engine.NAMES_OF_STATE[:-1]:
        kept[name].append(getattr(d, name).numpy().copy())
    return {name: np.stack(rows) for name, rows in kept.items()}


def _check_state(m: Any) -> None:
    """Delayed controls and springs that yield are state as well, which is not kept here."""
    from newtonish import mjw

    kept = m.nq + m.nv + m.na + 1
    if mjw.state_size(m, mjw.State.FULLPHYSICS) != kept:
        raise RuntimeError(f"a model with a state beyond positions, velocities and activations ({kept} numbers); leave it out")


def _stages(name: str, results: dict[str, np.ndarray], room: dict[str, int]) -> dict[str, np.ndarray]:
    """Every array of the forward dynamics in the states before the steps ``at``."""
    from newtonish import mjw

    states = states_before(results, results["at"])
    m, d = engine.load(name, len(states["qpos"]), "cpu", **room)
    engine.put_states(d, states)
    mjw.forward(m, d)
    return {f"stage.{key}": array for key, array in stage_arrays(d).items()}


def stage_arrays(d: Any) -> dict[str, np.ndarray]:
    """Arrays of the stages under MuJoCo's names; contacts and rows as far as some world has any."""
    from oracle import ACCELERATION, CONTACT, EFC, POSITION, SOLUTION, VELOCITY

    found = {name: getattr(d, name).numpy() for name in (*POSITION, *VELOCITY, *ACCELERATION, *SOLUTION, *COUNTS)}
    contacts, rows = int(d.ncon.numpy().max(initial=0)), int(d.nefc.numpy().max(initial=0))
    found |= {f"contact.{name}": getattr(d.contact, name).numpy()[:, :contacts] for name in ("geom", *CONTACT)}
    found |= {f"efc.{name}": getattr(d.efc, name).numpy()[:, :rows] for name in ("type", *EFC)}
    return {name: array.copy() for name, array in found.items() if array.size}
