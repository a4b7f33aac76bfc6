"""Noise of sensors, on request."""

from __future__ import annotations

from newtonish.kernels.sensor.noise import sensor_noise
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.matching import check_pair, integer

__all__ = ["add_sensor_noise"]


def add_sensor_noise(m: Model, d: Data, seed: int = 0) -> None:
    """Add Gaussian noise to ``d.sensordata``, with the standard deviations of ``m.sensor_noise``.

    MuJoCo stores ``noise`` and adds none; so does a step here. Call this after a step, once: a second call adds more. What is
    added depends on the seed, the world, the time counted in steps and the place in ``sensordata`` alone: runs repeat
    bit for bit, worlds differ. It can be captured along with ``step``.

    Real numbers get an addend [unit of the sensor]; positive ones too where they are above zero, and stay at zero or above;
    axes and quaternions are turned by an angle [rad] about a random axis. The sensor's cutoff holds for the noisy value
    as well. A rangefinder's -1, which says that nothing was hit, stays.

    Args:
        m: model.
        d: data after ``step`` or ``forward``.
        seed: any integer of 31 bits.

    Raises:
        ModelError: the model and the data do not belong together, or the seed is no such integer.
    """
    check_pair("add_sensor_noise", m, d)
    seed = integer("add_sensor_noise: seed", seed, 0)
    if m.size.nsensor > 0:
        sensor_noise(m, d, seed & 0x7FFFFFFF)
