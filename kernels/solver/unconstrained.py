"""The solution of a world without rows."""

import warp as wp

from newtonish.kernels.math.world import lanes, sync
from newtonish.kernels.structs.data import Force, Solve, State, Status
from newtonish.kernels.structs.model import Size


@wp.func
def unconstrained_world(size: Size, state: State, frc: Force, sol: Solve, status: Status, w: int, lane: int):
    """Acceleration and forces of world ``w``, as they are without constraints."""
    for i in range(lane, size.nv, lanes()):
        a = frc.qacc_smooth[w, i]
        sol.qacc[w, i] = a
        state.qacc_warmstart[w, i] = a
        sol.qfrc_constraint[w, i] = 0.0
        sol.Ma[w, i] = frc.qfrc_smooth[w, i]
    if lane == 0:
        status.solver_niter[w] = 0
    sync()
