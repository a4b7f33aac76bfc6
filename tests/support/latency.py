"""How long one call takes, of a step and of a rollout, in 1 to 1,024 worlds, beside MuJoCo's batches: a table of ``docs/benchmarks.md``.

    PYTHONPATH=tests/support python tests/support/latency.py                                   # prints it
    PYTHONPATH=tests/support python tests/support/latency.py --write                           # and writes it into the page
    PYTHONPATH=tests/support python tests/support/latency.py --models humanoid --worlds 1,256  # a part of it

Both engines begin every turn in the same states, have the same controls, other ones in each step of a rollout, and the same threads; they take
turns. A rollout is one call that takes all steps and returns the state after each of them. Every turn is timed by both clocks.
"""

from __future__ import annotations

import argparse
import datetime
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import mujoco
import mujoco.batch
import numpy as np
import warp as wp
from paths import REPO

from newtonish import __version__, mjw
from newtonish.assets import HUMANOID, asset_path
from newtonish.cli.bench.pages import BEGIN, END, processor

PAGE, SECTION = REPO / "docs" / "benchmarks.md", "#latency"
MODELS = {"humanoid": HUMANOID, "quadruped": "quadruped.xml", "arm": "arm.xml"}
WORLDS = (1, 2, 4, 8, 16, 64, 256, 1024)
SETTLE, SETTLED = 100, 32
"""Steps that worlds take to the states in which turns begin, and number of such states."""
CALLS = 2000
"""Steps of worlds in a turn of single steps, of at least ten calls and at most 500."""


@dataclass
class Times:
    """Seconds a call of both engines, turn by turn: wall, processor."""

    ours: list[tuple[float, float]] = field(default_factory=list)
    theirs: list[tuple[float, float]] = field(default_factory=list)

    def median(self, whose: str, clock: int) -> float:
        return float(np.median([turn[clock] for turn in getattr(self, whose)]))

    def ratio(self, clock: int) -> tuple[float, float, float]:
        """MuJoCo's time over ours: median, lowest, highest of the turns."""
        found = [theirs[clock] / ours[clock] for ours, theirs in zip(self.ours, self.theirs, strict=True)]
        return float(np.median(found)), min(found), max(found)


class Rig:
    """A model in both engines, in as many worlds, with the states in which turns begin."""

    def __init__(self, name: str, nworld: int, nstep: int, threads: int, seed: int) -> None:
        path = asset_path(MODELS[name])
        mjm = mujoco.MjModel.from_xml_path(str(path))
        mjw.set_num_threads(threads)
        self.nworld, self.nstep = nworld, nstep
        self.m, self.d = mjw.load(path, nworld=nworld)
        self.batch = mujoco.batch.Batch(mjm, nworld, nthread=threads)
        rng = np.random.default_rng(seed)
        low, high = np.where(mjm.actuator_ctrllimited[:, None], mjm.actuator_ctrlrange, [-1.0, 1.0]).T
        held = np.repeat(rng.uniform(low, high, (-(-nstep // 10), nworld, mjm.nu)), 10, axis=0)[:nstep].astype(np.float32)
        self.ctrl, self.control = wp.array(held, dtype=float), np.ascontiguousarray(held.swapaxes(0, 1), dtype=float)
        size = mjw.state_size(self.m, mjw.State.FULLPHYSICS)
        self.states = wp.zeros((nstep, nworld, size), dtype=float)
        self.record = {mujoco.mjtState.mjSTATE_FULLPHYSICS: np.zeros((nworld, nstep, size))}
        self.start = wp.array(settled(path, nworld, low, high, rng), dtype=float)
        self.qpos, self.qvel = (self.batch.bind(field) for field in ("qpos", "qvel"))
        self.batch.bind("ctrl")[:] = held[0]

    def begin(self) -> None:
        """Put both back into the first states."""
        mjw.rollout(self.m, self.d, nstep=1, initial_state=self.start)  # with a step, for the warm start
        self.d.ctrl.assign(self.ctrl.numpy()[0])
        self.qpos[:], self.qvel[:] = self.d.qpos.numpy(), self.d.qvel.numpy()
        self.batch.step()

    def step(self) -> None:
        mjw.step(self.m, self.d)

    def their_step(self) -> None:
        self.batch.step()

    def rollout(self) -> None:
        mjw.rollout(self.m, self.d, self.ctrl, states=self.states)

    def their_rollout(self) -> None:
        self.batch.rollout(self.nstep, self.control, record=list(self.record), out=self.record)


def settled(path: os.PathLike[str], nworld: int, low: np.ndarray, high: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """States in which robots have landed, repeated where there are more worlds, (nworld, nstate)."""
    count = min(nworld, SETTLED)
    m, d = mjw.load(path, nworld=count)
    if m.nkey:
        mjw.reset_data_keyframe(m, d, 0)
    d.qvel.assign(rng.normal(0.0, 0.05, d.qvel.shape).astype(np.float32))
    for _ in range(SETTLE // 10):
        d.ctrl.assign(rng.uniform(low, high, d.ctrl.shape).astype(np.float32))
        mjw.step(m, d, nstep=10)
    row = wp.zeros((count, mjw.state_size(m, mjw.State.FULLPHYSICS)), dtype=float)
    mjw.get_state(m, d, row, mjw.State.FULLPHYSICS)
    return row.numpy()[np.arange(nworld) % count]


def timed(function: Callable[[], None], calls: int) -> tuple[float, float]:
    """Seconds a call, by both clocks."""
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(calls):
        function()
    return (time.perf_counter() - wall) / calls, (time.process_time() - processor) / calls


def measure(rig: Rig, turns: int) -> tuple[Times, Times]:
    """Times of a step and of a rollout."""
    step, rollout = Times(), Times()
    calls = max(10, min(500, CALLS // rig.nworld))
    for turn in range(-1, turns):  # the first one warms up
        for times, ours, theirs, count in ((step, rig.step, rig.their_step, calls), (rollout, rig.rollout, rig.their_rollout, 1)):
            rig.begin()
            found = timed(ours, count), timed(theirs, count)
            if turn >= 0:
                times.ours.append(found[0])
                times.theirs.append(found[1])
    return step, rollout


def shown(seconds: float) -> str:
    """Three digits and a unit."""
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} µs"


def row(name: str, nworld: int, found: tuple[Times, Times]) -> list[str]:
    """A line of the table."""
    cells = [name, f"{nworld:,}"]
    for times in found:
        cells += [shown(times.median("ours", 0)), shown(times.median("theirs", 0))]
        cells += ["{:.2f} ({:.2f} to {:.2f})".format(*times.ratio(clock)) for clock in (0, 1)]
    return cells


def table(rows: list[list[str]], nstep: int, threads: int, turns: int, words: str) -> str:
    """The page's part between the marks."""
    header = ["model", "worlds", "a step", "of mujoco.batch", "ratio", "by processor time"]
    header += [f"{nstep} steps", "of mujoco.batch", "ratio", "by processor time"]
    lines = [
        f"Measured on {datetime.date.today().isoformat()}, {threads} threads on {len(os.sched_getaffinity(0))} cores of {processor()}, load {os.getloadavg()[0]:.1f} at the end; "
        f"newtonish {__version__}, warp-lang {wp.__version__}, mujoco {mujoco.__version__}; medians of {turns} turns:",
        "",
        f"```sh\nPYTHONPATH=tests/support python tests/support/latency.py{words}\n```",
        "",
        *(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows)),
        "",
        "*ratio*: time of `mujoco.batch` over ours, median (lowest to highest) of the turns, by the clock on the wall and by processor time.",
    ]
    return "\n".join(lines) + "\n"


def write(text: str) -> None:
    """Put the table between the marks of the page."""
    page = PAGE.read_text(encoding="utf-8")
    begin = page.index("-->", page.index(BEGIN + SECTION)) + len("-->")
    end = page.index(END, begin)
    PAGE.write_text(f"{page[:begin]}\n\n{text}\n{page[end:]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default=",".join(MODELS), help="some of " + ", ".join(MODELS))
    parser.add_argument("--worlds", default=",".join(map(str, WORLDS)))
    parser.add_argument("--steps", type=int, default=50, help="of a rollout")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.models.split(","):
        for nworld in map(int, arguments.worlds.split(",")):
            rows.append(row(name, nworld, measure(Rig(name, nworld, arguments.steps, arguments.threads, seed=nworld), arguments.turns)))
            print("  ".join(rows[-1]), flush=True)
    if arguments.write:
        given = {
            "--models": arguments.models,
            "--worlds": arguments.worlds,
            "--steps": arguments.steps,
            "--turns": arguments.turns,
            "--threads": arguments.threads,
        }
        words = "".join(f" {name} {value}" for name, value in given.items() if value != parser.get_default(name[2:])) + " --write"
        write(table(rows, arguments.steps, arguments.threads, arguments.turns, words))


if __name__ == "__main__":
    main()
