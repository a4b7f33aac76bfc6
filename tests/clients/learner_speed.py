"""Steps of half-cheetah's environment a second: newtonish, ``mujoco.batch``, Gymnasium's ``AsyncVectorEnv``, in turns; prints a table.

The environment around ``mujoco.batch`` is ours, so that spaces, observations, rewards and time limits cost the same: only its worlds
are MuJoCo's, in float64, on as many threads as there are cores.
"""

from __future__ import annotations

import os
import statistics
import sys
from typing import Any

import gymnasium
import mujoco
import mujoco.batch
import numpy as np
import warp as wp

from newtonish import envs
from newtonish.envs.benchmark import steps_a_second

TASK, TURNS, SECONDS = "HalfCheetah-v5", 5, 1.0


class BatchWorlds:
    """``mujoco.batch`` with the interface of ``newtonish.envs.Worlds``."""

    def __init__(self, source: str, num_worlds: int, frame_skip: int) -> None:
        self.model = mujoco.MjModel.from_xml_path(source)
        self.batch = mujoco.batch.Batch(self.model, num_worlds, nthread=os.cpu_count())
        self.num_worlds, self.frame_skip = num_worlds, frame_skip
        self.dt, self.qpos0 = self.model.opt.timestep * frame_skip, self.model.qpos0.copy()
        self.nq, self.nv, self.nu = self.model.nq, self.model.nv, self.model.nu
        self.goal = np.zeros((num_worlds, 0))
        self._views = {name: self.batch.bind(name) for name in ("qpos", "qvel", "ctrl", "qacc_warmstart")}

    @property
    def qpos(self) -> np.ndarray:
        return self._views["qpos"].copy()

    @property
    def qvel(self) -> np.ndarray:
        return self._views["qvel"].copy()

    def step(self, action: np.ndarray) -> None:
        self._views["ctrl"][:] = action
        self.batch.step(nstep=self.frame_skip)

    def set_state(self, qpos: np.ndarray, qvel: np.ndarray, mask: np.ndarray) -> None:
        for name, values in (("qpos", qpos), ("qvel", qvel), ("ctrl", 0.0), ("qacc_warmstart", 0.0)):
            self._views[name][mask] = values

    def set_goal(self, world: int, goal: Any) -> None:
        """Half-cheetah has none."""


def on_batch(num_worlds: int) -> envs.WorldVectorEnv:
    """The same environment over MuJoCo's worlds."""
    env = envs.make_vec(TASK, num_worlds)
    env.worlds = BatchWorlds(env.task.model, num_worlds, env.task.frame_skip)
    return env


def same_task(ours: Any, theirs: Any) -> float:
    """Largest difference of observations in the median world, over ten steps from the same seed."""
    apart, rng = np.abs(ours.reset(seed=0)[0] - theirs.reset(seed=0)[0]), np.random.default_rng(0)
    for _ in range(10):
        action = rng.uniform(-1.0, 1.0, ours.action_space.shape).astype(np.float32)
        apart = np.maximum(apart, np.abs(ours.step(action)[0] - theirs.step(action)[0]))
    return float(np.median(apart.max(axis=1)))


def main() -> None:
    wp.config.log_level = wp.LOG_ERROR
    numbers = [int(word) for word in sys.argv[1:]] or [64, 1024]
    table: dict[str, Any] = {}
    for n in numbers:
        table[f"newtonish, {n} worlds"], table[f"`mujoco.batch`, {n} worlds"] = envs.make_vec(TASK, n), on_batch(n)
        apart = same_task(*list(table.values())[-2:])
        if apart > 1e-3:
            raise SystemExit(f"{n} worlds: observations are {apart:.1e} apart")
    for n in (2, 8):
        table[f"`AsyncVectorEnv`, {n} processes"] = gymnasium.make_vec(TASK, num_envs=n, vectorization_mode="async", vector_kwargs={"context": "spawn"})
    rng = np.random.default_rng(0)
    for env in table.values():
        env.reset(seed=0)
        steps_a_second(env, SECONDS, rng)
    turns: dict[str, list[float]] = {name: [] for name in table}
    for _ in range(TURNS):
        for name, env in table.items():
            turns[name].append(steps_a_second(env, SECONDS, rng))
    best = max(statistics.median(each) for name, each in turns.items() if "Async" in name)
    print(f"| {TASK} | env steps/s, median of {TURNS} turns (least to most) | of the best `AsyncVectorEnv` |\n|---|---|---|")
    for name, each in turns.items():
        middle = statistics.median(each)
        print(f"| {name} | {middle:,.0f} ({min(each):,.0f} to {max(each):,.0f}) | {middle / best:.2f} |", flush=True)
    for env in table.values():
        env.close()


if __name__ == "__main__":
    main()
