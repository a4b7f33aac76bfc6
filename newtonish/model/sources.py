"""What kind of model a source is, as far as its name or its type tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["USD_SUFFIXES", "is_usd", "title_of"]

USD_SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")
"""Ends of the names of files that are USD stages."""


COMMON = ("scene",)
"""File names that collections of models use again in every folder."""


def title_of(path: Path) -> str:
    """What a run of a model file is called: the file's name, with its folder before it where many files are called alike."""
    path = Path(path)
    folder = path.resolve().parent.name
    return f"{folder}/{path.name}" if path.stem.lower() in COMMON and folder else path.name


def is_usd(source: Any) -> bool:
    """Whether a source is the path of a USD stage, or an open one."""
    if isinstance(source, (str, Path)):
        return "\n" not in str(source) and Path(str(source)).suffix.lower() in USD_SUFFIXES
    return hasattr(source, "GetPseudoRoot") and hasattr(source, "Traverse")
