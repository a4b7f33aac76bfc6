"""Tasks in processes of their own: what a GPU does to one of them does not reach the others, and one that is late is ended."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from day.journal import Budget, Journal
from day.places import REPO, TOOL, Places

__all__ = ["Run"]

UNTOLD = ("folder", "with_stages", "peers")
"""Arguments of tasks that the log and the page leave out."""

LINES = 12
"""Lines of the log that are told of what went wrong."""

GRACE = 5.0
"""Seconds between asking a child to end and ending it."""


_ERROR = re.compile(r"\bWarp (?:CUDA |NVRTC )?error\b", flags=re.IGNORECASE)


@dataclass
class Run:
    """A slice under way.

    Attributes:
        places: Where things are.
        device: Warp device.
        budget: How long the slice may take.
        journal: What it writes.
        options: Of the command line.
        cut: What there was no time for.
        trouble: What ended with an error.
    """

    places: Places
    device: str
    budget: Budget
    journal: Journal
    options: Any
    cut: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)

    def task(self, name: str, arguments: dict[str, Any], before: tuple[str, ...] = (), **environment: str) -> int | None:
        """Run a function of ``day.tasks`` in a process of its own; ``before`` are words in front of the interpreter's, a tool's for instance."""
        words = [str(TOOL), "task", name, json.dumps({"device": self.device, "slice": self.journal.part, **arguments})]
        shown = (str(value) for key, value in arguments.items() if isinstance(value, str | int) and key not in UNTOLD)
        about = " ".join([*(Path(word).name for word in before[:1]), name, *shown])
        return self.call([*before, *self.places.python(*words)], about, **environment)

    def call(self, command: list[str], about: str, **environment: str) -> int | None:
        """Run a command and append what it says to the log.

        Returns:
            Its exit code; None where there was no time for it or it was ended.
        """
        if self.budget.left <= 0.0:
            self.cut.append(about)
            self.journal.write("cut", about=about, started=False)
            return None
        with self.places.log.open("ab") as log:
            begin = log.tell()
            log.write(f"\n== {self.journal.part}: {about}\n".encode())
            log.flush()
            code = _wait(command, log, self.places.environment(**environment), self.budget)
        if code is None:
            self.cut.append(about)
            self.journal.write("cut", about=about, started=True)
            return code
        said = self._said(begin)
        broke = [line.strip() for line in said if _ERROR.search(line)]  # of the device, which Warp printed and went on
        if code or broke:
            self.trouble.append(about)
            self.journal.write("trouble", about=about, code=code, said=broke[:LINES] or said[-LINES:])
        return code

    def _said(self, begin: int) -> list[str]:
        """Lines of the log from there on."""
        with self.places.log.open("rb") as log:
            log.seek(begin)
            return log.read().decode(errors="replace").splitlines()


def _wait(command: list[str], log: Any, environment: dict[str, str], budget: Budget) -> int | None:
    """Exit code of a command, None where the time was over before it ended."""
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=REPO, start_new_session=True)
    try:
        return process.wait(max(0.1, budget.left))
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        return None
    finally:  # also when interrupted: the child has a session of its own, in which it or children of its own would go on
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen, sign: int) -> None:
    """Send a signal to a child and its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, sign)
