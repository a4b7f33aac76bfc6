"""Figures of recorded motions: rise and settling time, overshoot, steady error, peak force, depth, energy."""

from __future__ import annotations

import numpy as np

__all__ = ["BAND", "impact_figures", "sine_figures", "step_figures"]

BAND = 0.02
"""Of a step, within which a course counts as settled."""

_TAIL = 0.1
"""Last share of a course, whose mean is where it comes to rest."""


def _crossing(times: np.ndarray, way: np.ndarray, level: float) -> np.ndarray:
    """When courses (samples, worlds) first reach a level, between samples by a straight line; the end where they do not."""
    above = way >= level
    index = np.where(above.any(axis=0), above.argmax(axis=0), len(times) - 1)
    before, worlds = np.maximum(index - 1, 0), np.arange(way.shape[1])
    low, high = way[before, worlds], way[index, worlds]
    rising = np.abs(high - low) > 1e-12
    share = np.where(rising, (level - low) / np.where(rising, high - low, 1.0), 0.0)
    return times[before] + np.clip(share, 0.0, 1.0) * (times[index] - times[before])


def step_figures(times: np.ndarray, q: np.ndarray, v: np.ndarray, force: np.ndarray, way: np.ndarray, command: np.ndarray) -> dict[str, np.ndarray]:
    """Figures of step responses.

    Args:
        times: Of the samples [s], (samples,); the first is that of the step.
        q, v, force: Position, velocity and force of the drive, (samples, worlds).
        way: Size of the step, signed, (worlds,).
        command: Where it is commanded to, (worlds,).

    Returns:
        Arrays (worlds,) by name; a course that does not settle has more than the length of the test.
    """
    tail = max(2, round(_TAIL * len(times)))
    final = q[-tail:].mean(axis=0)
    change = final - q[0]
    moved = np.sign(way) * change > 0.2 * np.abs(way)
    scale = np.where(moved, change, way)
    share = (q - q[0]) / scale
    error = np.abs(q - final) / np.abs(way)
    outside = error > BAND
    last = len(times) - 1 - outside[::-1].argmax(axis=0)
    settle = np.where(outside.any(axis=0), times[np.minimum(last + 1, len(times) - 1)] - times[0], 0.0)
    length = times[-1] - times[0]
    restless = outside[-tail:].any(axis=0) | ~moved
    settle = np.where(restless, length * (1.0 + np.minimum(error[-tail:].max(axis=0), 1.0) + ~moved), settle)
    rise = _crossing(times, share, 0.9) - _crossing(times, share, 0.1)
    return _finite({
        "rise": np.where(moved, rise, 2.0 * length), "settle": settle,
        "overshoot": np.where(moved, np.maximum(share.max(axis=0) - 1.0, 0.0), 1.0), "steady": np.abs(final - command),
        "force": np.abs(force).max(axis=0), "energy": _work(times, force * v),
    }, q)  # fmt: skip


def sine_figures(times: np.ndarray, q: np.ndarray, v: np.ndarray, force: np.ndarray, command: np.ndarray) -> dict[str, np.ndarray]:
    """Figures of following a sine: the first half of the samples lets it come into step; ``command`` is (samples, worlds)."""
    half = len(times) // 2
    return _finite({
        "steady": np.abs(q - command)[half:].max(axis=0), "force": np.abs(force).max(axis=0), "energy": _work(times, force * v),
    }, q)  # fmt: skip


def impact_figures(times: np.ndarray, q: np.ndarray, v: np.ndarray, force: np.ndarray, limit: np.ndarray, speed: np.ndarray) -> dict[str, np.ndarray]:
    """Figures of joints that run into a limit: ``speed`` is their speed then, positive towards an upper limit, (worlds,)."""
    side = np.sign(speed)
    excess = side * (q - limit)
    beyond = excess > 0.0
    last = len(times) - 1 - beyond[::-1].argmax(axis=0)
    settle = np.where(beyond.any(axis=0), times[np.minimum(last + 1, len(times) - 1)] - times[0], 0.0)
    leaving = beyond | np.roll(beyond, 1, axis=0)  # and the first sample after
    return _finite({
        "settle": settle, "overshoot": np.where(leaving, -side * v, 0.0).max(axis=0) / np.abs(speed),
        "force": np.abs(force).max(axis=0), "depth": np.maximum(excess.max(axis=0), 0.0),
    }, q)  # fmt: skip


def _work(times: np.ndarray, power: np.ndarray) -> np.ndarray:
    power = np.maximum(power, 0.0)
    return np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(times)[:, None], axis=0)


def _finite(figures: dict[str, np.ndarray], q: np.ndarray) -> dict[str, np.ndarray]:
    """Infinite figures for courses that are not finite."""
    good = np.isfinite(q).all(axis=0)
    return {name: np.where(good & np.isfinite(values), values, np.inf) for name, values in figures.items()}
