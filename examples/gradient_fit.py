"""Friction and gains of an arm from its motion, by the gradient of the whole trajectory, and by a search without one, with the steps that each takes.

The "measured" motion is that of an arm whose joints rub and whose servos pull otherwise than the model says. The gradient goes back through all steps
(``mjw.Trajectory``) to the model's fields and is followed by L-BFGS; CMA-ES draws candidates instead. Both seek the logarithms of the same fourteen
numbers, in units of how much the motion tells of each, and end when it fits to the noise. The adjoint of a step counts as ``ADJOINT`` steps.
Run with ``python examples/gradient_fit.py [--seed 0]``; it needs cmaes (``pip install "newtonish[tune]"``).
"""

import argparse
import contextlib

import numpy as np
import warp as wp
from scipy.optimize import minimize

from newtonish import mjw
from newtonish.assets import asset_path

PIECES, STEPS, NOISE = 4, 100, 2e-4
"""Motions from other starts, steps of each, noise of an encoder [rad]."""
ADJOINT = 7
"""Steps that a step's adjoint costs, gradients by fields included: 6.6 of the rollout were measured."""
GOAL, MOST = 1.005, 2.0
"""Cost at which the motion fits, relative to that of the noise, and largest logarithm of a factor."""


class Fit:
    """The cost of a guess: mean squared error of the joints' angles in units of the noise.

    Args:
        candidates: guesses that are simulated at once.
        seed: of the motion.
        device: Warp device.
    """

    def __init__(self, candidates: int, seed: int, device: str) -> None:
        rng = np.random.default_rng(seed)
        self.m, self.d = mjw.load(str(asset_path("arm.xml")), nworld=candidates * PIECES, device=device)
        m, n = self.m, self.m.nv
        self.candidates, self.steps = candidates, 0
        self.friction = np.full(n, 2.0) * (m.dof_armature.numpy()[0] > 0.05) + 0.5
        self.gain = -m.actuator_biasprm.numpy()[0, :, 1].astype(float)
        for name in ("dof_frictionloss", "actuator_gainprm", "actuator_biasprm"):  # a value of each world
            setattr(m, name, np.repeat(getattr(m, name).numpy()[:1], self.d.nworld, axis=0))
        time = np.arange(STEPS) * float(m.opt.timestep.numpy()[0])
        start = 0.3 * rng.standard_normal((PIECES, n))
        start[:, 3] = -np.abs(start[:, 3]) - 0.2  # the elbow bends one way
        phase, speed = rng.uniform(0.0, 2.0 * np.pi, (PIECES, n)), rng.uniform(5.0, 20.0, (PIECES, n))
        target = start + 0.3 / speed * (np.sin(phase + speed * time[:, None, None]) - np.sin(phase))  # within what servos can follow
        self.start = wp.array(np.tile(start, (candidates, 1)), dtype=float, device=device)
        self.ctrl = wp.array(np.tile(target, (1, candidates, 1)), dtype=float, device=device)
        self.way = mjw.Trajectory(m, self.d, STEPS)
        true = np.concatenate([rng.uniform(-0.8, 0.8, n), rng.uniform(-0.4, 0.4, n)])
        self.true, self.signs = true, np.sign(rng.standard_normal((STEPS, PIECES, n)))
        self.measured = self.roll(np.tile(true, (candidates, 1)))[:, :PIECES]
        noise = rng.standard_normal(self.measured.shape)
        self.measured += NOISE * noise
        self.least = float((noise**2).mean())
        self.steps = 0

    def roll(self, guesses: np.ndarray) -> np.ndarray:
        """Angles (STEPS, worlds, nv) under the logarithms of factors on friction and gains, (candidates, 2 nv)."""
        m, d, n = self.m, self.d, self.m.nv
        rows = np.repeat(np.exp(guesses), PIECES, axis=0)
        m.dof_frictionloss.assign(self.friction * rows[:, :n])
        gain, bias = m.actuator_gainprm.numpy(), m.actuator_biasprm.numpy()
        gain[:, :, 0], bias[:, :, 1] = self.gain * rows[:, n:], -self.gain * rows[:, n:]
        m.actuator_gainprm.assign(gain)
        m.actuator_biasprm.assign(bias)
        mjw.reset_data(m, d)
        wp.copy(d.qpos, self.start)
        self.way.rollout(self.ctrl)
        self.steps += STEPS * d.nworld
        return self.way.qpos.numpy().astype(float)

    def errors(self, guesses: np.ndarray) -> np.ndarray:
        """Differences from the measurement, (STEPS, candidates, PIECES, nv), in units of the noise."""
        return (self.roll(guesses).reshape(STEPS, self.candidates, PIECES, -1) - self.measured[:, None]) / NOISE

    def costs(self, guesses: np.ndarray) -> np.ndarray:
        """Of each guess; about 1 where it is right."""
        return (self.errors(guesses) ** 2).mean(axis=(0, 2, 3))

    def pull(self, guess: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Sum of errors with weights (STEPS, PIECES, nv), by each number of the guess that was rolled out last, (PIECES, 2 nv)."""
        m, d, n = self.m, self.d, self.m.nv
        next_bar = np.zeros((STEPS, d.nworld, 2 * n), dtype=np.float32)
        next_bar[:, :, :n] = weights / NOISE
        names = ("dof_frictionloss", "actuator_gainprm", "actuator_biasprm")
        fields = {name: wp.zeros_like(getattr(m, name)) for name in names}
        self.way.vjp(wp.array(next_bar, device=d.device), fields=fields)
        self.steps += ADJOINT * STEPS * d.nworld
        friction, gain, bias = (fields[name].numpy().astype(float) for name in names)
        return np.concatenate([self.friction * friction, self.gain * (gain[:, :, 0] - bias[:, :, 1])], axis=1) * np.exp(guess)

    def cost_and_gradient(self, guess: np.ndarray) -> tuple[float, np.ndarray]:
        """Of one guess."""
        errors = self.errors(guess[None])[:, 0]
        return float((errors**2).mean()), self.pull(guess, 2.0 * errors / errors.size).sum(axis=0)

    def scales(self, guess: np.ndarray) -> np.ndarray:
        """Units in which the numbers matter alike: random signs for errors pull on each as much as the motion tells of it."""
        self.roll(guess[None])
        scales = 1.0 / np.sqrt((self.pull(guess, self.signs) ** 2).mean(axis=0))
        return scales / scales.min()


class Found(Exception):
    """The cost is that of noise."""


def by_gradient(goal: float = GOAL, seed: int = 0, device: str = "cpu") -> tuple[np.ndarray, int]:
    """A guess whose cost is ``goal`` times that of the noise at most, and the steps that it took."""
    fit, best = Fit(1, seed, device), np.zeros(0)
    size, goal = fit.true.size, goal * fit.least
    scales = fit.scales(np.zeros(size))

    def evaluate(scaled: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal best
        cost, slopes = fit.cost_and_gradient(scaled * scales)
        if cost <= goal:
            best = scaled * scales
            raise Found
        return cost, slopes * scales

    bounds = [(-MOST / scale, MOST / scale) for scale in scales]
    with contextlib.suppress(Found):
        end = np.zeros(size)
        for _ in range(5):  # a line search that rounding ends begins anew
            end = minimize(evaluate, end, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 0.0, "gtol": 0.0}).x
        raise RuntimeError("L-BFGS ended before the motion fitted")
    return best, fit.steps


def without_gradient(goal: float = GOAL, seed: int = 0, device: str = "cpu", most: int = 2000) -> tuple[np.ndarray, int]:
    """The same by CMA-ES, in the same units; after ``most`` generations the best there is."""
    from cmaes import CMA

    one = Fit(1, seed, device)
    scales = one.scales(np.zeros(one.true.size))
    search = CMA(mean=np.zeros(scales.size), sigma=0.3, seed=seed, bounds=np.stack([-MOST / scales, MOST / scales], axis=1))
    fit, goal = Fit(search.population_size, seed, device), goal * one.least
    best, least = np.zeros(scales.size), np.inf
    for _ in range(most):
        guesses = np.stack([search.ask() for _ in range(search.population_size)])
        costs = fit.costs(guesses * scales)
        if costs.min() < least:
            best, least = guesses[costs.argmin()] * scales, costs.min()
        if least <= goal:
            break
        search.tell([(guess, float(np.log(cost))) for guess, cost in zip(guesses, costs, strict=True)])
    return best, fit.steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    true = Fit(1, args.seed, "cpu").true
    for name, search in (("gradient", by_gradient), ("no gradient", without_gradient)):
        found, steps = search(GOAL, args.seed)
        print(f"{name}: {steps:,} steps, largest error of a parameter {100 * np.abs(np.expm1(found - true)).max():.2f} %")


if __name__ == "__main__":
    main()
