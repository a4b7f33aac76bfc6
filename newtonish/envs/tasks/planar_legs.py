"""What the planar hopper and walker share: forward speed, a reward for staying up, an end when they fall.

Positions are (x, z, pitch of the torso, joints ...).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.envs.task import Outcome, Task, gymnasium_model
from newtonish.envs.worlds import Worlds

SPEED_LIMIT = 10.0  # of observed velocities [m/s, rad/s]


@dataclass
class PlanarLegs(Task):
    """Reward: forward speed [m/s] plus ``healthy_reward`` less the square of the actions; an episode ends with a fall.

    Attributes:
        forward_reward_weight: weight of the speed.
        ctrl_cost_weight: weight of the actions' squares.
        healthy_reward: reward of a step in which the torso is up.
        terminate_when_unhealthy: whether a fall ends the episode.
        healthy_z_range: height of the torso that counts as up [m].
        healthy_angle_range: pitch of the torso that counts as up [rad].
        reset_noise_scale: half the width of the noise on positions and velocities.
        exclude_current_positions_from_observation: leave the distance gone out of the observation.
        xml_file: model; None: the file that comes with Gymnasium.
    """

    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 1e-3
    healthy_reward: float = 1.0
    terminate_when_unhealthy: bool = True
    healthy_z_range: tuple[float, float] = (-np.inf, np.inf)
    healthy_angle_range: tuple[float, float] = (-np.inf, np.inf)
    reset_noise_scale: float = 5e-3
    exclude_current_positions_from_observation: bool = True
    xml_file: str | None = None
    frame_skip: int = 4
    file = ""

    def __post_init__(self) -> None:
        self.model = self.xml_file or gymnasium_model(self.file)

    def initial_state(self, worlds: Worlds, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        noise = self.reset_noise_scale
        return worlds.qpos0 + rng.uniform(-noise, noise, worlds.nq), rng.uniform(-noise, noise, worlds.nv)

    def observation(self, worlds: Worlds) -> np.ndarray:
        first = int(self.exclude_current_positions_from_observation)
        return np.concatenate((worlds.qpos[:, first:], np.clip(worlds.qvel, -SPEED_LIMIT, SPEED_LIMIT)), axis=1)

    def healthy(self, worlds: Worlds) -> np.ndarray:
        """Whether the torso is up, (nworld,)."""
        qpos = worlds.qpos
        return _within(qpos[:, 1], self.healthy_z_range) & _within(qpos[:, 2], self.healthy_angle_range)

    def progress(self, worlds: Worlds) -> np.ndarray:
        return worlds.qpos[:, :1]

    def outcome(self, worlds: Worlds, action: np.ndarray, before: np.ndarray, after: np.ndarray) -> Outcome:
        speed = (after - before)[:, 0] / worlds.dt
        forward = self.forward_reward_weight * speed
        cost = self.ctrl_cost_weight * np.square(action).sum(axis=1)
        healthy = self.healthy(worlds)
        survive = self.healthy_reward * healthy
        info = {
            **self.reset_info(worlds),
            "x_velocity": speed,
            "reward_forward": forward,
            "reward_ctrl": -cost,
            "reward_survive": survive,
        }
        return Outcome(forward + survive - cost, ~healthy & self.terminate_when_unhealthy, info)

    def reset_info(self, worlds: Worlds) -> dict[str, np.ndarray]:
        qpos = worlds.qpos.astype(np.float64)
        return {"x_position": qpos[:, 0], "z_distance_from_origin": qpos[:, 1] - worlds.qpos0[1]}


def _within(values: np.ndarray, bounds: tuple[float, float]) -> np.ndarray:
    return (bounds[0] < values) & (values < bounds[1])
