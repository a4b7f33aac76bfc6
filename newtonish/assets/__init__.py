"""Models that ship with the package."""

from pathlib import Path

__all__ = ["HUMANOID", "asset_path"]

HUMANOID = "mannequin.xml"
"""File name of the packaged humanoid, the default model of the command line."""


def asset_path(name: str = HUMANOID) -> Path:
    """Path of a packaged model file."""
    return Path(__file__).resolve().parent / name
