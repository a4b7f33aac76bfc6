"""Where the history buffers of a world lie; worlds may differ in samples, order of interpolation and place."""

import warp as wp

from newtonish.kernels.math.world import per_world
from newtonish.kernels.structs.history import History


@wp.func
def actuator_buffer(hist: History, w: int, a: int) -> wp.vec2i:
    """Samples that actuator ``a`` of a world keeps, 0 for none, and their InterpolationType."""
    return hist.actuator_history[per_world(hist.actuator_history.shape[0], w), a]


@wp.func
def actuator_address(hist: History, w: int, a: int) -> int:
    """First entry of the buffer of actuator ``a`` in its world's history."""
    return hist.actuator_historyadr[per_world(hist.actuator_historyadr.shape[0], w), a]


@wp.func
def sensor_buffer(hist: History, w: int, s: int) -> wp.vec2i:
    """Samples that sensor ``s`` of a world keeps, 0 for none, and their InterpolationType."""
    return hist.sensor_history[per_world(hist.sensor_history.shape[0], w), s]


@wp.func
def sensor_address(hist: History, w: int, s: int) -> int:
    """First entry of the buffer of sensor ``s`` in its world's history."""
    return hist.sensor_historyadr[per_world(hist.sensor_historyadr.shape[0], w), s]
