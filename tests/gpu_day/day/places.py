"""Where the slices find things: in a checkout with its packages installed, or in a folder that ``unpack`` made."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MANIFEST", "REPO", "TOOL", "Places"]

TOOL = Path(__file__).resolve().parents[1]
"""The folder that is run: ``tests/gpu_day``."""

REPO = TOOL.parents[1]
MANIFEST = "day.json"
"""What an unpacked folder has at its top, beside ``project``, ``shared``, ``site``, ``cache`` and ``results``."""


@dataclass(frozen=True)
class Places:
    """The folders of a day.

    Attributes:
        out: Where slices write ``day.jsonl`` and ``day.log``.
        day: What ``unpack`` made; None: the checkout and the packages of this interpreter.
    """

    out: Path
    day: Path | None = None

    @classmethod
    def of(cls, out: Path) -> Places:
        """The places of this tool: those around it where it was unpacked."""
        return cls(out.resolve(), REPO.parent if (REPO.parent / MANIFEST).is_file() else None)

    @property
    def journal(self) -> Path:
        return self.out / "day.jsonl"

    @property
    def log(self) -> Path:
        return self.out / "day.log"

    @property
    def results(self) -> Path:
        """Results of the CPU, from ``pack`` or made here."""
        return (self.out if self.day is None else self.day) / "results"

    @property
    def scratch(self) -> Path:
        """For files that no report needs; hidden, so that copying ``out`` is little."""
        folder = self.out / ".scratch"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of a child: packages and kernels of the unpacked folder come first."""
        path = [str(TOOL), str(REPO / "tests" / "support")]
        # a pytest that runs this, as the rehearsal does, is none of the child's business
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
        found = {**inherited, "GPU_DAY_OUT": str(self.out), "PYTHONUNBUFFERED": "1", **more}
        if self.day is not None:
            path.insert(0, str(self.day / "site"))
            found["WARP_CACHE_PATH"] = str(self.day / "cache")
        found["PYTHONPATH"] = os.pathsep.join([*path, *filter(None, [os.environ.get("PYTHONPATH", "")])])
        return found

    def python(self, *words: str) -> list[str]:
        """A command of this interpreter that does not look for packages in the working folder."""
        return [sys.executable, *["-S"] * sys.flags.no_site, "-P", *words]
