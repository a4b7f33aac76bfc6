"""Last steps after a solver of first order where float32 ended its iteration: Newton's, with a gradient summed in float64.

Reads   m.size, m.opt, m.dof; d.mass (M, qLDiagInv), d.frc.qfrc_smooth, d.contact, d.efc, d.sol (qacc), d.status (rounded)
        (after ``solve_cg`` or ``solve_pgs`` with a dense Jacobian)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.state.qacc_warmstart
Method  Conjugate gradients and Gauss-Seidel stop where a step gains less than float32 tells, which is farther from the minimum
        than Newton's method stops: their steps do not know the curvature that multiplies the rest. Here the Hessian is built
        once, and ``newtonish.kernels.solver.polish`` does what it does for Newton's method. If the first step is too long for
        that, it is taken as it is, and the next one is looked at: iterative refinement (Higham 2002, "Accuracy and stability of
        numerical algorithms", chapter 12). Where the steps do not become short, the solver's own result stays.
"""

import warp as wp

from newtonish.kernels.linalg.dense import add_scaled, dense_symmetric, load_vector
from newtonish.kernels.math.world import scratch_slot, sync
from newtonish.kernels.solver.context import flat_rows
from newtonish.kernels.solver.hessian import build_hessian
from newtonish.kernels.solver.newton import INFINITE, store_solution
from newtonish.kernels.solver.polish import CLOSE, balance, exact_states, exact_step, take_exact_step
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size

# steps until one is short
ROUNDS = wp.constant(4)


@wp.func
def _approach(
    size: Size, opt: Option, mass: Mass, contact: Contact, efc: Efc, sol: Solve, status: Status, nflat: int, w: int,
    lane: int,
) -> float:  # fmt: skip
    """Move ``sol.x`` until the step to the minimum, left in ``sol.search``, is short; returns the length of ``sol.x``, or -1."""
    norm = wp.float32(-1.0)
    before = wp.float32(INFINITE)
    count = wp.int32(0)
    going = wp.int32(1)
    while going == 1:
        exact_states(size, opt, contact, efc, sol, status, nflat, w, lane)
        build_hessian(size, opt, mass, contact, efc, sol, status, w, lane)
        lengths = exact_step(size, opt, contact, efc, sol, status, w, lane)
        count += 1
        if lengths[1] <= CLOSE * lengths[0]:
            norm = lengths[0]
            going = 0
        elif count < ROUNDS and lengths[1] < before:
            before = lengths[1]
            add_scaled(sol.x, sol.search, 1.0, size.nv_pad, scratch_slot(w))
        else:
            going = 0  # too far, or not a number
    return norm


@wp.func
def refine_loaded(
    size: Size, opt: Option, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve, status: Status,
    w: int, lane: int,
):  # fmt: skip
    """Refine the solution of world ``w`` in the metric of ``sol.M``."""
    slot = scratch_slot(w)
    nflat = flat_rows(opt, status, w)
    dual = sol.A.shape[1] > 0
    load_vector(sol.smooth, frc.qfrc_smooth, size.nv, w, slot)
    load_vector(sol.x, sol.qacc, size.nv, w, slot)
    if dual:  # forces of the dual problem do not follow from the acceleration alone
        for r in range(lane, status.nefc[w], wp.block_dim()):
            sol.A[slot, r, 0] = efc.force[w, r]
        sync()
    norm = _approach(size, opt, mass, contact, efc, sol, status, nflat, w, lane)
    if norm > 0.0:
        take_exact_step(size, opt, contact, efc, sol, status, norm, nflat, w, lane)
        balance(sol, size.nv, w, lane)
        store_solution(size, state, sol, status, status.solver_niter[w], w, lane)
    else:
        load_vector(sol.x, sol.qacc, size.nv, w, slot)
        exact_states(size, opt, contact, efc, sol, status, nflat, w, lane)
        if dual:
            for r in range(lane, status.nefc[w], wp.block_dim()):
                efc.force[w, r] = sol.A[slot, r, 0]
            sync()


@wp.func
def refine_world(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Refine the solution of world ``w``, by all lanes of its block, if float32 ended the iteration."""
    if status.nefc[w] > 0 and status.rounded[w] != 0:
        dense_symmetric(sol.M, mass.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind, size.nv, w, scratch_slot(w))
        refine_loaded(size, opt, state, mass, frc, contact, efc, sol, status, w, lane)
