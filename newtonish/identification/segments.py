"""Logs cut into pieces that are simulated side by side, each from a start of its own.

A simulation over a whole log goes astray by what the model leaves out, and in a chaotic motion by anything at all; then residuals say nothing about parameters. So a log is
cut, each piece is a world, and the state in which it begins is sought along with the parameters: multiple shooting without the condition that pieces meet
(Bock, 1981). Starting from measured states as they are would take their noise for motion. What pieces know of their starts is lost to the parameters, which is little
where a piece has many rows, and is in the intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from newtonish.common import frames
from newtonish.common.enums import JointType, SensorType
from newtonish.errors import ModelError, problem
from newtonish.identification.columns import Columns, Place, quaternions
from newtonish.identification.logs import Log

__all__ = ["Segments", "cut", "displaced"]

_WINDOW = 5
"""Rows around the beginning of a piece from which its first state is guessed."""
_FEWEST = 8
"""Rows that a piece has at least."""


@dataclass
class Segments:
    """Pieces of logs.

    Attributes:
        step: time step of the simulation [s].
        steps: steps of the longest piece.
        names: measured columns.
        places: where they stand in a model's arrays.
        log: (pieces,) which log each is of.
        begin: (pieces,) time at which each begins [s].
        rows: (pieces, most rows) steps after the beginning at which rows were measured, as fractions.
        measured: (pieces, most rows, columns); 0 where there is nothing.
        weight: the same shape: 0 where there is nothing, else the caller's weight of that column and log.
        qpos, qvel, act: states in which pieces begin, (pieces, ...).
        free: whether those states are sought, or given.
    """

    step: float
    steps: int
    names: list[str]
    places: list[Place]
    log: np.ndarray
    begin: np.ndarray
    rows: np.ndarray
    measured: np.ndarray
    weight: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    act: np.ndarray
    free: bool

    def __len__(self) -> int:
        return len(self.begin)

    def every(self, stride: int) -> Segments:
        """The first piece and each so many behind it."""
        names = ("log", "begin", "rows", "measured", "weight", "qpos", "qvel", "act")
        return replace(self, **{name: getattr(self, name)[::stride] for name in names})


def cut(
    compiled: Any, columns: Columns, logs: Sequence[Log], length: float | None, skip: float, weights: Mapping[str, float] | None, start: np.ndarray | None,
    log_weights: Sequence[float] | None = None,
) -> Segments:  # fmt: skip
    """Cut logs into pieces of about one length.

    Args:
        compiled: compiled arrays.
        columns: names of columns.
        logs: what was recorded.
        length: of a piece [s]; None: 0.5 s, or the whole log where states are not measured.
        skip: seconds at the beginning of each log of whose controls nothing is known: the longest delay allowed.
        weights: factors on columns; 0 leaves one out.
        start: (nq,) positions in which logs begin where they do not hold them; None: they have to.
        log_weights: factors on logs.
    """
    names = [name for name in columns.places if not name.startswith(("ctrl:", "act:")) and any(name in log.columns for log in logs)]
    factors = _weights(names, weights)
    measured_starts = _has_positions(compiled, columns, logs)
    if start is None and not measured_starts:
        missing = [name for name in columns.by_array.get("qpos", []) if not all(_position(columns, compiled, log, name) is not None for log in logs)]
        allowed = "positions of all joints, as qpos or jointpos sensors"
        raise ModelError(problem("logs", f"no {', '.join(missing[:6])}", allowed, "log them, or give the pose in which the logs begin (start)"))
    whole = not measured_starts or (int(compiled.na) > 0 and not all(set(columns.by_array["act"]) <= set(log.columns) for log in logs))
    pieces = []
    for number, log in enumerate(logs):
        first = int(np.searchsorted(log.time, log.time[0] + skip)) if not whole else 0
        span = log.time[-1] - log.time[first]
        count = 1 if whole and length is None else max(1, round(span / (length or 0.5)))
        edges = np.linspace(first, len(log.time), count + 1).round().astype(int)
        pieces += [(number, int(a), int(b)) for a, b in pairwise(edges) if b - a >= _FEWEST]
    if not pieces:
        raise ModelError(problem("segment", f"{length} s, which has no {_FEWEST} rows", f"lengths with at least {_FEWEST} rows", "give longer ones"))
    return _filled(compiled, columns, logs, pieces, names, factors, start, not whole, log_weights or [1.0] * len(logs))


def _filled(
    c: Any, columns: Columns, logs: Sequence[Log], pieces: list[tuple[int, int, int]], names: list[str], factors: np.ndarray, start: np.ndarray | None, free: bool,
    log_weights: Sequence[float],
) -> Segments:  # fmt: skip
    step, most = float(c.opt.timestep), max(b - a for _, a, b in pieces)
    rows, shape = np.zeros((len(pieces), most)), (len(pieces), most, len(names))
    measured, weight = np.zeros(shape), np.zeros(shape)
    qpos, qvel, act = np.repeat(np.asarray(c.qpos0, float)[None], len(pieces), 0), np.zeros((len(pieces), int(c.nv))), np.zeros((len(pieces), int(c.na)))
    for k, (number, a, b) in enumerate(pieces):
        log = logs[number]
        rows[k, : b - a] = (log.time[a:b] - log.time[a]) / step
        for j, name in enumerate(names):
            if name in log.columns:
                measured[k, : b - a, j] = log.columns[name][a:b]
                weight[k, : b - a, j] = factors[j] * log_weights[number]
        _begin(c, columns, log, a, start, qpos[k], qvel[k], act[k])
    rows = np.where(np.abs(rows - rows.round()) < 1e-6, rows.round(), rows)
    places = [columns.places[name] for name in names]
    log_of, begin = np.array([p[0] for p in pieces]), np.array([logs[p[0]].time[p[1]] for p in pieces])
    return Segments(step, int(np.ceil(rows.max())) + 1, names, places, log_of, begin, rows, measured, weight, qpos, qvel, act, free)


def _weights(names: Sequence[str], weights: Mapping[str, float] | None) -> np.ndarray:
    factors = np.ones(len(names))
    for name, value in (weights or {}).items():
        matched = [j for j, each in enumerate(names) if each == name or each.startswith(f"{name}:")]
        if not matched or not np.isfinite(value) or value < 0.0:
            given = f"{value}" if matched else "no such column in the logs"
            raise ModelError(problem(f"weight {name!r}", given, f"0 or more for {', '.join(names[:12])}, or qpos, qvel, sensor", "give one of these a weight"))
        factors[matched] = value
    return factors


def _position(columns: Columns, c: Any, log: Log, name: str) -> np.ndarray | None:
    """A number of ``qpos`` in a log: as itself, or by a sensor of that joint."""
    return _by_sensor(columns, c, log, name, "qpos", SensorType.JOINTPOS)


def _by_sensor(columns: Columns, c: Any, log: Log, name: str, array: str, kind: int) -> np.ndarray | None:
    if name in log.columns:
        return log.columns[name]
    address = c.jnt_qposadr if array == "qpos" else c.jnt_dofadr
    for sensor in np.flatnonzero(np.asarray(c.sensor_type) == kind):
        if int(address[c.sensor_objid[sensor]]) == columns.places[name].number:
            return log.columns.get(columns.by_array["sensor"][int(c.sensor_adr[sensor])])
    return None


def _has_positions(c: Any, columns: Columns, logs: Sequence[Log]) -> bool:
    return all(_position(columns, c, log, name) is not None for log in logs for name in columns.by_array.get("qpos", []))


def _begin(c: Any, columns: Columns, log: Log, row: int, start: np.ndarray | None, qpos: np.ndarray, qvel: np.ndarray, act: np.ndarray) -> None:
    """The state of a log in a row, by lines through its neighbours; where it is not measured, ``start`` at rest."""
    if start is not None:
        qpos[:] = start
    near = slice(max(row - _WINDOW, 0), row + _WINDOW + 1)
    time = log.time[near] - log.time[row]
    positions = {name: value[near] for name in columns.by_array.get("qpos", []) if (value := _position(columns, c, log, name)) is not None}
    curves = _fitted(time, positions, 2)
    for name, (value, *_) in curves.items():
        qpos[columns.places[name].number] = value
    for joint in range(int(c.njnt)):
        kind, a, v = JointType(int(c.jnt_type[joint])), int(c.jnt_qposadr[joint]), int(c.jnt_dofadr[joint])
        name = columns.by_array["qpos"][a]
        if kind in (JointType.HINGE, JointType.SLIDE) and name in curves:
            qvel[v] = curves[name][1]
    by_sensor = {name: _by_sensor(columns, c, log, name, "qvel", SensorType.JOINTVEL) for name in columns.by_array.get("qvel", [])}
    for name, (value, *_) in _fitted(time, {name: value[near] for name, value in by_sensor.items() if value is not None}, 1).items():
        qvel[columns.places[name].number] = value
    for name in columns.by_array.get("act", []):
        if name in log.columns:
            act[columns.places[name].number] = log.columns[name][row]
    for four in quaternions(c):
        qpos[four] = frames.unit(qpos[four])


def _fitted(time: np.ndarray, columns: Mapping[str, np.ndarray], degree: int) -> dict[str, np.ndarray]:
    """Coefficients of a polynomial through each column, the constant one first."""
    if not columns:
        return {}
    table = np.polynomial.polynomial.polyfit(time, np.stack(list(columns.values()), axis=1), degree)
    return dict(zip(columns, table.T, strict=True))


def displaced(compiled: Any, qpos: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Positions (..., nq) moved by changes (..., nv) in the tangent space, as velocities act in one unit of time."""
    change = np.asarray(change, float)
    result = np.array(np.broadcast_to(np.asarray(qpos, float), (*np.broadcast_shapes(np.shape(qpos)[:-1], change.shape[:-1]), np.shape(qpos)[-1])))
    for joint in range(int(compiled.njnt)):
        kind, a, v = JointType(int(compiled.jnt_type[joint])), int(compiled.jnt_qposadr[joint]), int(compiled.jnt_dofadr[joint])
        straight = {JointType.FREE: 3, JointType.BALL: 0}.get(kind, 1)
        result[..., a : a + straight] += change[..., v : v + straight]
        if kind in (JointType.FREE, JointType.BALL):
            turn = change[..., v + straight : v + straight + 3]
            angle = np.linalg.norm(turn, axis=-1, keepdims=True)
            axis = np.divide(turn, angle, out=np.zeros_like(turn), where=angle > 0.0)
            quat = np.concatenate([np.cos(0.5 * angle), np.sin(0.5 * angle) * axis], axis=-1)
            result[..., a + straight : a + straight + 4] = frames.unit(frames.quat_mul(result[..., a + straight : a + straight + 4], quat))
    return result
