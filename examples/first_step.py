"""From a file to the first step of thousands of worlds: seconds of each part, CPU seconds beside, and peak memory.

Run: ``python examples/first_step.py [FILE [WORLDS]]``; without a file it is the robot that comes with the package. Run it twice: the
first run may compile kernels.
"""

import sys
import time
from pathlib import Path

import numpy as np

import newtonish
from newtonish.assets import asset_path


def peak_mib() -> float:
    """Peak resident memory of this process [MiB]; NaN where the platform does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), float("nan"))


def simulate(path: str | None = None, worlds: int = 4096) -> dict[str, tuple[float, float]]:
    """Wall and CPU seconds of each part."""
    seconds: dict[str, tuple[float, float]] = {}

    def part(name: str, since: tuple[float, float]) -> tuple[float, float]:
        now = time.perf_counter(), time.process_time()
        seconds[name] = now[0] - since[0], now[1] - since[1]
        return now

    clock = time.perf_counter(), time.process_time()
    one = newtonish.ModelBuilder()
    one.add_mjcf(path or str(asset_path()))
    clock = part("import of the file", clock)
    scene = newtonish.ModelBuilder()
    scene.replicate(one, worlds)
    clock = part(f"replication to {worlds} worlds", clock)
    model = scene.finalize()
    clock = part("finalize", clock)
    solver = newtonish.SolverMuJoCo(model)
    clock = part("solver", clock)
    state, control = model.state(), model.control()
    solver.step(state, state, control, None, 0.005)
    heights = state.body_q.numpy()[:, 2]
    part("first step", clock)
    assert np.isfinite(heights).all()
    return seconds


if __name__ == "__main__":
    arguments = sys.argv[1:]
    parts = simulate(arguments[0] if arguments else None, int(arguments[1]) if len(arguments) > 1 else 4096)
    for name, (wall, cpu) in parts.items():
        print(f"{name:30} {wall:7.2f} s wall {cpu:7.2f} s CPU")
    print(f"{'together':30} {sum(w for w, _ in parts.values()):7.2f} s wall {sum(c for _, c in parts.values()):7.2f} s CPU")
    print(f"peak memory {peak_mib():.0f} MiB")
