"""Cart-pole: a pole on a cart with one motor, to be kept upright. Gymnasium's InvertedPendulum-v5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.envs.task import Outcome, Task, gymnasium_model
from newtonish.envs.worlds import Worlds

FALLEN = 0.2  # angle of the pole that ends an episode [rad]


@dataclass
class InvertedPendulum(Task):
    """Reward: 1 for each step with the pole upright. An episode ends when it is not.

    Attributes:
        reset_noise_scale: half the width of the noise on positions and velocities.
        xml_file: model; None: the file that comes with Gymnasium.
    """

    reset_noise_scale: float = 0.01
    xml_file: str | None = None
    frame_skip: int = 2

    def __post_init__(self) -> None:
        self.model = self.xml_file or gymnasium_model("inverted_pendulum.xml")

    def initial_state(self, worlds: Worlds, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        noise = self.reset_noise_scale
        return worlds.qpos0 + rng.uniform(-noise, noise, worlds.nq), rng.uniform(-noise, noise, worlds.nv)

    def observation(self, worlds: Worlds) -> np.ndarray:
        return np.concatenate((worlds.qpos, worlds.qvel), axis=1)

    def outcome(self, worlds: Worlds, action: np.ndarray, before: None, after: None) -> Outcome:
        upright = np.abs(worlds.qpos[:, 1]) <= FALLEN
        finite = np.isfinite(self.observation(worlds)).all(axis=1)
        reward = (upright & finite).astype(np.float64)
        return Outcome(reward, ~(upright & finite), {"reward_survive": reward})
