"""Derivatives of forward and inverse dynamics by finite differences, and how well they fit each other.

The acceleration's derivatives by force, velocity and position come from a cloud of nearby states, one world each, in the order that
lets most be skipped: forces first, then velocities, then positions. Those of the inverse dynamics come from ``mjw.inverse_fd``. Where
both are exact, ``dqacc/dforce`` is the inverse of ``dforce/dqacc``, and ``dqacc/dvel`` is minus their product with ``dforce/dvel``;
what remains tells the accuracy. Run with ``python examples/derivatives.py [--eps 1e-3]``.
"""

import argparse

import numpy as np
import warp as wp

from newtonish import mjw
from newtonish.assets import asset_path


def cloud(m: mjw.Model, centre: mjw.Data, name: str, eps: float, stage: mjw.Stage) -> np.ndarray:
    """Derivative (nv, nv) of the acceleration by ``name``, from 2 nv worlds around the first one of ``centre``."""
    nv, sig = m.nv, mjw.State.INTEGRATION
    row = wp.zeros((centre.nworld, mjw.state_size(m, sig)), dtype=float, device=m.device)
    mjw.get_state(m, centre, row, sig)
    rows = wp.array(np.repeat(row.numpy()[:1], 2 * nv, axis=0), dtype=float, device=m.device)
    d = mjw.make_data(m, 2 * nv)
    mjw.set_state(m, d, rows, sig)
    mjw.forward_skip(m, d, mjw.Stage.NONE, True)  # positions and velocities of the centre, in all worlds
    mjw.set_state(m, d, rows, sig)  # the same warm start again
    array = getattr(d, name)
    moved = array.numpy()
    before = moved.copy()
    moved[np.arange(2 * nv), np.tile(np.arange(nv), 2)] += np.repeat([eps, -eps], nv).astype(np.float32)
    array.assign(moved)
    mjw.forward_skip(m, d, stage, True)
    step = (moved - before)[np.arange(2 * nv), np.tile(np.arange(nv), 2)]  # after rounding
    qacc = d.qacc.numpy().astype(np.float64)
    return ((qacc[:nv] - qacc[nv:]) / (step[:nv] - step[nv:])[:, None]).T


def simulate(steps: int = 50, eps: float = 1e-3, device: str = "cpu") -> dict[str, float]:
    """Derivatives after some steps of a falling humanoid without contacts.

    Returns:
        Residual of each identity, relative to the norm of what it compares.
    """
    m, d = mjw.load(str(asset_path()), nworld=1, device=device)
    m.opt.disableflags |= mjw.DisableBit.CONTACT
    for _ in range(steps):
        mjw.step(m, d)
    m.opt.tolerance.zero_()  # no early end: the same work in every world
    mjw.forward(m, d)
    by_force = cloud(m, d, "qfrc_applied", eps, mjw.Stage.VEL)
    by_velocity = cloud(m, d, "qvel", eps, mjw.Stage.POS)
    inverse = [wp.zeros((1, m.nv, m.nv), dtype=float, device=device) for _ in range(2)]
    mjw.inverse_fd(m, d, eps, True, None, inverse[0], inverse[1])
    force_by_velocity, force_by_acceleration = (array.numpy()[0].T for array in inverse)
    predicted = -by_force @ force_by_velocity
    identity = by_force @ force_by_acceleration
    return {
        "force": float(np.linalg.norm(identity - np.eye(m.nv)) / np.linalg.norm(np.eye(m.nv))),
        "velocity": float(np.linalg.norm(by_velocity - predicted) / np.linalg.norm(predicted)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--eps", type=float, default=1e-3)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    for name, residual in simulate(eps=arguments.eps, device=arguments.device).items():
        print(f"identity of derivatives by {name}: residual {residual:.1e}")


if __name__ == "__main__":
    main()
