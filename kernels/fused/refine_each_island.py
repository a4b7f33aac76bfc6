"""Last steps in islands of large worlds that are solved side by side, where float32 ended the iteration."""

from typing import Any

import warp as wp

from newtonish.kernels.math.world import lane_index, world_index
from newtonish.kernels.runtime.launch import launch
from newtonish.kernels.sparse.side_by_side import refine_islands
from newtonish.kernels.structs.data import Contact, Efc, Force, Island, Mass, Solve, State, Status
from newtonish.kernels.structs.model import Dof, Option, Tree


@wp.kernel
def refine_each_island_kernel(
    opt: Option, tree: Tree, dof: Dof, state: State, mass: Mass, frc: Force, contact: Contact, efc: Efc, sol: Solve, isl: Island, status: Status
):
    """Last steps of each island that needs them."""
    thread, part = wp.tid()
    refine_islands(opt, tree, dof, state, mass, frc, contact, efc, sol, isl, status, world_index(thread), lane_index(part))


def launch_refine_each_island(m: Any, d: Any) -> None:
    """Run the kernel on all islands of all worlds."""
    launch(refine_each_island_kernel, d, [m.opt, m.tree, m.dof, d.state, d.mass, d.frc, d.contact, d.efc, d.sol, d.isl, d.status])
