"""Steps between Newton's states in the CUDA form of the bridge's kernels, at several lanes a world."""

import bridge
import numpy as np
import pytest
from emulation.emulator import Emulator, Schedule
from emulation.stepping import emulating, launching_plainly
from lanes_setting import lanes_set

from newtonish.kernels.runtime.launch import planned

TOLERANCE = 2e-5


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("setting, schedule", [("", Schedule.RANDOM), ("16", Schedule.PREEMPTIVE), ("64", Schedule.DESCENDING)])
def test_steps_with_all_reports(setting, schedule):
    model, emulator = bridge.scene(), Emulator(schedule=schedule)
    expected = bridge.play(model)
    with lanes_set(setting):
        with launching_plainly(), planned(for_cuda=True):
            bridge.play(model)
        with emulating(emulator):
            found = bridge.play(model)
    reports = emulator.reports()
    assert not reports, "\n".join(reports)
    assert np.count_nonzero(expected["collided: rigid_contact_shape0"] >= 0) > 4 and expected["outside forces: contact_f"].any()
    assert not expected["outside forces: overflow"].any() and expected["outside, short of room forces: overflow"].all()
    beyond = {}
    for name, array in expected.items():
        scale = max(float(np.abs(array).max()), 1e-6)
        apart = float(np.abs(array.astype(np.float64) - found[name]).max()) / scale
        if not apart <= TOLERANCE:
            beyond[name] = apart
    assert not beyond
