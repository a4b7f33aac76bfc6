"""Launching kernels of tests as those of the package are: a world has some lanes of a GPU, one of a CPU."""

from typing import Any

import warp as wp

from newtonish.kernels.runtime.lanes import Choice, block_of, variant
from newtonish.kernels.runtime.launch import launch_on

LANES = 32
"""On a GPU: a warp, as solvers have it."""


def launch_worlds(kernel: wp.Kernel, nworld: int, inputs: list[Any], device: str) -> None:
    """Launch a kernel of a world and a lane."""
    if wp.get_device(device).is_cuda:
        launch_on(variant(kernel, Choice(LANES)), device, (nworld, LANES), inputs, block_dim=block_of(LANES))
    else:
        launch_on(kernel, device, (nworld, 1), inputs, block_dim=1)
