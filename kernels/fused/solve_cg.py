"""Constraint forces and acceleration by conjugate gradients."""

import warp as wp

from newtonish.kernels.solver.cg import solve_cg_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def solve_cg_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    """Constraint forces and acceleration by conjugate gradients."""
    w, lane = wp.tid()
    solve_cg_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
