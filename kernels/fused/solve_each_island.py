"""Constraint forces and acceleration of large worlds with a sparse Jacobian, whose islands are solved side by side."""

from typing import Any

import warp as wp

from newtonish.common.enums import SolverType
from newtonish.kernels.fused.enter_islands import launch_enter_islands
from newtonish.kernels.fused.find_islands import launch_end_islands, launch_find_islands
from newtonish.kernels.math.world import lane_index, world_index
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sparse.side_by_side import solve_islands
from newtonish.kernels.structs.data import Contact, Efc, Force, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.kernel
def solve_each_island_kernel(
    opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve,
    isl: Island, status: Status, solver: int,
):  # fmt: skip
    """Constraint forces and acceleration of each island."""
    thread, part = wp.tid()
    solve_islands(opt, tree, dof, state, mass, frc, contact, efc, sol, isl, status, solver, world_index(thread), lane_index(part))


def launch_solve_each_island(m: Any, d: Any, solver: SolverType) -> None:
    """Run the kernel on all islands of all worlds, with Newton's method or conjugate gradients, and those before and after it."""
    launch_find_islands(m, d)
    launch_enter_islands(m, d)
    data = [d.state, d.mass, d.frc, d.contact, d.efc, d.sol, d.isl, d.status, int(solver)]
    launch(solve_each_island_kernel, d, [m.opt, m.tree, m.dof, *data])
    launch_end_islands(d, solver)
