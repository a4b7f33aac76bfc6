"""Delays of controls and sensors, and sensors that are evaluated at intervals only.

Actuators and sensors with ``nsample`` have a ring buffer; at the end of a step the control and the sensor's value of the
step's start are put into it. One with a delay is read from there, at the present time minus the delay; a sensor with an
interval is evaluated when it is due, and otherwise shows the newest sample. MuJoCo: documentation, chapter Modeling,
"Delays"; mj_readCtrl, mj_readSensor, mj_resetData.

A delayed control takes the place of ``state.ctrl`` in the structs that kernels get (``delayed_controls``), so that what
computes forces does not know of delays.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.history.buffers import actuator_address, actuator_buffer, sensor_address, sensor_buffer
from newtonish.kernels.history.ring import insert_sample, read_samples, time_tolerance
from newtonish.kernels.math.clock import later
from newtonish.kernels.math.world import lanes, per_world, sync
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.structs.data import STATE, Sense, State
from newtonish.kernels.structs.field import variant
from newtonish.kernels.structs.history import History, HistoryState
from newtonish.kernels.structs.model import Actuator, Option, Sensor, Size

DUE_STEPS = wp.constant(16)  # roundings that the time of a sensor's next evaluation may differ by


@wp.func
def _is_due(hist: History, seen: HistoryState, time: float, w: int, s: int) -> bool:
    """Sensor ``s`` is evaluated in this step."""
    period = hist.sensor_interval[per_world(hist.sensor_interval.shape[0], w), s][0]
    due = wp.bool(True)
    if period > 0.0:
        last = seen.history[w, sensor_address(hist, w, s)]
        due = last + period <= time + time_tolerance(time, DUE_STEPS)
    return due


@wp.kernel
def _delay_controls(size: Size, opt: Option, actuator: Actuator, hist: History, state: State, seen: HistoryState, fraction: float):
    """Controls as actuators see them, ``fraction`` of a step after the time of the state."""
    w, lane = wp.tid()
    now = state.time[w] + fraction * opt.timestep[per_world(opt.timestep.shape[0], w)]
    for a in range(lane, size.nactuator, lanes()):
        first = actuator.ctrladr[a]
        count = actuator.ctrlnum[a]
        buffer = actuator_buffer(hist, w, a)
        delay = hist.actuator_delay[per_world(hist.actuator_delay.shape[0], w), a]
        if buffer[0] > 0 and delay > 0.0:
            adr = actuator_address(hist, w, a)
            read_samples(seen.history, w, adr, buffer[0], count, now - delay, buffer[1], seen.ctrl, first)
        else:
            for j in range(count):
                seen.ctrl[w, first + j] = state.ctrl[w, first + j]


@wp.kernel
def _delay_sensors(size: Size, sensor: Sensor, hist: History, state: State, sense: Sense, seen: HistoryState, stages: int):
    """Keep what sensors of some stages measured, and show what they are to show."""
    w, lane = wp.tid()
    for s in range(lane, size.nsensor, lanes()):
        buffer = sensor_buffer(hist, w, s)
        if buffer[0] > 0 and (stages & (1 << sensor.needstage[s])) != 0:
            at = sensor.adr[s]
            for j in range(sensor.dim[s]):
                seen.fresh[w, at + j] = sense.sensordata[w, at + j]
            now = state.time[w]
            delay = hist.sensor_delay[per_world(hist.sensor_delay.shape[0], w), s]
            if delay > 0.0 or not _is_due(hist, seen, now, w, s):
                adr = sensor_address(hist, w, s)
                time = now - wp.max(delay, 0.0)
                read_samples(seen.history, w, adr, buffer[0], sensor.dim[s], time, buffer[1], sense.sensordata, at)


@wp.kernel
def _insert(size: Size, actuator: Actuator, sensor: Sensor, hist: History, state: State, seen: HistoryState):
    """Put the controls and the sensors of this step into their buffers."""
    w, lane = wp.tid()
    now = state.time[w]
    for a in range(lane, size.nactuator, lanes()):
        count = actuator_buffer(hist, w, a)[0]
        if count > 0:
            adr = actuator_address(hist, w, a)
            insert_sample(seen.history, w, adr, count, actuator.ctrlnum[a], now, state.ctrl, actuator.ctrladr[a])
    for s in range(lane, size.nsensor, lanes()):
        count = sensor_buffer(hist, w, s)[0]
        if count > 0:
            adr = sensor_address(hist, w, s)
            if _is_due(hist, seen, now, w, s):
                interval = hist.sensor_interval[per_world(hist.sensor_interval.shape[0], w), s]
                if interval[0] > 0.0:
                    seen.history[w, adr] = later(seen.history[w, adr], interval[0], interval[1])
                insert_sample(seen.history, w, adr, count, sensor.dim[s], now, seen.fresh, sensor.adr[s])


@wp.func
def _fill_times(hist: History, seen: HistoryState, dt: float, w: int, s: int):
    """Times of a sensor's buffer after a reset: when it would have been evaluated before time zero."""
    adr = sensor_address(hist, w, s)
    n = sensor_buffer(hist, w, s)[0]
    interval = hist.sensor_interval[per_world(hist.sensor_interval.shape[0], w), s]
    if interval[0] > 0.0:
        last = interval[1]
        following = wp.float32(1.0)  # step after the newest sample: with a phase that may be the first one
        if last == 0.0:
            last = -interval[0]
            following = 0.0
        seen.history[w, adr] = last
        for i in range(n):
            k = n - 1 - i
            steps = (last - float(i) * interval[0]) / dt
            whole = wp.round(steps)
            if wp.abs(steps - whole) > 1.0e-5 * wp.max(1.0, wp.abs(steps)):
                whole = wp.ceil(steps)
            whole = wp.min(whole, following - 1.0)
            seen.history[w, adr + 2 + k] = whole * dt
            following = whole
    else:
        seen.history[w, adr] = -dt
        for k in range(n):
            seen.history[w, adr + 2 + k] = -float(n - k) * dt


@wp.func
def reset_history_world(size: Size, opt: Option, actuator: Actuator, sensor: Sensor, hist: History, seen: HistoryState, w: int, lane: int):
    """Buffers of one world as after a reset: zeros, at times before the first step; returns with a barrier."""
    if hist.nhistory > 0:
        dt = opt.timestep[per_world(opt.timestep.shape[0], w)]
        for i in range(lane, hist.nhistory, lanes()):
            seen.history[w, i] = 0.0
        sync()
        for a in range(lane, size.nactuator, lanes()):
            n = actuator_buffer(hist, w, a)[0]
            if n > 0:
                adr = actuator_address(hist, w, a)
                seen.history[w, adr + 1] = float(n - 1)
                for k in range(n):
                    seen.history[w, adr + 2 + k] = -float(n - k) * dt
                    if hist.actuator_turns[a] != 0:
                        seen.history[w, adr + 2 + n + k * actuator.ctrlnum[a]] = 1.0
        for s in range(lane, size.nsensor, lanes()):
            n = sensor_buffer(hist, w, s)[0]
            if n > 0:
                seen.history[w, sensor_address(hist, w, s) + 1] = float(n - 1)
                _fill_times(hist, seen, dt, w, s)
        sync()


def delayed_controls(m: Any, d: Any, fraction: float = 0.0) -> Any:
    """``d.state`` with the controls that the actuators see at ``fraction`` of the step.

    Reads   m.hist, d.state (time, ctrl), d.hist.history. Writes d.hist.ctrl
    MuJoCo  the reading of controls in mj_fwdActuation.
    """
    launch(_delay_controls, d, [m.size, m.opt, m.actuator, m.hist, d.state, d.hist, fraction])
    return with_controls(d)


def with_controls(d: Any) -> Any:
    """The same, with controls that ``delayed_controls`` has read before."""
    return variant(STATE, d.state, ctrl=d.hist.ctrl)


def delay_sensors(m: Any, d: Any, stages: int) -> None:
    """Let delayed sensors of some stages (bits of ``1 << Stage``) show the past, and those with an interval their last value.

    Reads   m.hist, m.sensor, d.state.time, d.hist.history. Writes d.sensordata, d.hist.fresh
    """
    launch(_delay_sensors, d, [m.size, m.sensor, m.hist, d.state, d.sense, d.hist, stages])


def insert_history(m: Any, d: Any) -> None:
    """Put controls and sensors of the step into the buffers, before the time advances. MuJoCo: part of mj_advance."""
    launch(_insert, d, [m.size, m.actuator, m.sensor, m.hist, d.state, d.hist])
