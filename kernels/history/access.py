"""Reading a history buffer at any time, and filling it with samples of the caller's.

MuJoCo: mj_readCtrl, mj_readSensor, mj_initCtrlHistory, mj_initSensorHistory.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.history.buffers import actuator_address, actuator_buffer, sensor_address, sensor_buffer
from newtonish.kernels.history.ring import newest, place, read_samples
from newtonish.kernels.math.world import per_world
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import Sense, State
from newtonish.kernels.structs.history import History, HistoryState
from newtonish.kernels.structs.model import Actuator, Sensor


@wp.func
def _order(buffer: wp.vec2i, asked: int) -> int:
    """Interpolation of a reading: as asked for, or for -1 that of the model."""
    return wp.where(asked < 0, buffer[1], asked)


@wp.kernel
def _read_control(
    actuator: Actuator, hist: History, state: State, seen: HistoryState, a: int, time: wp.array(dtype=float), order: int,
    result: wp.array2d(dtype=float),
):  # fmt: skip
    w, lane = wp.tid()
    if lane == 0:
        buffer = actuator_buffer(hist, w, a)
        count = actuator.ctrlnum[a]
        if buffer[0] > 0:
            t = time[w] - hist.actuator_delay[per_world(hist.actuator_delay.shape[0], w), a]
            adr = actuator_address(hist, w, a)
            read_samples(seen.history, w, adr, buffer[0], count, t, _order(buffer, order), result, 0)
        else:
            for j in range(count):
                result[w, j] = state.ctrl[w, actuator.ctrladr[a] + j]


@wp.kernel
def _read_sensor(
    sensor: Sensor, hist: History, sense: Sense, seen: HistoryState, s: int, time: wp.array(dtype=float), order: int,
    result: wp.array2d(dtype=float),
):  # fmt: skip
    w, lane = wp.tid()
    if lane == 0:
        buffer = sensor_buffer(hist, w, s)
        if buffer[0] > 0:
            t = time[w] - hist.sensor_delay[per_world(hist.sensor_delay.shape[0], w), s]
            adr = sensor_address(hist, w, s)
            read_samples(seen.history, w, adr, buffer[0], sensor.dim[s], t, _order(buffer, order), result, 0)
        else:
            for j in range(sensor.dim[s]):
                result[w, j] = sense.sensordata[w, sensor.adr[s] + j]


@wp.kernel
def _fill(
    seen: HistoryState, addresses: wp.array2d(dtype=int), item: int, n: int, dim: int, times: wp.array(dtype=float),
    values: wp.array2d(dtype=float), user: wp.array(dtype=float),
):  # fmt: skip
    """Samples in the order of their times; without times those of the buffer stay, and so does its cursor."""
    w, lane = wp.tid()
    if lane == 0:
        adr = addresses[per_world(addresses.shape[0], w), item]
        cursor = n - 1
        if times.shape[0] == 0:
            cursor = newest(seen.history, w, adr, n)
        if user.shape[0] > 0:
            seen.history[w, adr] = user[per_world(user.shape[0], w)]
        seen.history[w, adr + 1] = float(cursor)
        for k in range(n):
            slot = place(cursor, n, k)
            if times.shape[0] > 0:
                seen.history[w, adr + 2 + slot] = times[k]
            for j in range(dim):
                seen.history[w, adr + 2 + n + slot * dim + j] = values[w, k * dim + j]


def read_control(m: Any, d: Any, a: int, time: wp.array, order: int, result: wp.array) -> None:
    """Control of actuator ``a`` as it comes out of its delay at ``time`` (nworld,), into ``result`` (nworld, controls)."""
    launch(_read_control, d, [m.actuator, m.hist, d.state, d.hist, a, time, order, result])


def read_sensor(m: Any, d: Any, s: int, time: wp.array, order: int, result: wp.array) -> None:
    """Sensor ``s`` as it comes out of its delay at ``time`` (nworld,), into ``result`` (nworld, dim)."""
    launch(_read_sensor, d, [m.sensor, m.hist, d.sense, d.hist, s, time, order, result])


def fill_buffer(d: Any, addresses: wp.array, item: int, n: int, dim: int, times: wp.array, values: wp.array, user: wp.array) -> None:
    """Fill the buffer of actuator or sensor ``item`` in all worlds, ``addresses`` (1 or nworld, number of them) being those
    of its kind; ``times`` and ``user`` of length zero leave those as they are."""
    launch(_fill, d, [d.hist, addresses, item, n, dim, times, values, user])
