"""Train a quadruped to walk as it is told, by PPO of Stable-Baselines3, all worlds in one simulation.

Needs ``pip install "newtonish[learn]"``; ``--save FOLDER`` writes the policy, a learning curve and a film (``newtonish[view]``, matplotlib).
Run with ``python examples/train_quadruped.py [--steps N] [--save FOLDER]``.
"""

import numpy as np
from learning import Lesson, main
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

from newtonish import envs

LESSON = Lesson(
    "QuadrupedWalk-v0",
    steps=3_000_000,
    worlds=128,
    settings={
        "n_steps": 64, "batch_size": 2048, "n_epochs": 5, "learning_rate": 1e-3, "gae_lambda": 0.95, "target_kl": 0.03,
        "policy_kwargs": {"log_std_init": -0.7, "net_arch": [128, 128]},
    },
    camera={"track": "trunk", "distance": 1.8, "azimuth": 120.0, "elevation": -18.0},
    trial={"command_low": (0.8, 0.0, 0.0), "command_high": (0.8, 0.0, 0.0)},
)  # fmt: skip

COMMANDS = ((0.8, 0.0, 0.0), (-0.4, 0.0, 0.0), (0.0, 0.25, 0.0), (0.0, 0.0, 0.6))


def walk(model: PPO, normalise: VecNormalize, command: tuple[float, float, float], worlds: int = 8, steps: int = 200) -> tuple[np.ndarray, int]:
    """What becomes of a command: the mean velocity (forward, left, turning) of the second half of some steps, and the number of falls."""
    env = envs.make_vec(LESSON.task, worlds, command_low=command, command_high=command)
    observation, _ = env.reset(seed=1000)
    velocities, falls = [], 0
    for _ in range(steps):
        action, _ = model.predict(normalise.normalize_obs(observation), deterministic=True)
        observation, _, fallen, _, info = env.step(action)
        velocities.append([*info["velocity"][:, :2].mean(axis=0), env.worlds.qvel[:, 5].mean()])
        falls += int(fallen.sum())
    return np.mean(velocities[steps // 2 :], axis=0, dtype=np.float64), falls


if __name__ == "__main__":
    policy = main(__doc__, LESSON, seconds=5.0, check=False)
    for command in COMMANDS:
        velocity, falls = walk(*policy, command)
        print("told", command, "goes", tuple(np.round(velocity, 2).tolist()), "m/s, m/s, rad/s;", falls, "falls")
