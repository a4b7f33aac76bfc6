"""Names of files, as this system writes them."""

from __future__ import annotations

__all__ = ["portable"]


def portable(name: str) -> str:
    """A path with this system's separators: MuJoCo takes backslashes for separators everywhere."""
    return name.replace("\\", "/")
