"""Load a robot from MJCF, replicate it, and step it with the plug-in solver, all under Newton's names.

Sixteen humanoids start in the same standing pose, are pushed by different joint velocities, and try to keep standing:
the position servos of their legs are given zero as target. Run with ``python examples/load_mjcf.py [MODEL]``.
"""

import argparse

import numpy as np

import newtonish
from newtonish.assets import asset_path

WORLDS = 16
SECONDS = 1.0
DT = 0.005


def build(path: str, worlds: int) -> newtonish.Model:
    """Read one robot and place it into many worlds."""
    robot = newtonish.ModelBuilder()
    robot.add_mjcf(path)
    builder = newtonish.ModelBuilder()
    builder.replicate(robot, worlds)
    return builder.finalize()


def simulate(path: str, worlds: int = WORLDS, seconds: float = SECONDS, seed: int = 0) -> np.ndarray:
    """Step and return the height of each world's root body at the end [m]."""
    model = build(path, worlds)
    solver = newtonish.solvers.SolverMuJoCo(model)
    state_in, state_out, control = model.state(), model.state(), model.control()

    push = np.random.default_rng(seed).normal(0.0, 0.3, model.joint_qd.shape).astype(np.float32)
    state_in.joint_qd.assign(push)
    newtonish.eval_fk(model, state_in.joint_q, state_in.joint_qd, state_in)

    for _ in range(round(seconds / DT)):
        solver.step(state_in, state_out, control, None, DT)
        state_in, state_out = state_out, state_in
    return state_in.body_q.numpy().reshape(worlds, -1, 7)[:, 0, 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default=str(asset_path()), help="MJCF file")
    heights = simulate(parser.parse_args().model)
    for world, height in enumerate(heights):
        print(f"world {world:2d}: root at {height:.3f} m")


if __name__ == "__main__":
    main()
