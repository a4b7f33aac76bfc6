"""Whether what is asked for fits in memory: a system that lends more than it has ends the process instead of refusing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import warp as wp

from newtonish.errors import CapacityError, problem

__all__ = ["available_memory", "check_memory", "free_memory", "lent"]


def check_memory(name: str, given: int, needed: int, device: Any, remedy: str) -> None:
    """Raise CapacityError if ``needed`` bytes are more than the device has free.

    Args:
        name: what asks for the memory.
        given: the number it was set to.
        needed: bytes.
        device: Warp device.
        remedy: what to do.
    """
    free = free_memory(device)
    if free is not None and needed > free:
        text = f"{given}, which takes {needed / 2**30:,.1f} GiB"
        raise CapacityError(problem(name, text, f"the {free / 2**30:,.1f} GiB that {device} has free", remedy))


@contextmanager
def lent(name: str, given: str, remedy: str) -> Iterator[None]:
    """Within it, raise CapacityError where the system refuses memory that seemed free: it may bound what one process takes."""
    try:
        yield
    except (MemoryError, OSError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "Failed to allocate" not in str(error):  # Warp's own
            raise
        raise CapacityError(problem(name, f"{given}, for which the system lends no memory ({error})", "what it lends to this process", remedy)) from error


def free_memory(device: Any) -> int | None:
    """Free memory of a device [bytes]; None where the system does not tell."""
    device = wp.get_device(device)
    return int(device.free_memory) if device.is_cuda else _host_memory()


def available_memory() -> int:
    """Free memory of the host [bytes]; a terabyte where the system does not tell."""
    free = _host_memory()
    return 1 << 40 if free is None else free


def _host_memory() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
