"""Imports every USD stage and URDF robot of the folder of real models, and steps each in some worlds.

``python tests/support/import_sweep.py [--steps 1000] [--worlds 8] [--only PATTERN] [--robots 64]`` prints a line for each: bodies, degrees of
freedom, entries of the import report, seconds, and whether every number stayed finite; with ``--robots`` the processor time that a stage of so
many ants takes to import. It exits with 1 where a number did not stay finite.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from paths import SHARED

__all__ = ["ants", "files", "step", "sweep"]

STEPS_AT_ONCE = 50
PUSH = 0.1
"""Largest velocity with which degrees of freedom start, unequal in all worlds."""
AT_REST = ("mjc_schema_import",)
"""Stages that start at rest: four equal boxes in one place, held together by a weld, a connect and 32 contacts 20 cm deep, have no direction to
part in, and a push makes accelerations of which single precision keeps no digit."""


class Row(NamedTuple):
    """What one file came to."""

    name: str
    bodies: int
    dofs: int
    approximated: int
    ignored: int
    finite: bool
    seconds: float


def files(pattern: str = "") -> list[Path]:
    """Every stage and robot; a layer that is only part of a stage stands in a folder ``Payload``."""
    found = [path for ending in ("usd", "usda", "usdc", "usdz", "urdf") for path in SHARED.rglob(f"*.{ending}") if "Payload" not in path.parts]
    return sorted(path for path in found if pattern in str(path.relative_to(SHARED)))


def step(path: Path, steps: int, worlds: int, device: str = "cpu", seed: int = 0) -> tuple[Any, bool]:
    """Import a file and step it, from unequal velocities in all worlds; returns the model and whether every number stayed finite."""
    from newtonish import mjw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m, d = mjw.load(path, nworld=worlds, device=device)
        push = 0.0 if path.stem in AT_REST else PUSH
        d.qvel.assign(d.qvel.numpy() + np.random.default_rng(seed).uniform(-push, push, (worlds, m.nv)).astype(np.float32))
        for first in range(0, steps, STEPS_AT_ONCE):
            mjw.step(m, d, nstep=min(STEPS_AT_ONCE, steps - first))
    return m, bool(np.isfinite(d.qpos.numpy()).all() and np.isfinite(d.qvel.numpy()).all() and not d.nonfinite.numpy().any())


def ants(count: int) -> Any:
    """An open stage with so many robots, each a reference to Newton's ant."""
    from pxr import Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    UsdPhysics.Scene.Define(stage, "/scene")
    for k in range(count):
        prim = stage.DefinePrim(f"/robots/ant{k}", "Xform")
        prim.GetReferences().AddReference(str(SHARED / "usd_newton/tests/assets/ant.usda"), "/ant")
        shape = UsdGeom.Xformable(prim)
        shape.ClearXformOpOrder()
        shape.AddTranslateOp(opSuffix="grid").Set((2.0 * (k % 8), 2.0 * (k // 8), 1.0))
    return stage


def seconds_of_import(count: int) -> tuple[int, float]:
    """Prims of a stage of robots, and the processor time that its import takes."""
    import newtonish as nt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nt.ModelBuilder().add_usd(ants(1))  # modules are loaded
        stage = ants(count)
        start = time.process_time()
        nt.ModelBuilder().add_usd(stage)
        return sum(1 for _ in stage.Traverse()), time.process_time() - start


def sweep(steps: int, worlds: int, pattern: str = "") -> list[Row]:
    """Import and step every file, and print a line for each."""
    rows = []
    for path in files(pattern):
        start = time.perf_counter()
        m, finite = step(path, steps, worlds)
        report = m.report
        row = Row(str(path.relative_to(SHARED)), m.nbody - 1, m.nv, len(report.approximated), len(report.ignored), finite, time.perf_counter() - start)
        rows.append(row)
        print(
            f"{row.name:75} {row.bodies:4} bodies {row.dofs:4} dofs  {row.approximated:3} approximated {row.ignored:3} ignored  {row.seconds:6.1f} s  {'finite' if finite else 'NOT FINITE'}",
            flush=True,
        )
    return rows


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--worlds", type=int, default=8)
    parser.add_argument("--only", default="")
    parser.add_argument("--robots", type=int, default=0)
    given = parser.parse_args()
    if given.robots:
        prims, seconds = seconds_of_import(given.robots)
        print(f"{given.robots} ants, {prims} prims: {seconds:.2f} s of processor time, {1e3 * seconds / prims:.2f} ms a prim")
        return 0
    rows = sweep(given.steps, given.worlds, given.only)
    wrong = [row.name for row in rows if not row.finite]
    print(f"{len(rows)} files, {given.steps} steps in {given.worlds} worlds; not finite: {', '.join(wrong) or 'none'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
