"""Joins the parts of a packed day and unpacks them. Plain Python of 3.11 or newer, nothing else is needed.

    python unpack.py PARTS... --into FOLDER

Parts may come a few at a time: they are kept in FOLDER until all are there. Then

    python FOLDER/project/tests/gpu_day run devices --out OUT
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tarfile
from pathlib import Path
from typing import Any

MANIFEST = "day.json"
# nothing outside of the folder is written; 3.11.4 is the first 3.11 that can be told so
SAFELY: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


def main(words: list[str] | None = None) -> int:
    """Carry out the command; exit code 3 says that parts are missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="+", type=Path, help="folders or files of parts, and their day.json")
    parser.add_argument("--into", required=True, type=Path, help="folder to unpack into")
    arguments = parser.parse_args(words)
    missing = unpack(arguments.parts, arguments.into)
    if missing:
        print(f"{len(missing)} parts are missing: {', '.join(missing)}")
        return 3
    print(f"unpacked: python {arguments.into / 'project' / 'tests' / 'gpu_day'} run devices --out OUT")
    return 0


def unpack(places: list[Path], into: Path) -> list[str]:
    """Take over the parts that there are, and unpack once all are there.

    Returns:
        Names of the parts that are still missing.
    """
    if (into / MANIFEST).exists():
        return []
    store = into / ".parts"
    store.mkdir(parents=True, exist_ok=True)
    for file in (file for place in places for file in (sorted(place.iterdir()) if place.is_dir() else [place])):
        if file.name == MANIFEST or file.name.startswith("day.tar.xz."):
            shutil.copyfile(file, store / file.name)
    if not (store / MANIFEST).exists():
        raise SystemExit(f"{MANIFEST}: not among {', '.join(map(str, places))}; it lies beside the first part, carry it along")
    manifest = json.loads((store / MANIFEST).read_text(encoding="utf-8"))
    missing = [part["name"] for part in manifest["parts"] if not _is_whole(store / part["name"], part)]
    if not missing:
        with tarfile.open(fileobj=_Joined([store / part["name"] for part in manifest["parts"]]), mode="r|xz") as archive:
            archive.extractall(into, **SAFELY)
        shutil.move(store / MANIFEST, into / MANIFEST)
        shutil.rmtree(store)
    return missing


def _is_whole(path: Path, part: dict[str, Any]) -> bool:
    """Whether a part is there as it was packed; one that is not is as good as missing."""
    return path.exists() and path.stat().st_size == part["bytes"] and hashlib.sha256(path.read_bytes()).hexdigest() == part["sha256"]


class _Joined:
    """Files read one after the other as if they were one."""

    def __init__(self, paths: list[Path]) -> None:
        self._files = [path.open("rb") for path in paths]

    def read(self, size: int) -> bytes:
        while self._files:
            found = self._files[0].read(size)
            if found:
                return found
            self._files.pop(0).close()
        return b""


if __name__ == "__main__":
    sys.exit(main())
