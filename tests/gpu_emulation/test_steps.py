"""Whole steps in the CUDA form of every kernel: no report, and the results of the CPU's own form."""

import pytest
from cases import CASES, Case
from emulation.emulator import Emulator, Schedule
from emulation.stepping import differences, prepare, steps

from newtonish import mjw

WORLDS = 2
# sums over lanes are taken in another order than on a CPU; float32 keeps seven digits
TOLERANCE = 1e-5
# what a case's results may differ by, where rounding is magnified
LOOSER = {
    "discrete_cg": 2e-4,  # forces of stiff rows, each the stiffness times a residual that conjugate gradients leave
    "tendons": 3e-5,  # opposite contact forces that cancel in the generalized force
}


def compare_step(case: Case, block_dim: int, schedule: Schedule) -> None:
    """One step from a warm state in both forms, on worlds that differ."""
    m = case.load()
    here, there = (prepare(m, WORLDS, case.warm) for _ in range(2))
    emulator = Emulator(schedule=schedule)
    mjw.step(m, here)
    steps(m, there, emulator, block_dim)
    assert emulator.reports() == []
    allowed = LOOSER.get(case.name, TOLERANCE)
    assert [found for found in differences(here, there) if not found.size <= allowed] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_step(case):
    compare_step(case, 64, Schedule.RANDOM)
