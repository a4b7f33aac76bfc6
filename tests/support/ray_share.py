"""What rays take of a step on rough ground, and what a launch of their own costs: python tests/support/ray_share.py [WORLDS [TURNS]]

The packaged biped on its heightfield with 187 rangefinders (a grid of 17 by 11, as robots that walk over rough ground learn with), with one,
and with none, in turns of ten steps in one process. Prints processor time a step of all worlds, the rays' share of it, and what one ray costs
as the first: the launch, its arguments and that ray, which is more than fusing rays with the other sensors could save.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from newtonish import mjw
from newtonish.assets import asset_path

GRIDS = {"none": (0, 0), "one": (1, 1), "187": (17, 11)}


def biped(folder: Path, columns: int, rows: int) -> Path:
    """The biped with rangefinders that look down from a grid over its free body, as files in a folder."""
    places = [(0.1 * (i - 0.5 * (columns - 1)), 0.1 * (j - 0.5 * (rows - 1))) for j in range(rows) for i in range(columns)]
    sites = "".join(f'<site name="eye{k}" pos="{x:.3f} {y:.3f} 0.2" zaxis="0 0 -1" size="0.005"/>' for k, (x, y) in enumerate(places))
    sensors = "".join(f'<rangefinder site="eye{k}"/>' for k in range(len(places)))
    robot, ground = (asset_path(name).read_text(encoding="utf-8") for name in ("biped.xml", "biped_terrain.xml"))
    folder.mkdir()
    (folder / "biped.xml").write_text(robot.replace('<freejoint name="root"/>', f'<freejoint name="root"/>{sites}'), encoding="utf-8")
    (folder / "scene.xml").write_text(ground.replace("</mujoco>", f"<sensor>{sensors}</sensor></mujoco>"), encoding="utf-8")
    return folder / "scene.xml"


def main() -> None:
    """Measure and print."""
    worlds, turns = (int(sys.argv[k]) if len(sys.argv) > k else default for k, default in ((1, 256), (2, 15)))
    with tempfile.TemporaryDirectory() as folder:
        pairs = {name: mjw.load(biped(Path(folder) / name, *grid), nworld=worlds) for name, grid in GRIDS.items()}
    print(", ".join(f"{m.nsensor} sensors" for m, _ in pairs.values()))
    rng = np.random.default_rng(0)
    for m, d in pairs.values():
        for _ in range(10):
            d.ctrl.assign(rng.uniform(-0.3, 0.3, (worlds, m.nu)).astype(np.float32))
            mjw.step(m, d, nstep=10)
    seconds: dict[str, list[float]] = {name: [] for name in pairs}
    for _ in range(turns):
        for name, (m, d) in pairs.items():
            start = time.process_time()
            mjw.step(m, d, nstep=10)
            seconds[name].append((time.process_time() - start) / 10)
    median = {name: float(np.median(taken)) for name, taken in seconds.items()}
    for name, taken in seconds.items():
        low, high = np.percentile(taken, (25, 75))
        print(f"{name:>5} rangefinders: {1e3 * median[name]:.2f} ms of processor time a step of {worlds} worlds ({1e3 * low:.2f} to {1e3 * high:.2f})")
    rays, first = median["187"] - median["none"], median["one"] - median["none"]
    print(f"rays: {100 * rays / median['187']:.0f} % of the step, {1e6 * rays / worlds / 187:.3f} us a ray")
    print(f"the first ray of a world, its launch included: {1e6 * first / worlds:.3f} us, {100 * first / median['187']:.1f} % of the step")


if __name__ == "__main__":
    main()
