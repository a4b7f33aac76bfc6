"""What a simulation measures: its sensors by name, and its energy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from newtonish import mjw

__all__ = ["SensorReading", "energy_of", "sensor_readings"]


class SensorReading(NamedTuple):
    """A sensor and what it says now.

    Attributes:
        name: Its name, or its kind where it has none.
        kind: MuJoCo's name of its type, such as ``JOINTPOS``.
        values: Its numbers.
        cutoff: Largest size of a number; 0 where there is no bound.
    """

    name: str
    kind: str
    values: np.ndarray
    cutoff: float


def sensor_readings(solver: Any, world: int) -> list[SensorReading]:
    """All sensors of a world, as the last step or evaluation left them."""
    compiled = solver.compiled
    if not compiled.nsensor:
        return []
    data = solver.mjw_data.sensordata.numpy()[world]
    found = []
    for i in range(int(compiled.nsensor)):
        first, count = int(compiled.sensor_adr[i]), int(compiled.sensor_dim[i])
        kind = mjw.SensorType(int(compiled.sensor_type[i])).name
        name = compiled.sensor_names[i] or f"{kind.lower()} {i}"
        found.append(SensorReading(name, kind, data[first : first + count].copy(), float(compiled.sensor_cutoff[i])))
    return found


def energy_of(solver: Any, world: int) -> float:
    """Potential and kinetic energy of the state that the last step began with [J]."""
    mjw.energy_pos(solver.mjw_model, solver.mjw_data)
    mjw.energy_vel(solver.mjw_model, solver.mjw_data)
    return float(np.sum(solver.mjw_data.energy.numpy()[world]))
