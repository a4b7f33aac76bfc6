"""Half-cheetah: a planar runner with six motors, to run forward. Gymnasium's HalfCheetah-v5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.envs.task import Outcome, Task, gymnasium_model
from newtonish.envs.worlds import Worlds


@dataclass
class HalfCheetah(Task):
    """Reward: forward speed [m/s] less the square of the actions. No episode ends before its time.

    Attributes:
        forward_reward_weight: weight of the speed.
        ctrl_cost_weight: weight of the actions' squares.
        reset_noise_scale: half the width of the noise on positions, standard deviation of that on velocities.
        exclude_current_positions_from_observation: leave the distance run out of the observation.
        xml_file: model; None: the file that comes with Gymnasium.
    """

    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 0.1
    reset_noise_scale: float = 0.1
    exclude_current_positions_from_observation: bool = True
    xml_file: str | None = None
    frame_skip: int = 5

    def __post_init__(self) -> None:
        self.model = self.xml_file or gymnasium_model("half_cheetah.xml")

    def initial_state(self, worlds: Worlds, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        noise = self.reset_noise_scale
        qpos = worlds.qpos0 + rng.uniform(-noise, noise, worlds.nq)
        return qpos, noise * rng.standard_normal(worlds.nv)

    def observation(self, worlds: Worlds) -> np.ndarray:
        first = int(self.exclude_current_positions_from_observation)
        return np.concatenate((worlds.qpos[:, first:], worlds.qvel), axis=1)

    def progress(self, worlds: Worlds) -> np.ndarray:
        return worlds.qpos[:, :1]

    def outcome(self, worlds: Worlds, action: np.ndarray, before: np.ndarray, after: np.ndarray) -> Outcome:
        speed = (after - before)[:, 0] / worlds.dt
        forward = self.forward_reward_weight * speed
        cost = self.ctrl_cost_weight * np.square(action).sum(axis=1)
        info = {"x_position": after[:, 0], "x_velocity": speed, "reward_forward": forward, "reward_ctrl": -cost}
        return Outcome(forward - cost, np.zeros(len(forward), dtype=bool), info)

    def reset_info(self, worlds: Worlds) -> dict[str, np.ndarray]:
        return {"x_position": worlds.qpos[:, 0].astype(np.float64)}
