"""Sleep of a Data on the host: how it begins, and its copies in MuJoCo's MjData."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import warp as wp

from newtonish.common.enums import SleepPolicy, SleepState
from newtonish.errors import NewtonishWarning, problem
from newtonish.kernels.collision.stage import collision
from newtonish.kernels.constraint.stage import make_constraint
from newtonish.kernels.forces.stage import velocity_stage
from newtonish.kernels.sleep.stage import may_sleep
from newtonish.kernels.smooth.stage import position_stage
from newtonish.kernels.structs.container import Data, Model
from newtonish.kernels.structs.sleep import SLEEP_STATE

__all__ = ["begin_asleep", "begin_awake", "copy_sleep", "get_sleep", "put_sleep"]

RESTLESS = -11
"""``tree_asleep`` of a tree that moves: it has to be slow for ten steps."""


def begin_awake(m: Model, d: Data) -> None:
    """Let every tree of a Data whose arrays are zero be awake; nothing where none may sleep."""
    if not may_sleep(m):
        return
    for array in (d.sleep.tree_asleep, d.sleep.asleep0):
        array.fill_(RESTLESS)
    d.sleep.tree_awake.fill_(1)
    tree, root, mocap = (getattr(m.body, name).numpy() for name in ("treeid", "rootid", "mocapid"))
    moving = (tree >= 0) | (mocap[root] >= 0)
    _fill(d.sleep.body_awake, np.where(moving, SleepState.AWAKE, SleepState.STATIC))
    _fill(d.sleep.body_awake_ind, np.arange(len(tree)))
    _fill(d.sleep.parent_awake_ind, np.append(np.arange(1, len(tree)), 0))
    _fill(d.sleep.dof_awake_ind, np.arange(m.size.nv))
    counts = {"ntree_awake": m.size.ntree, "nbody_awake": len(tree), "nparent_awake": len(tree) - 1, "nv_awake": m.size.nv, "nmoving": int(moving.sum())}
    for name, number in counts.items():
        getattr(d.sleep, name).fill_(int(number))


def _fill(array: wp.array, row: np.ndarray) -> None:
    array.assign(np.tile(row.astype(np.int32), (array.shape[0], 1)))


def begin_asleep(m: Model, d: Data) -> None:
    """Let trees with the policy ``init`` fall asleep in the reference pose, in which all worlds of ``d`` are; resets repeat it.

    Warns:
        NewtonishWarning: such a tree is coupled with one that does not begin asleep, and stays awake.
    """
    if not may_sleep(m) or not bool(np.any(m.sleep.tree_sleep_policy.numpy() == SleepPolicy.INIT)):
        return
    from newtonish.kernels.sleep.fall import sleep_initially

    for stage in (position_stage, collision, velocity_stage, make_constraint, sleep_initially):
        stage(m, d)
    wanted = m.sleep.tree_sleep_policy.numpy() == SleepPolicy.INIT
    awake = wanted & (d.tree_asleep.numpy() < 0)
    if awake.any():
        world, tree = np.argwhere(awake)[0]
        body = int(m.sleep.tree_bodyadr.numpy()[tree])
        name = m.names["body"][body] or str(body)
        given = f'sleep="init", and coupled in world {world} with a tree that does not begin asleep'
        text = problem(f"body {name!r}", given, "trees that all begin asleep", 'give the other one sleep="init" as well; it stays awake')
        warnings.warn(text, NewtonishWarning, stacklevel=3)


def copy_sleep(src: Data, dst: Data) -> None:
    """Copy who sleeps, and what is kept of them, where both have it."""
    if src.tree_asleep.shape == dst.tree_asleep.shape and src.tree_asleep.size:
        for f in SLEEP_STATE.fields:
            wp.copy(getattr(dst.sleep, f.name), getattr(src.sleep, f.name))


def put_sleep(m: Model, d: Data, mjd: Any) -> None:
    """Copy who sleeps from an ``MjData`` into every world, after its state."""
    if not may_sleep(m) or not hasattr(mjd, "tree_asleep"):
        return
    for name in ("tree_asleep", "tree_awake", "body_awake", "body_awake_ind", "parent_awake_ind", "dof_awake_ind"):
        _fill(getattr(d.sleep, name), np.asarray(getattr(mjd, name)))
    for name in ("ntree_awake", "nbody_awake", "nparent_awake", "nv_awake"):
        getattr(d.sleep, name).fill_(int(getattr(mjd, name)))
    d.sleep.nmoving.fill_(int(np.sum(np.asarray(mjd.body_awake) == SleepState.AWAKE)))
    wp.copy(d.sleep.qpos, d.state.qpos)
    if d.sleep.sensordata.size:
        wp.copy(d.sleep.sensordata, d.sense.sensordata)
        d.sleep.held.fill_(1)


def get_sleep(result: Any, d: Data, world_id: int) -> None:
    """Copy who sleeps in one world into an ``MjData``, after its state."""
    if not d.tree_asleep.size or not hasattr(result, "tree_asleep"):
        return
    for name in ("tree_asleep", "tree_awake", "body_awake", "body_awake_ind", "parent_awake_ind", "dof_awake_ind"):
        getattr(result, name)[:] = getattr(d.sleep, name).numpy()[world_id]
    for name in ("ntree_awake", "nbody_awake", "nparent_awake", "nv_awake"):
        setattr(result, name, int(getattr(d.sleep, name).numpy()[world_id]))
