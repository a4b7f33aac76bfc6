"""Edges of what can be simulated, beside MuJoCo C in double precision: ``python tests/support/edges.py`` writes a table into docs/reliability.md.

Both engines start from the same pose; a row has the quantity in MuJoCo and here. ``tests/laws/test_edges.py`` holds all but the stacks to the figures of the page.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

from newtonish import mjw

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- edges: written by tests/support/edges.py -->\n", "<!-- end of edges -->"


class Row(NamedTuple):
    """A case, what is measured in which unit, MuJoCo's number and ours."""

    case: str
    quantity: str
    theirs: float
    ours: float


def stack(option: str, count: int = 10, size: float = 0.1) -> str:
    boxes = "".join(f'<body pos="0 0 {(2 * i + 1) * size}"><freejoint/><geom type="box" size="{size} {size} {size}"/></body>' for i in range(count))
    return f'<mujoco><option timestep=".002" {option}/><worldbody><geom type="plane" size="5 5 1"/>{boxes}</worldbody></mujoco>'


def heavy_on_light(ratio: float) -> str:
    return f"""<mujoco><option timestep=".002"/><worldbody><geom type="plane" size="5 5 1"/>
      <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
      <body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1" mass="{ratio}"/></body></worldbody></mujoco>"""


def fall(timestep: float) -> str:
    return f'<mujoco><option timestep="{timestep}" integrator="RK4"/><worldbody><body pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'


def far_away(at: float) -> str:
    return f"""<mujoco><option timestep=".0005"/><worldbody><geom type="plane" size="200 200 1"/>
      <body pos="{at} 0 .002"><freejoint/><geom type="box" size=".0005 .0005 .0005" density="1000"/></body></worldbody></mujoco>"""


def slope(impratio: float) -> str:
    return f"""<mujoco><option timestep=".002" cone="elliptic" impratio="{impratio}" gravity="4 0 -9"/><worldbody><geom type="plane" size="50 50 1" friction=".5"/>
      <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" friction=".5"/></body></worldbody></mujoco>"""


def both(text: str, seconds: float, measure: Callable[[np.ndarray, np.ndarray], float]) -> tuple[float, float]:
    """A number of the state after some time: in MuJoCo, and here."""
    mjm = mujoco.MjModel.from_xml_string(text)
    mjd = mujoco.MjData(mjm)
    m = mjw.put_model(mjm, device="cpu")
    d = mjw.make_data(m, 1)
    steps = max(1, round(seconds / mjm.opt.timestep))
    mujoco.mj_step(mjm, mjd, steps)
    done = 0
    while done < steps:
        some = min(1000, steps - done)
        mjw.step(m, d, some)
        done += some
    return measure(mjd.qpos, mjd.qvel), measure(d.qpos.numpy()[0].astype(np.float64), d.qvel.numpy()[0].astype(np.float64))


def _sideways(qpos: np.ndarray, qvel: np.ndarray) -> float:
    return 1e3 * float(np.abs(qpos.reshape(-1, 7)[:, :2]).max())


def _top(qpos: np.ndarray, qvel: np.ndarray) -> float:
    return float(qpos.reshape(-1, 7)[-1, 2])


def stacks(seconds: float = 60.0) -> Iterator[Row]:
    for name, option in (("Newton", ""), ("Newton, elliptic", 'cone="elliptic"'), ("CG", 'solver="CG"'), ("PGS", 'solver="PGS"')):
        yield Row(f"ten boxes, {seconds:g} s, {name}", "drift sideways [mm]", *both(stack(option), seconds, _sideways))


def ratios() -> Iterator[Row]:
    for ratio in (1e2, 1e4):
        yield Row(f"a box of {ratio:g} kg on one of 1 kg, 2 s", "height of the upper one [m]", *both(heavy_on_light(ratio), 2.0, _top))


def falls() -> Iterator[Row]:
    for timestep in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 2e-2):
        steps = min(20_000, round(0.4 / timestep))
        text = f"free fall, {steps} steps of {timestep:g} s"
        yield Row(text, "distance [m]", *both(fall(timestep), steps * timestep, lambda qpos, qvel: 1.0 - float(qpos[2])))


def cubes() -> Iterator[Row]:
    for at in (0.0, 100.0):
        text = f"a cube of 1 mm, {at:g} m from the origin, 1 s"
        yield Row(text, "height at rest [mm]", *both(far_away(at), 1.0, lambda qpos, qvel: 1e3 * float(qpos[2])))
        yield Row(text, "drift sideways [mm]", *both(far_away(at), 1.0, lambda qpos, qvel, at=at: 1e3 * abs(float(qpos[0]) - at)))


def slopes() -> Iterator[Row]:
    for impratio in (1.0, 100.0):
        text = f"a box that friction holds on a slope, impratio {impratio:g}, 5 s"
        yield Row(text, "creep [mm]", *both(slope(impratio), 5.0, lambda qpos, qvel: 1e3 * float(qpos[0])))


def table(found: list[Row]) -> str:
    lines = ["| case | quantity | MuJoCo | newtonish |", "|---|---|---|---|"]
    lines += [f"| {row.case} | {row.quantity} | {row.theirs:.6g} | {row.ours:.6g} |" for row in found]
    return "\n".join(lines)


def main() -> None:
    text = table([row for part in (stacks, ratios, falls, cubes, slopes) for row in part()])
    print(text)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + text + "\n\n" + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
