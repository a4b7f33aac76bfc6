"""Time from a fresh process to the first step, and the memory that takes.

Run as a module it is the measured process: build one engine, take one step, print seconds and peak memory as JSON.
:func:`measure` starts it twice with the same kernel cache, which is empty the first time (cold) and full the second
(warm). Totals are seconds from starting the process to the end of its first step, by the system's clock: the interpreter's own
start is included, its end is not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["measure"]

_LIMIT = 900
"""Seconds after which a start counts as failed."""


def _peak_mib() -> float | None:
    """Peak resident memory of this process in MiB, None where the platform does not tell."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: getrusage would also count what the parent held when it started this process
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024.0
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024.0**2 if sys.platform == "darwin" else 1024.0)


def _child(name: str, path: Path, nworld: int, device: str, capacity: dict[str, int]) -> dict[str, Any]:
    """Build, step once and report; what the measured process does."""
    from newtonish.cli.arguments import use_device
    from newtonish.cli.bench.engine import Newtonish
    from newtonish.cli.bench.peers import WITHOUT_WARP, make

    if name not in WITHOUT_WARP:
        start = time.perf_counter()
        use_device(device)
        warp_seconds = time.perf_counter() - start
    else:
        warp_seconds = 0.0
    engine = Newtonish(path, nworld, device, capacity=capacity) if name == "newtonish" else make(name, path, nworld, device)
    ctrl = np.zeros((nworld, engine.model.nu), dtype=np.float32)
    start = time.perf_counter()
    engine.advance(ctrl, 1)
    first = time.perf_counter() - start
    return {
        "at": time.time(),
        "import": engine.seconds["import"] + warp_seconds,
        "load": engine.seconds["load"],
        "first step": first,
        "peak MiB": _peak_mib(),
    }


def _start(words: list[str], cache: str | None) -> dict[str, Any]:
    """One fresh process with the kernel cache in ``cache``, or where it always is."""
    command = [sys.executable, "-m", "newtonish.cli.bench.startup", *words]
    place = {} if cache is None else {"WARP_CACHE_PATH": cache}
    start = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT, env={**os.environ, **place})
    except subprocess.TimeoutExpired:
        return {"failed": f"no first step within {_LIMIT} s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return {"failed": lines[-1]}
    seconds = json.loads(done.stdout.strip().splitlines()[-1])
    return {"total": seconds.pop("at") - start, **seconds}


def measure(name: str, path: Path, nworld: int, device: str, capacity: dict[str, int] | None = None, cold: bool = True) -> dict[str, dict[str, Any]]:
    """Cold and warm start of the engine called ``name``.

    Args:
        name: The engine.
        path: The model file.
        nworld: Number of worlds.
        device: Warp device.
        capacity: ``nconmax`` and ``njmax`` for newtonish.
        cold: Begin with an empty cache; otherwise only the warm start is measured, with the cache of this user.

    Returns:
        ``cold`` and ``warm``, each with seconds ``total``, ``import``, ``load``, ``first step`` and ``peak MiB``, or
        with ``failed`` and the reason.
    """
    words = [name, str(path), str(nworld), device, json.dumps(capacity or {})]
    if not cold:
        return {"warm": _start(words, None)}
    with tempfile.TemporaryDirectory(prefix="newtonish-start-") as cache:
        return {kind: _start(words, cache) for kind in ("cold", "warm")}


if __name__ == "__main__":
    print(json.dumps(_child(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4], json.loads(sys.argv[5]))))
