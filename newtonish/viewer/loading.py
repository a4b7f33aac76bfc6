"""From what a viewer is asked to show to a Model: files of every kind, in one world or many, or a finished model."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from newtonish.errors import NewtonishWarning

__all__ = ["build_model", "file_of", "heard"]


def file_of(source: Any) -> Path | None:
    """The file that a source names; None for anything that cannot be read again."""
    if isinstance(source, PathLike) or (isinstance(source, str) and not source.lstrip("\ufeff \t\r\n").startswith("<")):
        return Path(source)
    return None


def build_model(source: Any, worlds: int = 1, device: Any = None) -> tuple[Any, list[str]]:
    """A finished model, and what its importer warned about.

    Args:
        source: Path of an MJCF, URDF or USD file or of an archive of compiled arrays (.npz), the text of an MJCF or URDF file, a
            model of ``newtonish.mjcf``, or a finished Model, which is returned as it is.
        worlds: Number of copies of what the file holds; for files only.
        device: Warp device; None: Warp's current one.

    Raises:
        ImporterError: Everything wrong with the file, each with its place.
        OSError: The file cannot be read.
    """
    if hasattr(source, "joint_q") and hasattr(source, "body_count"):
        return source, []
    messages: list[str] = []
    with heard(messages):
        model = _builder(source, worlds).finalize(device=device)
    return model, messages


@contextmanager
def heard(messages: list[str]) -> Iterator[None]:
    """Add warnings of ours that are raised inside to ``messages``, each once and in one line, in place of showing them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for entry in caught:
        line = " ".join(str(entry.message).split())
        if issubclass(entry.category, NewtonishWarning) and line not in messages:
            messages.append(line)


def _builder(source: Any, worlds: int) -> Any:
    """What the file holds, as often as there are worlds."""
    from newtonish.model.builder import ModelBuilder

    one = ModelBuilder()
    _read(one, str(source) if isinstance(source, PathLike) else source)
    if worlds == 1:
        return one
    many = ModelBuilder()
    many.replicate(one, worlds)
    return many


def _read(builder: Any, source: Any) -> None:
    """Read a source into a builder; archives of compiled arrays go through the MJCF that they stand for."""
    from newtonish.exporters.archive import is_archive, read_archive
    from newtonish.exporters.mjcf import save_to_mjcf
    from newtonish.mjw.from_file import read_source

    if is_archive(source):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{Path(source).stem}.xml"
            save_to_mjcf(read_archive(source).compiled, path)
            builder.add_mjcf(str(path))
    else:
        read_source(builder, source)
