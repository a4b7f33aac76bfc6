"""OpenUSD stages with UsdPhysics, ``mjc:*``, ``newton:*`` and ``physx*`` opinions: :func:`add_usd` reads one into a ModelBuilder.

A stage becomes the tree of elements that the MJCF reader makes of text (bodies, joints, geoms, tendons, actuators...), its
values already in SI units and radians; from there on both formats share one road, so that limits, inertia, ranges and
keyframes have one meaning. What MJCF has no word for (drives, gains of limits, loop-closing joints, velocities) is kept
beside the tree and written into the builder after it.

The library that opens stages (PyPI ``usd-core``) is loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newtonish.importers.usd.load import add_usd

__all__ = ["add_usd"]


def __getattr__(name: str) -> Any:
    """Load :func:`add_usd`."""
    if name != "add_usd":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from newtonish.importers.usd.runtime import need_usd

    need_usd()
    from newtonish.importers.usd.load import add_usd

    return add_usd
