"""NVIDIA's tools, on the path or where its toolkit installs them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["find"]

PLACES = ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer", "/opt/nvidia/nsight-compute/*")


def find(name: str) -> str | None:
    """The path of a tool; None where there is none."""
    folders = [str(folder) for pattern in PLACES for folder in sorted(Path("/").glob(pattern.lstrip("/")), reverse=True)]
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *folders]))
