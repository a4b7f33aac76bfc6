"""Steps of an environment a second, beside Gymnasium's own environments in one run.

``python -m newtonish.envs.benchmark HalfCheetah-v5``. All take the same kind of random actions, in turns, so that what else the machine
does meets all of them. Gymnasium's ``AsyncVectorEnv`` has a process for each environment.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from typing import Any

import gymnasium
import numpy as np

from newtonish.envs import TASKS, make_vec


def steps_a_second(env: Any, seconds: float, rng: np.random.Generator) -> float:
    """Environment steps a second in one turn of about so many seconds."""
    actions = rng.uniform(env.single_action_space.low, env.single_action_space.high, (64, *env.action_space.shape)).astype(np.float32)
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        env.step(actions[count % len(actions)])
        count += 1
    return count * env.num_envs / (time.perf_counter() - begin)


def candidates(task: str, worlds: list[int], processes: list[int]) -> dict[str, Any]:
    """Environments by the name that the table gives them."""
    found: dict[str, Any] = {f"newtonish, {n} worlds": make_vec(task, n) for n in worlds}
    for n in processes:
        found[f"AsyncVectorEnv, {n} processes"] = gymnasium.make_vec(task, num_envs=n, vectorization_mode="async", vector_kwargs={"context": "spawn"})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", nargs="?", default="HalfCheetah-v5", choices=[name for name in TASKS if name in gymnasium.registry])
    parser.add_argument("--worlds", type=int, nargs="+", default=[64, 1024], help="numbers of worlds")
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 8, 32], help="numbers of Gymnasium's environments")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a turn")
    arguments = parser.parse_args()
    envs = candidates(arguments.task, arguments.worlds, arguments.processes)
    rng = np.random.default_rng(0)
    for env in envs.values():
        env.reset(seed=0)
        steps_a_second(env, arguments.seconds, rng)  # recorded, warm
    turns: dict[str, list[float]] = {name: [] for name in envs}
    for _ in range(arguments.turns):
        for name, env in envs.items():
            turns[name].append(steps_a_second(env, arguments.seconds, rng))
    best = max(statistics.median(each) for name, each in turns.items() if "Async" in name)
    print(f"{arguments.task} on {os.cpu_count()} cores, median of {arguments.turns} turns (least to most) [env steps/s]")
    for name, each in turns.items():
        middle = statistics.median(each)
        print(f"{name:30} {middle:10,.0f} ({min(each):,.0f} to {max(each):,.0f})  {middle / best:.2f} of AsyncVectorEnv's best")
    for env in envs.values():
        env.close()


if __name__ == "__main__":
    main()
