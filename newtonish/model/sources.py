"""What kind of model a source is, as far as its name or its type tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["USD_SUFFIXES", "is_usd"]

USD_SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")
"""Ends of the names of files that are USD stages."""


def is_usd(source: Any) -> bool:
    """Whether a source is the path of a USD stage, or an open one."""
    if isinstance(source, (str, Path)):
        return "\n" not in str(source) and Path(str(source)).suffix.lower() in USD_SUFFIXES
    return hasattr(source, "GetPseudoRoot") and hasattr(source, "Traverse")
