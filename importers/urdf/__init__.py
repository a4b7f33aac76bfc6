"""URDF, the robot description format of ROS: :func:`add_urdf` reads a file or text into a ModelBuilder.

It is loaded on first use, as the readers of other formats are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newtonish.importers.urdf.load import add_urdf

__all__ = ["add_urdf"]


def __getattr__(name: str) -> Any:
    """Load :func:`add_urdf`."""
    if name != "add_urdf":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from newtonish.importers.urdf.load import add_urdf

    return add_urdf
