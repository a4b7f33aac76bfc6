"""Other numbers of lanes a world, and other orders of the lanes: one setting a case, all of them by ``all_lanes.py``."""

import pytest
from cases import CASES
from comparison import compare
from settings import FEW, SETTINGS, rotated

CHOSEN = [(case, *rotated(index, FEW if case.name.startswith("gradients") else SETTINGS)) for index, case in enumerate(CASES)]


@pytest.mark.parametrize("case, setting, schedule", CHOSEN, ids=[f"{case.name}-{setting}-{schedule.name.lower()}" for case, setting, schedule in CHOSEN])
def test_a_step(case, setting, schedule):
    compare(case, setting, schedule)
