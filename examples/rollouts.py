"""Sampling-based control: from one state many rollouts with other controls, the best of which is carried out.

The state of a plant of one world is copied into every world of a second Data, which rolls it out under random controls. The
state vector makes that one row, spread over all worlds. Run with ``python examples/rollouts.py [--samples N]``.
"""

import argparse

import numpy as np
import warp as wp

from newtonish import mjw

XML = """
<mujoco>
  <option timestep="0.02"/>
  <worldbody>
    <body><joint name="cart" type="slide" axis="1 0 0" damping="0.1"/><geom type="box" size="0.1 0.05 0.05" mass="1"/>
      <body><joint name="pole" axis="0 1 0" damping="0.01"/><geom type="capsule" fromto="0 0 0 0 0 0.6" size="0.02" mass="0.1"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="cart" gear="10" ctrlrange="-1 1"/></actuator>
</mujoco>
"""
HORIZON, EXECUTED = 40, 4


def cost(d: mjw.Data) -> np.ndarray:
    """Pole upright, cart in the middle, at rest; (nworld,)."""
    qpos, qvel = d.qpos.numpy(), d.qvel.numpy()
    return 10.0 * (1.0 - np.cos(qpos[:, 1])) + 0.2 * qpos[:, 0] ** 2 + 0.02 * (qvel**2).sum(axis=1)


def simulate(samples: int, seconds: float = 2.0, seed: int = 0, device: str = "cpu") -> np.ndarray:
    """Balance the pole.

    Returns:
        Angle of the pole after each decision [rad].
    """
    m, plant = mjw.load(XML, nworld=1, device=device)
    plant.qpos.assign(np.array([[0.0, 0.3]], dtype=np.float32))
    sampled = mjw.make_data(m, samples)
    sig = mjw.State.FULLPHYSICS | mjw.State.WARMSTART
    row = wp.zeros((1, mjw.state_size(m, sig)), dtype=float, device=device)
    rng, angles = np.random.default_rng(seed), []
    for _ in range(round(seconds / (0.02 * EXECUTED))):
        mjw.get_state(m, plant, row, sig)
        rows = wp.array(np.repeat(row.numpy(), samples, axis=0), dtype=float, device=device)
        mjw.set_state(m, sampled, rows, sig)
        controls = rng.uniform(-1.0, 1.0, (HORIZON // EXECUTED, samples, 1)).astype(np.float32)
        total = np.zeros(samples)
        for control in controls:
            sampled.ctrl.assign(control)
            for _ in range(EXECUTED):
                mjw.step(m, sampled)
            total += cost(sampled)
        plant.ctrl.assign(controls[0, int(total.argmin())][None])
        for _ in range(EXECUTED):
            mjw.step(m, plant)
        angles.append(float(plant.qpos.numpy()[0, 1]))
    return np.array(angles)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=256)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    print(f"angle of the pole: {np.round(simulate(arguments.samples, device=arguments.device), 2)} rad")


if __name__ == "__main__":
    main()
