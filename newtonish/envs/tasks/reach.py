"""Reach: a seven-joint arm that brings its tool to a point, another one in each episode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish import mjw
from newtonish.assets import asset_path
from newtonish.envs.task import Outcome, Task
from newtonish.envs.worlds import Worlds


@dataclass
class Reach(Task):
    """Reward: the tool's distance from the goal [m], negative, plus 1 within ``tolerance``, less the square of the actions.

    An action of 1 moves a joint's target by ``action_scale`` from where the joint is [rad]. Goals lie in front of the arm: heading
    within 1 rad, 0.3 to 0.6 m from its axis, 0.3 to 0.9 m high. Observed are joints, their speeds, the tool, and the goal seen from the tool.

    Attributes:
        action_scale: change of a joint's target for an action of 1 [rad].
        tolerance: distance that counts as reached [m].
        ctrl_cost_weight: weight of the actions' squares.
        reset_noise_scale: half the width of the noise on joint positions [rad].
    """

    action_scale: float = 0.3
    tolerance: float = 0.05
    ctrl_cost_weight: float = 1e-3
    reset_noise_scale: float = 0.1
    frame_skip: int = 5
    max_episode_steps: int = 100

    def __post_init__(self) -> None:
        self.model = str(asset_path("arm.xml"))

    def action_range(self, worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
        return -np.ones(worlds.nu), np.ones(worlds.nu)

    def controls(self, worlds: Worlds, action: np.ndarray) -> np.ndarray:
        low, high = worlds.m.actuator_ctrlrange.numpy()[0].T
        return np.clip(worlds.qpos + self.action_scale * np.clip(action, -1.0, 1.0), low, high)

    def initial_state(self, worlds: Worlds, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        ready = worlds.m.key["key_qpos"][0]
        return ready + rng.uniform(-self.reset_noise_scale, self.reset_noise_scale, worlds.nq), np.zeros(worlds.nv)

    def goal(self, worlds: Worlds, rng: np.random.Generator) -> np.ndarray:
        heading, radius, height = rng.uniform((-1.0, 0.3, 0.3), (1.0, 0.6, 0.9))
        return np.array((radius * np.cos(heading), radius * np.sin(heading), height))

    def after_step(self, worlds: Worlds) -> None:
        mjw.kinematics(worlds.m, worlds.d)  # of the state that the step has led to

    def after_reset(self, worlds: Worlds, mask: np.ndarray) -> None:
        mjw.kinematics(worlds.m, worlds.d)

    def tool(self, worlds: Worlds) -> np.ndarray:
        """Place of the tool, (nworld, 3) [m]."""
        return worlds.read("site_xpos")[:, worlds.index("site", "tool")]

    def observation(self, worlds: Worlds) -> np.ndarray:
        tool = self.tool(worlds)
        return np.concatenate((worlds.qpos, worlds.qvel, tool, worlds.goal - tool), axis=1)

    def outcome(self, worlds: Worlds, action: np.ndarray, before: None, after: None) -> Outcome:
        distance = np.linalg.norm(worlds.goal - self.tool(worlds), axis=1)
        reached = distance < self.tolerance
        reward = reached - distance - self.ctrl_cost_weight * np.square(action).sum(axis=1)
        return Outcome(reward, np.zeros(len(reward), dtype=bool), {"distance": distance, "reached": reached})
