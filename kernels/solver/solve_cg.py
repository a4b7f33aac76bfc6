"""Constraint solver: the acceleration that minimises the Gauss cost plus the cost of the constraint rows, by conjugate gradients.

Reads   m.size, m.opt, m.dof; d.state.qacc_warmstart, d.mass (M, qLD), d.frc (qfrc_smooth, qacc_smooth), d.contact, d.efc,
        d.status   (after make_constraint and the smooth dynamics)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.status.solver_niter;
        d.status.rounded; d.state.qacc_warmstart
MuJoCo  mj_fwdConstraint with mj_solCG.
Method  See ``newtonish.kernels.solver.cg``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.launch import launch
from newtonish.kernels.solver.cg import conjugate_gradients
from newtonish.kernels.solver.dense import DENSE, world_preconditioner
from newtonish.kernels.solver.world import of_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size

CG = of_world(conjugate_gradients(DENSE), world_preconditioner)


@wp.kernel
def _solve_cg(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    w, lane = wp.tid()
    CG.world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)


def solve_cg(m: Any, d: Any) -> None:
    """Solve the constraints of all worlds (see the head of the file)."""
    launch(_solve_cg, d, [m.size, m.opt, m.dof, d.state, d.mass, d.frc, d.contact, d.efc, d.sol, d.status])
