"""Readers of model files: text in, calls of a ModelBuilder out."""

from __future__ import annotations

from typing import Any

if __name__ != "newtonish.importers":
    raise ImportError(
        f"this package was imported as '{__name__}'; allowed: 'newtonish.importers'; install newtonish "
        "(pip install -e .) and import it by that name, otherwise its classes would exist twice."
    )

__all__ = ["ImportReport", "add_mjcf", "add_urdf"]


def __getattr__(name: str) -> Any:
    """Import public names when they are first used."""
    if name == "add_mjcf":
        from newtonish.importers.mjcf import add_mjcf

        return add_mjcf
    if name == "add_urdf":
        from newtonish.importers.urdf import add_urdf

        return add_urdf
    if name == "ImportReport":
        from newtonish.diagnostics import ImportReport

        return ImportReport
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
