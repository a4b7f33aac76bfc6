"""The Warp modules that a step needs, compiled side by side and loaded before anything is captured."""

from __future__ import annotations

import os
from typing import Any

import warp as wp

from newtonish.kernels.launch import block_dim

# modules of the fused kernels; each is compiled once a device kind and cached on disk
STEP_MODULES = (
    "newtonish.kernels.fused_smooth",
    "newtonish.kernels.fused_contact",
    "newtonish.kernels.fused_solve",
)
_loaded: set[str] = set()


def load_modules(device: Any) -> None:
    """Compile (in parallel) and load the modules of a step on ``device``; at once if that was done before."""
    name = str(wp.get_device(device))
    if name in _loaded:
        return
    modules = [wp.get_module(module) for module in STEP_MODULES]
    wp.force_load(device, modules=modules, block_dim=block_dim(device), max_workers=min(len(modules), os.cpu_count() or 1))
    _loaded.add(name)
