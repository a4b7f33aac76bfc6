"""Predictive control by trying: a quadruped on its side and a humanoid on its back get up, planned anew 50 times a second.

A plan is a spline of controls. Every 20 ms it is moved on in time and tried with random changes, each variant in a world of its own and all of
them in one call of ``mjw.rollout``; a kernel sums up what each costs. Predictive sampling keeps the best variant (Howell et al. 2022,
"Predictive Sampling: Real-time Behaviour Synthesis with MuJoCo"), MPPI the mean of all with exponential weights (Williams et al. 2017,
"Information Theoretic MPC for Model-Based Reinforcement Learning").

Run with ``python examples/predictive_sampling.py [quadruped|humanoid] [--rule sampling] [--model FILE] [--film FILE.gif]``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import warp as wp
from filming import film

from newtonish import mjcf, mjw
from newtonish.assets import asset_path

PERIOD = 0.02  # between plans [s]
NEAR = 0.2  # how far the nearest variants are from the plan, of the farthest
wp.set_module_options({"enable_backward": False})  # compiles in a third of the time


MOTORS = {
    "waist_yaw": 40.0, "waist_pitch": 60.0, "neck": 5.0, "hip_spread": 40.0, "hip_twist": 30.0, "hip_swing": 80.0, "knee": 60.0, "ankle": 25.0,
    "shoulder_swing": 20.0, "shoulder_lift": 20.0, "shoulder_twist": 15.0, "elbow": 15.0,
}  # fmt: skip
"""Largest torques of the humanoid [N m]."""


@dataclass(frozen=True)
class Task:
    """What to do, and how to look for it.

    Attributes:
        model: Makes the text of the model, whose first joint is free; the pose to reach is its keyframe ``stand``, else that of the file.
        start: Height [m] and orientation (w, x, y, z) from which it is dropped.
        noise: Standard deviation of the changes, in parts of the range of a control.
        weights: Of height, uprightness, pose and velocity in the cost.
        samples: Variants of a plan.
        timestep: Of plans [s], longer than the plant's.
        horizon: Of plans [s].
        knots: Of the spline.
    """

    model: Callable[[], str]
    start: tuple[float, float, float, float, float]
    noise: float
    weights: tuple[float, float, float, float]
    samples: int
    timestep: float = 0.01
    horizon: float = 0.7
    knots: int = 6


def quadruped() -> str:
    """The packaged one, and a camera."""
    root = mjcf.from_path(str(asset_path("quadruped.xml")))
    root.worldbody.add("camera", name="follow", pos=[0.6, -1.1, 0.5], mode="targetbody", target="trunk")
    return root.to_xml_string()


def humanoid() -> str:
    """The packaged one as a gymnast: motors in place of its weak and heavily damped servos."""
    root = mjcf.from_path(str(asset_path()))
    for element in (*root.find_all("actuator"), *root.find_all("key")):
        element.remove()
    for joint in root.find_all("joint"):
        if joint.tag == "joint":
            joint.damping = 2.0
            joint.armature = 0.02
            torque = MOTORS[joint.name.removeprefix("left_").removeprefix("right_")]
            root.actuator.add("motor", name=joint.name, joint=joint.name, gear=[torque], ctrlrange=[-1.0, 1.0])
    return root.to_xml_string()


TASKS = {
    "quadruped": Task(quadruped, (0.15, 0.7071, 0.7071, 0.0, 0.0), 0.25, (10.0, 2.0, 0.1, 1e-3), samples=32),
    "humanoid": Task(humanoid, (0.12, 0.7071, 0.0, -0.7071, 0.0), 0.3, (10.0, 3.0, 0.05, 2e-4), samples=24),
}


@wp.kernel
def sum_costs(
    states: wp.array3d(dtype=float), pose: wp.array(dtype=float), weights: wp.array(dtype=float), cost: wp.array(dtype=float)
):  # fmt: skip
    """Mean cost of the steps of each variant; a state is a row of time, positions and velocities."""
    s = wp.tid()
    total = float(0.0)
    for t in range(states.shape[0]):
        up = 1.0 - 2.0 * (states[t, s, 5] * states[t, s, 5] + states[t, s, 6] * states[t, s, 6])  # z of the root's z axis
        height = wp.abs(states[t, s, 3] - pose[2])
        bend, speed = float(0.0), float(0.0)
        for i in range(7, pose.shape[0]):
            bend += (states[t, s, 1 + i] - pose[i]) ** 2.0
        for i in range(1 + pose.shape[0], states.shape[2]):
            speed += states[t, s, i] ** 2.0
        total += weights[0] * height + weights[1] * (1.0 - up) + weights[2] * bend + weights[3] * speed
    cost[s] = total / float(states.shape[0])


class Planner:
    """A spline of controls that is improved by trying variants.

    Args:
        source: The model, as text or path.
        task: What to do.
        rule: ``sampling`` or ``mppi``.
        seed: Of the changes.
    """

    def __init__(self, source: str | Path, task: Task, rule: str, seed: int = 0) -> None:
        self.task, self.rule = task, rule
        self.m, self.d = mjw.load(source, nworld=task.samples)
        self.m.opt.timestep = task.timestep
        stands = "stand" in self.m.names["key"]
        pose = self.m.key("stand").qpos.numpy().ravel() if stands else self.m.qpos0.numpy()[0]
        home = self.m.key("stand").ctrl.numpy().ravel() if stands else np.zeros(self.m.nu)
        self.low, self.high = self.m.actuator_ctrlrange.numpy()[0].T
        self._rng = np.random.default_rng(seed)
        self._steps = round(task.horizon / task.timestep)
        self._times = np.linspace(0.0, task.horizon, task.knots)
        self._between = self.weights_at(np.arange(self._steps) * task.timestep)
        self._moved = self.weights_at(self._times + PERIOD)
        self.knots = np.tile(home, (task.knots, 1)).astype(np.float32)
        size = mjw.state_size(self.m, mjw.State.FULLPHYSICS)
        self.start = wp.zeros((1, size), dtype=float)
        self._ctrl = wp.zeros((self._steps, task.samples, self.m.nu), dtype=float)
        self._states = wp.zeros((self._steps, task.samples, size), dtype=float)
        self._cost = wp.zeros(task.samples, dtype=float)
        self._pose, self._weights = wp.array(pose, dtype=float), wp.array(task.weights, dtype=float)

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
        size = np.geomspace(NEAR, 1.0, self.task.samples)[:, None, None] * self.task.noise * (self.high - self.low)
        size[0] = 0.0
        changed = knots + size * self._rng.standard_normal((self.task.samples, *knots.shape))
        variants = np.clip(changed, self.low, self.high).astype(np.float32)
        controls = np.clip(np.tensordot(self._between, variants, axes=(1, 1)), self.low, self.high)
        self._ctrl.assign(controls)
        mjw.rollout(self.m, self.d, self._ctrl, initial_state=self.start, states=self._states)
        wp.launch(sum_costs, dim=self.task.samples, inputs=[self._states, self._pose, self._weights, self._cost])
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
    """What came of a run: after each period height [m], uprightness, cost, and milliseconds that the plan took, of time and of the processor; poses."""

    heights: np.ndarray
    upright: np.ndarray
    costs: np.ndarray
    taken: np.ndarray
    computed: np.ndarray
    poses: np.ndarray


def simulate(name: str, seconds: float = 4.0, rule: str = "mppi", model: Path | None = None, seed: int = 0, samples: int | None = None) -> Outcome:
    """Plan and act in turns. The plan that acts was made from the state in which it begins to.

    Args:
        name: One of ``TASKS``.
        seconds: Of simulated time.
        rule: ``sampling`` or ``mppi``.
        model: Another model that the task's cost fits; None: the task's.
        seed: Of the changes.
        samples: Another number of variants; None: the task's.
    """
    task = TASKS[name] if samples is None else replace(TASKS[name], samples=samples)
    source = model or task.model()
    planner = Planner(source, task, rule, seed)
    m, plant = mjw.load(source, nworld=1)
    qpos = plant.qpos.numpy()
    qpos[0, 2:7] = task.start
    plant.qpos.assign(qpos)
    ticks = round(PERIOD / float(m.opt.timestep.numpy()[0]))
    since = np.arange(ticks) * PERIOD / ticks
    found, poses = [], []
    for _ in range(round(seconds / PERIOD)):
        begin, busy = time.perf_counter(), time.process_time()
        mjw.get_state(m, plant, planner.start, mjw.State.FULLPHYSICS)
        cost = planner.plan()
        taken, computed = time.perf_counter() - begin, time.process_time() - busy
        mjw.rollout(m, plant, wp.array(planner.control(since)[:, None], dtype=float))
        pose = plant.qpos.numpy()[0].copy()
        found.append((pose[2], 1.0 - 2.0 * (pose[4] ** 2 + pose[5] ** 2), cost, 1e3 * taken, 1e3 * computed))
        poses.append(pose)
    return Outcome(*np.array(found).T, np.array(poses))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", nargs="?", choices=TASKS, default="quadruped")
    parser.add_argument("--rule", choices=("sampling", "mppi"), default="mppi")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--samples", type=int, help="variants of a plan")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", type=Path, help="another model, with a free joint first")
    parser.add_argument("--film", type=Path, metavar="FILE.gif", help="draw the run (needs newtonish[view])")
    arguments = parser.parse_args()
    out = simulate(arguments.task, arguments.seconds, arguments.rule, arguments.model, arguments.seed, arguments.samples)
    for i in range(9, len(out.costs), 10):
        print(f"{(i + 1) * PERIOD:5.2f} s: height {out.heights[i]:.2f} m, upright {out.upright[i]:+.2f}, cost {out.costs[i]:.2f}")
    taken, computed = out.taken[5:], float(np.median(out.computed[5:]))
    print(f"plans took {np.median(taken):.1f} ms, 19 of 20 less than {np.quantile(taken, 0.95):.1f} ms, and {computed:.1f} ms of processor time,")
    print(f"which is {1e3 / np.median(taken):.0f} plans a second, and {2e3 / computed:.0f} on two cores with nothing else to do")
    if arguments.film:
        film(arguments.film, arguments.model or TASKS[arguments.task].model(), out.poses, PERIOD, None if arguments.model else "follow")


if __name__ == "__main__":
    main()
