"""Constraint forces and acceleration."""

import warp as wp

from newtonish.kernels.solver.newton import solve_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def solve_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status,
):  # fmt: skip
    """Constraint forces and acceleration."""
    w, lane = wp.tid()
    solve_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
