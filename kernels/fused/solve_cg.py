"""Constraint solver: the acceleration that minimises the Gauss cost plus the cost of the constraint rows, by conjugate gradients.

Reads   m.size, m.opt, m.dof; d.state.qacc_warmstart, d.mass (M, qLD), d.frc (qfrc_smooth, qacc_smooth), d.contact, d.efc,
        d.status   (after make_constraint and the smooth dynamics)
Writes  d.sol (qacc, qfrc_constraint, Ma and scratch); d.efc.force, d.efc.state; d.status.solver_niter;
        d.status.rounded; d.state.qacc_warmstart
MuJoCo  mj_fwdConstraint with mj_solCG.
Method  See ``newtonish.kernels.solver.cg``.
"""

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
from newtonish.kernels.solver.world import CG
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def solve_cg_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, nworld: int,
):  # fmt: skip
    """Constraint forces and acceleration by conjugate gradients."""
    thread, part = wp.tid()
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        CG.world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)


through_worlds(solve_cg_kernel)


def launch_solve_cg(m: Any, d: Any, mass: Any, frc: Any) -> None:
    """Run the kernel on all worlds; ``mass`` and ``frc`` are ``d.mass`` and ``d.frc``, or what stands for them."""
    launch(solve_cg_kernel, d, [m.size, m.opt, m.dof, d.state, mass, frc, d.contact, d.efc, d.sol, d.status])
