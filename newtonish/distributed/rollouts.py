"""Rollouts of many worlds, in blocks whose size does not depend on the number of workers, so that the bits do not either."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from newtonish.distributed.pool import Pool, Worker
from newtonish.distributed.sweep import sweep
from newtonish.errors import ModelError, problem

__all__ = ["Rollout", "rollout"]

Control = Callable[[Any, Any, int, list[np.random.Generator]], None]


@dataclass(frozen=True)
class Rollout:
    """The worlds after their steps.

    Attributes:
        qpos, qvel: (worlds, ...) at the end.
        sensordata: (worlds, ...) of the last step.
        time: (worlds,) [s].
        nonfinite: (worlds,) how often each was reset.
        lost: workers that died and were replaced.
        missing: worlds whose numbers are not there, because the run was interrupted; theirs are NaN.
    """

    qpos: np.ndarray
    qvel: np.ndarray
    sensordata: np.ndarray
    time: np.ndarray
    nonfinite: np.ndarray
    lost: int
    missing: np.ndarray


def rollout(
    source: str, worlds: int, steps: int, *, control: Control | None = None, block: int = 256, workers: int = 0, each: Worker | None = None, seed: int = 0,
    address: str | None = None, folder: str | PathLike[str] | None = None, progress: Callable[[int, int, float], None] | None = None, begun: Callable[[Pool], None] | None = None,
) -> Rollout:  # fmt: skip
    """Simulate worlds of a model, spread over workers.

    Args:
        source: model file or text, which every worker can read.
        worlds: how many.
        steps: time steps of each.
        control: called before each step with the model, the data of a block, the number of the step, and a NumPy generator for each of its worlds;
            it writes controls, and at step 0 perhaps a start. None: controls of independent normal numbers, a tenth of their range, at each step.
        block: worlds of a task. It belongs to the result's definition: keep it when the number of workers changes.
        workers, each, seed, address, folder, progress, begun: as of ``sweep``. Each world has random numbers of its own, from the seed and its number.

    Raises:
        ModelError: a number is out of range.
    """
    for name, value in (("worlds", worlds), ("steps", steps), ("block", block)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ModelError(problem(f"rollout: {name}", repr(value), "a whole number of at least 1", "correct it"))
    blocks = [(first, min(first + block, worlds)) for first in range(0, worlds, block)]
    each = each or Worker()
    function = partial(_simulate, str(source), _contents(str(source)), steps, control, seed, each.device)
    outcome = sweep(function, blocks, workers=workers, each=each, seed=seed, address=address, folder=folder, progress=progress, begun=begun)
    parts = [outcome.results.get(k) for k in range(len(blocks))]
    pattern = next((part for part in parts if part is not None), None)
    if pattern is None:
        raise KeyboardInterrupt
    whole = [part if part is not None else _empty(pattern, last - first) for part, (first, last) in zip(parts, blocks, strict=True)]
    numbers = [np.concatenate([part[k] for part in whole]) for k in range(5)]
    absent = [np.full(last - first, part is None) for part, (first, last) in zip(parts, blocks, strict=True)]
    return Rollout(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], outcome.lost, np.flatnonzero(np.concatenate(absent)))


def _empty(pattern: tuple[np.ndarray, ...], worlds: int) -> tuple[np.ndarray, ...]:
    return tuple(np.full((worlds, *part.shape[1:]), np.nan if part.dtype.kind == "f" else 0, dtype=part.dtype) for part in pattern)


def _contents(source: str) -> str:
    """A hash of the model's text, so that results of an older one are not taken for those of this one."""
    if source.lstrip().startswith("<"):
        return ""
    return hashlib.sha256(Path(source).read_bytes()).hexdigest() if Path(source).is_file() else ""


def _simulate(
    source: str, contents: str, steps: int, control: Control | None, seed: int, device: str, block: tuple[int, int], _: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """A block of worlds, from ``block[0]`` to before ``block[1]``."""
    from newtonish import mjw

    if _contents(source) != contents:
        raise ModelError(problem(f"rollout: source {source!r}", "another file here than where it was called", "the same file on all machines", "copy it there"))
    first, last = block
    m, d = mjw.load(source, nworld=last - first, device=device)
    rngs = [np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, world))) for world in range(first, last)]
    drive = control or _noise
    for step in range(steps):
        drive(m, d, step, rngs)
        mjw.step(m, d)
        if d.device.is_cuda:
            mjw.check_capacity(m, d)
    return tuple(np.array(array.numpy()) for array in (d.qpos, d.qvel, d.sensordata, d.time, d.nonfinite))


def _noise(m: Any, d: Any, step: int, rngs: list[np.random.Generator]) -> None:
    """Independent normal controls."""
    if m.nu:
        limited, ranges = m.actuator_ctrllimited.numpy().reshape(-1) != 0, m.actuator_ctrlrange.numpy()[0]
        size = np.where(limited, 0.5 * (ranges[:, 1] - ranges[:, 0]), 1.0)
        d.ctrl.assign(np.stack([0.1 * size * rng.standard_normal(m.nu) for rng in rngs]).astype(np.float32))
