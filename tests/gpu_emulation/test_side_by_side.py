"""Islands of a large world side by side: what has no room for its Hessian behind the others is solved by conjugate gradients, and the world says so."""

import numpy as np
import warp as wp
from cases import CASES
from emulation.emulator import Emulator
from emulation.stepping import emulating, launching_plainly, prepare

from newtonish.common.enums import OverflowType
from newtonish.kernels.forward import step
from newtonish.kernels.runtime.launch import planned

(CROWD,) = [case for case in CASES if case.name == "crowd"]
ROOM = 2048  # floats: more than the largest island takes, and less than all of them


def test_islands_without_room():
    m = CROWD.load()
    here, there, unused = (prepare(m, 2, CROWD.warm) for _ in range(3))
    step(m, here)
    assert (here.status.nhessian_needed.numpy() < ROOM).all()
    there.isl.H = wp.zeros((2, ROOM), dtype=float)
    with launching_plainly(), planned(for_cuda=True):
        step(m, unused)
    emulator = Emulator()
    with emulating(emulator) as launched:
        step(m, there)
    assert not emulator.reports()
    assert "solve_each_island_kernel" in launched
    short = there.status.nhessian_needed.numpy() > ROOM
    assert short.any()
    assert (((there.status.overflow.numpy() & OverflowType.HESSIAN) != 0) == short).all()
    exact, found = here.sol.qacc.numpy(), there.sol.qacc.numpy()
    assert np.abs(found - exact).max() < 1e-3 * np.abs(exact).max()
