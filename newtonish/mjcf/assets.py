"""Files that a model refers to, kept by their contents."""

from __future__ import annotations

import hashlib
import posixpath
from pathlib import Path
from typing import Any

from newtonish.arguments import checked_methods
from newtonish.files import read_file
from newtonish.mjcf.language.limits import limits
from newtonish.mjcf.problems import refuse, short

__all__ = ["Asset", "load_asset"]


class Asset:
    """The contents of a file: a mesh, a texture, a heightfield, or a model to attach.

    Written models refer to it by a name that is made from its contents, so files of the same name in different
    folders do not meet, and equal ones are written once.

    Args:
        contents: Bytes, or text, which is encoded as UTF-8.
        extension: What the file's name ends with, with its dot: it says how to read the contents.
        prefix: Begin of the name in written models.
    """

    def __init__(self, contents: bytes | str, extension: str, prefix: str = "") -> None:
        if isinstance(contents, str):
            contents = contents.encode("utf-8")
        if not isinstance(contents, (bytes, bytearray)):
            refuse("Asset, contents", short(contents), "bytes or text", "read the file first")
        if not isinstance(extension, str) or (extension and not extension.startswith(".")) or "/" in extension:
            refuse("Asset, extension", short(extension), "an ending with its dot, like '.stl'", "correct it")
        self.contents = bytes(contents)
        self.extension = extension
        self.prefix = prefix.removesuffix("-" + hashlib.sha1(self.contents).hexdigest())  # of a file written here
        self.default_name = self.prefix
        """Name of an element that names this file and has no name of its own."""
        self.parts: dict[str, bytes] = {}
        """Further files that the contents refer to, by name; for models with assets of their own."""
        self.sources: tuple[Path, ...] = ()
        """Files that the contents and those of ``parts`` were read from, links followed."""

    def get_vfs_filename(self, filename_with_hash: bool = True) -> str:
        """Return the name in written models: ``prefix-<sha1 of the contents>.extension``."""
        if not filename_with_hash and self.prefix:
            return self.prefix + self.extension
        digest = hashlib.sha1(self.contents).hexdigest()
        return f"{self.prefix}-{digest}{self.extension}" if self.prefix else digest + self.extension

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Asset) and (self.contents, self.extension) == (other.contents, other.extension)

    def __hash__(self) -> int:
        return hash((self.contents, self.extension))

    def __repr__(self) -> str:
        return f"Asset({len(self.contents)} bytes, {self.get_vfs_filename()!r})"


checked_methods(Asset)


def load_asset(label: str, name: str, folder: Path, assets: dict[str, bytes | str]) -> Asset:
    """Return the contents of a file: from ``assets`` by its path or its bare name, else from the folder.

    Raises:
        ModelError: There is no such file.
    """
    path = folder / name
    extension, stem = path.suffix, path.stem
    for key in (str(path), path.as_posix(), posixpath.normpath(path.as_posix()), name, path.name):
        if key in assets:
            return Asset(assets[key], extension, stem)
    try:
        asset = Asset(read_file(path, limits().size), extension, stem)
        asset.sources = (path.resolve(),)
        return asset
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        refuse(label, f"{name!r} ({reason}: {path})", "a file that can be read", "check the path, or pass its contents")
