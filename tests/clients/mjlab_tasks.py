"""mjlab, unmodified, on two engines: the same tasks and actions, side by side in one run.

``newtonish.mjw`` takes the place of mujoco_warp by ``mjw.install_as("mujoco_warp")`` alone, on the MuJoCo that mjlab pins.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from environment import Environment

REQUIREMENTS = ["mjlab==1.6.*"]
PACKAGES = ("mjlab", "mujoco", "mujoco-warp", "warp-lang", "torch")
TASKS = {
    "Mjlab-Velocity-Flat-Unitree-Go1": 8,
    "Mjlab-Velocity-Flat-Unitree-G1": 8,
    "Mjlab-Lift-Cube-Yam": 8,
    "Mjlab-Cartpole-Swingup": 8,
}
"""Tasks, with how many worlds each is run."""
ENGINES = ("mujoco_warp", "newtonish")
STEPS, TURN, WARM_UP = 100, 10, 10


@dataclass
class Comparison:
    """What became of one task.

    Attributes:
        task: Its name.
        worlds: Number of worlds.
        difference: Largest difference of positions (qpos) until the step, in the median world.
        reward: Largest difference of rewards until the last step, in the median world, of the largest reward.
        ms: Median time of a step of the environment [ms], by engine.
        ratio: Median over turns of mujoco_warp's time by newtonish's; and its least and largest.
    """

    task: str
    worlds: int
    difference: dict[int, float]
    reward: float
    ms: dict[str, float]
    ratio: tuple[float, float, float]


class Episode:
    """A process with one task on one engine."""

    def __init__(self, environment: Environment, engine: str, task: str, worlds: int, folder: Path) -> None:
        self.file = folder / f"{task}.{engine}.npz"
        command = [environment.python, Path(__file__).with_name("mjlab_episode.py"), engine, task, str(worlds), self.file]
        with open(folder / f"{task}.{engine}.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        name = self._answer()
        if (name == "newtonish.mjw") != (engine == "newtonish"):
            raise SystemExit(f"{task}: {engine} was asked for, and {name} ran")

    def _answer(self) -> object:
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.file.stem} ended with exit code {self.process.wait()}; see {self.file.with_suffix('.log')}")
        return json.loads(line)

    def step(self, number: int) -> list[float]:
        """Do steps; how long each took [s]."""
        print("step", number, file=self.process.stdin, flush=True)
        return self._answer()

    def finish(self) -> dict[str, np.ndarray]:
        """What was recorded, (steps, worlds, ...)."""
        print("save", file=self.process.stdin, flush=True)
        self._answer()
        self.process.wait()
        with np.load(self.file) as arrays:
            return dict(arrays)


def compare(environment: Environment, task: str, worlds: int, steps: int, folder: Path) -> Comparison:
    """Run a task on both engines, turn by turn, so that neither is measured while the other runs."""
    episodes = {engine: Episode(environment, engine, task, worlds, folder) for engine in ENGINES}
    turns: dict[str, list[list[float]]] = {engine: [] for engine in ENGINES}
    for _ in range(steps // TURN):
        for engine, episode in episodes.items():
            turns[engine].append(episode.step(TURN))
    theirs, ours = (episodes[engine].finish() for engine in ENGINES)
    if not np.isfinite(ours["qpos"]).all():
        raise SystemExit(f"{task}: positions are not finite")
    apart = np.abs(ours["qpos"] - theirs["qpos"]).max(axis=2)
    difference = {step: float(np.median(apart[:step].max(axis=0))) for step in (10, 30, steps) if step <= steps}
    scale = max(float(np.abs(theirs["reward"]).max()), 1e-9)
    reward = float(np.median(np.abs(ours["reward"] - theirs["reward"]).max(axis=0))) / scale
    kept = {engine: [float(np.median(turn)) for turn in times[WARM_UP // TURN :]] for engine, times in turns.items()}
    ratios = [a / b for a, b in zip(kept["mujoco_warp"], kept["newtonish"], strict=True)]
    ms = {engine: 1e3 * float(np.median(times)) for engine, times in kept.items()}
    return Comparison(task, worlds, difference, reward, ms, (float(np.median(ratios)), min(ratios), max(ratios)))


def lines(results: list[Comparison]) -> list[str]:
    """The table of the page."""
    table = [
        "| task, worlds | positions after 10, 30, 100 steps | rewards | mujoco_warp, ms a step | newtonish | ratio (least to most of the turns) |",
        "|---|---|---|---|---|---|",
    ]
    for r in results:
        apart = ", ".join(f"{value:.0e}" for value in r.difference.values())
        table.append(
            f"| `{r.task}`, {r.worlds} | {apart} | {r.reward:.0e} | {r.ms['mujoco_warp']:.1f} | {r.ms['newtonish']:.1f} | "
            f"{r.ratio[0]:.1f} ({r.ratio[1]:.1f} to {r.ratio[2]:.1f}) |"
        )
    return table
