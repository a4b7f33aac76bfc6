"""Train half-cheetah to run by PPO of Stable-Baselines3, all worlds in one simulation.

Needs ``pip install "newtonish[learn]"``. By default a short run that shows the rewards rise; ``--steps 3000000`` makes it run. With MuJoCo and
Gymnasium's own environments installed (``pip install "gymnasium[mujoco]"``) the policy is tried there too: ``--check``.
Run with ``python examples/train_halfcheetah.py [--task Hopper-v5] [--steps N]``.
"""

import argparse
import time

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize

from newtonish import envs
from newtonish.envs.stable_baselines3 import WorldVecEnv


def train(task: str, steps: int, worlds: int = 64, seed: int = 0, device: str = "cpu") -> tuple[PPO, VecNormalize]:
    """A policy and the normalisation of observations that belongs to it.

    Args:
        task: a name in ``envs.TASKS``.
        steps: steps of all worlds together.
        worlds: number of worlds.
        seed: of the worlds and the learner.
        device: Warp device of the simulation; the policy is small, and learns on the CPU.
    """
    vector_env = envs.make_vec(task, worlds, autoreset_mode="SameStep", device=device)
    env = VecNormalize(VecMonitor(WorldVecEnv(vector_env)), gamma=0.99)
    env.seed(seed)
    model = PPO(
        "MlpPolicy", env, n_steps=128, batch_size=2048, n_epochs=8, learning_rate=1e-3, gamma=0.99, gae_lambda=0.95,
        policy_kwargs={"log_std_init": -1.0}, seed=seed, device="cpu",
    )  # fmt: skip
    model.learn(steps)
    return model, env


def score(model: PPO, normalise: VecNormalize, env: VecEnv) -> np.ndarray:
    """Return of one episode in each environment, the policy without noise."""
    observation = env.reset()
    total, running = np.zeros(env.num_envs), np.ones(env.num_envs, dtype=bool)
    while running.any():
        action, _ = model.predict(normalise.normalize_obs(observation), deterministic=True)
        observation, reward, done, _ = env.step(action)
        total += running * reward
        running &= ~done
    return total


def gymnasiums(task: str, count: int) -> VecEnv:
    """Gymnasium's own environments of a task, simulated by MuJoCo."""
    import gymnasium
    from stable_baselines3.common.vec_env import DummyVecEnv

    return DummyVecEnv([lambda: gymnasium.make(task)] * count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="HalfCheetah-v5", choices=list(envs.TASKS))
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--save", help="file that the policy is written to (.zip)")
    parser.add_argument("--check", action="store_true", help="try the policy in Gymnasium's own environments too")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    model, env = train(arguments.task, arguments.steps, arguments.worlds, device=arguments.device)
    print(f"trained in {time.perf_counter() - begin:.0f} s")
    if arguments.save:
        model.save(arguments.save)
    ours = WorldVecEnv(envs.make_vec(arguments.task, 8, autoreset_mode="SameStep", device=arguments.device))
    trials = {"here": ours, **({"in Gymnasium's environments": gymnasiums(arguments.task, 8)} if arguments.check else {})}
    for place, trial in trials.items():
        trial.seed(1000)
        total = score(model, env, trial)
        print(f"return of an episode {place}: {total.mean():.0f}, of 8 episodes {total.min():.0f} to {total.max():.0f}")


if __name__ == "__main__":
    main()
