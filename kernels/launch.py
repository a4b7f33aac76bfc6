"""Launching a stage: one block a world, one lane a world on a CPU.

What a function launches can be gathered instead, as commands with all their arguments; see ``gathered``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import warp as wp

# lanes of a block on a GPU; a world of a robot has some 20-60 bodies, dofs and rows to stride over
CUDA_BLOCK_DIM = 64
# LLVM is not to make several copies of the bodies of loops whose length it does not know: they take a third of the solver's
# time to compile and gain nothing, since the long ones are written eight floats at a time (decision 022)
LOOPS_AS_WRITTEN = "-mllvm=-unroll-runtime=false"

_gathering = threading.local()  # .commands: the list that this thread gathers into, while it does


def block_dim(device: Any) -> int:
    return CUDA_BLOCK_DIM if wp.get_device(device).is_cuda else 1


def as_written(module: wp.Module) -> wp.Module:
    """The same module, to be compiled for a CPU with the process's flags and ours, unless it has flags of its own."""
    if module.options["cpu_compiler_flags"] is None:
        inherited = wp.config.cpu_compiler_flags
        module.options["cpu_compiler_flags"] = f"{'-march=native' if inherited is None else inherited} {LOOPS_AS_WRITTEN}"
    return module


def launch(kernel: wp.Kernel, d: Any, inputs: list[Any]) -> None:
    """Launch ``kernel`` on every world of ``d``; its thread index is ``w, lane = wp.tid()``."""
    lanes = block_dim(d.device)
    launch_on(kernel, d.device, (d.nworld, lanes), inputs, block_dim=lanes)


def launch_on(kernel: wp.Kernel, device: Any, dim: Any, inputs: list[Any], **options: Any) -> None:
    """Launch ``kernel`` on a grid of its own; what a step launches passes through here."""
    as_written(kernel.module)
    commands = getattr(_gathering, "commands", None)
    if commands is None:
        wp.launch(kernel, dim=dim, inputs=inputs, device=device, **options)
    else:
        commands.append(wp.launch(kernel, dim=dim, inputs=inputs, device=device, record_cmd=True, **options))


@contextmanager
def gathered() -> Iterator[list[wp.Launch]]:
    """Within it, what this thread launches is put into a list and not run."""
    before = getattr(_gathering, "commands", None)
    _gathering.commands = commands = []
    try:
        yield commands
    finally:
        _gathering.commands = before
