"""Start of the solver: which rows are independent, and from which acceleration to iterate.

Method: MuJoCo starts from the last solution or from the unconstrained acceleration, whichever costs less.
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC, WARMSTART
from newtonish.kernels.linalg.dense import copy_vector, dense_symmetric, load_vector, mul_rows
from newtonish.kernels.linalg.newton_sums import partial_gauss_cost
from newtonish.kernels.math.world import block_sum, scratch_slot, sync
from newtonish.kernels.solver.cost import rows_cost
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.func
def first_contact_row(status: Status, w: int) -> int:
    return status.ne[w] + status.nf[w] + status.nl[w]


@wp.func
def flat_rows(opt: Option, status: Status, w: int) -> int:
    """Number of leading rows of which each has a cost of its own: all of them, or those before elliptic contacts."""
    return wp.where(opt.cone == ELLIPTIC, first_contact_row(status, w), status.nefc[w])


@wp.func
def start(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, w: int, lane: int,
):  # fmt: skip
    """Fill ``sol.M``, ``sol.smooth``, and ``sol.x``, ``sol.Mx``, ``sol.Jaref`` at the start of the iteration."""
    dense_symmetric(sol.M, mass.M, dof.M_rownnz, dof.M_rowadr, dof.M_colind, size.nv, w, scratch_slot(w))
    start_in_metric(size, opt, state, frc, contact, efc, sol, status, w, lane)


@wp.func
def start_in_metric(
    size: Size, opt: Option, state: State, frc: Force, contact: Contact, efc: Efc, sol: Solve, status: Status, w: int,
    lane: int,
):  # fmt: skip
    """The same, with ``sol.M`` filled already."""
    slot = scratch_slot(w)
    nefc = status.nefc[w]
    nflat = flat_rows(opt, status, w)
    load_vector(sol.smooth, frc.qfrc_smooth, size.nv, w, slot)
    load_vector(sol.x, frc.qacc_smooth, size.nv, w, slot)
    mul_rows(efc.J, sol.x, efc.aref, 1.0, sol.Jaref, nefc, w, slot)
    warm = wp.int32(0)
    if (opt.disableflags & WARMSTART) == 0:
        load_vector(sol.search, state.qacc_warmstart, size.nv, w, slot)
        mul_rows(sol.M, sol.search, sol.search, 0.0, sol.Mx, size.nv, slot, slot)
        mul_rows(efc.J, sol.search, efc.aref, 1.0, sol.Jv, nefc, w, slot)
        cold_cost = rows_cost(opt, contact, efc, status, sol.Jaref, nflat, w, lane)
        warm_cost = rows_cost(opt, contact, efc, status, sol.Jv, nflat, w, lane)
        warm_cost += block_sum(partial_gauss_cost(sol.Mx, sol.smooth, sol.search, sol.x, slot))
        if warm_cost < cold_cost:
            warm = 1
    if warm == 1:
        copy_vector(sol.x, slot, sol.search, slot, size.nv)
        copy_vector(sol.Jaref, slot, sol.Jv, slot, (nefc + 7) // 8 * 8)
    else:
        copy_vector(sol.Mx, slot, sol.smooth, slot, size.nv_pad)  # M qacc_smooth
    sync()
