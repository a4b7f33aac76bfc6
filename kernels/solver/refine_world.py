"""Last steps after a solver of first order, in worlds with a dense Jacobian.

Reads   m.size, m.opt, m.dof; d.mass (M, qLDiagInv), d.frc.qfrc_smooth, d.contact, d.efc, d.sol (qacc), d.status (rounded)
        (after ``solve_cg`` or ``solve_pgs`` with a dense Jacobian)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.state.qacc_warmstart
Method  See ``newtonish.kernels.solver.refine``.
"""

import warp as wp

from newtonish.kernels.linalg.dense import dense_symmetric
from newtonish.kernels.math.world import lanes, scratch_slot, sync
from newtonish.kernels.solver.dense import DENSE, world_hessian, world_problem
from newtonish.kernels.solver.refine import refinement
from newtonish.kernels.solver.world import store_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size

refine = refinement(DENSE)


@wp.func(inline=True)
def refine_loaded(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Refine the solution of world ``w`` in the metric of ``sol.M``."""
    slot = scratch_slot(w)
    dual = sol.A.shape[1] > 0
    if dual:  # forces of the dual problem do not follow from the acceleration alone
        for r in range(lane, status.nefc[w], lanes()):
            sol.A[slot, r, 0] = efc.force[w, r]
        sync()
    p = world_problem(size, opt, contact, efc, status, 0.0, w, lane)  # last steps ask for no tolerance
    if refine(p, world_hessian(size, dof, mass, sol, status, w, lane), frc.qfrc_smooth, sol.qacc, contact, efc, sol):
        store_world(size, state, sol, w)
    elif dual:
        for r in range(lane, status.nefc[w], lanes()):
            efc.force[w, r] = sol.A[slot, r, 0]
        sync()


@wp.func(inline=True)
def refine_world(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Refine the solution of world ``w``, by all of its lanes, if float32 ended the iteration."""
    if status.nefc[w] > 0 and status.rounded[w] != 0:
        dense_symmetric(sol.M, mass.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind, size.nv, w, scratch_slot(w))
        refine_loaded(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
