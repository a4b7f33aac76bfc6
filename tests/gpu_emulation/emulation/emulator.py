"""Launching kernels in their CUDA form on a CPU, and what was seen while they ran."""

from __future__ import annotations

import ctypes
import dataclasses
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

from . import compiler, source, tiles

CHECKED = compiler.Form()
_ARRAY, _SHARED, _IMAGE = range(3)
_MOST_SHARED = 48 << 10  # bytes of shared memory of fixed size that a block may have: NVIDIA's assembler takes no kernel with more
_COSTS = ("blocks", "block_barriers", "warp_barriers", "shuffles", "warp_instructions", "lane_instructions", "critical")
_TRAFFIC = ("reads", "writes", "bytes", "sectors", "requests", "request_sectors", "shared_accesses")


class Schedule(IntEnum):
    """Order in which the lanes of a block take their turns."""

    ASCENDING = 0
    DESCENDING = 1
    RANDOM = 2
    PREEMPTIVE = 3  # random, and lanes also change at random accesses to memory


class Binary:
    """A compiled module: entries by kernel, and which memory is its own.

    Args:
        name: for files.
        text: C++ text (``source.as_cpp``).
        form: how it is compiled.
    """

    def __init__(self, name: str, text: str, form: compiler.Form):
        on_tiles = tiles.on_tiles(text)
        self.files = compiler.build(name, text, dataclasses.replace(form, headers=tiles.headers()) if on_tiles else form)
        self.library = ctypes.CDLL(str(self.files.library))
        begin, end = (_pointer(self.library[f"emu_shared_{side}"]) for side in ("begin", "end"))
        self.shared_bytes = end - begin - (tiles.MOST_SHARED if on_tiles else 0)  # of fixed size
        self.spans = [*([(begin, end, _SHARED)] if end > begin else []), *_image(self.files.library)]
        self.weights, self.places = _blocks(self.files.blocks)
        self.profile = np.zeros(len(self.weights), dtype=np.uint64)

    def entry(self, name: str) -> int:
        """Where the kernel of that name in the text is entered."""
        return int(ctypes.cast(self.library[f"emu_{name}"], ctypes.c_void_p).value or 0)


class Emulator:
    """Launches kernels block by block.

    Args:
        form: how modules are compiled.
        schedule: order of the lanes.
        check: look at every access, not only at its bounds.
        requests: also count what lanes of a warp ask memory for together.
        change: of a module's name and C++ text: another text. For tests of the emulation itself.

    Attributes:
        figures: By key of the kernel: what its launches cost.
        ends_only: Of the next launches run only the first and the last block.
    """

    def __init__(
        self, form: compiler.Form = CHECKED, schedule: Schedule = Schedule.RANDOM, *, check: bool = True, requests: bool = False,
        change: Callable[[str, str], str] | None = None,
    ):  # fmt: skip
        self._form, self._schedule, self._check, self._requests, self._change = form, schedule, check, requests, change
        self._library = ctypes.CDLL(str(compiler.runtime_library()), mode=ctypes.RTLD_GLOBAL)
        self._library.emu_arguments.restype = ctypes.c_uint64
        self._library.emu_forget()  # of memory that was freed since
        self._modules: dict[tuple[str, int], tuple[Binary, dict[str, str]]] = {}
        self._seed = 0
        self.figures: dict[str, dict[str, float]] = {}
        self.ends_only = False
        self._too_large: list[str] = []

    def module(self, module: wp.Module, block_dim: int) -> tuple[Binary, dict[str, str]]:
        """The module in blocks of that many threads, compiled when it is first asked for, and the names of its kernels by key."""
        key = (module.name, block_dim)
        if key not in self._modules:
            text = source.as_cpp(source.cuda_text(module, block_dim))
            if self._change is not None:
                text = self._change(module.name, text)
            form = dataclasses.replace(self._form, fused=self._form.fused and module.options["fuse_fp"])
            name = re.sub(r"\W+", "_", module.name.removeprefix("newtonish.kernels."))
            self._modules[key] = Binary(f"{name}_{block_dim}", text, form), source.kernels(text)
        return self._modules[key]

    def launch(self, kernel: wp.Kernel, dim: Any, inputs: Sequence[Any], block_dim: int, lanes: int) -> None:
        """Run ``kernel`` on a grid.

        Args:
            kernel: of any module.
            dim: extents of the grid of threads.
            inputs: arguments, arrays on the CPU.
            block_dim: threads of a block.
            lanes: threads that work on one world together.
        """
        binary, names = self.module(kernel.module, block_dim)
        extents = (dim,) if isinstance(dim, int) else tuple(dim)
        arrays = [array for value in inputs for array in arrays_of(value)]
        handles = any(array.dtype == wp.uint64 for array in arrays)
        context = wp._src.context
        values = [context._build_launch_bounds_from_tuple(extents, kernel.adj.kernel_dim)]
        values += [context.pack_arg(kernel, arg.type, arg.label, value, "cpu") for arg, value in zip(kernel.adj.args, inputs, strict=True)]
        places = [(ctypes.addressof(value), ctypes.sizeof(value)) for value in values]
        spans = anonymous() if handles else list(map(_span, arrays))
        self.run(kernel.key, binary, names[kernel.key], places, spans, -(-int(np.prod(extents)) // block_dim), block_dim, lanes)

    def run(
        self, key: str, binary: Binary, name: str, arguments: Sequence[tuple[int, int]], spans: list[tuple[int, int, int]], grid: int, block_dim: int, lanes: int = 32,
    ) -> None:  # fmt: skip
        """Run a kernel of a binary.

        Args:
            key: of the kernel, for figures and reports.
            binary: that has it.
            name: in its text.
            arguments: address and size of each.
            spans: begin, end and kind of memory that it may touch.
            grid: number of blocks.
            block_dim: threads of a block.
            lanes: that work on one world together.
        """
        if binary.shared_bytes > _MOST_SHARED:
            self._too_large.append(f"SHARED MEMORY | {key}: {binary.shared_bytes} bytes a block of {block_dim} threads, of {_MOST_SHARED}")
        blocks = np.asarray(sorted({0, grid - 1}) if self.ends_only else range(grid), dtype=np.uint32)
        self._permit([*spans, *binary.spans])
        where = self._put(arguments)
        if binary.weights.size:
            self._library.emu_weights(binary.weights.ctypes.data_as(ctypes.c_void_p), len(binary.weights))
        self._seed += 1
        self._library.emu_launch(
            key.encode(), ctypes.c_void_p(binary.entry(name)), ctypes.c_void_p(where), blocks.ctypes.data_as(ctypes.c_void_p),
            len(blocks), grid, block_dim, lanes, int(self._schedule), ctypes.c_uint64(self._seed), int(self._check), int(self._requests),
        )  # fmt: skip
        sizes = self.figures.setdefault(key, dict.fromkeys(("launches", *_COSTS, *_TRAFFIC), 0))
        sizes["argument_bytes"] = sum(size for _, size in arguments)
        self._note(key, binary)

    def reports(self) -> list[str]:
        """What was found since the last call, each with the functions it was found in."""
        room = ctypes.create_string_buffer(1 << 22)
        self._library.emu_reports(room, len(room))
        lines = room.value.decode().splitlines()
        too_large, self._too_large = self._too_large, []
        return too_large + [re.sub(r"(\S+\.so)\+(0x[0-9a-f]+)", lambda found: _functions(*found.groups()), line) for line in lines]

    def _permit(self, spans: list[tuple[int, int, int]]) -> None:
        """Let the next launch touch that memory and no other."""
        merged: list[list[int]] = []
        for begin, end, kind in sorted(spans):
            if merged and begin < merged[-1][1] and kind == merged[-1][2]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([begin, end, kind])
        table = np.array(merged, dtype=np.uint64).reshape(-1, 3)
        self._library.emu_spans(table.ctypes.data_as(ctypes.c_void_p), len(table))

    def _put(self, arguments: Sequence[tuple[int, int]]) -> int:
        """Put the arguments where the emulation takes them for the constant bank; the address of the table of their addresses."""
        at, addresses = self._library.emu_arguments(), []
        for place, size in arguments:
            at = -(-at // 64) * 64
            addresses.append(at)
            ctypes.memmove(at, place, size)
            at += size
        table = (ctypes.c_void_p * len(addresses))(*addresses)
        at = -(-at // 64) * 64
        ctypes.memmove(at, ctypes.addressof(table), ctypes.sizeof(table))
        return at

    def _note(self, key: str, module: Binary) -> None:
        costs, traffic = (ctypes.c_uint64 * len(_COSTS))(), (ctypes.c_uint64 * len(_TRAFFIC))()
        self._library.emu_take(costs, traffic)
        figures = self.figures[key]
        figures["launches"] += 1
        figures["shared_bytes"] = module.shared_bytes
        for name, value in [*zip(_COSTS, costs, strict=True), *zip(_TRAFFIC, traffic, strict=True)]:
            figures[name] += value
        if module.weights.size:
            profile = np.zeros_like(module.profile)
            self._library.emu_profile(profile.ctypes.data_as(ctypes.c_void_p))
            module.profile += profile

    def profile(self) -> dict[str, int]:
        """Warp instructions by place: the functions that a basic block is inlined in, innermost first."""
        total: dict[str, int] = {}
        for module, _ in self._modules.values():
            for place, count in zip(module.places, module.profile, strict=True):
                if count:
                    total[place] = total.get(place, 0) + int(count)
        return total


def arrays_of(value: Any) -> Iterable[wp.array]:
    """The arrays with entries in an argument."""
    if isinstance(value, wp.array):
        if value.size and value.ptr:
            yield value
    elif hasattr(value, "_cls"):
        for name in value._cls.vars:
            yield from arrays_of(getattr(value, name))


def _span(array: wp.array) -> tuple[int, int, int]:
    """Memory of an array."""
    size = sum((n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)) + wp.types.type_size_in_bytes(array.dtype)
    return array.ptr, array.ptr + size, _ARRAY


def anonymous() -> list[tuple[int, int, int]]:
    """All memory that is no file's: where Warp keeps meshes, of which a kernel is given handles. Bounds are then not checked."""
    found = []
    with open("/proc/self/maps") as lines:
        for line in lines:
            fields = line.split()
            if fields[1].startswith("rw") and (len(fields) == 5 or fields[5] == "[heap]"):
                begin, end = (int(number, 16) for number in fields[0].split("-"))
                found.append((begin, end, _ARRAY))
    return found


def _pointer(function: Any) -> int:
    """What a C function without arguments returns, an address or null."""
    function.restype = ctypes.c_void_p
    return int(function() or 0)


def _image(library: Path) -> list[tuple[int, int, int]]:
    """Where a library's constants lie in memory."""
    found = []
    with open("/proc/self/maps") as lines:
        for line in lines:
            fields = line.split()
            if len(fields) > 5 and fields[5] == str(library) and fields[1].startswith("r-"):
                begin, end = (int(number, 16) for number in fields[0].split("-"))
                found.append((begin, end, _IMAGE))
    return found


def _blocks(path: Path | None) -> tuple[np.ndarray, list[str]]:
    """Weights and places of a counted module's basic blocks."""
    if path is None:
        return np.zeros(0, dtype=np.uint32), []
    rows = [line.split(" ", 1) for line in path.read_text().splitlines()]
    return np.array([int(weight) for weight, _ in rows], dtype=np.uint32), [place for _, place in rows]


_names: dict[tuple[str, str], str] = {}


def _functions(library: str, offset: str) -> str:
    """The generated functions at an address of a module, innermost first, each with its line in the C++ text."""
    if shutil.which("addr2line") is None:  # of binutils
        return f"{library}+{offset}"
    if (library, offset) not in _names:
        path = compiler.folder() / library
        command = ["addr2line", "-f", "-i", "-C", "-e", str(path), hex(int(offset, 16) - 1)]
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        functions = [(re.sub(r"[<(].*", "", function).split("::")[-1], place) for function, place in zip(lines[::2], lines[1::2], strict=False)]
        generated = [(name, place) for name, place in functions if str(compiler.folder()) in place]  # rather than Warp's own, where there are both
        found = [f"{name}:{place.rsplit(':', 1)[-1].split()[0]}" for name, place in generated or functions]
        _names[library, offset] = " < ".join(found[:6]) or f"{library}+{offset}"
    return _names[library, offset]
