"""What derivatives of a step cost, in steps: a table of ``docs/derivatives.md``.

    PYTHONPATH=tests/support python tests/support/gradient_cost.py [MODEL ...]   # prints it
    PYTHONPATH=tests/support python tests/support/gradient_cost.py --write       # and writes it into the page

Worlds that have landed under random controls, but for those with a contact that has no derivative, take a step, its adjoint, its adjoint with
gradients by masses and friction, its matrices, and its matrices by differences, in turn, each from the same states, on one thread; medians of the
turns by processor time.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import warp as wp
from paths import REPO, SHARED

from newtonish import mjw
from newtonish.assets import HUMANOID, asset_path
from newtonish.errors import UnsupportedError

PAGE, BEGIN, END = REPO / "docs" / "derivatives.md", "<!-- cost: written by tests/support/gradient_cost.py -->\n", "<!-- end of cost -->"
MODELS = {
    "humanoid": asset_path(HUMANOID),
    "quadruped": asset_path("quadruped.xml"),
    "arm": asset_path("arm.xml"),
    "gym_half_cheetah/half_cheetah": SHARED / "gym_half_cheetah" / "half_cheetah.xml",
    "barkour_vb/scene": SHARED / "barkour_vb" / "scene.xml",
    "unitree_g1/scene": SHARED / "unitree_g1" / "scene.xml",
    "allegro_hand/scene_right": SHARED / "allegro_hand" / "scene_right.xml",
    "cassie/scene": SHARED / "cassie" / "scene.xml",
    "gym_ant/ant (RK4)": SHARED / "gym_ant" / "ant.xml",
    "rubik_cube/cube_3x3x3": SHARED / "rubik_cube" / "cube_3x3x3.xml",
    "myotorso": SHARED / "myotorso" / "myo_sim" / "torso" / "myotorso.xml",
}
WORLDS, FEW, SETTLE = 64, 4, 200
"""Worlds of a turn, those of a turn of differences (each of which takes as many worlds as there are inputs), and steps before."""


@dataclass
class Cost:
    """Of one model: sizes, microseconds a world of a step, and what the rest takes in steps."""

    model: str
    nv: int
    contacts: float
    step: float
    ratios: dict[str, float]


class Rig:
    """A model in worlds that have landed, with arrays for all derivatives."""

    def __init__(self, path: Path, nworld: int) -> None:
        self.m, self.d = mjw.load(path, nworld=nworld)
        m, d = self.m, self.d
        rng = np.random.default_rng(0)
        if m.nkey:
            mjw.reset_data_keyframe(m, d, 0)
        low, high = np.where(m.actuator_ctrllimited.numpy()[:, None], m.actuator_ctrlrange.numpy()[0], [-1.0, 1.0]).T
        for _ in range(SETTLE // 10):
            d.ctrl.assign((0.5 * (low + high) + 0.15 * (high - low) * rng.uniform(-1.0, 1.0, d.ctrl.shape)).astype(np.float32))
            mjw.step(m, d, nstep=10)
        nx = 2 * m.nv + m.size.na
        self.matrices = wp.zeros((nworld, nx, nx), dtype=float), wp.zeros((nworld, nx, m.nu), dtype=float)
        self.next_bar = wp.array(rng.standard_normal((nworld, nx)).astype(np.float32))
        self.bars = wp.zeros((nworld, nx), dtype=float), wp.zeros((nworld, m.nu), dtype=float)
        self.fields = {"body_mass": wp.zeros((nworld, m.nbody), dtype=float), "geom_friction": wp.zeros((nworld, m.size.ngeom), dtype=wp.vec3)}
        self.row = wp.zeros((nworld, mjw.state_size(m, mjw.State.INTEGRATION)), dtype=float)
        mjw.get_state(m, d, self.row, mjw.State.INTEGRATION)
        self.replaced = self._replace_refused()

    def _replace_refused(self) -> int:
        """Put states of other worlds in the place of those with a contact that has no derivative; returns of how many."""
        try:
            self.adjoint()
        except UnsupportedError:
            refused = self.d.gradients.linear.blind.numpy() != 0
            rows = self.row.numpy()
            rows[refused] = np.resize(rows[~refused], (int(refused.sum()), rows.shape[1]))
            self.row.assign(rows)
            self.begin()
            self.adjoint()
            return int(refused.sum())
        return 0

    def begin(self) -> None:
        mjw.set_state(self.m, self.d, self.row, mjw.State.INTEGRATION)

    def step(self) -> None:
        mjw.step(self.m, self.d)

    def adjoint(self) -> None:
        mjw.step_vjp(self.m, self.d, self.next_bar, *self.bars)

    def adjoint_with_fields(self) -> None:
        mjw.step_vjp(self.m, self.d, self.next_bar, *self.bars, fields=self.fields)

    def transition(self) -> None:
        mjw.transition(self.m, self.d, *self.matrices)

    def differences(self) -> None:
        mjw.transition_fd(self.m, self.d, 1e-3, True, *self.matrices)


def timed(rig: Rig, function: Callable[[], None]) -> float:
    """Seconds of processor time of a call from the first states."""
    rig.begin()
    start = time.process_time()
    function()
    return time.process_time() - start


def medians(rig: Rig, functions: dict[str, Callable[[], None]], turns: int) -> dict[str, float]:
    """Each function's seconds a world."""
    found: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(-1, turns):  # the first one compiles and records
        for name, function in functions.items():
            seconds = timed(rig, function)
            if turn >= 0:
                found[name].append(seconds / rig.d.nworld)
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def measure(model: str, turns: int) -> Cost:
    rig, few = Rig(MODELS[model], WORLDS), Rig(MODELS[model], FEW)
    many = medians(
        rig,
        {"step": rig.step, "step_vjp": rig.adjoint, "with fields": rig.adjoint_with_fields, "transition": rig.transition},
        turns,
    )
    less = medians(few, {"transition_fd": few.differences}, max(3, turns // 3))
    ratios = {name: seconds / many["step"] for name, seconds in {**many, **less}.items() if name != "step"}
    rig.begin()
    mjw.forward(rig.m, rig.d)
    return Cost(model, rig.m.nv, float(rig.d.ncon.numpy().mean()), 1e6 * many["step"], ratios)


def table(costs: list[Cost]) -> str:
    names = list(costs[0].ratios)
    rows = ["| model | nv | contacts | a step [µs] | " + " | ".join(f"`{name}`" if "_" in name or name == "transition" else name for name in names) + " |"]
    rows.append("|---|---|---|---|" + "---|" * len(names))
    rows += [
        f"| {cost.model} | {cost.nv} | {cost.contacts:.1f} | {cost.step:.1f} | " + " | ".join(f"{cost.ratios[name]:.3g}" for name in names) + " |"
        for cost in costs
    ]
    return "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--write", action="store_true", help="write the table into docs/derivatives.md")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    mjw.set_num_threads(1)
    costs = []
    for model in args.models:
        costs.append(measure(model, args.turns))
        print(costs[-1], flush=True)
    print(table(costs))
    if args.write:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(text.split(BEGIN)[0] + BEGIN + "\n" + table(costs) + "\n" + END + text.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
