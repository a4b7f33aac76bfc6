"""Parts of random models that came later: terrain in place of the plane, and delays of controls and sensors.

They draw from numbers of their own, so that a seed without them is the model it was.
"""

from __future__ import annotations

import re

import numpy as np


def terrain(rng: np.random.Generator) -> tuple[str, str]:
    """Asset and geom of a heightfield a little below the plane; its margin makes MuJoCo look for the least depth, as ours do."""
    rows, columns = (int(n) for n in rng.integers(3, 9, 2))
    heights = " ".join(f"{x:.3f}" for x in rng.random(rows * columns))
    asset = f'<hfield name="terrain" nrow="{rows}" ncol="{columns}" size="2 2 {rng.uniform(0.05, 0.2):.3f} .1" elevation="{heights}"/>'
    return asset, f'<geom name="floor" type="hfield" hfield="terrain" margin=".001" pos="0 0 {-rng.uniform(0, 0.1):.3f}"/>'


def delayed(elements: str, rng: np.random.Generator, timestep: float, period: bool = False) -> str:
    """The elements, one in four with a buffer, its delay, how it is read, and (sensors) perhaps a period."""

    def attributes(match: re.Match) -> str:
        if rng.random() > 0.25:
            return match.group(0)
        samples = int(rng.integers(2, 7))
        text = f' nsample="{samples}" delay="{rng.uniform(0.5, samples - 0.6) * timestep:.5f}"'
        text += f' interp="{("zoh", "linear", "cubic")[int(rng.integers(3))]}"'
        if period and rng.random() < 0.4:
            text += f' interval="{int(rng.integers(1, 4)) * timestep:.5f}"'
        return text + "/>"

    return re.sub(r"/>", attributes, elements)
