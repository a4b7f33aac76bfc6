"""What the ``train_*.py`` examples share: PPO of Stable-Baselines3 over worlds, trials of a policy, a learning curve and a film.

Needs ``pip install "newtonish[learn,view]" matplotlib``.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize

from newtonish import envs
from newtonish.envs.stable_baselines3 import WorldVecEnv


@dataclass
class Lesson:
    """How a task is learned.

    Attributes:
        task: a name in ``envs.TASKS``.
        steps: steps of all worlds together.
        worlds: number of worlds.
        settings: arguments of ``PPO``.
        camera: attributes of the camera that films, and ``track``: the body it follows.
        arguments: of the task, while it is learned and tried.
        trial: of the task, besides, for the film.
    """

    task: str
    steps: int
    worlds: int = 64
    settings: dict[str, Any] = field(default_factory=dict)
    camera: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    trial: dict[str, Any] = field(default_factory=dict)


class Curve(BaseCallback):
    """Steps, seconds since the start, and the mean return of the last episodes, after each rollout.

    Args:
        say: whether to print them.
    """

    def __init__(self, say: bool = False) -> None:
        super().__init__()
        self.points: list[tuple[float, float, float]] = []
        self._begin, self._say = time.perf_counter(), say

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if self.model.ep_info_buffer:
            mean = float(np.mean([episode["r"] for episode in self.model.ep_info_buffer]))
            self.points.append((self.num_timesteps, time.perf_counter() - self._begin, mean))
            if self._say and len(self.points) % 10 == 1:
                print(f"{self.num_timesteps:>9,} steps, {self.points[-1][1]:4.0f} s: return {mean:.1f}", flush=True)

    def save(self, path: Path, title: str) -> None:
        """Draw the curve into a picture."""
        import matplotlib

        matplotlib.use("agg")
        from matplotlib import pyplot

        steps, _, returns = np.array(self.points).T
        figure, axes = pyplot.subplots(figsize=(4.2, 2.4), layout="constrained")
        axes.plot(steps / 1e3, returns)
        axes.set(xlabel="steps of all worlds, thousands", ylabel="return of an episode", title=title)
        axes.grid(alpha=0.3)
        figure.savefig(path, dpi=90)
        pyplot.close(figure)


def train(lesson: Lesson, seed: int = 0, device: str = "cpu", say: bool = False) -> tuple[PPO, VecNormalize, Curve]:
    """A policy, the normalisation of observations that belongs to it, and how it came.

    The policy is small: it learns on one thread of a CPU, whatever device simulates.
    """
    torch.set_num_threads(1)
    vector_env = envs.make_vec(lesson.task, lesson.worlds, autoreset_mode="SameStep", device=device, **lesson.arguments)
    settings = {"gamma": 0.99, **lesson.settings}
    env = VecNormalize(VecMonitor(WorldVecEnv(vector_env)), gamma=settings["gamma"])
    env.seed(seed)
    model, curve = PPO("MlpPolicy", env, seed=seed, device="cpu", **settings), Curve(say)
    model.learn(lesson.steps, callback=curve)
    return model, env, curve


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


def ours(lesson: Lesson, count: int, device: str = "cpu") -> VecEnv:
    """Environments to try a policy in."""
    return WorldVecEnv(envs.make_vec(lesson.task, count, autoreset_mode="SameStep", device=device, **lesson.arguments))


def gymnasiums(lesson: Lesson, count: int) -> VecEnv:
    """Gymnasium's own environments of the task, simulated by MuJoCo."""
    import gymnasium

    return DummyVecEnv([lambda: gymnasium.make(lesson.task, **lesson.arguments)] * count)


def film(model: PPO, normalise: VecNormalize, lesson: Lesson, path: Path, seconds: float, fps: float = 12.5, size: tuple[int, int] = (240, 150)) -> None:
    """Record an episode of the policy without noise; what the end of the file's name says (.gif, .mp4)."""
    from newtonish.viewer.encoders import open_encoder
    from newtonish.viewer.record import Artist, ImageSink
    from newtonish.viewer.scene import CameraType
    from newtonish.viewer.simulation import Simulation

    env = envs.make_vec(lesson.task, 1, autoreset_mode="SameStep", device="cpu", **lesson.arguments, **lesson.trial)
    simulation = Simulation(env.task.model, device="cpu")

    def camera(maker: Any) -> Any:
        made = maker.free_camera()
        for name, value in lesson.camera.items():
            if name == "track":
                made.type, made.body = CameraType.TRACKING, int(simulation.bodies(value)[0])
            else:
                setattr(made, name, value)
        return made

    sink = ImageSink(open_encoder(path, fps), lambda simulation: Artist(simulation, *size, camera))
    observation, _ = env.reset(seed=3)
    every = max(1, round(1.0 / (fps * env.worlds.dt)))
    sink.begin(simulation)
    for i in range(round(seconds / env.worlds.dt)):
        if i % every == 0:
            simulation.set_coordinates(env.worlds.qpos[0], env.worlds.qvel[0])
            sink.frame(simulation)
        action, _ = model.predict(normalise.normalize_obs(observation), deterministic=True)
        observation = env.step(action)[0]
    sink.close()


def arguments(description: str, lesson: Lesson) -> argparse.Namespace:
    """What the examples' command lines say."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--steps", type=int, default=lesson.steps, help=f"of all worlds together (default {lesson.steps:,})")
    parser.add_argument("--worlds", type=int, default=lesson.worlds)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="write the policy, the learning curve and a film there (curve: matplotlib)")
    parser.add_argument("--check", action="store_true", help="try the policy in Gymnasium's own environments too")
    parser.add_argument("--load", type=Path, metavar="FOLDER", help="try what --save has written, and train nothing")
    return parser.parse_args()


def main(description: str, lesson: Lesson, seconds: float, check: bool = True) -> tuple[PPO, VecNormalize]:
    """Train as the command line says, or load; then try the policy, which is returned with its normalisation.

    Args:
        description: docstring of the example.
        lesson: what is learned.
        seconds: length of the film [s].
        check: whether Gymnasium has the task.
    """
    given = arguments(description, lesson)
    lesson.steps, lesson.worlds = given.steps, given.worlds
    name = lesson.task.split("-")[0].lower()
    if given.load is None:
        clock = time.perf_counter(), time.process_time()
        model, normalise, curve = train(lesson, given.seed, given.device, say=True)
        wall, cpu = time.perf_counter() - clock[0], time.process_time() - clock[1]
        print(f"trained for {model.num_timesteps:,} steps in {wall:.0f} s, {cpu:.0f} s of the processor")
        if given.save is not None:
            given.save.mkdir(parents=True, exist_ok=True)
            model.save(given.save / f"{name}_policy")
            normalise.save(str(given.save / f"{name}_observations.pkl"))
            curve.save(given.save / f"{name}_curve.png", lesson.task)
    else:
        model = PPO.load(given.load / f"{name}_policy", device="cpu")
        normalise = VecNormalize.load(str(given.load / f"{name}_observations.pkl"), ours(lesson, 1))
    trials = {"here": ours(lesson, 16, given.device)}
    if given.check and check:
        trials["in Gymnasium's environments"] = gymnasiums(lesson, 16)
    for place, trial in trials.items():
        trial.seed(1000)
        total = score(model, normalise, trial)
        print(f"return of an episode {place}: {total.mean():.1f}, of {len(total)} episodes {total.min():.1f} to {total.max():.1f}")
    folder = given.save or given.load
    if folder is not None:
        film(model, normalise, lesson, folder / f"{name}.gif", seconds)
    return model, normalise
