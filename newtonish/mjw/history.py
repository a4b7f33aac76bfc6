"""History buffers of delayed actuators and sensors: reading, filling and resetting them, under mujoco_warp's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from newtonish.arguments import is_integer, shown
from newtonish.errors import ModelError, problem
from newtonish.kernels.history import access
from newtonish.kernels.history.stage import forget
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.arguments import world_mask
from newtonish.mjw.matching import check_pair, integer

__all__ = ["init_ctrl_history", "init_sensor_history", "read_ctrl", "read_sensor", "reset_history"]

_HISTORY = 1


def read_ctrl(m: Model, d: Data, ctrlid: int, time: wp.array, interp: int, result: wp.array) -> None:
    """Control of an actuator as it comes out of its delay; the present one if the actuator has no buffer.

    Args:
        m: model.
        d: data.
        ctrlid: actuator.
        time: (nworld,) times at which the control comes out [s]: the buffer is read at time minus delay.
        interp: 0 hold, 1 linear, 2 cubic, -1 as the model says.
        result: (nworld, controls of the actuator), or (nworld,) for one control; written.

    Raises:
        ModelError: an argument does not fit.

    MuJoCo: mj_readCtrl.
    """
    check_pair("read_ctrl", m, d)
    a = _id("read_ctrl: ctrlid", ctrlid, m.nactuator)
    dim = int(m.actuator_ctrlnum.numpy()[a])
    access.read_control(m, d, a, *_query("read_ctrl", d, time, interp, result, dim))


def read_sensor(m: Model, d: Data, sensorid: int, time: wp.array, interp: int, result: wp.array) -> None:
    """Value of a sensor as it comes out of its delay; the present one if the sensor has no buffer.

    Args: as those of ``read_ctrl``, with ``result`` (nworld, dim of the sensor). MuJoCo: mj_readSensor.
    """
    check_pair("read_sensor", m, d)
    s = _id("read_sensor: sensorid", sensorid, m.nsensor)
    dim = int(m.sensor_dim.numpy()[s])
    access.read_sensor(m, d, s, *_query("read_sensor", d, time, interp, result, dim))


def init_ctrl_history(m: Model, d: Data, ctrlid: int, times: Any, values: Any) -> None:
    """Fill the buffer of an actuator in all worlds.

    Args:
        m: model.
        d: data.
        ctrlid: actuator with ``nsample`` > 0.
        times: (nsample,) rising times [s]; None: those in the buffer stay.
        values: (nworld, nsample * controls) or (nworld, nsample, controls), the oldest first.

    Raises:
        ModelError: the actuator has no buffer, or an argument does not fit.

    MuJoCo: mj_initCtrlHistory.
    """
    check_pair("init_ctrl_history", m, d)
    a = _id("init_ctrl_history: ctrlid", ctrlid, m.nactuator)
    dim = int(m.actuator_ctrlnum.numpy()[a])
    _fill("init_ctrl_history", d, m.actuator_history, m.actuator_historyadr, a, dim, times, values, None)


def init_sensor_history(m: Model, d: Data, sensorid: int, times: Any, values: Any, phase: Any = None) -> None:
    """Fill the buffer of a sensor in all worlds.

    Args:
        m: model.
        d: data.
        sensorid: sensor with ``nsample`` > 0.
        times: (nsample,) rising times [s]; None: those in the buffer stay.
        values: (nworld, nsample * dim) or (nworld, nsample, dim), the oldest first.
        phase: time of the last evaluation of a sensor with an interval [s], one or (nworld,); None: it stays.

    Raises:
        ModelError: the sensor has no buffer, or an argument does not fit.

    MuJoCo: mj_initSensorHistory.
    """
    check_pair("init_sensor_history", m, d)
    s = _id("init_sensor_history: sensorid", sensorid, m.nsensor)
    dim = int(m.sensor_dim.numpy()[s])
    _fill("init_sensor_history", d, m.sensor_history, m.sensor_historyadr, s, dim, times, values, phase)


def reset_history(m: Model, d: Data, reset: Any = None) -> None:
    """Empty all buffers: zeros, at times before the first step. ``reset_data`` does this as well.

    Args:
        m: model.
        d: data.
        reset: (nworld,) bool; None: all worlds.
    """
    check_pair("reset_history", m, d)
    forget(m, d, world_mask("reset_history: reset", d, reset), _HISTORY)


def _id(name: str, given: Any, count: int) -> int:
    number = integer(name, given, 0)
    if number >= count:
        allowed = f"0 to {count - 1}" if count else "none, the model has none"
        raise ModelError(problem(name, str(number), allowed, "choose one of the model"))
    return number


def _query(name: str, d: Data, time: Any, interp: int, result: Any, dim: int) -> tuple[wp.array, int, wp.array]:
    """Checked arguments of a reading."""
    if not is_integer(interp) or interp not in (-1, 0, 1, 2):
        allowed = "0 (hold), 1 (linear), 2 (cubic) or -1 (as the model says)"
        raise ModelError(problem(f"{name}: interp", repr(interp), allowed, "pass one of these"))
    if isinstance(result, wp.array) and result.ndim == 1 and dim == 1:
        result = result.reshape((result.shape[0], 1))
    for label, array, shape in (("time", time, (d.nworld,)), ("result", result, (d.nworld, dim))):
        fits = isinstance(array, wp.array) and array.shape == shape and array.dtype == wp.float32
        if not fits or array.device != d.device:
            given = f"shape {array.shape} on {array.device}" if isinstance(array, wp.array) else f"a {type(array).__name__}"
            allowed = f"a float32 array of shape {shape} on {d.device}"
            raise ModelError(problem(f"{name}: {label}", given, allowed, "make it with wp.zeros of that shape"))
    return time, int(interp), result


def _host(name: str, given: Any, shapes: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Numbers of one of the given shapes as float32."""
    try:
        array = np.asarray(given.numpy() if isinstance(given, wp.array) else given, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(problem(name, shown(given), f"numbers of shape {' or '.join(map(str, shapes))}", "pass them")) from None
    if array.shape not in shapes:
        raise ModelError(problem(name, f"shape {array.shape}", f"shape {' or '.join(map(str, shapes))}", "reshape it"))
    return array


def _fill(name: str, d: Data, history: wp.array, addresses: wp.array, i: int, dim: int, times: Any, values: Any, phase: Any) -> None:
    counts = history.numpy()[:, i, 0]
    n = int(counts[0])
    if np.any(counts != n):
        given = f"{int(counts.min())} to {int(counts.max())} samples in different worlds"
        raise ModelError(problem(f"{name}: {i}", given, "as many samples in all worlds", "fill d.history of each world"))
    if n <= 0:
        raise ModelError(problem(f"{name}: {i}", "nsample 0", "one with a history buffer", "give it nsample in the model"))
    shapes = ((d.nworld, n * dim), (d.nworld, n, dim))
    samples = _host(f"{name}: values", values, shapes).reshape(d.nworld, n * dim)
    stamps = np.zeros(0) if times is None else _host(f"{name}: times", times, ((n,),))
    if np.any(np.diff(stamps) <= 0.0):
        raise ModelError(problem(f"{name}: times", str(stamps.tolist()), "rising times", "sort them, each once"))
    user = np.zeros(0) if phase is None else _host(f"{name}: phase", np.atleast_1d(phase), ((d.nworld,),) if np.ndim(phase) else ((1,),))
    arrays: list[wp.array] = [wp.array(a, dtype=wp.float32, device=d.device) for a in (stamps, samples, user)]
    access.fill_buffer(d, addresses, i, n, dim, *arrays)
