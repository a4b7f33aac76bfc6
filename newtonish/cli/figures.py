"""What ``--plot`` needs of matplotlib: whether it is there, and saving what it has drawn."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from newtonish.cli.arguments import UsageError
from newtonish.errors import problem

__all__ = ["check_matplotlib", "save_figure"]


def check_matplotlib() -> None:
    """Raise UsageError before a long run when the picture could not be drawn after it."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        remedy = "install it with pip install 'newtonish[plot]'"
        raise UsageError(problem("--plot", "no matplotlib", "an installed matplotlib", remedy)) from None


def save_figure(figure: Any, path: Path, dpi: int = 80) -> None:
    """Write a figure into a picture file whose kind its name says, and close it.

    Raises:
        UsageError: The file cannot be written, or its kind is not known.
    """
    from matplotlib import pyplot

    try:
        figure.savefig(path, dpi=dpi)
    except (ValueError, OSError) as error:
        remedy = "name a .png, .svg or .pdf file"
        raise UsageError(problem(f"--plot {os.fspath(path)!r}", str(error), "a picture file", remedy)) from error
    finally:
        pyplot.close(figure)
