"""Steps per second of all workers together."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from newtonish.distributed.pool import Worker
from newtonish.distributed.sweep import sweep

__all__ = ["Benchmark", "benchmark"]


@dataclass(frozen=True)
class Benchmark:
    """What workers did.

    Attributes:
        rates: world steps per second of each.
        total: their sum.
        digests: hashes of the states at the end; all are the same, because all simulate the same.
    """

    rates: list[float]
    total: float
    digests: list[str]


def benchmark(
    source: str, worlds: int = 1024, steps: int = 100, *, workers: int = 0, each: Worker | None = None, seed: int = 0, address: str | None = None
) -> Benchmark:
    """Let every worker simulate the same worlds at the same time, and add up their rates.

    Args:
        source: model file or text, which every worker can read.
        worlds: of each worker.
        steps: that are timed, after ten that are not.
        workers, each, seed, address: as of ``sweep``; 0 workers: this process.
    """
    each = each or Worker()
    function = partial(_measure, str(source), worlds, steps, seed, each.device)
    outcome = sweep(function, list(range(max(workers, 1))), workers=workers, each=each, seed=seed, address=address)
    rates, digests = zip(*outcome, strict=True)
    return Benchmark(list(rates), float(sum(rates)), list(digests))


def _measure(source: str, worlds: int, steps: int, seed: int, device: str, _: int, __: np.random.Generator) -> tuple[float, str]:
    import hashlib

    import warp as wp

    from newtonish import mjw

    m, d = mjw.load(source, nworld=worlds, device=device)
    rng = np.random.default_rng(seed)
    if m.nu:
        d.ctrl.assign(rng.uniform(-0.1, 0.1, (worlds, m.nu)).astype(np.float32))
    mjw.step(m, d, 10)
    wp.synchronize_device(d.device)
    begin = time.perf_counter()
    mjw.step(m, d, steps)
    wp.synchronize_device(d.device)
    seconds = time.perf_counter() - begin
    state: Any = hashlib.sha256(d.qpos.numpy().tobytes() + d.qvel.numpy().tobytes())
    return worlds * steps / seconds, state.hexdigest()
