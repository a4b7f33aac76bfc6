"""Memory of a device that is not there: apart from the host's, which must not touch it but by copies."""

from __future__ import annotations

import bisect
import ctypes
import mmap
from collections.abc import Iterator
from contextlib import contextmanager

PAGE = mmap.PAGESIZE
_NONE, _READ_WRITE = 0, 3  # of mprotect
_PRIVATE_ANONYMOUS_UNRESERVED = 0x2 | 0x20 | 0x4000
_DONT_NEED = 4

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Arena:
    """Memory that is there while it is ``open``. Whoever else reads or writes it ends the process (SIGSEGV).

    Each allocation begins at a page and has one behind it that is none's, so that what goes beyond it is found.

    Args:
        size: bytes of addresses; pages that are never touched take no memory.

    Attributes:
        size: The same.
        used: Bytes of what is allocated.
    """

    def __init__(self, size: int = 64 << 30):
        self.size, self.used = size, 0
        self._begin = _libc.mmap(None, size, _NONE, _PRIVATE_ANONYMOUS_UNRESERVED, -1, 0)
        self._next = self._begin + PAGE
        self._free: dict[int, list[int]] = {}  # by pages
        self._places: list[int] = []  # where allocations begin, sorted
        self._sizes: dict[int, int] = {}
        self._depth = 0

    def allocate(self, size: int) -> int:
        """Address of so many bytes, 0 where there is no room."""
        pages = -(-max(size, 1) // PAGE)
        if free := self._free.get(pages):
            place = free.pop()
        else:
            place = self._next
            if place + (pages + 1) * PAGE > self._begin + self.size:
                return 0
            self._next += (pages + 1) * PAGE
        bisect.insort(self._places, place)
        self._sizes[place] = size
        self.used += size
        return place

    def release(self, place: int) -> None:
        """Give an allocation back, with its pages."""
        size = self._sizes.pop(place)
        del self._places[bisect.bisect_left(self._places, place)]
        self.used -= size
        pages = -(-max(size, 1) // PAGE)
        _libc.madvise(place, pages * PAGE, _DONT_NEED)
        self._free.setdefault(pages, []).append(place)

    def holds(self, address: int, size: int) -> bool:
        """Whether so many bytes from an address on are within one allocation."""
        at = bisect.bisect_right(self._places, address) - 1
        return at >= 0 and address + size <= self._places[at] + self._sizes[self._places[at]]

    def describe(self, address: int) -> str:
        """Where an address is, seen from allocations."""
        if not self._begin <= address < self._next:
            return "the host's"
        at = bisect.bisect_right(self._places, address) - 1
        if at >= 0 and address < self._places[at] + -(-self._sizes[self._places[at]] // PAGE) * PAGE + PAGE:
            return f"byte {address - self._places[at]} of {self._sizes[self._places[at]]}"
        return "given back"

    def spans(self) -> list[tuple[int, int]]:
        """Begin and end of each allocation, sorted."""
        places = self._places.copy()  # Python may collect garbage, and so release some, while this goes through them
        return [(place, place + size) for place in places if (size := self._sizes.get(place))]

    @contextmanager
    def open(self) -> Iterator[None]:
        """Within it, the memory may be read and written."""
        if self._depth == 0:
            _libc.mprotect(self._begin, self._next - self._begin, _READ_WRITE)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                _libc.mprotect(self._begin, self._next - self._begin, _NONE)
