"""Hand and cube: a hand of four fingers turns the cube on its palm until it lies as it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from newtonish.assets import asset_path
from newtonish.envs.task import Outcome, Task
from newtonish.envs.worlds import Worlds

_JOINTS = 16


@dataclass
class HandCube(Task):
    """Reward: how far the step has turned the cube towards its goal, plus 1 within ``tolerance``, less effort; an episode ends when the cube falls.

    The goal of an episode is an orientation, a unit quaternion (w, x, y, z): the cube's first one, turned about an axis of any direction.
    Actions from -1 to 1 are the targets of the joints over the ranges of their servos. Observed are joints, their speeds, where the cube is
    from the palm, how it lies and moves, the turn that is left as a quaternion in the cube's frame, and the last targets.

    Attributes:
        turn: largest angle from the first orientation to the goal [rad]; pi: any orientation. Small angles are learned soonest.
        tolerance: angle that counts as reached [rad].
        turn_weight: reward for a radian towards the goal.
        ctrl_cost_weight: weight of the actions' squares.
        drop_cost: what a fall costs.
        drop_distance: distance of the cube from the palm that counts as fallen [m].
        reset_noise_scale: half the width of the noise on joints [rad]; a tenth of it is that on the cube's place [m].
    """

    RANDOMIZE: ClassVar[dict[Any, Any]] = {
        ("body_mass", "body_inertia"): ("cube", 0.7, 1.4),
        "geom_friction": ("cube", 0.7, 1.3, "scale", 0),
        ("actuator_gainprm", "actuator_biasprm"): (None, 0.8, 1.2),
        "dof_damping": (None, 0.7, 1.4),
    }
    """Domain randomisation that suits the task: ``make_vec("HandCube-v0", 64, randomize=HandCube.RANDOMIZE)``."""

    turn: float = np.pi
    tolerance: float = 0.3
    turn_weight: float = 5.0
    ctrl_cost_weight: float = 1e-3
    drop_cost: float = 5.0
    drop_distance: float = 0.12
    reset_noise_scale: float = 0.05
    frame_skip: int = 10
    max_episode_steps: int = 200

    def __post_init__(self) -> None:
        self.model = str(asset_path("hand_cube.xml"))

    def action_range(self, worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
        return -np.ones(worlds.nu), np.ones(worlds.nu)

    def controls(self, worlds: Worlds, action: np.ndarray) -> np.ndarray:
        low, high = self.servos(worlds)
        return low + 0.5 * (np.clip(action, -1.0, 1.0) + 1.0) * (high - low)

    def servos(self, worlds: Worlds) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest targets (nu,) [rad]."""
        low, high = worlds.m.actuator_ctrlrange.numpy()[0].T
        return low, high

    def rest(self, worlds: Worlds) -> np.ndarray:
        """Joints of a hand that holds the cube without doing anything, (16,): spread in the middle, fingers little bent."""
        low, high = self.servos(worlds)
        bent = low + 0.15 * (high - low)
        bent[::4] = 0.0
        return bent

    def initial_state(self, worlds: Worlds, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        noise = self.reset_noise_scale
        qpos = worlds.qpos0.copy()
        qpos[:_JOINTS] = self.rest(worlds) + rng.uniform(-noise, noise, _JOINTS)
        qpos[_JOINTS : _JOINTS + 3] = (0.01, 0.0, 0.055) + 0.1 * rng.uniform(-noise, noise, 3)
        return qpos, np.zeros(worlds.nv)

    def goal(self, worlds: Worlds, rng: np.random.Generator) -> np.ndarray:
        axis = rng.standard_normal(3)
        half = 0.5 * rng.uniform(0.0, self.turn)
        return np.concatenate(((np.cos(half),), np.sin(half) * axis / np.linalg.norm(axis)))

    def after_reset(self, worlds: Worlds, mask: np.ndarray) -> None:
        worlds.write("ctrl", self.rest(worlds), mask)

    def left(self, worlds: Worlds) -> np.ndarray:
        """The turn from how the cube lies to its goal, in the cube's frame: quaternions (nworld, 4) with w >= 0."""
        quat = worlds.qpos[:, _JOINTS + 3 :]
        w, axis = quat[:, :1], -quat[:, 1:]  # conjugate
        goal_w, goal = worlds.goal[:, :1], worlds.goal[:, 1:]
        turn = np.concatenate((w * goal_w - (axis * goal).sum(axis=1, keepdims=True), w * goal + goal_w * axis + np.cross(axis, goal)), axis=1)
        return np.where(turn[:, :1] < 0.0, -turn, turn)

    def progress(self, worlds: Worlds) -> np.ndarray:
        """Angle that is left, (nworld, 1) [rad]."""
        left = self.left(worlds)
        return 2.0 * np.arctan2(np.linalg.norm(left[:, 1:], axis=1, keepdims=True), left[:, :1])

    def observation(self, worlds: Worlds) -> np.ndarray:
        low, high = self.servos(worlds)
        qpos, qvel = worlds.qpos, worlds.qvel
        targets = 2.0 * (worlds.read("ctrl") - low) / (high - low) - 1.0
        cube = 10.0 * qpos[:, _JOINTS : _JOINTS + 3], qpos[:, _JOINTS + 3 :], qvel[:, _JOINTS : _JOINTS + 3], 0.2 * qvel[:, _JOINTS + 3 :]
        return np.concatenate((qpos[:, :_JOINTS], 0.2 * qvel[:, :_JOINTS], *cube, self.left(worlds), targets), axis=1)

    def outcome(self, worlds: Worlds, action: np.ndarray, before: np.ndarray, after: np.ndarray) -> Outcome:
        distance = np.linalg.norm(worlds.qpos[:, _JOINTS : _JOINTS + 3], axis=1)
        angle, dropped = after[:, 0], distance > self.drop_distance
        reached = angle < self.tolerance
        turned = self.turn_weight * (before - after)[:, 0]
        effort = self.ctrl_cost_weight * np.square(action).sum(axis=1)
        info = {"angle": angle, "reached": reached, "reward_turn": turned, "cost_effort": effort}
        return Outcome(turned + reached - effort - self.drop_cost * dropped, dropped, info)
