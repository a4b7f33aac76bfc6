"""Noise of sensors: Gaussian, with each sensor's own standard deviation, the same bits for the same seed.

Every number of every sensor draws from a generator of its own, started from the seed, the world, the count of steps and
the place in ``sensordata`` (hashing by permuted congruential generators, O'Neill, PCG, 2014, as Warp's ``rand_init``
does). Real numbers get an addend; positive ones too if they are above zero, and stay at zero or above; axes and quaternions are
turned by a random angle about a random axis. The cutoff holds for the noisy value, too.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.common.enums import DataType, SensorType
from newtonish.kernels.math.quat import quat_from_axis_angle, quat_mul, quat_rotate
from newtonish.kernels.math.world import lanes, per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sensor.write import put_quat, put_raw, put_scalar
from newtonish.kernels.structs.data import Sense, State
from newtonish.kernels.structs.model import Option, Sensor, Size


@wp.func
def _generator(seed: int, w: int, step: int, place: int) -> wp.uint32:
    """State of the generator of one number."""
    of_world = wp.rand_init(seed, w)
    of_step = wp.rand_init(int(of_world), step)
    return wp.rand_init(int(of_step), place)


@wp.func
def _turn(state: wp.uint32, std: float) -> wp.vec4:
    """A rotation by a normally distributed angle about an axis of any direction."""
    angle = std * wp.randn(state)
    axis = wp.vec3(wp.randn(state), wp.randn(state), wp.randn(state))
    return quat_from_axis_angle(wp.normalize(axis), angle)


@wp.func
def _disturb(sensor: Sensor, sense: Sense, w: int, s: int, std: float, seed: int, step: int):
    adr = sensor.adr[s]
    datatype = sensor.datatype[s]
    if datatype == DataType.AXIS:
        axis = wp.vec3(sense.sensordata[w, adr], sense.sensordata[w, adr + 1], sense.sensordata[w, adr + 2])
        put_raw(sense, w, adr, quat_rotate(_turn(_generator(seed, w, step, adr), std), axis))
    elif datatype == DataType.QUATERNION:
        quat = wp.vec4()
        for k in range(4):
            quat[k] = sense.sensordata[w, adr + k]
        put_quat(sensor, sense, w, s, quat_mul(quat, _turn(_generator(seed, w, step, adr), std)))
    else:
        for k in range(sensor.dim[s]):
            x = sense.sensordata[w, adr + k]
            noisy = x + std * wp.randn(_generator(seed, w, step, adr + k))
            if datatype == DataType.POSITIVE:
                noisy = wp.where(x > 0.0, wp.max(noisy, 0.0), x)
            if sensor.type[s] == SensorType.RANGEFINDER and x == -1.0:
                noisy = x  # says that nothing was hit
            if sensor.type[s] == SensorType.GEOMFROMTO:
                sense.sensordata[w, adr + k] = noisy
            else:
                put_scalar(sensor, sense, w, s, k, noisy)


@wp.kernel
def _sensor_noise(size: Size, opt: Option, sensor: Sensor, state: State, sense: Sense, seed: int):
    w, lane = wp.tid()
    time = wp.float64(state.time[w]) + wp.float64(state.time_low[w])
    step = int(wp.rint(time / wp.float64(opt.timestep[per_world(opt.timestep.shape[0], w)])))
    for s in range(lane, size.nsensor, lanes()):
        std = sensor.noise[per_world(sensor.noise.shape[0], w), s]
        if std > 0.0 and sensor.type[s] >= 0:
            _disturb(sensor, sense, w, s, std, seed, step)


def sensor_noise(m: Any, d: Any, seed: int) -> None:
    """Disturb all sensors once. Reads d.time, m.sensor.noise; reads and writes d.sensordata."""
    launch(_sensor_noise, d, [m.size, m.opt, m.sensor, d.state, d.sense, seed])
