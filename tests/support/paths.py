"""Where test models are found; the shared folder of real models lies beside the repository."""

import os
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
SHARED = REPO.parent / "shared" / "models"
OWN = REPO / "tests" / "models"


def shared_model(relative: str) -> Path:
    """Path of a real test model; its absence is a failure in CI and a skip on a clone without the folder."""
    path = SHARED / relative
    if not path.exists():
        if os.environ.get("CI"):
            pytest.fail(f"test model {relative} is missing: {SHARED} must lie beside the repository in CI")
        pytest.skip(f"{relative} needs the folder of real models beside the repository")
    return path
