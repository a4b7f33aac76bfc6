"""What ``add_mjcf`` takes as a source: the path of a file, the text itself, or an object model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError, problem
from newtonish.importers.mjcf.lengths import Lengths
from newtonish.importers.mjcf.macros.copies import Model
from newtonish.importers.mjcf.models import ModelReader
from newtonish.mjcf.language.include import Resolver, read_bytes
from newtonish.mjcf.language.read import decode

__all__ = ["is_model", "parse"]


def parse(source: Any, resolver: Resolver | None, most: int, files: Path, lengths: Lengths) -> tuple[Model, Diagnostics]:
    """Read the text with its includes and attached models and check every word of it.

    An object model puts the files it holds into the folder ``files``.
    """
    if is_model(source):
        name, folder, main = f"<{source.model or 'model'}>", files, None
        text = source.to_xml_string()
        for asset, contents in source.get_assets().items():
            (files / asset).write_bytes(contents)
    elif isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        name, folder, main = "<string>", Path(), None
        text = source.lstrip("\ufeff")
    else:
        main = _path(source)
        if main.suffix.lower() == ".npz":
            remedy = "load it with newtonish.mjw.load, or write it as MJCF with 'newtonish convert'"
            raise ImporterError(problem(str(source), "compiled arrays", "an MJCF file, or XML text", remedy))
        name, folder = str(source), main.parent
        text = decode(read_bytes(main), name)
    log = Diagnostics(name)
    return ModelReader(resolver, log, most, lengths).read(text, name, folder, main), log


def is_model(source: Any) -> bool:
    """Whether a source is the root of an object model, which stands above this package."""
    return hasattr(source, "to_xml_string") and hasattr(source, "get_assets")


def _path(source: str | Path) -> Path:
    """Return the path of an existing file."""
    what = "no such file"
    try:
        path = Path(source)
        found = path.is_file()
        what = "a folder" if str(source) and path.is_dir() else what
    except (TypeError, ValueError, OSError):
        found = False
    if not found:
        given = str(source)
        given = given if len(given) <= 200 else given[:197] + "..."
        raise ImporterError(problem(f"{given}", what, "the path of an MJCF file, or XML text", "check the path"))
    return path
