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
# versions of Warp whose compiler and whose way of entering kernels on a CPU have been looked at; others do without what rests on them
KNOWN_WARP = ("1.19.",)
# What makes compiling for a CPU shorter and leaves the code as it is, or as fast (decisions 022 and 023)
CPU_FLAGS = " ".join((
    "-mllvm=-unroll-runtime=false",  # no copies of the bodies of loops of unknown length: the long ones are written eight floats at a time
    "-mllvm=-enable-constraint-elimination=false",  # no search for comparisons that follow from other comparisons: it finds none
    "-disable-lifetime-markers",  # of variables, which Warp declares at the top of a function, and which end up in registers
    "-fpch-instantiate-templates",  # in the precompiled header, once, and not in every module
))  # fmt: skip
# functions that Warp writes for every group of arrays, to add gradients, are compiled where they are called, which is nowhere
CPU_PREAMBLE = """
#undef CUDA_CALLABLE
#define CUDA_CALLABLE inline
"""

_gathering = threading.local()  # .commands: the list that this thread gathers into, while it does


def is_known() -> bool:
    """Whether the installed Warp is of a version that has been looked at: its compiler takes our flags, its kernels can be entered directly."""
    return wp.__version__.startswith(KNOWN_WARP)


def block_dim(device: Any) -> int:
    return CUDA_BLOCK_DIM if wp.get_device(device).is_cuda else 1


def with_cpu_flags(module: wp.Module) -> wp.Module:
    """The same module, to be compiled for a CPU with the process's flags and ours, unless it has flags of its own or Warp is not known."""
    if is_known() and module.options["cpu_compiler_flags"] is None:
        inherited = wp.config.cpu_compiler_flags
        module.options["cpu_compiler_flags"] = f"{'-march=native' if inherited is None else inherited} {CPU_FLAGS}"
        if module.options["extra_build_options"] is None:
            module.options["extra_build_options"] = wp.ModuleBuildOptions(extra_cpu_preamble=CPU_PREAMBLE)
    return module


def launch(kernel: wp.Kernel, d: Any, inputs: list[Any]) -> None:
    """Launch ``kernel`` on every world of ``d``; its thread index is ``w, lane = wp.tid()``.

    A kernel that goes through the worlds itself is given their number, and has one thread for all of them on a CPU.
    """
    lanes = block_dim(d.device)
    threads = d.nworld
    if goes_through_worlds(kernel):
        inputs = [*inputs, d.nworld]
        threads = 1 if lanes == 1 else d.nworld
    launch_on(kernel, d.device, (threads, lanes), inputs, block_dim=lanes)


def goes_through_worlds(kernel: wp.Kernel) -> bool:
    """Whether a kernel goes through ``worlds_of_thread(nworld)`` worlds, ``nworld`` being its last argument.

    On a CPU it then reads its arguments once for all worlds and not for each of them, some two hundred numbers (decision 023).
    """
    return kernel.adj.args[-1].label == "nworld"


def launch_on(kernel: wp.Kernel, device: Any, dim: Any, inputs: list[Any], **options: Any) -> None:
    """Launch ``kernel`` on a grid of its own; what a step launches passes through here."""
    with_cpu_flags(kernel.module)
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
