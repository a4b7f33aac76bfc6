"""What runs in processes of its own: ``python tests/gpu_day task NAME '{"device": ..., ...}'`` calls the function of that name.

A task writes its records into the journal of the day itself, and prints for people.
"""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

from day.journal import Journal

__all__ = ["TASKS", "run"]

TASKS = {
    "look": "devices",
    "agree": "agreement",
    "copies": "copies",
    "results": "results",
    "bench": "bench",
    "burst": "bench",
    "steps": "steps",
    "kernels": "kernels",
    "peer_kernels": "peer_kernels",
}
"""Which module of this package defines each task."""


def run(name: str, arguments: dict[str, Any]) -> int:
    """Carry out a task; what it does not return from is seen by the process that started this one."""
    part = arguments.pop("slice")
    journal = Journal(Path(os.environ["GPU_DAY_OUT"]) / "day.jsonl", part)
    function = getattr(importlib.import_module(f"day.tasks.{TASKS[name]}"), name)
    print(f"{name} {json.dumps(arguments)}", flush=True)
    function(journal, **arguments)
    return 0
