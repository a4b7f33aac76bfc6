"""Ant: a torso on four legs with eight motors, to run forward. Gymnasium's Ant-v5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish import mjw
from newtonish.envs.task import Outcome, Task, gymnasium_model
from newtonish.envs.worlds import Worlds


@dataclass
class Ant(Task):
    """Reward: forward speed [m/s] plus ``healthy_reward`` less the squares of actions and of contact forces; an episode ends with a fall.

    Contact forces are those on each body (``cfrc_ext``: torque and force [N m, N]) at the start of the last step of the simulation, as in Gymnasium.

    Attributes:
        forward_reward_weight: weight of the speed.
        ctrl_cost_weight: weight of the actions' squares.
        contact_cost_weight: weight of the contact forces' squares.
        healthy_reward: reward of a step in which the torso is up.
        main_body: body whose speed counts, by name or number.
        terminate_when_unhealthy: whether a fall ends the episode.
        healthy_z_range: height of the torso that counts as up [m].
        contact_force_range: bounds to which contact forces are clipped [N m, N].
        reset_noise_scale: half the width of the noise on positions, standard deviation of that on velocities.
        exclude_current_positions_from_observation: leave x and y out of the observation.
        include_cfrc_ext_in_observation: observe the contact forces.
        xml_file: model; None: the file that comes with Gymnasium.
    """

    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 0.5
    contact_cost_weight: float = 5e-4
    healthy_reward: float = 1.0
    main_body: int | str = 1
    terminate_when_unhealthy: bool = True
    healthy_z_range: tuple[float, float] = (0.2, 1.0)
    contact_force_range: tuple[float, float] = (-1.0, 1.0)
    reset_noise_scale: float = 0.1
    exclude_current_positions_from_observation: bool = True
    include_cfrc_ext_in_observation: bool = True
    xml_file: str | None = None
    frame_skip: int = 5

    def __post_init__(self) -> None:
        self.model = self.xml_file or gymnasium_model("ant.xml")

    def initial_state(self, worlds: Worlds, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        noise = self.reset_noise_scale
        qpos = worlds.qpos0 + rng.uniform(-noise, noise, worlds.nq)
        return qpos, noise * rng.standard_normal(worlds.nv)

    def after_step(self, worlds: Worlds) -> None:
        mjw.rne_postconstraint(worlds.m, worlds.d)

    def after_reset(self, worlds: Worlds, mask: np.ndarray) -> None:
        mjw.forward(worlds.m, worlds.d)

    def contact_forces(self, worlds: Worlds) -> np.ndarray:
        """Clipped forces on all bodies, (nworld, nbody, 6)."""
        return np.clip(worlds.read("cfrc_ext"), *self.contact_force_range)

    def observation(self, worlds: Worlds) -> np.ndarray:
        first = 2 * self.exclude_current_positions_from_observation
        parts = [worlds.qpos[:, first:], worlds.qvel]
        if self.include_cfrc_ext_in_observation:
            parts.append(self.contact_forces(worlds)[:, 1:].reshape(worlds.num_worlds, -1))
        return np.concatenate(parts, axis=1)

    def progress(self, worlds: Worlds) -> np.ndarray:
        body = worlds.index("body", self.main_body) if isinstance(self.main_body, str) else self.main_body
        return worlds.read("xpos")[:, body, :2]

    def outcome(self, worlds: Worlds, action: np.ndarray, before: np.ndarray, after: np.ndarray) -> Outcome:
        velocity = (after - before) / worlds.dt
        forward = self.forward_reward_weight * velocity[:, 0]
        control = self.ctrl_cost_weight * np.square(action).sum(axis=1)
        contact = self.contact_cost_weight * np.square(self.contact_forces(worlds)).sum(axis=(1, 2))
        healthy = self.healthy(worlds)
        survive = self.healthy_reward * healthy
        info = {
            **self.reset_info(worlds),
            "x_velocity": velocity[:, 0],
            "y_velocity": velocity[:, 1],
            "reward_forward": forward,
            "reward_ctrl": -control,
            "reward_contact": -contact,
            "reward_survive": survive,
        }
        return Outcome(forward + survive - control - contact, ~healthy & self.terminate_when_unhealthy, info)

    def healthy(self, worlds: Worlds) -> np.ndarray:
        """Whether the torso is up and everything finite, (nworld,)."""
        qpos = worlds.qpos
        low, high = self.healthy_z_range
        finite = np.isfinite(qpos).all(axis=1) & np.isfinite(worlds.qvel).all(axis=1)
        return finite & (low <= qpos[:, 2]) & (qpos[:, 2] <= high)

    def reset_info(self, worlds: Worlds) -> dict[str, np.ndarray]:
        place = worlds.qpos[:, :2].astype(np.float64)
        return {"x_position": place[:, 0], "y_position": place[:, 1], "distance_from_origin": np.linalg.norm(place, axis=1)}
