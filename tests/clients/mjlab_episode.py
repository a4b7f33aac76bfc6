"""An episode of one of mjlab's tasks on one engine, by commands from standard input; runs in the client's environment.

``mjlab_episode.py ENGINE TASK WORLDS FILE``: ENGINE is ``mujoco_warp`` or ``newtonish``, which is then imported in its place;
nothing else differs. ``step N`` does N steps with random actions and answers the seconds that each took; ``save`` writes
what happened to FILE and ends.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

engine, task, worlds, path = sys.argv[1:]
if engine == "newtonish":
    from newtonish import mjw

    mjw.install_as("mujoco_warp")

import mjlab.tasks  # noqa: E402, F401  registers the tasks
import mujoco_warp  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import warp as wp  # noqa: E402
from mjlab.envs import ManagerBasedRlEnv  # noqa: E402
from mjlab.tasks.registry import load_env_cfg  # noqa: E402

SEED, SIZE = 5, 0.5  # of actions


def make() -> Any:
    """The environment as mjlab configures it, with its randomisation, on a CPU."""
    config = load_env_cfg(task)
    config.scene.num_envs, config.seed = int(worlds), 1
    environment = ManagerBasedRlEnv(cfg=config, device="cpu")
    torch.manual_seed(0)
    environment.reset(seed=3)
    return environment


def recorded(environment: Any, result: Any) -> dict[str, Any]:
    """What one step gave."""
    observations, reward, terminated, truncated, _ = result
    data = environment.sim.wp_data
    group = next(iter(observations.values()))
    return {
        "qpos": data.qpos.numpy().copy(), "qvel": data.qvel.numpy().copy(), "observation": group.numpy().copy(),
        "reward": reward.numpy().copy(), "done": (terminated | truncated).numpy(),
    }  # fmt: skip


def main() -> None:
    """Obey until told to save."""
    wp.config.log_level = wp.LOG_ERROR
    torch.set_num_threads(1)
    answers, sys.stdout = sys.stdout, sys.stderr
    environment, generator, history = make(), torch.Generator().manual_seed(SEED), []
    print(json.dumps(mujoco_warp.__name__), file=answers, flush=True)
    for line in sys.stdin:
        word, *number = line.split()
        if word == "save":
            break
        seconds = []
        for _ in range(int(number[0])):
            action = SIZE * (2.0 * torch.rand(environment.action_space.shape, generator=generator) - 1.0)
            begin = time.perf_counter()
            result = environment.step(action)
            seconds.append(time.perf_counter() - begin)
            history.append(recorded(environment, result))
        print(json.dumps(seconds), file=answers, flush=True)
    np.savez(path, **{name: np.array([step[name] for step in history]) for name in history[0]})
    print(json.dumps("saved"), file=answers, flush=True)


main()
