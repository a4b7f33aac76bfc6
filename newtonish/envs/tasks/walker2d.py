"""Walker: two planar legs with six motors, to walk forward. Gymnasium's Walker2d-v5."""

from __future__ import annotations

from dataclasses import dataclass

from newtonish.envs.tasks.planar_legs import PlanarLegs


@dataclass
class Walker2d(PlanarLegs):
    """As ``PlanarLegs``."""

    healthy_z_range: tuple[float, float] = (0.8, 2.0)
    healthy_angle_range: tuple[float, float] = (-1.0, 1.0)
    file = "walker2d_v5.xml"
