"""Launching a stage: one block a world, one lane a world on a CPU."""

from __future__ import annotations

from typing import Any

import warp as wp

# lanes of a block on a GPU; a world of a robot has some 20-60 bodies, dofs and rows to stride over
CUDA_BLOCK_DIM = 64


def block_dim(device: Any) -> int:
    return CUDA_BLOCK_DIM if wp.get_device(device).is_cuda else 1


def launch(kernel: wp.Kernel, d: Any, inputs: list[Any]) -> None:
    """Launch ``kernel`` on every world of ``d``; its thread index is ``w, lane = wp.tid()``."""
    lanes = block_dim(d.device)
    wp.launch(kernel, dim=(d.nworld, lanes), inputs=inputs, block_dim=lanes, device=d.device)
