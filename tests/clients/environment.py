"""Virtual environments of clients: each has its own versions of MuJoCo and PyTorch, beside which newtonish is installed as it is here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Environment:
    """A virtual environment with a client and an editable newtonish, made at first use.

    Args:
        folder: Where it lies; kept for the next run.
        requirements: What pip installs, the client among them.
        python: Interpreter of an environment that has all of it already; None: one is made.
    """

    def __init__(self, folder: Path, requirements: list[str], python: Path | None = None) -> None:
        self.folder, self.requirements, self.given = folder, requirements, python
        self.python = python or folder / "bin" / "python"

    def make(self) -> None:
        """Make it, unless the same requirements were installed there before."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.given:
            return
        stamp, wanted = self.folder / "installed.json", json.dumps([*self.requirements, str(ROOT)])
        if stamp.exists() and stamp.read_text() == wanted:
            return
        print(f"installing {', '.join(self.requirements)} in {self.folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", self.folder], check=True)
        subprocess.run([self.python, "-m", "pip", "install", "-q", *self.requirements, "-e", ROOT], check=True)
        stamp.write_text(wanted)

    def versions(self, *names: str) -> str:
        """Names and versions of packages, for a page."""
        text = f"from importlib.metadata import version; print(', '.join(n + ' ' + version(n) for n in {names!r}))"
        return subprocess.run([self.python, "-c", text], check=True, capture_output=True, text=True).stdout.strip()
