"""What a GPU and its driver must have: kernels take up to 20 KB of arguments, which CUDA passes since 12.1.

Before, 4 KB were the limit, and such kernels could not be loaded; an error of the driver's would not tell why.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.errors import UnsupportedError, problem, raise_all

__all__ = ["LEAST_CUDA", "check_driver", "driver_problems"]

LEAST_CUDA = (12, 1)
"""CUDA version of the oldest driver that loads the kernels; NVIDIA numbers it 530."""

LEAST_ARCH = 70
"""Oldest architecture for which it does (Volta)."""


def driver_problems(name: str, device: Any) -> list[str]:
    """What of a CUDA device rules it out, each in four parts; nothing for a CPU.

    Args:
        name: what asks for the device, for the message.
        device: Warp device.
    """
    if not device.is_cuda:
        return []
    found = []
    version = wp.get_cuda_driver_version()
    if version is not None and version < LEAST_CUDA:
        given = f"a driver of CUDA {version[0]}.{version[1]}, which passes at most 4 KB of arguments to a kernel"
        allowed = f"a driver of CUDA {LEAST_CUDA[0]}.{LEAST_CUDA[1]} (530) or later"
        found.append(problem(f"{name} {device}", given, allowed, "install a newer NVIDIA driver, or use the device cpu"))
    if device.arch < LEAST_ARCH:
        given = f"a {device.name} of compute capability {device.arch // 10}.{device.arch % 10}"
        found.append(problem(f"{name} {device}", given, "7.0 (Volta) or later", "use another GPU, or the device cpu"))
    return found


def check_driver(name: str, device: Any) -> None:
    """Raise UnsupportedError if kernels cannot be loaded on a device; arguments as of ``driver_problems``."""
    raise_all(UnsupportedError, name, driver_problems(name, device))
