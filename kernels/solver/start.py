"""Where a primal method starts.

Method: MuJoCo starts from the last solution or from the unconstrained acceleration, whichever costs less.
"""

import functools

import warp as wp

from newtonish.kernels.constants import WARMSTART
from newtonish.kernels.solver.operations import Operations
from newtonish.kernels.structs.data import Contact, Efc, Force, Solve, State


@functools.cache
def start(op: Operations) -> wp.Function:
    """The start of an iteration, for problems with the operations ``op``."""

    @wp.func
    def begin(p: op.problem, disableflags: int, state: State, frc: Force, contact: Contact, efc: Efc, sol: Solve):
        """Fill ``sol.smooth``, and ``sol.x``, ``sol.Mx``, ``sol.Jaref`` at the start: the last solution or qacc_smooth, by cost."""
        op.gather(p, sol.smooth, frc.qfrc_smooth)
        op.gather(p, sol.x, frc.qacc_smooth)
        op.multiply_jacobian(p, efc, sol.x, 1.0, sol.Jaref)
        warm = wp.int32(0)
        if (disableflags & WARMSTART) == 0:
            op.gather(p, sol.search, state.qacc_warmstart)
            op.multiply_mass(p, sol, sol.search, sol.Mx)
            op.multiply_jacobian(p, efc, sol.search, 1.0, sol.Jv)
            cold_cost = op.rows_cost(op.rows(p), contact, efc, sol.Jaref, p.slot)
            warm_cost = op.rows_cost(op.rows(p), contact, efc, sol.Jv, p.slot)
            warm_cost += op.sum(op.gauss_cost(sol.Mx, sol.smooth, sol.search, sol.x, p.slot))
            if warm_cost < cold_cost:
                warm = 1
        if warm == 1:
            op.copy(sol.x, p.slot, sol.search, p.slot, p.n)
            op.copy(sol.Jaref, p.slot, sol.Jv, p.slot, op.nrow(p))
        else:
            op.copy(sol.Mx, p.slot, sol.smooth, p.slot, p.n)  # M qacc_smooth
        op.sync()

    return begin
