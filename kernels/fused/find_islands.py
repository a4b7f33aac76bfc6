"""Begin and end of a solution whose islands are solved side by side: what is of a world, not of an island."""

from typing import Any

import warp as wp

from newtonish.common.enums import SolverType
from newtonish.kernels.math.world import lane_index, world_index
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sparse.side_by_side import begin_world, end_world
from newtonish.kernels.structs.data import Efc, Force, Island, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Size, Tree


@wp.kernel
def find_islands_kernel(size: Size, opt: Option, tree: Tree, dof: Dof, state: State, frc: Force, efc: Efc, sol: Solve, isl: Island, status: Status):
    """Islands, and the solution of what is in none."""
    thread, part = wp.tid()
    begin_world(size, opt, tree, dof, state, frc, efc, sol, isl, status, world_index(thread), lane_index(part))


@wp.kernel
def end_islands_kernel(isl: Island, status: Status, solver: int):
    """Iterations and room of the whole world."""
    thread, part = wp.tid()
    end_world(isl, status, solver, world_index(thread), lane_index(part))


def launch_find_islands(m: Any, d: Any) -> None:
    """Run the first kernel on all worlds."""
    launch(find_islands_kernel, d, [m.size, m.opt, m.tree, m.dof, d.state, d.frc, d.efc, d.sol, d.isl, d.status])


def launch_end_islands(d: Any, solver: SolverType) -> None:
    """Run the last kernel on all worlds."""
    launch(end_islands_kernel, d, [d.isl, d.status, int(solver)])
