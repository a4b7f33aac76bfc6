"""A proposal of controls for the next log: those of many under which the parameters show best.

Candidates are sums of sines (Swevers and others, 1997) over the actuators' ranges, with frequencies from slow ones, for friction and weights, to fast ones, for inertias. Each is simulated with the model as it was found and
with each parameter changed. Of those that keep to the joints' ranges, that one is taken under which the worst known parameter is known best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonish.errors import UnsupportedError, problem
from newtonish.identification.controls import HeldControls
from newtonish.identification.identifiability import WeakDirection
from newtonish.identification.logs import Log
from newtonish.identification.problem import Point, Problem
from newtonish.identification.segments import Segments

__all__ = ["Excitation", "propose"]

_SINES = 6


@dataclass(frozen=True)
class Excitation:
    """Controls that show the parameters.

    Attributes:
        time: (n,) [s].
        columns: (n,) controls by column, ``ctrl:NAME``.
        deviation: standard deviation expected of each parameter, with the noise that the logs had, by name.
        still_unknown: what no motion shows; it takes another sensor, or a number known from elsewhere.
    """

    time: np.ndarray
    columns: dict[str, np.ndarray]
    deviation: dict[str, float]
    still_unknown: list[str]


def propose(
    found: Problem,
    point: Point,
    names: list[str],
    unknown: Sequence[WeakDirection],
    seconds: float = 10.0,
    candidates: int = 6,
    seed: int = 0,
    tolerance: float = 0.5,
) -> Excitation:
    """Propose controls.

    Args:
        found: the identification's problem.
        point: its solution.
        names: columns of the controls, in the model's order.
        unknown: directions that the logs did not show.
        seconds: length of the motion.
        candidates: motions tried.
        seed: of the random numbers.
        tolerance: relative standard deviation from which on a parameter counts as unknown.
    """
    c = found.compiled
    if not int(c.nu):
        raise UnsupportedError(problem("excitation", "a model without actuators", "models with controls", "move it by hand, fast and slow"))
    rng = np.random.default_rng(seed)
    step = found.segments.step
    time = step * np.arange(max(round(seconds / step), 10))
    waves = [_waves(c, time, rng, share) for share in np.linspace(1.0, 0.3, candidates)]
    logs = [Log(f"candidate {k}", time, dict(zip(names, wave.T))) for k, wave in enumerate(waves)]
    pieces = _pieces(found, logs, point)
    trial = Problem(c, found.parameters, pieces, HeldControls(logs, names), found.device, True)
    trial.noise = found.noise.copy()
    start = Point(point.values, pieces.qpos, pieces.qvel)
    at = trial.linearize(start, central=True)
    best, least = 0, np.inf
    for k in range(candidates):
        worst = float(np.max(np.sqrt(np.diag(_inverse(at.piece(k).hessian)))))
        if np.isfinite(worst) and worst * _outside(trial, start, k) < least:
            best, least = k, worst * _outside(trial, start, k)
    deviation = np.sqrt(np.diag(_inverse(at.piece(best).hessian))) * found.scale
    effect = trial.effects(start, at, np.stack([each.vector for each in unknown]), 0.3, best) if unknown else np.zeros((0, 1))
    still = [each.text for each, size in zip(unknown, np.linalg.norm(effect, axis=1), strict=True) if size < 1.0 / tolerance]
    return Excitation(time, dict(zip(names, waves[best].T)), {each.name: float(d) for each, d in zip(found.parameters, deviation)}, still)


def _waves(c: Any, time: np.ndarray, rng: np.random.Generator, share: float) -> np.ndarray:
    """Controls (n, nu): sines about the middle of each range, with ends faded in."""
    limited, ranges = np.asarray(c.actuator_ctrllimited, bool), np.asarray(c.actuator_ctrlrange, float)
    result = np.zeros((len(time), int(c.nu)))
    for k in range(int(c.nu)):
        low, high = ranges[k] if limited[k] else (-1.0, 1.0)
        frequency, phase = 10.0 ** rng.uniform(-1.0, 0.6, _SINES), rng.uniform(0.0, 2.0 * np.pi, _SINES)
        wave = np.sum(np.sin(2.0 * np.pi * frequency * time[:, None] + phase) / np.sqrt(_SINES), axis=1)
        result[:, k] = np.clip(0.5 * (low + high) + 0.5 * (high - low) * share * 0.7 * wave, low, high)
    return result * np.minimum(time / 0.5, 1.0)[:, None] if not limited.any() else result


def _pieces(found: Problem, logs: list[Log], point: Point) -> Segments:
    """Each candidate whole, from the pose in which the first log began, at rest."""
    s, count, rows = found.segments, len(logs), len(logs[0].time)
    shape = (count, rows, len(s.names))
    weight = np.broadcast_to(s.weight.reshape(-1, len(s.names)).max(axis=0), shape).copy()
    qpos = np.repeat(point.qpos[:1], count, axis=0)
    return Segments(
        s.step, rows, s.names, s.places, np.arange(count), np.array([log.time[0] for log in logs]), np.tile(np.arange(rows, dtype=float), (count, 1)), np.zeros(shape), weight, qpos,
        np.zeros((count, point.qvel.shape[1])), np.repeat(s.act[:1], count, axis=0), s.free,
    )  # fmt: skip


def _outside(trial: Problem, start: Point, k: int) -> float:
    """A factor for motions that reach the joints' ranges: there a robot would be stopped."""
    c, s = trial.compiled, trial.segments
    values = trial.residuals([start])[0][k]
    for joint in np.flatnonzero(np.asarray(c.jnt_limited)):
        name = f"qpos:{c.jnt_names[joint] or joint}"
        if name in s.names:
            low, high = c.jnt_range[joint]
            motion = values[:, s.names.index(name)]
            if motion.min() < low or motion.max() > high:
                return 100.0
    return 1.0


def _inverse(matrix: np.ndarray) -> np.ndarray:
    value, vector = np.linalg.eigh(matrix)
    return (vector / np.maximum(value, 1e-14 * max(float(value.max(initial=0.0)), 1e-300))) @ vector.T
