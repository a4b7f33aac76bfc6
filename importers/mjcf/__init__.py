"""MJCF, MuJoCo's file format: :func:`add_mjcf` reads a file or text into a ModelBuilder.

It is loaded on first use, so that the table of MJCF's words can be had without what a builder needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newtonish.importers.mjcf.load import add_mjcf

__all__ = ["add_mjcf"]


def __getattr__(name: str) -> Any:
    """Load :func:`add_mjcf`."""
    if name != "add_mjcf":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from newtonish.importers.mjcf.load import add_mjcf

    return add_mjcf
