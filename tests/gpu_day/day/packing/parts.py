"""A folder as parts of one compressed archive, with a manifest; ``unpack.py`` joins them again."""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

from day.packing import unpack

__all__ = ["write"]

MIB = 1 << 20


def write(tree: Path, target: Path, size: float, facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Write a folder's content as parts, the manifest, and the script that unpacks them.

    Args:
        tree: The folder.
        target: Where the parts go; parts that are there already go away.
        size: Of a part at most [MiB].
        facts: For the manifest.

    Returns:
        Name, bytes and hash of each part.
    """
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("day.*"):
        old.unlink()
    sink = _Parts(target, int(size * MIB))
    with tarfile.open(fileobj=sink, mode="w|xz") as archive:
        for path in sorted(tree.rglob("*")):
            if not path.is_dir():
                archive.add(path, arcname=str(path.relative_to(tree)), recursive=False, filter=_anonymous)
    parts = sink.close()
    (target / unpack.MANIFEST).write_text(json.dumps({**facts, "parts": parts}, indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(unpack.__file__, target / "unpack.py")
    return parts


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """An entry that says nothing of who packed it and when."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


class _Parts:
    """A file that is written in parts of a size."""

    def __init__(self, target: Path, size: int) -> None:
        self._target, self._size = target, size
        self._parts: list[Path] = []
        self._file: Any = None
        self._room = 0

    def write(self, data: bytes) -> int:
        rest = memoryview(data)
        while rest:
            if not self._room:
                self._next()
            done = self._file.write(rest[: self._room])
            self._room -= done
            rest = rest[done:]
        return len(data)

    def _next(self) -> None:
        if self._file is not None:
            self._file.close()
        self._parts.append(self._target / f"day.tar.xz.{len(self._parts):02d}")
        self._file, self._room = self._parts[-1].open("wb"), self._size

    def close(self) -> list[dict[str, Any]]:
        self._file.close()
        return [{"name": path.name, "bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()} for path in self._parts]
