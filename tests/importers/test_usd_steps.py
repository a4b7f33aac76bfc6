"""Every real stage imports with a report and steps a thousand times in eight unequal worlds; ``tests/support/import_sweep.py`` is the command."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pxr")

from import_sweep import files, seconds_of_import, step
from paths import SHARED, shared_model

STAGES = [path for path in files() if path.suffix != ".urdf"]


@pytest.mark.parametrize("path", STAGES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_thousand_steps_in_eight_worlds(path: Path, device: str) -> None:
    m, finite = step(path, 1000, 8, device)
    assert finite
    assert m.report.contents and (m.report.kept or not m.nbody)
    assert {line.fate for line in m.report.contents} <= {"kept", "approximated", "ignored"}


def test_every_stage_is_there() -> None:
    """As many as the folder's page lists: 24 that mujoco-usd-converter made and 12 of Newton's."""
    shared_model("usd_generated")
    made = [path for path in STAGES if "usd_generated" in str(path.relative_to(SHARED))]
    assert (len(made), len(STAGES) - len(made)) == (24, 12)


def test_a_stage_of_robots() -> None:
    """The stage whose import the command times, with a few of them."""
    shared_model("usd_newton/tests/assets/ant.usda")
    prims, seconds = seconds_of_import(3)
    assert prims == 1 + 1 + 3 * 63 and seconds > 0
