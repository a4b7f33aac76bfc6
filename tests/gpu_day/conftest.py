"""A day in a temporary folder for every test that asks for one."""

import sys
from pathlib import Path

import pytest
from rehearsal import Day

collect_ignore_glob = [] if sys.version_info >= (3, 11) else ["test_*.py"]  # a day needs 3.11, as MuJoCo 4.0 does


@pytest.fixture
def day(tmp_path: Path) -> Day:
    return Day(tmp_path / "out")
