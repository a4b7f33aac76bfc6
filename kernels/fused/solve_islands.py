"""Constraint forces and acceleration with a sparse Jacobian."""

from typing import Any

import warp as wp

from newtonish.common.enums import SolverType
from newtonish.kernels.math.world import lane_index, world_index, worlds_per_thread
from newtonish.kernels.runtime.launch import launch, through_worlds
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
    lane = lane_index(part)
    for offset in range(worlds_per_thread(nworld)):
        w = world_index(thread + offset)
        solve_islands_world(size, opt, tree, dof, state, mass, frc, contact, efc, sol, isl, status, solver, w, lane)


through_worlds(solve_islands_kernel)


def launch_solve_islands(m: Any, d: Any, solver: SolverType) -> None:
    """Run the kernel on all worlds, with Newton's method or conjugate gradients."""
    model = [m.size, m.opt, m.tree, m.dof]
    data = [d.state, d.mass, d.frc, d.contact, d.efc, d.sol, d.isl, d.status, int(solver)]
    launch(solve_islands_kernel, d, [*model, *data])
