"""Putting a sensor's numbers into ``sensordata``, within its cutoff.

MuJoCo: documentation, chapter XML Reference, attribute ``cutoff`` of sensors: it bounds real numbers on both sides and
positive ones from above; axes and quaternions keep their length.
"""

import warp as wp

from newtonish.common.enums import DataType
from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.data import Sense
from newtonish.kernels.structs.model import Sensor


@wp.func
def put_scalar(sensor: Sensor, sense: Sense, w: int, s: int, k: int, x: float):
    """Number ``k`` of sensor ``s``."""
    cutoff = sensor.cutoff[per_world(sensor.cutoff.shape[0], w), s]
    datatype = sensor.datatype[s]
    # not set under a condition: on a GPU each of the many places where this is called would hold a register for it all the time
    least = wp.where(datatype == DataType.REAL, -cutoff, x)
    bounds = cutoff > 0.0 and (datatype == DataType.REAL or datatype == DataType.POSITIVE)
    bounded = wp.where(bounds, wp.clamp(x, least, cutoff), x)
    sense.sensordata[w, sensor.adr[s] + k] = bounded


@wp.func
def put_vector(sensor: Sensor, sense: Sense, w: int, s: int, k: int, x: wp.vec3):
    """Numbers ``k`` to ``k + 2`` of sensor ``s``."""
    for i in range(3):
        put_scalar(sensor, sense, w, s, k + i, x[i])


@wp.func
def put_quat(sensor: Sensor, sense: Sense, w: int, s: int, q: wp.vec4):
    """The four numbers of sensor ``s``; no cutoff acts on a quaternion."""
    adr = sensor.adr[s]
    for i in range(4):
        sense.sensordata[w, adr + i] = q[i]


@wp.func
def put_raw(sense: Sense, w: int, adr: int, x: wp.vec3):
    """Three entries of ``sensordata``, without a cutoff."""
    for i in range(3):
        sense.sensordata[w, adr + i] = x[i]
