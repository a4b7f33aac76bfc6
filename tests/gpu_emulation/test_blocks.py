"""Blocks of other sizes, and other orders of the lanes."""

import pytest
from cases import CASES
from emulation.emulator import Schedule
from test_steps import compare_step


@pytest.mark.parametrize("block_dim", [32, 128])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_step(case, block_dim):
    compare_step(case, block_dim, Schedule.PREEMPTIVE if block_dim == 32 else Schedule.DESCENDING)
