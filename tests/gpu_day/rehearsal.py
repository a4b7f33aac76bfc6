"""A day in a folder, on the CPU, with little of everything; for tests."""

from __future__ import annotations

from pathlib import Path

from day.command import main
from day.journal import read

__all__ = ["Day"]

LITTLE = ("--result-worlds", "3", "--steps", "24")
OF_A_RUN = ("--device", "cpu", "--copies", "64", "--turn", "5", "--repeats", "1")


class Day:
    """Calls the command line in this process; its tasks run in processes of their own."""

    def __init__(self, out: Path) -> None:
        self.out = out

    def __call__(self, command: str, *words: str) -> int:
        fixed = (*LITTLE, *OF_A_RUN) if command == "run" else LITTLE
        return main([command, *words, *fixed, "--out", str(self.out)])

    def records(self, part: str) -> list[dict]:
        """What a slice wrote."""
        return [record for record in read([self.out]) if record["slice"] == part]
