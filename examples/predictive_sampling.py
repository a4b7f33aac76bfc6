"""Predictive control by trying: a quadruped on its back and a humanoid on the ground get up, planned anew 50 times a second.

A plan is a spline of controls. Every 20 ms it is moved on in time and tried with random changes, each variant in a world of its own and all of
them in one call of ``mjw.rollout``; a kernel sums up what each costs. Predictive sampling keeps the best variant (Howell et al. 2022,
"Predictive Sampling: Real-time Behaviour Synthesis with MuJoCo"), MPPI the mean of all with exponential weights (Williams et al. 2017,
"Information Theoretic MPC for Model-Based Reinforcement Learning").

Run with ``python examples/predictive_sampling.py [quadruped|humanoid] [--rule mppi] [--model FILE] [--film FILE.gif]``.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.assets import asset_path

PERIOD = 0.02  # between plans [s]
wp.set_module_options({"enable_backward": False})  # compiles in a third of the time


@dataclass(frozen=True)
class Task:
    """What to do, and how to look for it.

    Attributes:
        file: The model, whose first joint is free; a packaged one by its name.
        home: Keyframe of the pose to reach.
        start: Height [m] and orientation (w, x, y, z) in which it is dropped.
        timestep: Of plans [s], longer than the plant's.
        horizon: Of plans [s].
        knots: Of the spline.
        samples: Variants of a plan.
        noise: Standard deviation of the changes, in parts of the range of a control.
        weights: Of height, uprightness, pose, velocity and effort in the cost.
    """

    file: str
    home: str
    start: tuple[float, float, float, float, float]
    timestep: float
    horizon: float
    knots: int
    samples: int
    noise: float
    weights: tuple[float, float, float, float, float]


TASKS = {
    "quadruped": Task("quadruped.xml", "stand", (0.12, 0.0, 1.0, 0.0, 0.0), 0.01, 0.7, 6, 32, 0.25, (10.0, 2.0, 0.1, 1e-3, 0.0)),
    "humanoid": Task("mannequin.xml", "stand", (0.12, 0.7071, 0.0, -0.7071, 0.0), 0.01, 0.7, 6, 24, 0.25, (10.0, 2.0, 0.1, 1e-3, 0.0)),
}


@wp.kernel
def sum_costs(
    states: wp.array3d(dtype=float), ctrl: wp.array3d(dtype=float), pose: wp.array(dtype=float), home: wp.array(dtype=float),
    weights: wp.array(dtype=float), nq: int, cost: wp.array(dtype=float),
):  # fmt: skip
    """Mean cost of the steps of each variant; a state is a row of time, positions and velocities."""
    s = wp.tid()
    total = float(0.0)
    for t in range(states.shape[0]):
        up = 1.0 - 2.0 * (states[t, s, 5] * states[t, s, 5] + states[t, s, 6] * states[t, s, 6])  # z of the root's z axis
        height = wp.abs(states[t, s, 3] - pose[2])
        bend, speed, effort = float(0.0), float(0.0), float(0.0)
        for i in range(7, nq):
            bend += (states[t, s, 1 + i] - pose[i]) ** 2.0
        for i in range(1 + nq, states.shape[2]):
            speed += states[t, s, i] ** 2.0
        for i in range(ctrl.shape[2]):
            effort += (ctrl[t, s, i] - home[i]) ** 2.0
        total += weights[0] * height + weights[1] * (1.0 - up) + weights[2] * bend + weights[3] * speed + weights[4] * effort
    cost[s] = total / float(states.shape[0])


class Planner:
    """A spline of controls that is improved by trying variants.

    Args:
        path: The model.
        task: What to do.
        rule: ``sampling`` or ``mppi``.
        seed: Of the changes.
    """

    def __init__(self, path: Path, task: Task, rule: str, seed: int = 0) -> None:
        self.task, self.rule = task, rule
        self.m, self.d = mjw.load(path, nworld=task.samples)
        self.m.opt.timestep = task.timestep
        pose = self.m.qpos0.numpy()[0] if not task.home else self.m.key(task.home).qpos.numpy().ravel()
        self.home = np.zeros(self.m.nu, np.float32) if not task.home else self.m.key(task.home).ctrl.numpy().ravel()
        limits = self.m.actuator_ctrlrange.numpy()[0]
        self.low, self.high = limits[:, 0], limits[:, 1]
        self._rng = np.random.default_rng(seed)
        self._steps = round(task.horizon / task.timestep)
        self._times = np.linspace(0.0, task.horizon, task.knots)
        self._between = self.weights_at(np.arange(self._steps) * task.timestep)
        self._moved = self.weights_at(self._times + PERIOD)
        self.knots = np.tile(self.home, (task.knots, 1)).astype(np.float32)
        size = mjw.state_size(self.m, mjw.State.FULLPHYSICS)
        self.start = wp.zeros((1, size), dtype=float)
        self._ctrl = wp.zeros((self._steps, task.samples, self.m.nu), dtype=float)
        self._states = wp.zeros((self._steps, task.samples, size), dtype=float)
        self._cost = wp.zeros(task.samples, dtype=float)
        self._fixed = [wp.array(values, dtype=float) for values in (pose, self.home, task.weights)]

    def weights_at(self, times: np.ndarray) -> np.ndarray:
        """Weights of the knots at these times, by cubic interpolation (Catmull and Rom), (times, knots)."""
        spacing = self._times[1]
        at = np.clip(times / spacing, 0.0, len(self._times) - 1.0)
        first = np.minimum(at.astype(int), len(self._times) - 2)
        t = at - first
        cubic = np.stack([-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, t**3 - t**2], axis=1) / 2
        weights = np.zeros((len(times), len(self._times)))
        for k in range(4):
            np.add.at(weights, (np.arange(len(times)), np.clip(first + k - 1, 0, len(self._times) - 1)), cubic[:, k])
        return weights.astype(np.float32)

    def plan(self) -> float:
        """Move the plan on by a period, and improve it from the state in ``start``; its cost."""
        knots = self._moved @ self.knots
        # some variants search near the plan, some farther away; the first one is the plan itself
        size = self._rng.uniform(0.1, 1.0, (self.task.samples, 1, 1)) * self.task.noise * (self.high - self.low)
        size[0] = 0.0
        changed = knots + size * self._rng.standard_normal((self.task.samples, *knots.shape))
        variants = np.clip(changed, self.low, self.high).astype(np.float32)
        controls = np.clip(np.tensordot(self._between, variants, axes=(1, 1)), self.low, self.high)
        self._ctrl.assign(controls)
        mjw.rollout(self.m, self.d, self._ctrl, initial_state=self.start, states=self._states)
        wp.launch(sum_costs, dim=self.task.samples, inputs=[self._states, self._ctrl, *self._fixed, self.m.nq, self._cost])
        cost = self._cost.numpy()
        best = int(cost.argmin())
        if self.rule == "mppi":
            share = np.exp(-(cost - cost[best]) / (0.1 * (np.median(cost) - cost[best]) + 1e-6))
            self.knots = np.tensordot(share / share.sum(), variants, axes=1).astype(np.float32)
        else:
            self.knots = variants[best]
        return float(cost[best])

    def control(self, since: np.ndarray) -> np.ndarray:
        """Controls at times since the plan was made [s], (times, nu)."""
        return np.clip(self.weights_at(since) @ self.knots, self.low, self.high)


@dataclass
class Outcome:
    """What came of a run: after each period height [m], uprightness and cost; milliseconds that plans took; poses."""

    heights: np.ndarray
    upright: np.ndarray
    costs: np.ndarray
    taken: np.ndarray
    poses: np.ndarray


def simulate(name: str, seconds: float = 4.0, rule: str = "sampling", path: Path | None = None, seed: int = 0, samples: int | None = None) -> Outcome:
    """Plan and act in turns. The plan that acts was made from the state in which it begins to.

    Args:
        name: One of ``TASKS``.
        seconds: Of simulated time.
        rule: ``sampling`` or ``mppi``.
        path: Another model that the task's cost fits; None: the task's.
        seed: Of the changes.
        samples: Another number of variants.
    """
    task = TASKS[name]
    if samples is not None:
        task = Task(**{**task.__dict__, "samples": samples})
    path = path or asset_path(task.file)
    planner = Planner(path, task, rule, seed)
    m, plant = mjw.load(path, nworld=1)
    qpos = plant.qpos.numpy()
    qpos[0, 2:7] = task.start
    plant.qpos.assign(qpos)
    ticks = round(PERIOD / float(m.opt.timestep.numpy()[0]))
    since = np.arange(ticks) * PERIOD / ticks
    found: list[tuple[float, ...]] = []
    poses = []
    for _ in range(round(seconds / PERIOD)):
        begin = time.perf_counter()
        mjw.get_state(m, plant, planner.start, mjw.State.FULLPHYSICS)
        cost = planner.plan()
        taken = time.perf_counter() - begin
        mjw.rollout(m, plant, wp.array(planner.control(since)[:, None], dtype=float))
        pose = plant.qpos.numpy()[0].copy()
        found.append((pose[2], 1.0 - 2.0 * (pose[4] ** 2 + pose[5] ** 2), cost, 1e3 * taken))
        poses.append(pose)
    return Outcome(*np.array(found).T, np.array(poses))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", nargs="?", choices=TASKS, default="quadruped")
    parser.add_argument("--rule", choices=("sampling", "mppi"), default="sampling")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", type=Path, help="another model, with a free joint first and a keyframe of the task's name")
    arguments = parser.parse_args()
    out = simulate(arguments.task, arguments.seconds, arguments.rule, arguments.model, arguments.seed, arguments.samples)
    for i in range(9, len(out.costs), 10):
        print(f"{(i + 1) * PERIOD:5.2f} s: height {out.heights[i]:.2f} m, upright {out.upright[i]:+.2f}, cost {out.costs[i]:.2f}")
    later = out.taken[5:]
    print(f"a plan took {np.median(later):.1f} ms (19 of 20 below {np.quantile(later, 0.95):.1f} ms): {1e3 / np.median(later):.0f} a second")


if __name__ == "__main__":
    main()
