"""Quadruped walk: a four-legged robot that goes as it is told, forward, sideways and turning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.assets import asset_path
from newtonish.envs.task import Outcome, Task
from newtonish.envs.worlds import Worlds


@dataclass
class QuadrupedWalk(Task):
    """Reward: how near the trunk's velocity is to the command, less bouncing, rolling, effort and jerky actions; an episode ends with a fall.

    The command of an episode is (forward speed, speed to the left [m/s], turning speed [rad/s]) in the trunk's frame. An action of 1 moves a
    joint's target by ``action_scale`` from the standing pose [rad]. Observed are gravity's direction and the velocities in the trunk's frame,
    the command, joints, their speeds, and the last targets.

    Attributes:
        command_low, command_high: bounds of the commands.
        action_scale: change of a joint's target for an action of 1 [rad].
        width: error of velocity at which its reward has fallen to 1/e [m/s, rad/s].
        reset_noise_scale: half the width of the noise on joints and velocities.
    """

    command_low: tuple[float, float, float] = (-0.5, -0.3, -0.8)
    command_high: tuple[float, float, float] = (1.0, 0.3, 0.8)
    action_scale: float = 0.4
    width: float = 0.4
    reset_noise_scale: float = 0.1
    frame_skip: int = 5
    max_episode_steps: int = 500

    def __post_init__(self) -> None:
        self.model = str(asset_path("quadruped.xml"))

    def action_range(self, worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
        return -np.ones(worlds.nu), np.ones(worlds.nu)

    def controls(self, worlds: Worlds, action: np.ndarray) -> np.ndarray:
        return worlds.m.key["key_ctrl"][0] + self.action_scale * np.clip(action, -1.0, 1.0)

    def initial_state(self, worlds: Worlds, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        noise = self.reset_noise_scale
        qpos = worlds.m.key["key_qpos"][0].astype(np.float64)
        qpos[7:] += rng.uniform(-noise, noise, worlds.nq - 7)
        return qpos, rng.uniform(-noise, noise, worlds.nv)

    def goal(self, worlds: Worlds, rng: np.random.Generator) -> np.ndarray:
        return rng.uniform(self.command_low, self.command_high)

    def after_reset(self, worlds: Worlds, mask: np.ndarray) -> None:
        worlds.write("ctrl", worlds.m.key["key_ctrl"][0], mask)

    def frame(self, worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
        """Gravity's direction and the trunk's velocity in its own frame, (nworld, 3) each."""
        quat, velocity = worlds.qpos[:, 3:7], worlds.qvel[:, :3]
        down = np.broadcast_to(np.array((0.0, 0.0, -1.0), dtype=np.float32), velocity.shape)
        return into_frame(quat, down), into_frame(quat, velocity)

    def observation(self, worlds: Worlds) -> np.ndarray:
        down, velocity = self.frame(worlds)
        stand = worlds.m.key["key_qpos"][0][7:]
        targets = (worlds.read("ctrl") - worlds.m.key["key_ctrl"][0]) / self.action_scale
        qvel = worlds.qvel
        return np.concatenate((down, velocity, qvel[:, 3:6], worlds.goal, worlds.qpos[:, 7:] - stand, 0.1 * qvel[:, 6:], targets), axis=1)

    def progress(self, worlds: Worlds) -> np.ndarray:
        return worlds.read("ctrl")

    def outcome(self, worlds: Worlds, action: np.ndarray, before: np.ndarray, after: np.ndarray) -> Outcome:
        down, velocity = self.frame(worlds)
        spin = worlds.qvel[:, 3:6]
        along = np.square(worlds.goal[:, :2] - velocity[:, :2]).sum(axis=1)
        turning = np.square(worlds.goal[:, 2] - spin[:, 2])
        follow = np.exp(-along / self.width**2) + 0.5 * np.exp(-turning / self.width**2)
        wobble = 1.0 * np.square(velocity[:, 2]) + 0.05 * np.square(spin[:, :2]).sum(axis=1) + 1.0 * np.square(down[:, :2]).sum(axis=1)
        effort = 1e-4 * np.square(worlds.read("actuator_force")).sum(axis=1)
        jerk = 0.05 * np.square(after - before).sum(axis=1)
        fallen = (down[:, 2] > -0.5) | (worlds.qpos[:, 2] < 0.15)
        info = {"reward_follow": follow, "cost_wobble": wobble, "cost_effort": effort, "cost_jerk": jerk, "velocity": velocity}
        return Outcome((follow - wobble - effort - jerk).astype(np.float64), fallen, info)


def into_frame(quat: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """World vectors (n, 3) in the frames of quaternions (n, 4), w first."""
    w, axis = quat[:, :1], -quat[:, 1:]
    t = 2.0 * np.cross(axis, vector)
    return vector + w * t + np.cross(axis, t)
