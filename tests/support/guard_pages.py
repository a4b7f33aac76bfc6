"""CPU arrays that end at a page nobody may touch: a kernel that writes or reads past one stops at that instruction.

``pytest --guard-pages -o addopts="--import-mode=importlib" tests/kernels``: kernels run at full speed, unlike in Warp's
debug mode, and native snippets are watched as well. A freed array is unmapped, so that its use is found too. Arrays
begin on multiples of four bytes and hold 0xCB until they are written. Linux only.
"""

from __future__ import annotations

import ctypes
import mmap

from warp._src import context

PAGE = mmap.PAGESIZE
ALIGNMENT = 4
READ_WRITE, NONE = mmap.PROT_READ | mmap.PROT_WRITE, 0
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
FILL = 0xCB

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_FAILED = ctypes.c_void_p(-1).value

_mapped: dict[int, tuple[int, int]] = {}  # address of an array: its first page and how many bytes are mapped


def _allocate(_allocator, size: int) -> int:
    length = -(-size // ALIGNMENT) * ALIGNMENT
    room = -(-length // PAGE) * PAGE
    start = _libc.mmap(None, room + PAGE, READ_WRITE, PRIVATE, -1, 0)
    if start in (None, _FAILED) or _libc.mprotect(start + room, PAGE, NONE):
        raise MemoryError(f"guard page after {size} bytes: errno {ctypes.get_errno()}; more mappings than vm.max_map_count?")
    array = start + room - length
    ctypes.memset(array, FILL, size)
    _mapped[array] = (start, room + PAGE)
    return array


def _deallocate(_allocator, array: int, _size: int) -> None:
    _libc.munmap(*_mapped.pop(array))


def install() -> None:
    """Every Warp array on the CPU from now on has its guard page."""
    context.CpuDefaultAllocator.allocate = _allocate
    context.CpuDefaultAllocator.deallocate = _deallocate
