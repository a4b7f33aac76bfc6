"""Launching a stage: a world has some lanes of a GPU (``newtonish.kernels.runtime.lanes``), one lane on a CPU.

What a function launches can be gathered instead, as commands with all their arguments (``gathered``), only be listed,
before anything is compiled (``planned``), or be run by something else than Warp (``launched_by``).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import warp as wp

from newtonish.kernels.runtime.lanes import BLOCK_DIM, Choice, block_of, mapping_of, preamble, variant
from newtonish.kernels.runtime.loops import CPU_LOOPS

# what Warp takes where a launch names no number
WARPS_BLOCK_DIM = 256
# tested versions of Warp, by how their numbers begin; with others, what rests on their compiler and on their way of entering kernels is left out
KNOWN_WARP = ("1.19.",)
# What makes compiling for a CPU shorter and leaves the code as it is, or as fast (decisions 022 and 023)
CPU_FLAGS = " ".join((
    "-mllvm=-unroll-runtime=false",  # no copies of the bodies of loops of unknown length: the long ones are written eight floats at a time
    "-mllvm=-enable-constraint-elimination=false",  # no search for comparisons that follow from other comparisons: it finds none
    "-disable-lifetime-markers",  # of variables, which Warp declares at the top of a function, and which end up in registers
    "-fpch-instantiate-templates",  # in the precompiled header, once, and not in every module
))  # fmt: skip
# functions that Warp writes for every group of arrays, to add gradients, are compiled where they are called, which is nowhere
CPU_PREAMBLE = f"""
#undef CUDA_CALLABLE
#define CUDA_CALLABLE inline
{CPU_LOOPS}"""


# a kernel that is launched on a grid of its own has one thread for each item
CUDA_PREAMBLE = preamble(Choice(1))


class Planned(NamedTuple):
    """A launch that a function would make.

    Attributes:
        kernel: the kernel.
        block_dim: threads of a block.
    """

    kernel: wp.Kernel
    block_dim: int


class Launcher(Protocol):
    """What can be called in place of a launch; ``block_dim`` is None where the launch names no number."""

    def __call__(self, kernel: wp.Kernel, device: Any, dim: Any, inputs: list[Any], block_dim: int | None, /) -> None: ...


class _Mode(threading.local):
    """How a thread launches.

    Attributes:
        launcher: what is called in place of each launch; None: Warp's.
        on_gpu: launch as on a GPU, whatever the device.
        planning: whether launches are only listed.
    """

    launcher: Launcher | None = None
    on_gpu = False
    planning = False


_mode = _Mode()
_through_worlds: set[wp.Kernel] = set()


def is_known() -> bool:
    """Whether the installed Warp is of a tested version: its compiler takes our flags, its kernels can be entered directly."""
    return wp.__version__.startswith(KNOWN_WARP)


def is_gpu(device: Any) -> bool:
    """Whether worlds have several lanes on this device."""
    return _mode.on_gpu or wp.get_device(device).is_cuda


def block_dim(device: Any) -> int:
    """Threads of a block on this device, where a kernel is launched on a grid of its own."""
    return BLOCK_DIM if is_gpu(device) else 1


def prepared(module: wp.Module) -> wp.Module:
    """The same module, to be compiled without adjoints, with the macros of lanes, and for a CPU with the process's flags and ours.

    Flags of its own stay as they are, and where Warp is not known, so do the compiler's.
    """
    module.options["enable_backward"] = False  # gradients of steps are not Warp's; what others define is theirs to decide
    ours = is_known() and module.options["cpu_compiler_flags"] is None
    if ours:
        inherited = wp.config.cpu_compiler_flags
        module.options["cpu_compiler_flags"] = f"{'-march=native' if inherited is None else inherited} {CPU_FLAGS}"
    if module.options["extra_build_options"] is None:
        preamble = CPU_PREAMBLE if ours else ""
        options = wp.ModuleBuildOptions(extra_cpu_preamble=preamble, extra_cuda_preamble=CUDA_PREAMBLE)
        module.options["extra_build_options"] = options
    return module


def load_now(modules: Sequence[wp.Module], device: Any, block_dim: int, workers: int) -> None:
    """Compile and load modules; one that fails, for want of disk space perhaps, is compiled again when it is asked for again."""
    try:
        wp.force_load(device, modules=list(modules), block_dim=block_dim, max_workers=workers)
    except Exception:
        for module in modules:
            module.mark_modified()  # otherwise Warp raises the same error again without compiling
        raise


def launch(kernel: wp.Kernel, d: Any, inputs: list[Any]) -> None:
    """Launch ``kernel`` on every world of ``d``; its thread index is ``w, lane = wp.tid()``.

    A kernel that iterates over the worlds itself is given their number, and has one thread for all of them on a CPU.
    """
    on_gpu = is_gpu(d.device)
    threads = d.nworld
    if goes_through_worlds(kernel):
        inputs = [*inputs, d.nworld]
        threads = d.nworld if on_gpu else 1
    if on_gpu:
        choice = mapping_of(d).choice(kernel)
        launch_on(variant(kernel, choice), d.device, (threads * choice.items, choice.lanes), inputs, block_dim=block_of(choice.lanes))
    else:
        launch_on(kernel, d.device, (threads, 1), inputs, block_dim=1)


def through_worlds(kernel: wp.Kernel) -> None:
    """Mark a kernel that goes through ``worlds_per_thread(nworld)`` worlds; ``launch`` then gives it ``nworld`` as its last argument.

    On a CPU such a kernel reads its arguments once for all worlds and not for each of them, some two hundred numbers (decision 023).
    This is a call below the kernel and no decorator, because Warp takes decorators for a part of the source by which kernels are cached.

    Raises:
        TypeError: the kernel's last argument is not ``nworld``.
    """
    code = kernel.func.__code__
    last = code.co_varnames[: code.co_argcount][-1:]
    if last != ("nworld",):
        raise TypeError(f"{kernel.key}: got {last} as its last argument; allowed: nworld; add it, and go through worlds_per_thread(nworld)")
    _through_worlds.add(kernel)


def goes_through_worlds(kernel: wp.Kernel) -> bool:
    """Whether a kernel is marked by ``through_worlds``."""
    return kernel in _through_worlds


def launch_on(kernel: wp.Kernel, device: Any, dim: Any, inputs: list[Any], *, block_dim: int | None = None) -> None:
    """Launch ``kernel`` on a grid of its own; whatever this package launches passes through here."""
    prepared(kernel.module)
    (_mode.launcher or _launch_now)(kernel, device, dim, inputs, block_dim)


def _launch_now(kernel: wp.Kernel, device: Any, dim: Any, inputs: list[Any], block_dim: int | None) -> None:
    wp.launch(kernel, dim=dim, inputs=inputs, device=device, block_dim=block_dim)


@contextmanager
def launched_by(launcher: Launcher, *, on_gpu: bool = False, planning: bool = False) -> Iterator[None]:
    """Within it, ``launcher`` is called in place of each launch of this thread.

    Args:
        launcher: what is called.
        on_gpu: launch as on a GPU, whatever the device.
        planning: nothing is launched, and functions of the user's are not called.
    """
    before = _mode.launcher, _mode.on_gpu, _mode.planning
    _mode.launcher, _mode.on_gpu, _mode.planning = launcher, on_gpu, planning
    try:
        yield
    finally:
        _mode.launcher, _mode.on_gpu, _mode.planning = before


@contextmanager
def gathered() -> Iterator[list[wp.Launch]]:
    """Within it, what this thread launches is put into a list and not run."""
    commands: list[wp.Launch] = []

    def gather(kernel: wp.Kernel, device: Any, dim: Any, inputs: list[Any], block_dim: int | None) -> None:
        command = wp.launch(kernel, dim=dim, inputs=inputs, device=device, block_dim=block_dim, record_cmd=True)
        commands.append(command)

    with launched_by(gather):
        yield commands


@contextmanager
def planned(for_cuda: bool = False) -> Iterator[list[Planned]]:
    """Within it, what this thread launches is only listed: nothing is compiled, no arguments are packed, nothing runs.

    Functions of the user's have effects of their own and are not called (``is_planning``).

    Args:
        for_cuda: list the launches for a GPU, whatever device the arrays are on.
    """
    plan: list[Planned] = []

    def note(kernel: wp.Kernel, device: Any, dim: Any, inputs: list[Any], block_dim: int | None) -> None:
        plan.append(Planned(kernel, block_dim or (WARPS_BLOCK_DIM if is_gpu(device) else 1)))

    with launched_by(note, on_gpu=for_cuda, planning=True):
        yield plan


def is_planning() -> bool:
    """Whether what this thread launches is only listed; who calls functions of the user's asks this first."""
    return _mode.planning
