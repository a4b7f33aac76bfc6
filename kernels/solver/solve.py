"""Constraint solver: the acceleration that minimises the Gauss cost plus the cost of the constraint rows, by Newton's method.

Reads   m.size, m.opt, m.dof; d.state.qacc_warmstart, d.mass (M, qLDiagInv), d.frc (qfrc_smooth, qacc_smooth),
        d.contact, d.efc, d.status   (after make_constraint and the smooth dynamics)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.status.solver_niter;
        d.state.qacc_warmstart
MuJoCo  mj_fwdConstraint with mj_solNewton.
Method  See ``newtonish.kernels.solver.newton``.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from newtonish.kernels.launch import launch
from newtonish.kernels.solver.dense import DENSE, world_hessian
from newtonish.kernels.solver.newton import newton
from newtonish.kernels.solver.on_chip import on_chip
from newtonish.kernels.solver.world import of_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size

NEWTON = of_world(newton(DENSE), world_hessian)


@wp.kernel
def _solve(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    w, lane = wp.tid()
    NEWTON.world(size, opt, dof, state, mass, frc, contact, efc, on_chip(sol), status, w, lane)


def solve(m: Any, d: Any) -> None:
    """Solve the constraints of all worlds (see the head of the file)."""
    launch(_solve, d, [m.size, m.opt, m.dof, d.state, d.mass, d.frc, d.contact, d.efc, d.sol, d.status])
