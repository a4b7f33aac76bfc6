"""What slices find: one JSON object a line, written as it is found, so that a cut leaves what is done."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["Budget", "Journal", "read"]


class Journal:
    """Appends lines to a file; several processes may.

    Args:
        path: The file.
        part: The slice that writes.
    """

    def __init__(self, path: Path, part: str) -> None:
        self._path, self.part = path, part
        path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, kind: str, **fields: Any) -> None:
        """Append one line and give it to the system at once."""
        when = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        line = json.dumps({"slice": self.part, "kind": kind, "when": when, **fields}, default=str)
        with self._path.open("a", encoding="utf-8") as file:  # one write of one line: lines of two processes do not mix
            file.write(f"{line}\n")

    def records(self) -> list[dict[str, Any]]:
        """What the file has of this slice."""
        return [record for record in read([self._path]) if record["slice"] == self.part]


def read(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Lines of journals, folders being searched for them; a last line that was cut is left out."""
    found: list[dict[str, Any]] = []
    for path in paths:
        for file in sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]:
            for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
                try:
                    found.append(json.loads(line))
                except json.JSONDecodeError:
                    continue
    return found


class Budget:
    """Seconds that a slice has."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._start = time.monotonic()

    @property
    def spent(self) -> float:
        return time.monotonic() - self._start

    @property
    def left(self) -> float:
        return self.seconds - self.spent
