"""Steps with Warp's bounds checks: ``python tests/support/bounds_checked.py [STEPS]`` (200) compiles models' kernels in debug mode and steps them.

An access outside of an array ends the process there, with its place on standard error. Native code does not go through Warp's arrays: guard pages are for that.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import warp as wp

REPO = Path(__file__).resolve().parents[2]
MODELS = (
    "newtonish/assets/mannequin.xml",
    "newtonish/assets/arm_gripper.xml",
    "tests/models/equality_zoo.xml",
    "tests/models/all_sensors.xml",
    "tests/models/delays.xml",
)
WORLDS = 4


def main(steps: int) -> None:
    wp.config.mode = "debug"
    warnings.simplefilter("ignore")
    from newtonish import mjw

    for name in MODELS:
        m, d = mjw.load(str(REPO / name), nworld=WORLDS, device="cpu")
        draw = np.random.default_rng(0)
        for _ in range(steps):
            d.ctrl.assign(draw.uniform(-1.0, 1.0, d.ctrl.shape).astype(np.float32))
            mjw.step(m, d)
        print(f"{name}: {WORLDS} worlds, {steps} steps, {d.ncon.numpy().max()} contacts at the end", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
