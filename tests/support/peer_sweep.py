"""The coarser measure of ``sweep.py`` for mujoco_warp: its accelerations in the same states, with its default capacities."""

from __future__ import annotations

import time
from pathlib import Path

import agreement
import mujoco
import mujoco_warp
import numpy as np
import oracle
import sweep
from neighbourhood import Neighbourhood
from paths import SHARED


def measure(path: Path, device: str, nworld: int, root: Path = SHARED) -> sweep.Result:
    """Accelerations of mujoco_warp at the states of ``sweep.sweep``; stages are not compared."""
    mjm = sweep.compiled(path)
    result, start = sweep.Result(str(path.relative_to(root)), mjm.nv), time.perf_counter()
    try:
        for steps in sweep.STEPS:
            pair = oracle.from_model(mjm, nworld if mjm.nv <= sweep.LARGE else 1, device=device)
            oracle.advance(pair, steps)
            agreement.round_states(pair)
            m = mujoco_warp.put_model(mjm)
            worlds = [_world(m, mjm, mjd) for mjd in pair.mjds]
            result.states.append(agreement.State(worlds))
    except Exception as error:
        result.failure = f"{type(error).__name__}: {error}".splitlines()[0]
    result.imported, result.seconds = "not applicable", time.perf_counter() - start
    return result


def _world(m: mujoco_warp.Model, mjm: mujoco.MjModel, mjd: mujoco.MjData) -> agreement.World:
    """One world: MuJoCo's data taken over, ``forward``, and the error of ``qacc``."""
    mujoco.mj_forward(mjm, mjd)
    d = mujoco_warp.put_data(mjm, mjd)
    mujoco_warp.forward(m, d)
    world = agreement.World(Neighbourhood(mjm, mjd))
    world.qacc = world.verified_qacc = agreement.relative(d.qacc.numpy()[0], np.asarray(mjd.qacc)) if mjm.nv else 0.0
    if not world.qacc <= agreement.ISSUE:
        world.errors.append(f"qacc: {world.qacc:.2g} of its norm")
    return world
