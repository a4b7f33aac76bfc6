"""Humanoid: 17 motors, to run forward without falling. Gymnasium's Humanoid-v5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish import mjw
from newtonish.envs.task import Outcome, Task, gymnasium_model
from newtonish.envs.worlds import Worlds


@dataclass
class Humanoid(Task):
    """Reward: forward speed of the centre of mass [m/s] plus ``healthy_reward`` less the squares of controls and contact forces.

    Inertias, velocities of bodies and forces are those at the start of the last step of the simulation, as in Gymnasium.

    Attributes:
        forward_reward_weight: weight of the speed.
        ctrl_cost_weight: weight of the controls' squares.
        contact_cost_weight: weight of the contact forces' squares.
        contact_cost_range: bounds of the cost of contact forces.
        healthy_reward: reward of a step in which the torso is up.
        terminate_when_unhealthy: whether a fall ends the episode.
        healthy_z_range: height of the torso that counts as up [m].
        reset_noise_scale: half the width of the noise on positions and velocities.
        exclude_current_positions_from_observation: leave x and y out of the observation.
        include_cinert_in_observation: observe the inertia of each body about the centre of mass.
        include_cvel_in_observation: observe the velocity of each body.
        include_qfrc_actuator_in_observation: observe the forces of the motors.
        include_cfrc_ext_in_observation: observe the contact forces on each body.
        xml_file: model; None: the file that comes with Gymnasium.
    """

    forward_reward_weight: float = 1.25
    ctrl_cost_weight: float = 0.1
    contact_cost_weight: float = 5e-7
    contact_cost_range: tuple[float, float] = (-np.inf, 10.0)
    healthy_reward: float = 5.0
    terminate_when_unhealthy: bool = True
    healthy_z_range: tuple[float, float] = (1.0, 2.0)
    reset_noise_scale: float = 1e-2
    exclude_current_positions_from_observation: bool = True
    include_cinert_in_observation: bool = True
    include_cvel_in_observation: bool = True
    include_qfrc_actuator_in_observation: bool = True
    include_cfrc_ext_in_observation: bool = True
    xml_file: str | None = None
    frame_skip: int = 5

    def __post_init__(self) -> None:
        self.model = self.xml_file or gymnasium_model("humanoid.xml")

    def initial_state(self, worlds: Worlds, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        noise = self.reset_noise_scale
        return worlds.qpos0 + rng.uniform(-noise, noise, worlds.nq), rng.uniform(-noise, noise, worlds.nv)

    def after_step(self, worlds: Worlds) -> None:
        mjw.rne_postconstraint(worlds.m, worlds.d)

    def after_reset(self, worlds: Worlds, mask: np.ndarray) -> None:
        mjw.forward(worlds.m, worlds.d)

    def observation(self, worlds: Worlds) -> np.ndarray:
        first = 2 * self.exclude_current_positions_from_observation
        parts = [worlds.qpos[:, first:], worlds.qvel]
        if self.include_cinert_in_observation:
            parts.append(worlds.read("cinert")[:, 1:])
        if self.include_cvel_in_observation:
            parts.append(worlds.read("cvel")[:, 1:])
        if self.include_qfrc_actuator_in_observation:
            parts.append(worlds.read("qfrc_actuator")[:, 6:])
        if self.include_cfrc_ext_in_observation:
            parts.append(worlds.read("cfrc_ext")[:, 1:])
        return np.concatenate([part.reshape(worlds.num_worlds, -1) for part in parts], axis=1)

    def progress(self, worlds: Worlds) -> np.ndarray:
        mass = worlds.m.body_mass.numpy()
        return np.einsum("wb,wbi->wi", mass / mass.sum(axis=1, keepdims=True), worlds.read("xipos")[..., :2].astype(np.float64))

    def outcome(self, worlds: Worlds, action: np.ndarray, before: np.ndarray, after: np.ndarray) -> Outcome:
        velocity = (after - before) / worlds.dt
        forward = self.forward_reward_weight * velocity[:, 0]
        control = self.ctrl_cost_weight * np.square(action).sum(axis=1)
        contact = np.clip(self.contact_cost_weight * np.square(worlds.read("cfrc_ext")).sum(axis=(1, 2)), *self.contact_cost_range)
        height = worlds.qpos[:, 2]
        healthy = (self.healthy_z_range[0] < height) & (height < self.healthy_z_range[1])
        survive = self.healthy_reward * healthy
        info = {
            **self.reset_info(worlds),
            "x_velocity": velocity[:, 0],
            "y_velocity": velocity[:, 1],
            "reward_survive": survive,
            "reward_forward": forward,
            "reward_ctrl": -control,
            "reward_contact": -contact,
        }
        return Outcome(forward + survive - control - contact, ~healthy & self.terminate_when_unhealthy, info)

    def reset_info(self, worlds: Worlds) -> dict[str, np.ndarray]:
        place = worlds.qpos[:, :2].astype(np.float64)
        return {
            "x_position": place[:, 0],
            "y_position": place[:, 1],
            "tendon_length": worlds.read("ten_length").astype(np.float64),
            "tendon_velocity": worlds.read("ten_velocity").astype(np.float64),
            "distance_from_origin": np.linalg.norm(place, axis=1),
        }
