"""Constraint forces and acceleration with a sparse Jacobian."""

import warp as wp

from newtonish.kernels.math.world import own_lane, own_world, worlds_of_thread
from newtonish.kernels.sparse.solve import solve_islands_world
from newtonish.kernels.structs.data import Contact, Efc, Force, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size, Tree


@wp.kernel
def solve_islands_kernel(
    size: Size, opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc,
    sol: Solve, isl: Island, status: Status, solver: int, nworld: int,
):  # fmt: skip
    """Constraint forces and acceleration, island by island."""
    thread, part = wp.tid()
    lane = own_lane(part)
    for further in range(worlds_of_thread(nworld)):
        w = own_world(thread + further)
        solve_islands_world(size, opt, tree, dof, state, mass, frc, contact, efc, sol, isl, status, solver, w, lane)
