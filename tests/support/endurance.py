"""Busy models for a long simulated time: ``python tests/support/endurance.py [HOURS] [MODEL ...]`` (8 hours, ``MODELS``) prints a table and writes its rows into docs/reliability.md.

Three worlds of each model take random controls, the first two the same ones; a new one is drawn every ``HELD`` steps. At the end: worlds that were reset or that lacked room,
whether the twins are equal to the bit, how far the time is off, by how much the process grew after its first tenth, and how far joints with a range ever left it. The mean
number of contacts stands beside that of MuJoCo C in double, which takes controls of the same kind for an hour at most: orbits part within seconds, their statistics do not.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

REPO = Path(__file__).resolve().parents[2]
PAGE = REPO / "docs" / "reliability.md"
BEGIN, END = "<!-- endurance: written by tests/support/endurance.py -->\n", "<!-- end of endurance -->"
MODELS = ("mannequin", "quadruped", "biped_terrain", "arm_gripper", "hand_cube", "muscle_arm")
HELD = 50
INSET = 0.9
"""Where walls stand, as a share of a heightfield's half extent."""
LONGEST_BESIDE = 1.0  # hours


class Run(NamedTuple):
    """What became of a model.

    Attributes:
        model: Its name.
        hours: Simulated time of each world [h].
        steps: Steps of each world.
        resets: Times that a world was reset.
        overflows: Worlds that ever lacked room for contacts or rows.
        twins: Whether two worlds with equal controls are equal to the bit.
        time_error: |time - steps * timestep|, in units of the last place of float32.
        growth: Memory that the process took after the first tenth [MiB].
        beyond: Largest distance of a joint from its range [rad or m].
        contacts: Mean number of contacts here and in MuJoCo.
        wrong: How many of the promises do not hold.
    """

    model: str
    hours: float
    steps: int
    resets: int
    overflows: int
    twins: bool
    time_error: float
    growth: float
    beyond: float
    contacts: tuple[float, float]

    @property
    def wrong(self) -> int:
        return self.resets + self.overflows + (not self.twins) + (self.time_error > 1.0) + (self.growth > 8.0)


def _resident() -> float:
    """Memory of this process [MiB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def _controls(mjm: mujoco.MjModel, draw: np.random.Generator) -> np.ndarray:
    low, high = np.where(mjm.actuator_ctrllimited[:, None], mjm.actuator_ctrlrange, [-1.0, 1.0]).T
    return draw.uniform(low, high)


def _beyond(mjm: mujoco.MjModel, qpos: np.ndarray) -> float:
    """How far hinges and slides are outside of their ranges."""
    joints = np.flatnonzero(mjm.jnt_limited.astype(bool) & (mjm.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)))
    at, (low, high) = qpos[..., mjm.jnt_qposadr[joints]], mjm.jnt_range[joints].T
    return float(np.maximum(low - at, at - high).max(initial=0.0))


def walled(path: Path) -> mujoco.MjModel:
    """A model whose heightfields have walls around them: without, robots walk off within minutes and fall for the rest of the time."""
    spec = mujoco.MjSpec.from_file(str(path))
    fields = {field.name: field.size for field in spec.hfields}
    for geom in list(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD:
            x, y, height, _ = fields[geom.hfieldname]
            for towards in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
                edge = np.asarray(geom.pos) - INSET * np.array(towards) * [x, y, 0.0]
                spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=edge + np.array([0.0, 0.0, height]), quat=_facing(towards))
    return spec.compile()


def _facing(towards: tuple[int, int, int]) -> np.ndarray:
    """The turn (w, x, y, z) that takes the z axis into a horizontal direction."""
    quat = np.zeros(4)
    mujoco.mju_quatZ2Vec(quat, np.array(towards, dtype=float))
    return quat


def beside(mjm: mujoco.MjModel, hours: float, draw: np.random.Generator) -> float:
    """Mean number of contacts in MuJoCo."""
    mjd = mujoco.MjData(mjm)
    turns = max(1, round(min(hours, LONGEST_BESIDE) * 3600 / mjm.opt.timestep / HELD))
    contacts = 0
    for _ in range(turns):
        mjd.ctrl[:] = _controls(mjm, draw)
        mujoco.mj_step(mjm, mjd, HELD)
        contacts += mjd.ncon
    return contacts / turns


def run(name: str, hours: float, seed: int = 0) -> Run:
    """Step one model for a simulated time."""
    from newtonish import mjw

    mjm = walled(REPO / f"newtonish/assets/{name}.xml")
    m = mjw.put_model(mjm, device="cpu")
    d = mjw.make_data(m, 3)
    draw = np.random.default_rng(seed)
    turns = max(10, round(hours * 3600 / mjm.opt.timestep / HELD))
    contacts, beyond, begin = 0.0, 0.0, 0.0
    for turn in range(turns):
        twin, other = _controls(mjm, draw), _controls(mjm, draw)
        d.ctrl.assign(np.array([twin, twin, other], dtype=np.float32))
        mjw.step(m, d, HELD)
        contacts += float(d.ncon.numpy()[1:].mean())
        beyond = max(beyond, _beyond(mjm, d.qpos.numpy()))
        if turn == turns // 10:
            begin = _resident()
    growth = _resident() - begin
    steps = turns * HELD
    twins = all(np.array_equal(a[0], a[1]) for a in (d.qpos.numpy(), d.qvel.numpy(), d.qacc.numpy()))
    whole = steps * float(np.float32(mjm.opt.timestep))
    error = float(np.abs(d.time.numpy().astype(np.float64) - whole).max() / np.spacing(np.float32(whole)))
    resets, overflows = int(d.nonfinite.numpy().sum()), int(np.count_nonzero(d.overflow.numpy()))
    return Run(name, steps * mjm.opt.timestep / 3600, steps, resets, overflows, twins, error, growth, beyond, (contacts / turns, beside(mjm, hours, draw)))


HEAD = [
    "| model | simulated, each of 3 worlds | steps of a world | resets | lacked room | twins | time off [last places] | memory [MiB] | beyond range [rad, m] | mean contacts, MuJoCo's |",
    "|---|---|---|---|---|---|---|---|---|---|",
]


def row(one: Run) -> str:
    """A line of the table."""
    twins = "equal to the bit" if one.twins else "differ"
    return (
        f"| {one.model} | {one.hours:.4g} h | {one.steps:,} | {one.resets} | {one.overflows} | {twins} | {one.time_error:.2g} | {one.growth:+.1f} | {one.beyond:.2g} "
        f"| {one.contacts[0]:.2f}, {one.contacts[1]:.2f} |"
    )


def write(runs: list[Run]) -> None:
    """Put the rows of these models in place of their old ones on the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    old, _, after = rest.partition(END)
    rows = {line.split(" | ")[0]: line for line in [*old.strip().splitlines()[2:], *map(row, runs)]}
    PAGE.write_text(before + BEGIN + "\n" + "\n".join([*HEAD, *rows.values()]) + "\n\n" + END + after, encoding="utf-8")


def main(words: list[str]) -> int:
    hours = float(words[0]) if words else 8.0
    runs = []
    for name in words[1:] or MODELS:
        runs.append(run(name, hours))
        print(row(runs[-1]), flush=True)
        write(runs[-1:])
    return int(any(one.wrong for one in runs))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:]))
