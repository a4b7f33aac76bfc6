"""Constraint forces and acceleration."""

import warp as wp

from newtonish.kernels.math.world import own_lane, own_world, worlds_of_thread
from newtonish.kernels.solver.newton import solve_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size


@wp.kernel
def solve_kernel(
    size: Size, opt: Option, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    status: Status, nworld: int,
):  # fmt: skip
    """Constraint forces and acceleration."""
    thread, part = wp.tid()
    lane = own_lane(part)
    for further in range(worlds_of_thread(nworld)):
        w = own_world(thread + further)
        solve_world(size, opt, dof, state, mass, frc, contact, efc, sol, status, w, lane)
