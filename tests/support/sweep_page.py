"""The page of conformance, made of what ``sweep.py`` has measured: its tables, and why models do not agree as they come.

The test models of mujoco_warp's wheel have a section of their own, which is kept when the rest is written again.
"""

from __future__ import annotations

import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

import agreement
import mujoco
import numpy as np

if TYPE_CHECKING:
    from sweep import Result

BEGIN, END = "<!-- test models of the wheel: begin -->", "<!-- test models of the wheel: end -->"
WHY = {
    "actuation/adhesion.xml": "a ball that a hinge holds at its centre lies in the ground: its contact has no arm, but for a rounding, and forces of 5e10 N",
    "collision.xml": "in the reference pose faces touch without overlap: the last bit decides which of them have contacts",
    "converter_tests/tests/data/tendon_spatial_sidesites.xml": "a site and its side site lie opposite each other across a sphere: which way round is the sign of a zero",
    "convex_collision/box100.xml": "boxes lie at the edge of detection of others; rounding the state does more to MuJoCo's own result",
    "primitives.xml": "points of convex pairs: lines on cylinders, as in `carousel`, and contacts at the edge of detection",
    "replicate_scenes/stonehenge.xml": "in the reference pose stones touch without overlap: the last bit decides which of them have contacts",
    "small_mechanisms/balloons/balloons.xml": "MuJoCo's polytope of two ellipsoids stops at its tolerance, short of the least depth; ours goes on to it ([coverage](coverage.md#contacts))",
    "small_mechanisms/car/car.xml": "wheels touch the ground without overlap; MuJoCo's, of a rounded pose and a size that is not, lie 7e-10 m in it, ours 4e-9 m and the castor not",
    "softfoot/scene.xml": "MuJoCo's patches of boxes on a cylinder of 2.2 mm stand for depths of 5.9 mm ([coverage](coverage.md#contacts)); a line on a cylinder, as below",
    "surfacevel/carousel.xml": "a mesh comes within 1e-8 m of a roller; along a cylinder's side MuJoCo's points lie where its polytope has a corner, ours at the support point",
}
"""Why models do not agree as they come; one that does is left out."""
PAGE = """# Conformance

What `tests/support/sweep.py` found on {date} with newtonish {newtonish}, MuJoCo {mujoco}, Warp {warp} and NumPy {numpy}, on {device}: every
MJCF model of the folder of shared test models, nothing switched off on either side.

MuJoCo compiles the file, `put_model` takes its `MjModel` over, and {nworld} unequal worlds (one for models of more than {large} degrees of
freedom) are compared at three states: the first keyframe or reference pose, and after 50 and 200 steps that MuJoCo makes under random controls.
The state is rounded to float32 for both sides. A state agrees if in all worlds

- every array of the smooth dynamics is within 5e-5, rows within 5e-4 and accelerations and constraint forces within 1e-3 of its norm
  (at least 1), and sensors within 1e-4, those of accelerations and forces within 1e-3;
- pairs of primitive shapes have the same contacts, and pairs of general convex shapes one contact of the same depth (1e-4 m or 1 %) and
  normal (1e-2), or a normal of ours along which the way out of each other is as short as along MuJoCo's. Where the points of a convex pair are chosen otherwise,
  MuJoCo's contacts are taken over and everything after them is computed again and compared: *qacc, its contacts*;
- or only accelerations, constraint forces and what sensors make of them differ, contacts of general convex shapes are within their
  tolerance, and with MuJoCo's contacts all is equal; or MuJoCo's CG or PGS stops short of the minimum that its Newton's method finds, and
  ours does not;
- or MuJoCo's own result moves by at least a quarter as much as ours differs when its state, inertias and velocities are rounded to
  float32; these are counted as *float32* with the quantity. A state at which rounding changes what rows there are is compared beside it.

*As it comes* is the coarser measure: accelerations within 2e-3 of their norm in all worlds, contacts, rows and capacities as they are; *through load* the same of the
model that `mjw.load` makes of the file, where MuJoCo has compiled nothing.

**{agree} of {count}** models agree at all three states; as it comes **{coarse} of {count}**, through `load` **{loaded} of {count}**. Of the {moving} models that move and are not unit-test
files of a converter, {moving_agree} agree, as it comes {moving_coarse}. Numbers in brackets count worlds and contacts.

## Stages

| model | nv | agrees | as it comes | through load | qacc | qacc, its contacts | remarks |
|---|---|---|---|---|---|---|---|
{stages}

Left out: {left}.

In `rubik_cube/cube_3x3x3.xml` some contacts are between bodies that hinges hold at their centre of mass. They have no inverse weight, so
MuJoCo makes their rows 1e15 times as stiff as others, which float32 does not hold beside them. Ours are as stiff as it does, by what the bodies'
rotation makes of a force (`kernels/constraint/weightless.py`); accelerations agree.

## Why not as they come

Errors of accelerations beyond 2e-3 of their norm, and in brackets what rounding the same state to float32 does to MuJoCo's own.

| model | steps, world: error (MuJoCo's own) | why |
|---|---|---|
{misses}

## Import

`mjw.load(file)` against `mjw.put_model(MjModel)`, every array of the model. Equal in **{equal} of {count}**{imports}

{wheel}
"""

WHEEL = """## Test models of MuJoCo in mujoco_warp's wheel

`python tests/support/sweep.py --wheel --page docs/conformance.md` measures the {count} models under `test_data` of mujoco_warp {peer} in the same way: **{agree} of
{count}** agree at all three states, as it comes **{coarse} of {count}**, through `load` **{loaded} of {count}**; imports are equal in **{equal} of {count}**{imports}

| model | nv | agrees | as it comes | through load | qacc | qacc, its contacts | remarks |
|---|---|---|---|---|---|---|---|
{stages}

Left out: {left}.

| as it comes | steps, world: error (MuJoCo's own) | why |
|---|---|---|
{misses}
"""


def page(before: str, results: list[Result], left: list[str], device: str, nworld: int, large: int) -> str:
    """The documentation page, with the section of the wheel that it had ``before``."""
    moving = [r for r in results if r.moves]
    kept = before[before.index(BEGIN) : before.index(END)] + END if BEGIN in before else BEGIN + "\n" + END
    numbers = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "newtonish": version("newtonish"), "mujoco": mujoco.__version__, "warp": version("warp-lang"), "numpy": np.__version__,
        "device": "a CPU" if device == "cpu" else device, "nworld": nworld, "large": large, "moving": len(moving), "wheel": kept,
        "moving_agree": sum(r.agreeing == 3 for r in moving), "moving_coarse": sum(r.coarse == 3 for r in moving),
    }  # fmt: skip
    return PAGE.format(**numbers, **tables(results, left))


def with_wheel(before: str, results: list[Result], left: list[str], device: str, nworld: int, large: int) -> str:
    """The page with another section of the wheel."""
    if BEGIN not in before:
        raise SystemExit("the page has no place for the models of the wheel: write the page of the shared models first, without --wheel")
    section = WHEEL.format(peer=version("mujoco-warp"), **tables(results, left))
    return f"{before[: before.index(BEGIN)]}{BEGIN}\n\n{section}\n{before[before.index(END) :]}"


def tables(results: list[Result], left: list[str]) -> dict[str, object]:
    """What both sections show."""
    rows = [
        f"| {r.file} | {r.nv} | {r.agreeing} of 3 | {r.coarse} of 3 | {r.coarse_loaded} of 3 | {r.worst('qacc'):.1e} | {r.worst('verified_qacc'):.1e} | "
        f"{escape('; '.join(r.remarks())[:300])} |"
        for r in results
    ]
    imports = [f"| {r.file} | {escape(r.imported)} |" for r in results if r.imported != "equal"]
    return {
        "count": len(results), "stages": "\n".join(rows), "left": "; ".join(left), "misses": "\n".join(misses(results)),
        "agree": sum(r.agreeing == 3 for r in results), "coarse": sum(r.coarse == 3 for r in results), "loaded": sum(r.coarse_loaded == 3 for r in results),
        "equal": len(results) - len(imports),
        "imports": "; the others:\n\n| model | |\n|---|---|\n" + "\n".join(imports) if imports else ".",
    }  # fmt: skip


def misses(results: list[Result]) -> list[str]:
    """Rows of the worlds in which accelerations do not agree as they come."""
    rows = []
    for r in results:
        beyond = [f"{steps}, {number}: {world.qacc:.1e} ({world.own:.1e})" for steps, number, world in r.worlds() if not world.qacc <= agreement.ISSUE]
        if beyond:
            rows.append(f"| {r.file} | {'; '.join(beyond)} | {WHY.get(r.file, '')} |")
    return rows


def escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
