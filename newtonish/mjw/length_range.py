"""Feasible lengths of actuators, found by pulling each of them to both ends in a damped simulation.

Every actuator and direction is a world of its own. A force along the actuator's moment gives the accelerations the same
norm in every step; contacts, gravity, springs, dampers, friction and actuators are off, limits, equalities and Coriolis
forces hold: where a muscle's moment on a joint is nothing at qpos0, the latter decide which way the joint turns.
Velocities decay between steps, so that the motion settles. Runs on the host: call it between steps. MuJoCo:
mj_setLengthRange; documentation, chapter Modeling (length range).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import warp as wp

from newtonish.arguments import checked
from newtonish.common.constants import MINVAL
from newtonish.common.enums import BiasType, DisableBit, GainType, TrnType
from newtonish.errors import ModelError, problem
from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.data import make_data
from newtonish.mjw.pipeline import step1, step2

__all__ = ["length_range_options", "set_length_range"]

MODES = ("none", "muscle", "muscleuser", "all")
_OFF = (DisableBit.CONTACT, DisableBit.FRICTIONLOSS, DisableBit.SPRING, DisableBit.DAMPER, DisableBit.GRAVITY, DisableBit.ACTUATION)


@checked
def set_length_range(
    m: Model, mode: str = "muscle", *, useexisting: bool = True, uselimit: bool = False, accel: float = 20.0, maxforce: float = 0.0,
    timeconst: float = 1.0, timestep: float = 0.01, inttotal: float = 10.0, interval: float = 2.0, tolrange: float = 0.05,
) -> None:  # fmt: skip
    """Compute ``m.actuator_lengthrange`` of actuators by simulation.

    Args:
        m: model; all its fields have one value for all worlds.
        mode: "none", "muscle", "muscleuser" (muscles and user gains or biases) or "all".
        useexisting: keep ranges that are given, which means a first number below the second.
        uselimit: take the limits of the joint or tendon that an actuator acts on, where it has some.
        accel: norm of the acceleration that the force gives [mixed units].
        maxforce: largest norm of the force; 0: none.
        timeconst: time in which velocities decay by e [s].
        timestep: time step [s]; 0: the model's.
        inttotal: simulated time [s].
        interval: time at the end in which lengths are measured [s].
        tolrange: largest spread in that time, as a share of the range.

    Raises:
        ModelError: an argument is out of its range, the model's fields differ between worlds, or an actuator does not settle
            (its range has no end, or ``inttotal`` is too short).
    """
    _check(m, mode, accel, timeconst, timestep, inttotal, interval)
    chosen = _chosen(m, mode, useexisting)
    if uselimit:
        chosen = _from_limits(m, chosen)
    if not chosen:
        return
    if m.nworld > 1:
        given = f"fields with {m.nworld} worlds"
        remedy = "give lengthrange, or compute the ranges before worlds differ"
        raise ModelError(problem("set_length_range: m", given, "one value for all worlds", remedy))
    flags, step = m.opt.disableflags, m.opt.timestep
    dt = timestep if timestep > 0 else float(step.numpy()[0])
    try:
        m.opt.disableflags = flags | sum(int(bit) for bit in _OFF)
        m.opt.timestep = wp.array([dt], dtype=float, device=m.device)
        low, high = _pull(m, chosen, dt, accel, maxforce, timeconst, inttotal, interval)
    finally:
        m.opt.disableflags, m.opt.timestep = flags, step
    ranges = m.actuator_lengthrange.numpy()
    names = m.names["actuator"]
    for k, (actuator, output) in enumerate(chosen):
        ends = low[2 * k], high[2 * k + 1]
        spread = max(high[2 * k] - low[2 * k], high[2 * k + 1] - low[2 * k + 1])
        label = f"set_length_range: actuator {actuator} {names[actuator]!r}"
        if not (math.isfinite(ends[0]) and math.isfinite(ends[1]) and ends[0] < ends[1]):
            remedy = "limit what it moves, or give its lengthrange"
            raise ModelError(problem(label, f"lengths {ends[0]:g} to {ends[1]:g}", "two rising numbers", remedy))
        if spread > tolrange * (ends[1] - ends[0]):
            given = f"lengths that still change by {spread:g} of {ends[1] - ends[0]:g}"
            remedy = "limit what it moves, raise inttotal, or give its lengthrange"
            raise ModelError(problem(label, given, f"at most tolrange={tolrange:g} of the range", remedy))
        ranges[:, output] = ends
    m.actuator_lengthrange.assign(ranges)


def _check(m: Model, mode: str, accel: float, timeconst: float, timestep: float, inttotal: float, interval: float) -> None:
    """Raise ModelError for the first argument that is out of its range."""
    if not isinstance(m, Model):
        text = problem("set_length_range: m", f"a {type(m).__name__}", "a newtonish.mjw.Model", "make it with put_model or load")
        raise ModelError(text)
    if mode not in MODES:
        raise ModelError(problem("set_length_range: mode", repr(mode), ", ".join(MODES), "choose one of these"))
    if m.device.is_capturing:
        text = problem("set_length_range", "a call within a capture", "calls between captures", "call it before or after")
        raise ModelError(text)
    for name, number in (("accel", accel), ("timeconst", timeconst), ("inttotal", inttotal), ("interval", interval)):
        if not 0 < number < math.inf:
            raise ModelError(problem(f"set_length_range: {name}", str(number), "a positive number", "correct it"))
    if not 0 <= timestep < math.inf or interval > inttotal:
        given = f"timestep={timestep}, interval={interval}, inttotal={inttotal}"
        raise ModelError(problem("set_length_range", given, "timestep >= 0 and interval <= inttotal", "correct them"))


def length_range_options(namespace: Any) -> dict[str, Any]:
    """Arguments of ``set_length_range`` from ``model.mujoco``, which holds what a file's compiler element says."""
    names = ("mode", "useexisting", "uselimit", "accel", "maxforce", "timeconst", "timestep", "inttotal", "interval", "tolrange")
    values = {name: getattr(namespace, f"lengthrange_{name}", None) for name in names}
    host = {name: value.numpy()[0] for name, value in values.items() if value is not None}
    options = {name: bool(value) if name.startswith("use") else float(value) for name, value in host.items()}
    return options | ({"mode": MODES[int(host["mode"])]} if "mode" in host else {})


def needs_simulation(m: Model, mode: str = "muscle", useexisting: bool = True, **_: Any) -> bool:
    """Whether ``set_length_range`` with these arguments finds any range."""
    return bool(_chosen(m, mode, useexisting))


def _from_limits(m: Model, chosen: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Write the ranges of limited joints and tendons; return the actuators that remain."""
    ranges = m.actuator_lengthrange.numpy()
    kinds, ids = m.actuator_trntype.numpy(), m.actuator_trnid.numpy()
    left = []
    for actuator, output in chosen:
        tendon = kinds[actuator] == TrnType.TENDON
        on_joint = kinds[actuator] in (TrnType.JOINT, TrnType.JOINTINPARENT)
        of = "tendon" if tendon else "jnt"
        target = ids[actuator][0]
        if not (tendon or on_joint) or not getattr(m, f"{of}_limited").numpy()[target]:
            left.append((actuator, output))
            continue
        ranges[:, output] = getattr(m, f"{of}_range").numpy()[0, target]  # whatever the gear, as in MuJoCo
    m.actuator_lengthrange.assign(ranges)
    return left


def _chosen(m: Model, mode: str, useexisting: bool) -> list[tuple[int, int]]:
    """Actuators whose range is computed, with their first outputs."""
    gain, bias, out = m.actuator_gaintype.numpy(), m.actuator_biastype.numpy(), m.actuator_outadr.numpy()
    muscle = (gain == int(GainType.MUSCLE)) | (bias == int(BiasType.MUSCLE))
    user = (gain == int(GainType.USER)) | (bias == int(BiasType.USER))
    number = m.actuator_outnum.numpy()
    wanted = {"none": muscle & False, "muscle": muscle, "muscleuser": muscle | user, "all": number == 1}[mode]
    given = m.actuator_lengthrange.numpy()[0]
    return [(int(a), int(out[a])) for a in np.flatnonzero(wanted) if not (useexisting and given[out[a]][0] < given[out[a]][1])]


def _pull(
    m: Model, chosen: list[tuple[int, int]], dt: float, accel: float, maxforce: float, timeconst: float, inttotal: float,
    interval: float,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Smallest and largest length of each actuator in the interval, pulled down in even worlds and up in odd ones."""
    from newtonish.kernels.smooth.solve_m import solve_m  # few models need it

    nworld = 2 * len(chosen)
    d = make_data(m, nworld)
    low, high = np.full(nworld, np.inf), np.full(nworld, -np.inf)
    worlds = np.arange(nworld)
    outputs = np.repeat([output for _, output in chosen], 2)
    sign = np.where(worlds % 2 == 0, -1.0, 1.0)[:, None]
    result = wp.zeros((nworld, m.size.nv), dtype=float, device=m.device)
    steps = math.ceil(inttotal / dt)
    for k in range(steps):
        step1(m, d)
        moment = _dense_moments(m, d, outputs)
        solve_m(m, d, result, wp.array(moment.astype(np.float32), dtype=float, device=m.device))
        norm = np.linalg.norm(result.numpy()[:, : m.size.nv], axis=1, keepdims=True)
        force = sign * moment * accel / np.maximum(norm, MINVAL)
        size = np.linalg.norm(force, axis=1, keepdims=True)
        if maxforce > 0:
            force = force * np.minimum(1.0, maxforce / np.maximum(size, MINVAL))
        d.qfrc_applied.assign(force.astype(np.float32))
        length = d.actuator_length.numpy()[worlds, outputs]
        if (k + 1) * dt > inttotal - interval:
            low, high = np.minimum(low, length), np.maximum(high, length)
        step2(m, d)
        d.qvel.assign(d.qvel.numpy() * np.float32(math.exp(-dt / timeconst)))
    return low, high


def _dense_moments(m: Model, d: Data, outputs: np.ndarray) -> np.ndarray:
    """Moment of output ``outputs[w]`` in world w, (nworld, nv)."""
    rows = np.zeros((len(outputs), m.size.nv))
    adr, number = d.moment_rowadr.numpy(), d.moment_rownnz.numpy()
    columns, values = d.moment_colind.numpy(), d.actuator_moment.numpy()
    for w, output in enumerate(outputs):
        at = slice(adr[w, output], adr[w, output] + number[w, output])
        rows[w, columns[w, at]] = values[w, at]
    return rows
