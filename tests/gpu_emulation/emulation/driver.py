"""What Warp asks a CUDA driver for, done on the CPU: memory apart from the host's, modules by emulation, streams, events and graphs.

Warp's Python calls functions of its native library for all of it. ``Driver`` stands before that library: it has the functions that concern a
device, under their names, and refuses those that it lacks; all others are the library's. Work is done as it comes in, in the calling thread.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import re
import time
import traceback
from pathlib import Path
from typing import Any

from . import compiler, gpu, source
from .arena import Arena
from .emulator import Binary, Emulator, anonymous
from .graphs import Graphs

_CONTEXT, _ARCH, _TOOLKIT = 0x1000, 90, 13000
_MEDIAN = 1  # of the ways to build a tree the last one that a CPU has

# what the device says that it is and can do
_ANSWERS = {
    "wp_cuda_device_get_count": 1, "wp_cuda_device_get_arch": _ARCH, "wp_cuda_device_get_sm_count": gpu.MULTIPROCESSORS,
    "wp_cuda_device_get_max_shared_memory": gpu.SHARED, "wp_cuda_device_is_uva": 1, "wp_cuda_device_get_pageable_memory_access": 0,
    "wp_cuda_device_get_direct_managed_mem_access_from_host": 0, "wp_cuda_device_get_host_native_atomic_supported": 0,
    "wp_cuda_device_get_managed_memory_supported": 0, "wp_cuda_device_get_concurrent_managed_access_supported": 0,
    "wp_cuda_device_is_mempool_supported": 1, "wp_cuda_device_is_ipc_supported": 0, "wp_cuda_device_get_pci_domain_id": 0,
    "wp_cuda_device_get_pci_bus_id": 0, "wp_cuda_device_get_pci_device_id": 0, "wp_cuda_device_get_name": b"emulated", "wp_cuda_device_get_uuid": None,
    "wp_cuda_device_get_primary_context": _CONTEXT, "wp_cuda_context_get_current": _CONTEXT, "wp_cuda_context_set_current": None,
    "wp_cuda_context_push_current": None, "wp_cuda_context_pop_current": None, "wp_cuda_context_is_primary": 1,
    "wp_cuda_context_get_device_ordinal": 0, "wp_cuda_context_check": 0, "wp_cuda_driver_version": _TOOLKIT, "wp_cuda_driver_is_initialized": 1,
    "wp_is_cuda_enabled": 1, "wp_cuda_context_set_stream": None, "wp_cuda_stream_register": None, "wp_cuda_stream_unregister": None,
    "wp_cuda_stream_destroy": None, "wp_cuda_stream_wait_event": None, "wp_cuda_stream_wait_stream": None, "wp_cuda_stream_query": 0,
    "wp_cuda_event_destroy": None, "wp_cuda_event_query": 0, "wp_cuda_configure_kernel_shared_memory": True, "wp_cuda_unload_module": None,
    "wp_cuda_get_kernel_static_shared_memory": 0, "wp_cuda_device_set_mempool_release_threshold": True, "wp_cuda_device_get_mempool_release_threshold": 0,
    "wp_cuda_graph_exec_destroy": True, "wp_cuda_graph_destroy": True, "wp_cuda_set_kernel_cluster_attrs": True, "wp_cuda_stream_get_priority": 0,
    "wp_cuda_thread_exchange_capture_mode": 0,
}  # fmt: skip


class Driver:
    """Stands before Warp's native library.

    Args:
        library: Warp's own.
        emulator: has found what kernels did wrong, and takes reports.

    Attributes:
        arena: The device's memory.
        faults: What a device would not have done, or not so: reading the host's memory in a graph.
        launched: Names of the kernels that have run.
    """

    def __init__(self, library: Any, emulator: Emulator):
        self._library, self._emulator = library, emulator
        self.arena = Arena()
        self.faults: list[str] = []
        self.launched: set[str] = set()
        self._pinned: dict[int, int] = {}  # of the host's memory, which kernels can reach: bytes by place
        self._numbers = itertools.count(0x2000, 16)  # of streams, events, modules, kernels
        self._modules: dict[int, _Text] = {}
        self._kernels: dict[int, tuple[_Text, str]] = {}
        self._events: dict[int, float] = {}
        self._graphs = Graphs(self.arena, self._fault)
        self._do = self._graphs.do
        self._of_graphs: set[int] = set()  # memory that was allocated in a capture, and stays with its graph

    def __getattr__(self, name: str) -> Any:
        if name in _ANSWERS:
            answer = _ANSWERS[name]
            return lambda *_: answer
        if hasattr(Graphs, name):
            return getattr(self._graphs, name)
        if (name.startswith("wp_cuda_") and not name.startswith("wp_cuda_compile_")) or name.endswith("_device"):
            raise NotImplementedError(f"{name}: the emulated device has no such function (emulation/{Path(__file__).name})")
        return getattr(self._library, name)

    def reports(self) -> list[str]:
        """What was found since the last call: by the checks of kernels, and what a device would not have done."""
        faults, self.faults = self.faults, []
        found = self._emulator.reports()
        return faults + [re.sub(r" at 0x(\w+),", lambda place: f"{place[0]} {self.arena.describe(int(place[1], 16))},", one) for one in found]

    @property
    def allocated_in_graphs(self) -> int:
        """How many arrays were allocated while graphs were captured."""
        return len(self._of_graphs)

    def _fault(self, what: str) -> None:
        """Note a fault with the place outside of Warp that it comes from."""
        frames = [frame for frame in traceback.extract_stack() if "/warp/" not in frame.filename and Path(frame.filename).parent != Path(__file__).parent]
        self.faults.append(" < ".join([what, *(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames[:-4:-1])]))

    # memory

    def wp_alloc_device_default(self, context: Any, size: int, tag: Any) -> int:
        return self.arena.allocate(size)

    def wp_alloc_device_async(self, context: Any, size: int, stream: Any, tag: Any) -> int:
        place = self.arena.allocate(size)
        if self._graphs.captures:
            self._graphs.note_allocation()
            self._of_graphs.add(place)
        return place

    def wp_free_device_default(self, context: Any, place: int) -> None:
        self.arena.release(place)

    def wp_free_device_async(self, context: Any, place: int, stream: Any) -> None:
        if place not in self._of_graphs:
            self.arena.release(place)

    def wp_alloc_pinned(self, size: int, tag: Any) -> int:
        place = self._library.wp_alloc_host(size, tag)
        self._pinned[place] = size
        return place

    def wp_free_pinned(self, place: int) -> None:
        del self._pinned[place]
        self._library.wp_free_host(place)

    def wp_cuda_device_get_memory_info(self, ordinal: int, free: Any, total: Any) -> None:
        for place, value in ((free, self.arena.size - self.arena.used), (total, self.arena.size)):
            if place is not None:
                place._obj.value = value

    def wp_memcpy_h2d(self, context: Any, to: Any, of: Any, size: int, stream: Any) -> bool:
        if self._graphs.captures:
            self._fault(f"COPY of {size} bytes of the host's memory while a graph is captured, which reads it again in each replay")
        return self._move(to, of, size, device=[to])

    def wp_memcpy_d2h(self, context: Any, to: Any, of: Any, size: int, stream: Any) -> bool:
        return self._move(to, of, size, device=[of])

    def wp_memcpy_d2d(self, context: Any, to: Any, of: Any, size: int, stream: Any) -> bool:
        return self._move(to, of, size, device=[to, of])

    def wp_memset_device(self, context: Any, place: Any, value: int, size: int, stream: Any) -> bool:
        self._within("SET", place, size)
        self._do(lambda: ctypes.memset(place, value, size))
        return True

    def wp_memtile_device(self, context: Any, place: Any, of: Any, size: int, count: int) -> None:
        self._within("FILL", place, size * count)
        pattern = ctypes.string_at(of, size) * count
        self._do(lambda: ctypes.memmove(place, pattern, len(pattern)))

    def wp_array_fill_device(self, context: Any, array: Any, kind: int, value: Any, size: int) -> None:
        described, pattern = _held(array), ctypes.create_string_buffer(ctypes.string_at(value, size), size)
        self._do(lambda: self._library.wp_array_fill_host(ctypes.byref(described), kind, pattern, size))

    def wp_array_copy_device(self, context: Any, to: Any, of: Any, to_kind: int, of_kind: int, size: int) -> bool:
        one, other = _held(to), _held(of)
        self._do(lambda: self._library.wp_array_copy_host(ctypes.byref(one), ctypes.byref(other), to_kind, of_kind, size))
        return True

    def _move(self, to: int, of: int, size: int, device: list[int]) -> bool:
        for place in device:
            self._within("COPY", place, size)
        self._do(lambda: ctypes.memmove(to, of, size))
        return True

    def _pinned_spans(self) -> list[tuple[int, int]]:
        """Begin and size of what is pinned."""
        return list(self._pinned.copy().items())  # Python may collect garbage, and so release some, while this goes through them

    def _within(self, what: str, place: int, size: int) -> None:
        pinned = any(begin <= place and place + size <= begin + room for begin, room in self._pinned_spans())
        if size and not pinned and not self.arena.holds(place, size):
            raise RuntimeError(f"{what} of {size} bytes at {place:#x}, which is no memory of the device")

    # meshes and trees of boxes lie in the host's memory, and read points and boxes that lie in the device's

    def wp_mesh_create_device(self, context: Any, *arguments: Any) -> int:
        described = list(arguments)
        described[6] = min(described[6], _MEDIAN)
        with self.arena.open():
            return self._library.wp_mesh_create_host(*described)

    def wp_mesh_destroy_device(self, mesh: int) -> None:
        with self.arena.open():
            self._library.wp_mesh_destroy_host(mesh)

    def wp_mesh_refit_device(self, mesh: int) -> None:
        self._do(lambda: self._library.wp_mesh_refit_host(mesh))

    def wp_bvh_create_device(self, context: Any, lowers: Any, uppers: Any, count: int, how: int, groups: Any, leaf_size: int) -> int:
        with self.arena.open():
            return self._library.wp_bvh_create_host(lowers, uppers, count, min(how, _MEDIAN), groups, leaf_size)

    def wp_bvh_destroy_device(self, tree: int) -> None:
        with self.arena.open():
            self._library.wp_bvh_destroy_host(tree)

    def wp_bvh_refit_device(self, tree: int) -> None:
        self._do(lambda: self._library.wp_bvh_refit_host(tree))

    def wp_bvh_rebuild_device(self, tree: int) -> None:
        self._do(lambda: self._library.wp_bvh_rebuild_host(tree, _MEDIAN))

    # streams and events

    def wp_cuda_stream_create(self, context: Any, priority: int) -> int:
        return next(self._numbers)

    def wp_cuda_context_get_stream(self, context: Any) -> int | None:
        return None

    def wp_cuda_stream_synchronize(self, stream: Any) -> bool:
        return self._wait()

    def wp_cuda_context_synchronize(self, context: Any) -> bool:
        return self._wait()

    def wp_cuda_event_create(self, context: Any, flags: int) -> int:
        return next(self._numbers)

    def wp_cuda_event_record(self, event: int, stream: Any, external: Any = None) -> None:
        self._events[event] = time.perf_counter()

    def wp_cuda_event_synchronize(self, event: int) -> bool:
        return self._wait()

    def wp_cuda_event_elapsed_time(self, begin: int, end: int) -> float:
        return 1e3 * (self._events[end] - self._events[begin])

    def _wait(self) -> bool:
        if self._graphs.captures:
            self._fault("WAITING for the device while a graph is captured")
        return not self._graphs.captures

    # modules and kernels

    def wp_cuda_compile_program(self, text: bytes, *arguments: Any) -> int:
        Path(arguments[15].decode()).write_bytes(text)  # NVIDIA's compiler would write machine code there
        return 0

    def wp_cuda_load_module(self, context: Any, path: bytes) -> int:
        number = next(self._numbers)
        self._modules[number] = _Text(Path(path.decode()))
        return number

    def wp_cuda_get_kernel(self, context: Any, module: int, name: bytes) -> int:
        number = next(self._numbers)
        self._kernels[number] = (self._modules[module], name.decode())
        return number

    def wp_cuda_get_suggested_block_size(self, kernel: int, block: Any, grid: Any, *_: Any) -> bool:
        block._obj.value, grid._obj.value = 256, gpu.MULTIPROCESSORS
        return True

    def wp_cuda_launch_kernel(
        self, context: Any, kernel: int, size: int, most_blocks: int, block_dim: int, grid_stride: int, cluster: Any, shared: int, parameters: Any, stream: Any, info: Any,
    ) -> int:  # fmt: skip
        if not size:
            return 0
        text, name = self._kernels[kernel]
        held = [ctypes.string_at(parameters[i], size) for i, size in enumerate(text.sizes(name))]  # a launch takes what they are now
        blocks = -(-size // block_dim)
        if most_blocks > 0 and grid_stride:
            blocks = min(blocks, most_blocks)
        self.launched.add(source.key_of(name))
        self._do(lambda: self._run(text, name, held, blocks, block_dim))
        return 0

    def _run(self, text: _Text, name: str, held: list[bytes], blocks: int, block_dim: int) -> None:
        spans = [(begin, end, 0) for begin, end in self.arena.spans()]
        spans += [(begin, begin + size, 0) for begin, size in self._pinned_spans()]
        if text.reads_the_hosts:
            spans += anonymous()
        places = [(ctypes.cast(one, ctypes.c_void_p).value or 0, len(one)) for one in held]
        self._emulator.run(source.key_of(name), text.binary, name, places, spans, blocks, block_dim)


class _Text:
    """A module that was loaded: its CUDA text, compiled for emulation when one of its kernels first runs."""

    def __init__(self, path: Path):
        self._name, self._text = re.sub(r"\W+", "_", path.parent.name), path.read_text()
        self.reads_the_hosts = bool(re.search(r"\bwp::(mesh|bvh)_", self._text))  # where these lie
        self._sizes: dict[str, list[int]] = {}

    @functools.cached_property
    def binary(self) -> Binary:
        return Binary(self._name, source.as_cpp(self._text, sized=True), compiler.Form())

    def sizes(self, name: str) -> list[int]:
        """Bytes of each argument of a kernel."""
        if name not in self._sizes:
            found = ctypes.addressof(ctypes.c_uint64.in_dll(self.binary.library, f"emu_sizes_{name}"))
            sizes = (ctypes.c_uint64.from_address(found + 8 * i).value for i in itertools.count())
            self._sizes[name] = list(itertools.takewhile(bool, sizes))
        return self._sizes[name]


def _held(array: Any) -> Any:
    """A copy of the description of an array, which is the caller's."""
    described = array._obj if hasattr(array, "_obj") else array
    return type(described).from_buffer_copy(described)
