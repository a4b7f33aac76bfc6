"""Tune real robots and have MuJoCo measure the merged files: ``python tests/support/tune_robots.py [NAME ...]``, a Markdown table.

``shared/models`` is where the tests look for it. Seconds are processor time of the search, compiled kernels loaded from the cache.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from tuned_in_mujoco import mujoco_figures

from newtonish.assets import asset_path
from newtonish.tuning import tune
from newtonish.tuning.diagnose import compile_source
from newtonish.tuning.patch_mjcf import write_mjcf

MODELS = Path(__file__).resolve().parents[3] / "shared" / "models"
ROBOTS = {
    "wx250s": (MODELS / "wx250s" / "scene.xml", "all", "settle=0.25,overshoot=0.05", (0.0, 0.3)),
    "g1": (MODELS / "unitree_g1" / "scene.xml", "*hip*,*knee*,*ankle*", "settle=0.2,overshoot=0.05", (0.0, 1.0)),
    "arm": (Path(asset_path("arm.xml")), "all", "settle=0.28,overshoot=0.05", (0.0, 0.5)),
}
FIGURES = ("settle", "overshoot", "steady", "force")


def report(name: str, folder: Path) -> None:
    """Tune one robot and print a row a joint."""
    source, joints, spec, payloads = ROBOTS[name]
    copy = folder / name
    shutil.copytree(source.parent, copy, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    path, tuned = copy / source.name, copy / "tuned.xml"
    start = time.process_time()
    outcome = tune(path, joints, spec, payloads=payloads, poses=3)
    seconds = time.process_time() - start
    write_mjcf(path, outcome, list(compile_source(path).actuator_names), tuned)
    authored, merged = (mujoco_figures(str(file), outcome, which) for file, which in ((path, "before"), (tuned, "after")))
    scenarios, good = len(outcome.scenarios), outcome.specification
    missed = sum(not all(good.met(figures).values()) for figures in authored)
    met = sum(all(good.met(figures).values()) for figures in merged)
    print(
        f"\n{name}: {spec}, {scenarios} scenarios, {outcome.generations} generations of {outcome.worlds} worlds, {seconds:.1f} s of processor time; "
        f"by MuJoCo {missed} of {len(authored)} joints missed it before, {met} of {len(merged)} meet it now\n"
    )
    print("| joint | kp, kv authored | tuned | " + " | ".join(f"{figure} authored, tuned (MuJoCo)" for figure in FIGURES) + " |")
    print("|---" * (3 + len(FIGURES)) + "|")
    for result, old, new in zip(outcome.results, authored, merged, strict=True):
        cells = [f"{result.before[f]:.3g}, {result.after[f]:.3g} ({old[f]:.3g}, {new[f]:.3g})" for f in FIGURES]
        gains = [", ".join(f"{value:.4g}" for value in values) for values in (result.authored, result.values)]
        print(f"| {result.target.name} | {gains[0]} | {gains[1]} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or ROBOTS:
            report(name, Path(folder))


if __name__ == "__main__":
    main()
