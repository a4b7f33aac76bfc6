"""Hessian of the solver's cost and its factor: M + J' D J over the quadratic rows, plus the blocks of elliptic cones.

Method: MuJoCo's documentation, chapter Computation, "Newton".
"""

import warp as wp

from newtonish.kernels.constants import ELLIPTIC
from newtonish.kernels.linalg.hessian import hessian_add_rows, hessian_begin, hessian_factor
from newtonish.kernels.math.world import scratch_slot
from newtonish.kernels.solver.cone import cones_hessian
from newtonish.kernels.solver.context import first_contact_row
from newtonish.kernels.structs.data import Contact, Efc, Mass, Solve, Status
from newtonish.kernels.structs.model import Option, Size


@wp.func
def sum_hessian(size: Size, opt: Option, contact: Contact, efc: Efc, sol: Solve, status: Status, w: int):
    """Write the lower triangle of H to ``sol.H``, from the rows' present states."""
    first = first_contact_row(status, w)
    slot = scratch_slot(w)
    hessian_begin(sol.H, sol.M, size.nv, slot)
    hessian_add_rows(sol.H, efc.J, efc.D, efc.state, 0, first, size.nv, w, slot)
    hessian_add_rows(sol.H, efc.J, efc.D, efc.state, first, status.nefc[w], size.nv, w, slot)
    if opt.cone == ELLIPTIC:
        cones_hessian(contact, efc, sol, status, size.nv, w)


@wp.func
def build_hessian(
    size: Size, opt: Option, mass: Mass, contact: Contact, efc: Efc, sol: Solve, status: Status, w: int, lane: int
):
    """Write the factor of H to ``sol.H`` and ``sol.Hdiaginv``, from the rows' present states."""
    sum_hessian(size, opt, contact, efc, sol, status, w)
    hessian_factor(sol.H, sol.Hdiaginv, mass.qLDiagInv, size.nv, w, scratch_slot(w))
