"""Trajectories by iLQR on analytic derivatives: a pendulum and a cart-pole swing up, an arm reaches for targets.

All steps of a trajectory are worlds, so that one call of ``mjw.transition`` linearizes them all; the sweep backwards gives changes of the
controls and feedback, and a second set of worlds tries steps of several lengths side by side. Tassa, Erez and Todorov 2012, "Synthesis and
Stabilization of Complex Behaviors through Online Trajectory Optimization".

Run with ``python examples/ilqr.py [pendulum|cartpole|arm] [--film FILE.gif]``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import warp as wp
from filming import film

from newtonish import mjcf, mjw
from newtonish.assets import asset_path

LENGTHS = np.geomspace(1.0, 0.01, 10)  # of the steps that are tried
POLE = """
<mujoco>
  <option timestep="0.02" integrator="implicitfast"/>
  <worldbody>
    <light pos="0 -1 3"/><camera name="follow" pos="0 -3 0.2" xyaxes="1 0 0 0 0.1 1"/>
    <body>{cart}
      <body><joint name="pole" axis="0 1 0" damping="0.01"/><geom type="capsule" fromto="0 0 0 0 0 0.6" size="0.03" mass="0.3" rgba="0.8 0.5 0.2 1"/></body>
    </body>
  </worldbody>
  <actuator>{motor}</actuator>
</mujoco>
"""
CART = '<joint name="cart" type="slide" axis="1 0 0" damping="0.1"/><geom type="box" size="0.1 0.05 0.05" mass="1"/>'

TORQUES = np.array([90.0, 90.0, 90.0, 90.0, 15.0, 15.0, 15.0])
"""Of the arm's motors [N m]."""

Terms = Callable[[mjw.Model, mjw.Data, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Problem:
    """A trajectory to be found; joints are hinges and slides.

    Attributes:
        source: Text of the model.
        start: Positions at the beginning, (nq,).
        steps: Of the trajectory.
        errors: Errors of worlds that ``forward`` has evaluated, from (m, d, states): (worlds, n), and their derivatives by the state, (worlds, n, 2 nv).
        running, final: Weights of the squared errors in each step and at the end, (n,).
        effort: Weight of squared changes of the controls from the first ones.
        controls: First controls, (nu,).
    """

    source: str
    start: np.ndarray
    steps: int
    errors: Terms
    running: np.ndarray
    final: np.ndarray
    effort: float
    controls: np.ndarray


def upright(m: mjw.Model, d: mjw.Data, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of a pole, the last joint: direction; then of all joints but it position, and of all velocity."""
    nv, count = m.nv, len(states)
    angle = states[:, nv - 1]
    others = [i for i in range(2 * nv) if i != nv - 1]
    derivative = np.zeros((count, 2 * nv + 1, 2 * nv))
    derivative[:, 0, nv - 1], derivative[:, 1, nv - 1] = -np.sin(angle), np.cos(angle)
    derivative[:, np.arange(2, 2 * nv + 1), others] = 1.0
    return np.column_stack([np.cos(angle) - 1.0, np.sin(angle), states[:, others]]), derivative


def reaching(target: np.ndarray) -> Terms:
    """Of the tool: way to the target; then the velocities of the joints."""

    def errors(m: mjw.Model, d: mjw.Data, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nv, count = m.nv, len(states)
        jacobian = wp.zeros((count, 3, nv), dtype=float)
        mjw.jac_site(m, d, jacobian, None, 0)
        derivative = np.zeros((count, 3 + nv, 2 * nv))
        derivative[:, :3, :nv] = jacobian.numpy()
        derivative[:, 3:, nv:] = np.eye(nv)
        return np.column_stack([d.site_xpos.numpy()[:, 0] - target, states[:, nv:]]), derivative

    return errors


def swing_up(name: str) -> Problem:
    """A pole on a hinge that is too weak to lift it, or on a cart."""
    hinge = name == "pendulum"
    motor = '<motor joint="pole" ctrlrange="-0.4 0.4"/>' if hinge else '<motor joint="cart" gear="10" ctrlrange="-1 1"/>'
    start = np.array([3.1] if hinge else [0.0, 3.1])  # straight down, gradients are zero
    others = [] if hinge else [0.2]
    final = np.array([50.0, 50.0, *(20.0 * np.ones(len(others))), *np.ones(len(start))])
    running = np.array([0.02, 0.02, *others, *(2e-4 * np.ones(len(start)))])
    return Problem(POLE.format(cart="" if hinge else CART, motor=motor), start, 150, upright, running, final, 0.01, np.zeros(1))


def arm(target: np.ndarray, start: np.ndarray | None = None) -> Problem:
    """The packaged arm, with motors in place of its servos, from its pose ``ready`` or another one to a point [m], and to rest there."""
    root = mjcf.from_path(str(asset_path("arm.xml")))
    for element in (*root.find_all("actuator"), *root.find_all("key")):
        element.remove()
    for joint, torque in zip((one for one in root.find_all("joint") if one.tag == "joint"), TORQUES, strict=True):
        root.actuator.add("motor", joint=joint, gear=[torque], ctrlrange=[-1.0, 1.0])
    root.worldbody.add("camera", name="follow", pos=[1.7, -1.3, 1.2], mode="targetbody", target="forearm")
    root.worldbody.add("geom", name="target", type="sphere", size=[0.03], pos=target, rgba=[0.9, 0.2, 0.2, 0.6], contype=0, conaffinity=0)
    source = root.to_xml_string()
    pose = np.array([0.0, 0.5, 0.0, -1.4, 0.0, 0.9, 0.0]) if start is None else start
    m, d = mjw.load(source)
    d.qpos.assign(pose[None])
    mjw.forward(m, d)
    running, final = (np.repeat(weights, (3, 7)) for weights in ((1.0, 0.005), (5e3, 20.0)))
    return Problem(source, pose, 200, reaching(target), running, final, 0.05, d.qfrc_bias.numpy()[0] / TORQUES)  # which holds it where it is


class Solver:
    """iLQR for a problem.

    Attributes:
        states: (steps + 1, 2 nv), positions and velocities.
        controls: (steps, nu).
        costs: After each iteration, the first one before any.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.m, self._d = mjw.load(problem.source, nworld=problem.steps + 1)
        self._tried = mjw.make_data(self.m, len(LENGTHS))
        self._checked = mjw.make_data(self.m, len(LENGTHS) * (problem.steps + 1))
        m = self.m
        self._A, self._B = (wp.zeros((problem.steps + 1, 2 * m.nv, n), dtype=float) for n in (2 * m.nv, m.nu))
        self._low, self._high = m.actuator_ctrlrange.numpy()[0].T
        self._damping = 1e-3  # of the second derivative by the controls
        nothing = np.zeros((problem.steps, m.nu)), np.zeros((problem.steps, m.nu, 2 * m.nv))
        self.controls = np.tile(problem.controls, (problem.steps, 1))
        self.states = np.tile(np.concatenate([problem.start, np.zeros(m.nv)]), (problem.steps + 1, 1))
        states, controls, costs = self._forward(*nothing)
        self.states, self.controls, self.costs = states[0], controls[0], [costs[0]]

    def _put(self, d: mjw.Data, states: np.ndarray) -> None:
        d.qpos.assign(states[:, : self.m.nv])
        d.qvel.assign(states[:, self.m.nv :])

    def _cost(self, errors: np.ndarray, controls: np.ndarray) -> np.ndarray:
        """Of trajectories: errors (n, steps + 1, :), controls (n, steps, nu)."""
        p = self.problem
        running = (p.running * errors[:, :-1] ** 2).sum(axis=(1, 2)) + p.effort * ((controls - p.controls) ** 2).sum(axis=(1, 2))
        return 0.5 * (running + (p.final * errors[:, -1] ** 2).sum(axis=1))

    def _forward(self, change: np.ndarray, feedback: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Trajectories under steps of all lengths, each world one of them: states, controls, costs."""
        m, count, steps = self.m, len(LENGTHS), self.problem.steps
        states, controls = np.zeros((count, steps + 1, 2 * m.nv)), np.zeros((count, steps, m.nu))
        states[:, 0] = self.states[0]
        self._put(self._tried, states[:, 0])
        self._tried.qacc_warmstart.zero_()
        for t in range(steps):
            control = self.controls[t] + LENGTHS[:, None] * change[t] + (states[:, t] - self.states[t]) @ feedback[t].T
            controls[:, t] = np.clip(control, self._low, self._high)
            self._tried.ctrl.assign(controls[:, t])
            mjw.step(m, self._tried)
            states[:, t + 1] = np.concatenate([self._tried.qpos.numpy(), self._tried.qvel.numpy()], axis=1)
        every = states.reshape(-1, 2 * m.nv)
        self._put(self._checked, every)
        mjw.kinematics(m, self._checked)
        mjw.com_pos(m, self._checked)
        errors = self.problem.errors(m, self._checked, every)[0].reshape(count, steps + 1, -1)
        return states, controls, self._cost(errors, controls)

    def _backward(self) -> tuple[np.ndarray, np.ndarray]:
        """Changes of the controls, (steps, nu), and feedback, (steps, nu, 2 nv)."""
        p, m = self.problem, self.m
        self._put(self._d, self.states)
        self._d.ctrl.assign(np.concatenate([self.controls, self.controls[-1:]]))
        mjw.transition(m, self._d, self._A, self._B)
        A, B = self._A.numpy().astype(float), self._B.numpy().astype(float)
        errors, J = p.errors(m, self._d, self.states)
        weights = np.concatenate([np.tile(p.running, (p.steps, 1)), p.final[None]])
        lx = np.einsum("tni,tn->ti", J, weights * errors)
        lxx = np.einsum("tni,tn,tnj->tij", J, weights, J)
        lu, luu = p.effort * (self.controls - p.controls), p.effort * np.eye(m.nu)
        change, feedback = np.zeros((p.steps, m.nu)), np.zeros((p.steps, m.nu, 2 * m.nv))
        Vx, Vxx = lx[-1], lxx[-1]
        for t in reversed(range(p.steps)):
            Qx, Qu = lx[t] + A[t].T @ Vx, lu[t] + B[t].T @ Vx
            Qxx, Qux, Quu = lxx[t] + A[t].T @ Vxx @ A[t], B[t].T @ Vxx @ A[t], luu + B[t].T @ Vxx @ B[t]
            # a control at its limit that wants to go farther stays there, and does not react
            held = ((self.controls[t] <= self._low) & (Qu > 0.0)) | ((self.controls[t] >= self._high) & (Qu < 0.0))
            inverse = np.zeros_like(Quu)
            free = np.ix_(~held, ~held)
            inverse[free] = np.linalg.inv(Quu[free] + self._damping * np.eye(int((~held).sum())))
            change[t], feedback[t] = -inverse @ Qu, -inverse @ Qux
            Vx = Qx + feedback[t].T @ (Quu @ change[t] + Qu) + Qux.T @ change[t]
            Vxx = Qxx + feedback[t].T @ Quu @ feedback[t] + feedback[t].T @ Qux + Qux.T @ feedback[t]
            Vxx = 0.5 * (Vxx + Vxx.T)
        return change, feedback

    def improve(self) -> bool:
        """One iteration; whether the cost fell."""
        states, controls, costs = self._forward(*self._backward())
        best = int(costs.argmin())
        better = bool(costs[best] < self.costs[-1])
        if better:
            self.states, self.controls = states[best], controls[best]
            self._damping = max(1e-6, 0.3 * self._damping)
        else:
            self._damping *= 10.0
        self.costs.append(min(self.costs[-1], float(costs[best])))
        return better

    def solve(self, iterations: int) -> np.ndarray:
        """Improve until it helps no more; the last errors, (n,)."""
        for _ in range(iterations):
            if not self.improve() and self._damping > 1e6:
                break
            if len(self.costs) > 10 and self.costs[-10] - self.costs[-1] < 1e-4 * self.costs[-1]:
                break
        self._put(self._checked, np.tile(self.states[-1], (self._checked.nworld, 1)))
        mjw.kinematics(self.m, self._checked)
        mjw.com_pos(self.m, self._checked)
        return self.problem.errors(self.m, self._checked, np.tile(self.states[-1], (self._checked.nworld, 1)))[0][0]


TARGETS = np.array([[0.45, 0.35, 0.5], [0.3, -0.45, 0.8], [0.6, 0.1, 0.25]])


def simulate(name: str, iterations: int = 150, targets: np.ndarray = TARGETS) -> tuple[list[Solver], np.ndarray]:
    """Solve a problem, or for the arm one after another.

    Args:
        name: ``pendulum``, ``cartpole`` or ``arm``.
        iterations: At most so many.
        targets: Points for the arm [m], (n, 3).

    Returns:
        What was solved, and the errors at the end of each: of the arm's tool [m], of the pole's direction, then further ones.
    """
    if name != "arm":
        solvers = [Solver(swing_up(name))]
        return solvers, np.array([solvers[0].solve(iterations)])
    solvers, errors, start = [], [], None
    for target in targets:
        solvers.append(Solver(arm(target, start)))
        errors.append(solvers[-1].solve(iterations))
        start = solvers[-1].states[-1, : solvers[-1].m.nv]
    return solvers, np.array(errors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem", nargs="?", choices=("pendulum", "cartpole", "arm"), default="pendulum")
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--film", type=Path, metavar="FILE.gif", help="draw the motion (needs newtonish[view])")
    arguments = parser.parse_args()
    begin = time.perf_counter()
    solvers, errors = simulate(arguments.problem, arguments.iterations)
    taken = time.perf_counter() - begin
    for solver, error in zip(solvers, errors, strict=True):
        print(f"cost {solver.costs[0]:.2f} to {solver.costs[-1]:.4f} in {len(solver.costs) - 1} iterations; errors at the end {np.round(error, 4)}")
    print(f"{1e3 * taken / sum(len(solver.costs) for solver in solvers):.0f} ms an iteration, with loading")
    if arguments.film:
        dt = float(solvers[0].m.opt.timestep.numpy()[0])
        poses = np.concatenate([solver.states[:, : solver.m.nv] for solver in solvers])
        film(arguments.film, solvers[-1].problem.source, poses, dt, "follow")


if __name__ == "__main__":
    main()
