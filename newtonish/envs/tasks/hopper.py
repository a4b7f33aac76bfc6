"""Hopper: a planar leg with three motors, to hop forward. Gymnasium's Hopper-v5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newtonish.envs.tasks.planar_legs import PlanarLegs
from newtonish.envs.worlds import Worlds


@dataclass
class Hopper(PlanarLegs):
    """As ``PlanarLegs``; upright is narrower, and everything but x has to stay within bounds.

    Attributes:
        healthy_state_range: bounds of all positions but x, and of all velocities [m, rad, m/s, rad/s].
    """

    healthy_z_range: tuple[float, float] = (0.7, np.inf)
    healthy_angle_range: tuple[float, float] = (-0.2, 0.2)
    healthy_state_range: tuple[float, float] = (-100.0, 100.0)
    file = "hopper.xml"

    def healthy(self, worlds: Worlds) -> np.ndarray:
        state = np.concatenate((worlds.qpos[:, 2:], worlds.qvel), axis=1)
        low, high = self.healthy_state_range
        return super().healthy(worlds) & ((low < state) & (state < high)).all(axis=1)
