"""The benchmark of the command line for one model in one number of worlds, and how long a short run of few worlds takes."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from day import engine
from day.journal import Journal

BURSTS = 20
"""Repeats of a short run, of which the median counts."""


def bench(journal: Journal, device: str, model: str, worlds: int, setting: str, peers: str, steps: int, repeats: int, with_stages: bool = False) -> None:
    """``newtonish bench`` under the lanes that this process was started with; what it found is one record."""
    from day.models import model_file
    from newtonish.cli.main import main

    engine.start(device)
    target = Path(os.environ["GPU_DAY_OUT"]) / ".scratch" / f"bench_{os.getpid()}.json"
    target.parent.mkdir(exist_ok=True)
    words = ["bench", str(model_file(model)), "--worlds", str(worlds), "--device", device, "--vs", peers, "--no-startup"]
    words += ["--steps", str(steps), "--repeats", str(repeats), "--json", str(target), *["--stages"] * with_stages]
    begin = time.perf_counter()
    code = main(words)
    if code:
        raise SystemExit(code)
    (case,) = json.loads(target.read_text(encoding="utf-8"))["cases"]
    case |= {"model": model, "setting": setting, "kernels": _kernels(), "seconds": round(time.perf_counter() - begin, 1)}
    journal.write("bench", **case)


def _kernels() -> str:
    """A digest of newtonish's modules that this process has loaded, block sizes included: it tells whether a setting had an effect."""
    import warp as wp

    loaded = {
        f"{name}:{block}:{module.get_module_identifier(block)}"
        for name, module in wp._src.context.user_modules.items() if name.startswith("newtonish.") for _, block in module.execs
    }  # fmt: skip
    return hashlib.sha256("\n".join(sorted(loaded)).encode()).hexdigest()[:12]


def burst(journal: Journal, device: str, model: str, worlds: int, steps: int, setting: str) -> None:
    """Seconds that a call of ``mjw.step`` with so many steps takes, contacts included, from its begin to its end."""
    import warp as wp

    from newtonish import mjw

    place = engine.start(device)
    m, d = engine.load(model, worlds, device)
    mjw.step(m, d, nstep=2 * steps)  # compiles, records, and lets the model fall
    mjw.check_capacity(m, d)
    mjw.step(m, d)
    seconds = []
    for _ in range(BURSTS):
        wp.synchronize_device(place)
        begin = time.perf_counter()
        mjw.step(m, d, nstep=steps)
        wp.synchronize_device(place)
        seconds.append(time.perf_counter() - begin)
    contacts = float(d.ncon.numpy().mean())
    found: dict[str, Any] = {"median": float(np.median(seconds)), "least": min(seconds), "contacts": contacts}
    journal.write("burst", model=model, worlds=worlds, steps=steps, setting=setting, **found)
