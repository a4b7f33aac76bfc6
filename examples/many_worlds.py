"""A thousand worlds through the array-level interface, under mujoco_warp's names.

Every world holds the squat of the second keyframe and is pushed sideways by another amount; at the end the script
says how many have fallen. Run with
``python examples/many_worlds.py [--worlds N]``.
"""

import argparse
import time

import numpy as np

from newtonish import mjw
from newtonish.assets import asset_path

STEPS = 200
SQUAT = 1


def simulate(worlds: int, steps: int = STEPS, device: str = "cpu") -> tuple[np.ndarray, float]:
    """Hold the squat in every world.

    Returns:
        Height of the pelvis in each world at the end [m], and world-steps per second without the first step.
    """
    m, d = mjw.load(str(asset_path()), nworld=worlds, device=device)
    mjw.reset_data_keyframe(m, d, SQUAT)

    # Unequal worlds: each starts with its own sideways velocity.
    qvel = d.qvel.numpy().copy()
    qvel[:, 1] = np.linspace(-0.3, 0.3, worlds)
    d.qvel.assign(qvel)

    mjw.step(m, d)  # compiles and records
    start = time.perf_counter()
    for _ in range(steps - 1):
        mjw.step(m, d)
    heights = d.qpos.numpy()[:, 2].copy()
    rate = worlds * (steps - 1) / (time.perf_counter() - start)
    return heights, rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    heights, rate = simulate(arguments.worlds, device=arguments.device)
    fallen = int((heights < 0.4).sum())
    print(f"{arguments.worlds} worlds, {rate:,.0f} world-steps/s, {fallen} have fallen")


if __name__ == "__main__":
    main()
