"""Constraint solver: the acceleration that minimises the Gauss cost plus the cost of the constraint rows, by Newton's method.

Reads   m.size, m.opt, m.dof; d.state.qacc_warmstart, d.mass (M, qLDiagInv), d.frc (qfrc_smooth, qacc_smooth),
        d.contact, d.efc, d.status   (after make_constraint and the smooth dynamics)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.status.solver_niter;
        d.state.qacc_warmstart
MuJoCo  mj_fwdConstraint with mj_solNewton.
Method  See ``newtonish.kernels.solver.newton``.
"""

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.solver.on_chip import on_chip
from newtonish.kernels.solver.world import NEWTON
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def solve_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, nworld: int,
):  # fmt: skip
    """Constraint forces and acceleration."""
    thread, part = wp.tid()
    lane = lane_index(part)
    local = on_chip(sol)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        NEWTON.world(size, opt, dof, state, mass, frc, contact, efc, local, status, w, lane)


through_worlds(solve_kernel)


def launch_solve(m: Any, d: Any, mass: Any, frc: Any) -> None:
    """Run the kernel on all worlds; ``mass`` and ``frc`` are ``d.mass`` and ``d.frc``, or what stands for them."""
    launch(solve_kernel, d, [m.size, m.opt, m.dof, d.state, mass, frc, d.contact, d.efc, d.sol, d.status])
