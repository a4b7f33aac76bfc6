"""Whole steps in the CUDA form of every kernel, with the lanes that the mapping chooses: no report, and the results of the CPU's own form."""

import pytest
from cases import CASES
from comparison import compare
from emulation.emulator import Schedule


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_step(case):
    compare(case, "", Schedule.RANDOM)
