"""Control signals for many worlds: zero, seeded uniform samples held for a few steps, or those of a recording.

A sample is drawn for all worlds with one call of NumPy's generator, so that making controls costs far less than
stepping with them. Actuators without a control range are driven within [-1, 1].
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from newtonish.cli.arguments import UsageError
from newtonish.errors import problem
from newtonish.exporters.npz import read_arrays

__all__ = ["HOLD", "Controls", "Replay", "check_replay", "control_limits", "read_replay"]

HOLD = 10
"""Steps for which one sample is held; white noise at every step would average out over the actuators."""


def control_limits(ctrlrange: np.ndarray, ctrllimited: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limits to sample from.

    Args:
        ctrlrange: Ranges, shape (nu, 2) or (nworld or 1, nu, 2).
        ctrllimited: Whether each actuator's range holds, shape (nu,).

    Returns:
        Two float32 arrays that broadcast to (nworld, nu).
    """
    ranges = np.asarray(ctrlrange, dtype=np.float32)
    ranges = ranges.reshape(-1, ranges.shape[-2], 2) if ranges.size else np.zeros((1, 0, 2), np.float32)
    limited = np.asarray(ctrllimited).astype(bool).reshape(1, -1)
    low = np.where(limited, ranges[..., 0], np.float32(-1.0))
    high = np.where(limited, ranges[..., 1], np.float32(1.0))
    return low, high


class Controls:
    """A reproducible sequence of control samples, one for each block of :data:`HOLD` steps.

    Args:
        kind: ``zero`` or ``random``.
        low: Lower limits, broadcastable to (nworld, nu).
        high: Upper limits, broadcastable to (nworld, nu).
        nworld: Number of worlds.
        seed: Seed of the generator.
    """

    def __init__(self, kind: str, low: np.ndarray, high: np.ndarray, nworld: int, seed: int) -> None:
        self.kind = kind
        self._low = low
        self._span = high - low
        self._shape = (nworld, low.shape[-1])
        self._random = np.random.default_rng(seed)

    @property
    def about(self) -> str:
        """The schedule in words."""
        return "zero" if self.kind == "zero" else f"random, held for {HOLD} steps"

    def turn(self, steps: int) -> Iterator[tuple[np.ndarray, int]]:
        """Samples for ``steps`` steps, each with the number of steps it is held for."""
        return ((self.sample(), min(HOLD, steps - first)) for first in range(0, steps, HOLD))

    def sample(self) -> np.ndarray:
        """Draw the next sample, float32 of shape (nworld, nu)."""
        if self.kind == "zero":
            return np.zeros(self._shape, np.float32)
        block = self._random.random(self._shape, dtype=np.float32)
        block *= self._span
        block += self._low
        return block


class Replay:
    """Controls of a recording, the same in all worlds; every turn plays it from the start.

    Args:
        ctrl: Controls, shape (steps, nu).
        qpos: Where it starts, shape (nq,); None: where the benchmark starts.
        qvel: Velocities at its start, shape (nv,); None: small seeded ones.
        name: Of the file it comes from.
    """

    def __init__(self, ctrl: np.ndarray, qpos: np.ndarray | None, qvel: np.ndarray | None, name: str) -> None:
        self.ctrl, self.qpos, self.qvel, self.name = ctrl, qpos, qvel, name
        self.nworld = 1

    @property
    def about(self) -> str:
        return f"replay of {self.name}"

    def turn(self, steps: int) -> Iterator[tuple[np.ndarray, int]]:
        """The first ``steps`` rows, with equal rows that follow each other taken together."""
        rows = self.ctrl[:steps]
        changes = np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1)) + 1
        edges = [0, *changes.tolist(), len(rows)]
        for first, last in itertools.pairwise(edges):
            yield np.tile(rows[first], (self.nworld, 1)), last - first


def read_replay(path: Path) -> Replay:
    """Read what ``newtonish simulate --record`` writes: ``ctrl``, and perhaps ``qpos`` and ``qvel``."""
    name = f"--replay {str(path)!r}"
    remedy = "write one with 'newtonish simulate --record FILE'"
    try:
        found = read_arrays(path, remedy, names=("ctrl", "qpos", "qvel"))
        arrays = {key: np.asarray(array, dtype=np.float32) for key, array in found.items()}
    except FileNotFoundError:
        raise UsageError(problem(name, "no such file", "a file of controls (.npz)", remedy)) from None
    except (ValueError, TypeError) as error:
        raise UsageError(problem(name, "a file that cannot be read", "an .npz file of numbers", remedy)) from error
    if "ctrl" not in arrays:
        raise UsageError(problem(name, "no array 'ctrl'", "ctrl (steps, nu), and perhaps qpos and qvel", remedy))
    ctrl = arrays["ctrl"]
    if ctrl.ndim != 2 or not len(ctrl):
        raise UsageError(problem(f"{name}: ctrl", f"shape {ctrl.shape}", "(steps, nu), at least one step", remedy))
    for key, array in arrays.items():
        if not np.isfinite(array).all():
            raise UsageError(problem(f"{name}: {key}", "numbers that are not finite", "finite numbers", remedy))
    return Replay(ctrl, arrays.get("qpos"), arrays.get("qvel"), path.name)


def check_replay(replay: Replay, steps: int, model: str, nq: int, nv: int, nu: int) -> None:
    """Raise UsageError unless a recording fits a model and is long enough."""
    remedy = f"record one of {model}, or name the model it was recorded from"
    widths = {"ctrl": (replay.ctrl.shape[1:], nu), "qpos": (replay.qpos, nq), "qvel": (replay.qvel, nv)}
    for key, (given, width) in widths.items():
        shape = given if isinstance(given, tuple) else None if given is None else given.shape
        if shape is not None and shape != (width,):
            text = problem(f"--replay {replay.name}: {key}", f"rows of shape {shape}", f"({width},) for {model}", remedy)
            raise UsageError(text)
    if steps > len(replay.ctrl):
        text = problem(f"--replay {replay.name}", f"{len(replay.ctrl)} steps", f"at least the {steps} of --steps", "take fewer steps")
        raise UsageError(text)
