"""Constraint forces and acceleration by projected Gauss-Seidel."""

import warp as wp

from newtonish.kernels.solver.pgs import solve_pgs_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def solve_pgs_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    """Constraint forces and acceleration by projected Gauss-Seidel."""
    w, lane = wp.tid()
    solve_pgs_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
